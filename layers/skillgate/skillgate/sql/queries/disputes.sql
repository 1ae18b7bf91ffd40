-- name: scanned
-- The newest tier 1 scan of this content among the author's own submissions.
SELECT c.submission_id, c.tier, c.content_hash, c.scanner, c.score, c.decision, c.report, c.duration_ms, c.created_at
FROM scans c JOIN submissions s ON s.id = c.submission_id
WHERE c.content_hash = %(content_hash)s AND c.tier = 1
  AND (s.submitted_by = %(account_id)s OR split_part(s.repo_key, '/', 1) = lower(%(login)s))
ORDER BY c.created_at DESC LIMIT 1;

-- name: open
INSERT INTO disputes (id, repo_key, skill_path, rule_id, content_hash, finding_ids, note, account_id, login, created_at)
VALUES (%(id)s, %(repo_key)s, %(skill_path)s, %(rule_id)s, %(content_hash)s, %(finding_ids)s, %(note)s, %(account_id)s,
    %(login)s, %(created_at)s)
ON CONFLICT (repo_key, skill_path, rule_id, content_hash) DO NOTHING;

-- name: by_finding
SELECT * FROM disputes WHERE repo_key = %(repo_key)s AND skill_path = %(skill_path)s AND rule_id = %(rule_id)s
  AND content_hash = %(content_hash)s;

-- name: get
SELECT * FROM disputes WHERE id = %(id)s;

-- name: decide
UPDATE disputes SET status = %(status)s, reason = %(reason)s, decided_by = %(by)s, decided_at = %(at)s
WHERE id = %(id)s AND status = 'open'
RETURNING *;

-- name: page
SELECT * FROM disputes
WHERE status = ANY(%(statuses)s) AND (%(account_id)s::uuid IS NULL OR account_id = %(account_id)s)
  AND (created_at, id) < (%(after_at)s, %(after_id)s)
ORDER BY created_at DESC, id DESC LIMIT %(limit)s;

-- name: overturned
-- Of several decisions about one rule of one skill, the newest holds; what was looked at before stays known.
SELECT rule_id, array_agg(DISTINCT f.id) AS finding_ids
FROM disputes d CROSS JOIN unnest(d.finding_ids) AS f (id)
WHERE repo_key = %(repo_key)s AND skill_path = %(skill_path)s AND status = 'overturned' AND NOT EXISTS (
    SELECT 1 FROM disputes later WHERE later.repo_key = d.repo_key AND later.skill_path = d.skill_path
      AND later.rule_id = d.rule_id AND later.status = 'upheld' AND later.decided_at > d.decided_at)
GROUP BY rule_id;

-- name: rates
SELECT rule_id, count(*) AS disputes, count(*) FILTER (WHERE status = 'overturned') AS overturned,
       count(*) FILTER (WHERE status = 'upheld') AS upheld
FROM disputes GROUP BY rule_id ORDER BY rule_id;
