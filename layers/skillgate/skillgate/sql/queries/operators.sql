-- name: record
INSERT INTO audit_log (at, actor, action, subject, reason, detail)
SELECT %(at)s, %(actor)s, %(action)s, subject, %(reason)s, %(detail)s FROM unnest(%(subjects)s::text[]) AS subject;

-- name: audit_log
SELECT * FROM audit_log
WHERE id < coalesce(%(before)s, 9223372036854775807) AND (%(subject)s::text IS NULL OR subject = %(subject)s)
ORDER BY id DESC LIMIT %(limit)s;

-- name: set_control
INSERT INTO controls (name, value, updated_at, updated_by) VALUES (%(name)s, %(value)s, %(at)s, %(by)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by
WHERE controls.updated_at <= excluded.updated_at;

-- name: control
SELECT value || jsonb_build_object('updatedAt', updated_at, 'updatedBy', updated_by) AS value FROM controls WHERE name = %(name)s;

-- name: begin_idempotent
-- Takes the key if it is free or expired. Whoever gets no row asks for the one that is there.
INSERT INTO idempotency_keys AS k (key, request_hash, expires_at) VALUES (%(key)s, %(request_hash)s, %(expires_at)s)
ON CONFLICT (key) DO UPDATE SET request_hash = excluded.request_hash, response = NULL, expires_at = excluded.expires_at
WHERE k.expires_at < now()
RETURNING key;

-- name: idempotent
SELECT request_hash, response FROM idempotency_keys WHERE key = %(key)s;

-- name: finish_idempotent
UPDATE idempotency_keys SET response = %(response)s, expires_at = %(expires_at)s WHERE key = %(key)s;

-- name: forget_idempotent
DELETE FROM idempotency_keys WHERE key = %(key)s AND response IS NULL;

-- name: block
INSERT INTO blocklist (id, repo_key, skill_path, content_hash, reason, threat_type, severity, created_by, created_at)
VALUES (%(id)s, %(repo_key)s, %(skill_path)s, %(content_hash)s, %(reason)s, %(threat_type)s, %(severity)s, %(by)s, %(at)s)
ON CONFLICT DO NOTHING;

-- name: unblock
UPDATE blocklist SET removed_at = %(at)s
WHERE removed_at IS NULL AND repo_key IS NOT DISTINCT FROM %(repo_key)s
  AND skill_path IS NOT DISTINCT FROM %(skill_path)s AND content_hash IS NOT DISTINCT FROM %(content_hash)s
RETURNING id;
