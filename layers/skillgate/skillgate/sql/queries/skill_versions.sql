-- name: all
SELECT * FROM skill_versions WHERE skill_id = %(skill_id)s ORDER BY published_at DESC, id DESC;

-- name: get
SELECT * FROM skill_versions WHERE skill_id = %(skill_id)s AND version = %(version)s;

-- name: manifests
SELECT v.* FROM skill_versions v
JOIN unnest(%(ids)s::text[], %(versions)s::text[]) AS w (skill_id, version) USING (skill_id, version);

-- name: salt
INSERT INTO install_salts (day, salt) VALUES (%(day)s, %(salt)s) ON CONFLICT DO NOTHING RETURNING salt;

-- name: known_salt
SELECT salt FROM install_salts WHERE day = %(day)s;

-- name: forget_days
-- Without its salt nobody can tell any more which machine a mark was; the marks go with it.
WITH salts AS (DELETE FROM install_salts WHERE day < %(before)s) DELETE FROM install_marks WHERE day < %(before)s;

-- name: count_installs
WITH fresh AS (
    INSERT INTO install_marks (day, skill_id, machine)
    SELECT %(day)s, m.skill_id, m.machine FROM unnest(%(ids)s::text[], %(machines)s::bytea[]) AS m (skill_id, machine)
    JOIN skills s ON s.id = m.skill_id AND s.status = 'published'
    ORDER BY m.skill_id ON CONFLICT DO NOTHING RETURNING skill_id
), per_skill AS (
    SELECT skill_id, count(*) AS installs FROM fresh GROUP BY skill_id ORDER BY skill_id
), daily AS (
    INSERT INTO installs_by_day AS d (skill_id, day, installs) SELECT skill_id, %(day)s, installs FROM per_skill
    ON CONFLICT (skill_id, day) DO UPDATE SET installs = d.installs + excluded.installs
), total AS (
    UPDATE skills s SET installs = s.installs + p.installs FROM per_skill p WHERE s.id = p.skill_id
)
SELECT skill_id FROM per_skill;

-- name: installs_by_day
SELECT day, installs FROM installs_by_day WHERE skill_id = %(skill_id)s AND day >= %(since)s ORDER BY day;

-- name: blocklist
SELECT id::text AS id, repo_key, skill_path, content_hash, reason, threat_type, severity, created_at FROM blocklist
WHERE removed_at IS NULL ORDER BY created_at DESC, id;

-- name: blocklist_matching
SELECT id::text AS id, repo_key, skill_path, content_hash, reason, threat_type, severity, created_at FROM blocklist
WHERE removed_at IS NULL AND (content_hash = %(content_hash)s
      OR (repo_key = %(repo_key)s AND (skill_path IS NULL OR '/' || lower(skill_path) LIKE %(folder)s)))
ORDER BY created_at DESC LIMIT 1;

-- name: rejection
-- The newest answer about this skill, if it was a no.
SELECT * FROM (
    SELECT id::text AS submission_id, state::text AS state, reason_code, reason, updated_at AS at FROM submissions
    WHERE (repo_key = %(repo_key)s AND '/' || lower(skill_path) LIKE %(folder)s OR content_hash = %(content_hash)s)
      AND ended_at IS NOT NULL ORDER BY created_at DESC LIMIT 1) AS newest
WHERE state IN ('REJECTED', 'TIER1_FAILED');
