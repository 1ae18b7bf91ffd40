-- name: take_turns
-- Whoever looks at one of these candidates next waits until this transaction ends; in one order, so that nobody waits
-- in a circle. A run that dies gives its turn back by itself.
SELECT pg_advisory_xact_lock(turn) FROM (
    SELECT DISTINCT hashtextextended(repo_key || ' ' || skill_path, 1) AS turn
    FROM unnest(%(repo_keys)s::text[], %(skill_paths)s::text[]) AS wanted (repo_key, skill_path)
    ORDER BY turn
) AS turns;

-- name: has_been_discovered
-- Known is what was found, or submitted by anybody, lately enough and at this commit. An unknown commit has not moved.
SELECT w.repo_key, w.skill_path
FROM unnest(%(repo_keys)s::text[], %(skill_paths)s::text[], %(commits)s::text[]) AS w (repo_key, skill_path, commit_sha)
WHERE EXISTS (
    SELECT 1 FROM discoveries d
    WHERE d.repo_key = w.repo_key AND d.skill_path = w.skill_path AND d.submitted_at > %(again_since)s
      AND coalesce(d.commit_sha = w.commit_sha, true)
) OR EXISTS (
    SELECT 1 FROM submissions s
    WHERE s.repo_key = w.repo_key AND s.skill_path = w.skill_path AND s.created_at > %(again_since)s
      AND s.commit_sha = w.commit_sha
);

-- name: mark_discovered
INSERT INTO discoveries AS d
    (repo_key, skill_path, repo_url, source, commit_sha, submission_id, first_seen_at, last_seen_at, submitted_at)
SELECT repo_key, skill_path, repo_url, %(source)s, commit_sha, submission_id, %(at)s, %(at)s,
       CASE WHEN settled THEN %(at)s END
FROM jsonb_to_recordset(%(marks)s) AS m (
    repo_key text, skill_path text, repo_url text, commit_sha text, submission_id uuid, settled boolean)
ORDER BY repo_key, skill_path
ON CONFLICT (repo_key, skill_path) DO UPDATE SET
    last_seen_at = excluded.last_seen_at,
    submitted_at = coalesce(excluded.submitted_at, d.submitted_at),
    submission_id = coalesce(excluded.submission_id, d.submission_id),
    commit_sha = CASE WHEN excluded.submitted_at IS NULL THEN coalesce(d.commit_sha, excluded.commit_sha)
                      ELSE excluded.commit_sha END;

-- name: forget_runs
DELETE FROM discovery_runs WHERE started_at < %(forget_before)s;

-- name: begin
-- The new run takes over where the last one of its source got to, so that dying at once loses no position either.
INSERT INTO discovery_runs (id, source, started_at, max_results, checkpoint)
SELECT %(id)s, %(source)s, %(started_at)s, %(max_results)s,
       (SELECT checkpoint FROM discovery_runs WHERE source = %(source)s ORDER BY started_at DESC, id DESC LIMIT 1)
RETURNING checkpoint;

-- name: save
UPDATE discovery_runs SET ended_at = %(ended_at)s, counts = %(counts)s, hidden = %(hidden)s, tokens = %(tokens)s,
    checkpoint = %(checkpoint)s, outcome = %(outcome)s, message = %(message)s
WHERE id = %(id)s;

-- name: save_repositories
INSERT INTO discovery_repositories AS r
    (run_id, repo_key, repo_url, candidates, enqueued, skipped_dedup, skipped_blocked, errors, error)
SELECT %(run_id)s, n.* FROM jsonb_to_recordset(%(rows)s) AS n (
    repo_key text, repo_url text, candidates int, enqueued int, skipped_dedup int, skipped_blocked int, errors int,
    error text)
ON CONFLICT (run_id, repo_key) DO UPDATE SET
    candidates = r.candidates + excluded.candidates, enqueued = r.enqueued + excluded.enqueued,
    skipped_dedup = r.skipped_dedup + excluded.skipped_dedup,
    skipped_blocked = r.skipped_blocked + excluded.skipped_blocked,
    errors = r.errors + excluded.errors, error = coalesce(excluded.error, r.error);

-- name: runs
SELECT * FROM discovery_runs WHERE (%(source)s::text IS NULL OR source = %(source)s)
ORDER BY started_at DESC, id DESC LIMIT %(limit)s;

-- name: latest
SELECT DISTINCT ON (source) * FROM discovery_runs ORDER BY source, started_at DESC, id DESC;

-- name: run_exists
SELECT 1 FROM discovery_runs WHERE id = %(run_id)s;

-- name: repositories
SELECT repo_url, candidates, enqueued, skipped_dedup, skipped_blocked, errors, error
FROM discovery_repositories WHERE run_id = %(run_id)s ORDER BY repo_key;

-- name: totals
SELECT source, count(*) AS runs, max(started_at) AS last_started_at,
       max(ended_at) FILTER (WHERE outcome = 'completed') AS last_completed_at,
       coalesce(sum((counts->>'candidates')::bigint), 0) AS candidates,
       coalesce(sum((counts->>'enqueued')::bigint), 0) AS enqueued,
       coalesce(sum((counts->>'skipped_dedup')::bigint), 0) AS skipped_dedup,
       coalesce(sum((counts->>'skipped_blocked')::bigint), 0) AS skipped_blocked,
       coalesce(sum((counts->>'errors')::bigint), 0) AS errors
FROM discovery_runs GROUP BY source ORDER BY source;

-- name: due
-- Whole repositories, those first that were not looked at for longest.
WITH chosen AS (
    SELECT repo_key, min(coalesce(source_checked_at, '-infinity')) AS oldest FROM skills
    WHERE status IN ('published', 'quarantined')
      AND (source_checked_at IS NULL OR source_checked_at < %(checked_before)s)
    GROUP BY repo_key ORDER BY oldest, repo_key LIMIT %(limit)s
)
SELECT s.id AS skill_id, s.repo_url, s.skill_path, s.content_hash,
       coalesce(s.source_head, s.commit_sha) AS source_head, s.source_removed_at AS removed_at
FROM chosen JOIN skills s USING (repo_key) WHERE s.status IN ('published', 'quarantined')
ORDER BY chosen.oldest, s.repo_key, s.skill_path;

-- name: checked
UPDATE skills SET source_head = coalesce(%(head)s, source_head), source_checked_at = %(at)s
WHERE id = ANY(%(skill_ids)s);

-- name: set_removed
-- The mark and its entry for whoever mirrors the marketplace; what is marked already is not touched.
WITH marked AS (
    UPDATE skills SET source_removed_at = %(removed_at)s, version = version + 1, updated_at = %(at)s
    WHERE id = ANY(%(skill_ids)s) AND (source_removed_at IS NULL) <> (%(removed_at)s::timestamptz IS NULL)
    RETURNING id, current_version, content_hash
), feed AS (
    INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
    SELECT 'updated', id, current_version, content_hash, %(at)s FROM marked
)
SELECT id FROM marked;
