-- name: insert_many
-- One statement for a whole chunk; what is already open is left alone by the unique index, whoever came first.
WITH wanted AS (
    SELECT * FROM jsonb_to_recordset(%(rows)s) AS w (
        id uuid, repo_url text, repo_key text, skill_path text, skill_name text, source text, email text,
        submitted_by text, state submission_state, version int, created_at timestamptz, updated_at timestamptz)
), created AS (
    INSERT INTO submissions (id, repo_url, repo_key, skill_path, skill_name, source, email, submitted_by,
                             state, version, created_at, updated_at)
    SELECT id, repo_url, repo_key, skill_path, skill_name, source, email, submitted_by,
           state, version, created_at, updated_at FROM wanted
    ON CONFLICT DO NOTHING
    RETURNING id, version, state, created_at, source
), logged AS (
    INSERT INTO submission_events (submission_id, version, to_state, at, actor)
    SELECT id, version, state, created_at, source FROM created WHERE %(with_events)s
)
SELECT id FROM created;

-- name: find_open
SELECT s.* FROM submissions s
JOIN unnest(%(repo_keys)s::text[], %(skill_paths)s::text[]) AS k (repo_key, skill_path) USING (repo_key, skill_path)
WHERE s.state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED', 'NEEDS_REVIEW');

-- name: screen
-- What is known about each wanted skill before it is taken: a block on its source, or a published version.
SELECT k.repo_key, k.skill_path, b.reason AS blocked_reason, p.id AS skill_id, p.name AS skill_name, p.commit_sha
FROM unnest(%(repo_keys)s::text[], %(skill_paths)s::text[]) AS k (repo_key, skill_path)
LEFT JOIN LATERAL (
    SELECT reason FROM blocklist b
    WHERE b.removed_at IS NULL AND b.repo_key = k.repo_key AND coalesce(b.skill_path, k.skill_path) = k.skill_path
    LIMIT 1) b ON true
LEFT JOIN skills p ON p.repo_key = k.repo_key AND p.skill_path = k.skill_path AND p.status = 'published'
WHERE b.reason IS NOT NULL OR p.id IS NOT NULL;

-- name: blocked_content
SELECT reason FROM blocklist WHERE removed_at IS NULL AND content_hash = %(content_hash)s;

-- name: move
-- The conditional transition and its event, in one statement and so in one transaction.
WITH moved AS (
    UPDATE submissions SET
        state = %(state)s::submission_state, version = %(version)s, attempt = %(attempt)s, sweeps = %(sweeps)s,
        lease_until = %(lease_until)s, updated_at = %(updated_at)s, ended_at = %(ended_at)s,
        sent_at = CASE WHEN %(state)s::submission_state = 'RECEIVED' AND state <> 'RECEIVED' THEN NULL ELSE sent_at END,
        reason_code = %(reason_code)s, reason = %(reason)s, commit_sha = %(commit_sha)s,
        content_hash = %(content_hash)s, score = %(score)s, skill_id = %(skill_id)s
    WHERE id = %(id)s AND version = %(version)s::int - 1 AND state = %(from_state)s::submission_state
    RETURNING id
)
INSERT INTO submission_events (submission_id, version, from_state, to_state, at, actor, reason_code, reason, detail)
SELECT id, %(version)s::int, %(from_state)s::submission_state, %(state)s::submission_state, %(updated_at)s, %(actor)s,
       %(event_reason_code)s, %(event_reason)s, %(detail)s FROM moved
RETURNING submission_id;

-- name: branch
-- How far the row is, and which of its events a copy claims to know as well. The lock holds until the replay is done.
SELECT s.version AS row_version, e.version, e.to_state, e.at
FROM (SELECT id, version FROM submissions WHERE id = %(id)s FOR UPDATE) AS s
LEFT JOIN submission_events e ON e.submission_id = s.id AND e.version >= %(from_version)s;

-- name: replay
-- Catches the row up with a newer copy; an older copy changes nothing.
INSERT INTO submissions AS s (id, repo_url, repo_key, skill_path, skill_name, source, email, submitted_by, state, version,
    attempt, sweeps, lease_until, sent_at, created_at, updated_at, ended_at, reason_code, reason, commit_sha,
    content_hash, score, skill_id)
VALUES (%(id)s, %(repo_url)s, %(repo_key)s, %(skill_path)s, %(skill_name)s, %(source)s, %(email)s, %(submitted_by)s,
    %(state)s::submission_state, %(version)s, %(attempt)s, %(sweeps)s, %(lease_until)s, %(sent_at)s, %(created_at)s, %(updated_at)s,
    %(ended_at)s, %(reason_code)s, %(reason)s, %(commit_sha)s, %(content_hash)s, %(score)s, %(skill_id)s)
ON CONFLICT (id) DO UPDATE SET
    state = excluded.state, version = excluded.version, attempt = excluded.attempt, sweeps = excluded.sweeps,
    lease_until = excluded.lease_until, updated_at = excluded.updated_at, ended_at = excluded.ended_at,
    reason_code = excluded.reason_code, reason = excluded.reason, commit_sha = excluded.commit_sha,
    content_hash = excluded.content_hash, score = excluded.score, skill_id = excluded.skill_id
WHERE s.version < excluded.version;

-- name: replay_event
INSERT INTO submission_events (submission_id, version, from_state, to_state, at, actor, reason_code, reason, detail)
VALUES (%(submission_id)s, %(version)s, %(from_state)s::submission_state, %(to_state)s::submission_state, %(at)s, %(actor)s,
    %(reason_code)s, %(reason)s, %(detail)s)
ON CONFLICT (submission_id, version) DO NOTHING;

-- name: get_many
SELECT * FROM submissions WHERE id = ANY(%(ids)s::uuid[]);

-- name: history
SELECT * FROM submission_events WHERE submission_id = %(id)s ORDER BY version;

-- name: mark_sent
UPDATE submissions SET sent_at = %(at)s WHERE id = ANY(%(ids)s::uuid[]) AND sent_at IS NULL;

-- name: mark_uncopied
UPDATE submissions SET uncopied = true WHERE id = ANY(%(ids)s::uuid[]) AND NOT uncopied;

-- name: uncopied
SELECT * FROM submissions WHERE uncopied ORDER BY updated_at LIMIT %(limit)s;

-- name: mark_copied
-- Only as it was copied: what has moved on since is copied again.
UPDATE submissions s SET uncopied = false
FROM unnest(%(ids)s::uuid[], %(versions)s::int[]) AS c (id, version)
WHERE s.id = c.id AND s.version = c.version AND s.uncopied;

-- name: stuck
SELECT * FROM submissions
WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED')
  AND updated_at < %(idle_since)s AND (lease_until IS NULL OR lease_until < %(now)s)
ORDER BY updated_at LIMIT %(limit)s;

-- name: unsent
SELECT * FROM submissions WHERE sent_at IS NULL AND state = 'RECEIVED' AND created_at < %(created_before)s
ORDER BY created_at LIMIT %(limit)s;

-- name: waiting_before
-- How many were received earlier and still wait, counted no further than anybody would wait to know.
SELECT count(*) AS ahead FROM (
    SELECT 1 FROM submissions WHERE state = 'RECEIVED' AND created_at < %(created_at)s LIMIT 10000) AS ahead;

-- name: stage_times
-- How long recent submissions took from being received to their answer, and from being claimed to it.
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50, percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95,
       count(*) AS answers, extract(epoch FROM max(ended_at) - min(ended_at)) AS span
FROM (SELECT ended_at, extract(epoch FROM ended_at - created_at) AS seconds FROM submissions
      WHERE ended_at IS NOT NULL AND ended_at > %(since)s ORDER BY ended_at DESC LIMIT 1000) AS recent;

-- name: counts
SELECT state, sum(submissions)::bigint AS submissions FROM submission_counts GROUP BY state;

-- name: throughput
SELECT state, sum(answers)::bigint AS day,
       coalesce(sum(answers) FILTER (WHERE bucket > %(now)s::timestamptz - interval '1 hour'), 0)::bigint AS hour,
       coalesce(sum(answers) FILTER (WHERE bucket > %(now)s::timestamptz - interval '6 hours'), 0)::bigint AS six_hours
FROM submission_answers WHERE bucket > %(now)s::timestamptz - interval '1 day' GROUP BY state;

-- name: oldest_in_flight
SELECT min(created_at) AS created_at FROM submissions
WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED');

-- name: events_after
-- Only transactions that can no longer be overtaken: no event is ever skipped by a reader that moves on.
SELECT e.*, s.repo_url, s.skill_name, s.skill_path FROM submission_events e JOIN submissions s ON s.id = e.submission_id
WHERE (e.xact, e.seq) > (%(xact)s::text::xid8, %(seq)s) AND e.xact < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY e.xact, e.seq LIMIT %(limit)s;

-- name: newest_event
SELECT xact::text AS xact, seq FROM submission_events
WHERE xact < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xact DESC, seq DESC LIMIT 1;

-- name: save_scan
INSERT INTO scans (submission_id, tier, content_hash, scanner, score, decision, report, duration_ms, created_at)
VALUES (%(submission_id)s, %(tier)s, %(content_hash)s, %(scanner)s, %(score)s, %(decision)s, %(report)s,
    %(duration_ms)s, %(created_at)s)
ON CONFLICT (submission_id, tier, content_hash, scanner) DO UPDATE SET
    score = excluded.score, decision = excluded.decision, report = excluded.report,
    duration_ms = excluded.duration_ms, created_at = excluded.created_at;

-- name: scans
SELECT * FROM scans WHERE submission_id = %(submission_id)s ORDER BY created_at, tier;
