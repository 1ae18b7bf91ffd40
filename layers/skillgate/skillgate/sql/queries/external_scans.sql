-- name: unsent_of
SELECT e.job_id::text FROM external_scans e JOIN skill_versions v ON v.id = e.version_id
WHERE v.skill_id = %(skill_id)s AND v.content_hash = %(content_hash)s AND e.status = 'QUEUED' AND e.sent_at IS NULL;

-- name: unsent
SELECT job_id::text FROM external_scans
WHERE status = 'QUEUED' AND sent_at IS NULL AND created_at < %(created_before)s
ORDER BY created_at LIMIT %(limit)s;

-- name: mark_sent
UPDATE external_scans SET sent_at = %(at)s WHERE job_id = ANY(%(job_ids)s::uuid[]) AND status = 'QUEUED';

-- name: mark_unsent
UPDATE external_scans SET sent_at = NULL WHERE job_id = ANY(%(job_ids)s::uuid[]) AND status = 'QUEUED';

-- name: one_claim_at_a_time
-- Two dispatchers that count at once would both find the last place of the hour free.
SELECT pg_advisory_xact_lock(7216002);

-- name: claim
-- As many of the queued ones as the last hour has left. What is not queued is dispatched already, or done.
WITH room AS (
    SELECT greatest(0, %(per_hour)s - count(*)) AS free FROM external_scan_dispatches
    WHERE at > %(at)s - interval '1 hour'
), wanted AS (
    SELECT job_id FROM external_scans WHERE job_id = ANY(%(job_ids)s::uuid[]) AND status = 'QUEUED'
    ORDER BY created_at, job_id LIMIT (SELECT free FROM room) FOR UPDATE
), claimed AS (
    UPDATE external_scans e
    SET status = 'PENDING', dispatches = e.dispatches + 1, dispatched_at = %(at)s, error_code = NULL, error = NULL
    FROM wanted w WHERE e.job_id = w.job_id
    RETURNING e.*
), logged AS (
    INSERT INTO external_scan_dispatches (job_id, at) SELECT job_id, %(at)s FROM claimed
)
SELECT e.*, v.skill_id, v.commit_sha, s.name AS skill_name, s.repo_url, s.skill_path
FROM claimed e JOIN skill_versions v ON v.id = e.version_id JOIN skills s ON s.id = v.skill_id;

-- name: handed_over
UPDATE external_scans SET worker = %(worker)s WHERE job_id = %(job_id)s;

-- name: release
-- A job that no worker got takes no place of the hour.
WITH released AS (
    UPDATE external_scans SET status = 'QUEUED', dispatches = dispatches - 1, dispatched_at = NULL
    WHERE job_id = %(job_id)s AND status = 'PENDING' AND dispatched_at = %(claimed_at)s
    RETURNING job_id
)
DELETE FROM external_scan_dispatches d USING released r
WHERE d.job_id = r.job_id AND d.at = %(claimed_at)s AND NOT %(reached)s;

-- name: fail
UPDATE external_scans SET status = 'FAILED', error_code = %(code)s, error = %(message)s, completed_at = %(at)s
WHERE job_id = %(job_id)s AND status IN ('QUEUED', 'PENDING', 'RUNNING', 'TIMED_OUT');

-- name: time_out
UPDATE external_scans e SET
    status = CASE WHEN e.dispatches < %(max_dispatches)s THEN 'QUEUED' ELSE 'TIMED_OUT' END,
    sent_at = CASE WHEN e.dispatches < %(max_dispatches)s THEN NULL ELSE e.sent_at END,
    completed_at = CASE WHEN e.dispatches < %(max_dispatches)s THEN NULL ELSE %(at)s END
FROM (
    SELECT job_id FROM external_scans WHERE status IN ('PENDING', 'RUNNING') AND dispatched_at < %(dispatched_before)s
    ORDER BY dispatched_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
) overdue
WHERE e.job_id = overdue.job_id
RETURNING e.job_id::text, e.status;

-- name: dispatched_since
SELECT count(*) AS dispatched FROM external_scan_dispatches WHERE at > %(since)s;

-- name: remember_message
INSERT INTO external_scan_messages (webhook_id, job_id, received_at) VALUES (%(webhook_id)s, %(job_id)s, %(at)s)
ON CONFLICT (webhook_id) DO NOTHING RETURNING webhook_id;

-- name: keep_message
UPDATE external_scan_messages SET not_applied = %(why)s, content = %(content)s WHERE webhook_id = %(webhook_id)s;

-- name: by_job
SELECT e.*, v.skill_id, v.commit_sha, s.name AS skill_name, s.repo_url, s.skill_path
FROM external_scans e JOIN skill_versions v ON v.id = e.version_id JOIN skills s ON s.id = v.skill_id
WHERE e.job_id = %(job_id)s FOR UPDATE OF e;

-- name: of_version
SELECT e.*, v.skill_id, v.commit_sha, s.name AS skill_name, s.repo_url, s.skill_path
FROM external_scans e JOIN skill_versions v ON v.id = e.version_id JOIN skills s ON s.id = v.skill_id
WHERE v.skill_id = %(skill_id)s AND v.content_hash = %(content_hash)s ORDER BY e.scanner;

-- name: apply
UPDATE external_scans SET status = %(status)s, result = %(result)s, error_code = %(error_code)s, error = %(error)s,
    completed_at = CASE WHEN %(status)s = 'RUNNING' THEN NULL ELSE %(at)s END
WHERE job_id = %(job_id)s;

-- name: quarantine
-- The version, and the skill where this is its current one. What is blocked or removed stays so.
WITH version AS (
    UPDATE skill_versions SET status = 'quarantined', status_reason = %(reason)s
    WHERE id = %(version_id)s AND status = 'published'
    RETURNING skill_id, version, content_hash
), skill AS (
    UPDATE skills s SET status = 'quarantined', status_reason = %(reason)s, version = s.version + 1, updated_at = %(at)s
    FROM version v WHERE s.id = v.skill_id AND s.content_hash = v.content_hash AND s.status = 'published'
)
INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
SELECT 'quarantined', skill_id, version, content_hash, %(at)s FROM version
RETURNING skill_id;

-- name: restore
WITH version AS (
    UPDATE skill_versions SET status = 'published', status_reason = NULL
    WHERE skill_id = %(skill_id)s AND content_hash = %(content_hash)s AND status = 'quarantined'
    RETURNING skill_id, version, content_hash
), skill AS (
    UPDATE skills s SET status = 'published', status_reason = NULL, version = s.version + 1, updated_at = %(at)s
    FROM version v WHERE s.id = v.skill_id AND s.content_hash = v.content_hash AND s.status = 'quarantined'
)
INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
SELECT 'restored', skill_id, version, content_hash, %(at)s FROM version
RETURNING skill_id;

-- name: start_over
-- Failed, timed out, or sent long ago and still waiting (its message is a dead letter): from the beginning.
UPDATE external_scans e
SET status = 'QUEUED', sent_at = NULL, dispatches = 0, dispatched_at = NULL, completed_at = NULL, error_code = NULL, error = NULL
FROM (
    SELECT job_id FROM external_scans
    WHERE status IN ('FAILED', 'TIMED_OUT') OR (status = 'QUEUED' AND sent_at < %(idle_since)s)
    ORDER BY created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
) again
WHERE e.job_id = again.job_id
RETURNING e.job_id::text;

-- name: unfinished
SELECT scanner, status, count(*) AS scans, min(created_at) AS oldest FROM external_scans
WHERE status IN ('QUEUED', 'PENDING', 'RUNNING') GROUP BY scanner, status;

-- name: ended_since
SELECT scanner, status, count(*) AS scans FROM external_scans WHERE completed_at > %(since)s GROUP BY scanner, status;

-- name: last_result
SELECT max(completed_at) AS at FROM external_scans WHERE completed_at IS NOT NULL AND status IN ('COMPLETED', 'FAILED');

-- name: forget_dispatches
DELETE FROM external_scan_dispatches WHERE at < %(before)s;

-- name: forget_messages
DELETE FROM external_scan_messages WHERE received_at < %(before)s AND not_applied IS NULL;
