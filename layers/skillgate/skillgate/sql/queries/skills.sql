-- name: publish
-- The skill and its version in one transaction; content that is already there is neither a new version nor a change.
WITH skill AS (
    INSERT INTO skills AS s (id, owner, repo, slug, repo_url, repo_key, skill_path, name, description, category, labels,
        license, current_version, commit_sha, content_hash, cert_tier, cert_method, cert_score, certified_at,
        has_scripts, stars, version, created_at, updated_at)
    VALUES (%(skill_id)s, %(owner)s, %(repo)s, %(slug)s, %(repo_url)s, %(repo_key)s, %(skill_path)s, %(name)s,
        %(description)s, %(category)s, %(labels)s, %(license)s, %(version)s, %(commit_sha)s, %(content_hash)s,
        %(cert_tier)s, %(cert_method)s, %(cert_score)s, %(published_at)s, %(has_scripts)s, %(stars)s, %(revision)s,
        %(published_at)s, %(published_at)s)
    ON CONFLICT (id) DO UPDATE SET
        repo_url = excluded.repo_url, skill_path = excluded.skill_path, name = excluded.name,
        description = excluded.description, category = excluded.category, labels = excluded.labels,
        license = excluded.license, current_version = excluded.current_version, commit_sha = excluded.commit_sha,
        content_hash = excluded.content_hash, cert_tier = excluded.cert_tier, cert_method = excluded.cert_method,
        cert_score = excluded.cert_score, certified_at = excluded.certified_at, has_scripts = excluded.has_scripts,
        stars = excluded.stars, version = greatest(s.version + 1, excluded.version), updated_at = excluded.updated_at,
        source_removed_at = NULL,
        status = CASE WHEN s.status = 'removed' THEN 'published' ELSE s.status END
    RETURNING id, version AS revision, (xmax = 0) AS is_new
), version AS (
    INSERT INTO skill_versions (skill_id, version, content_hash, commit_sha, submission_id, content, files, report, published_at)
    SELECT id, %(version)s, %(content_hash)s, %(commit_sha)s, %(submission_id)s, %(content)s, %(files)s, %(report)s,
           %(published_at)s FROM skill
    ON CONFLICT (skill_id, content_hash) DO NOTHING
    RETURNING skill_id
), feed AS (
    INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
    SELECT CASE WHEN skill.is_new THEN 'published' ELSE 'updated' END, skill.id, %(version)s, %(content_hash)s, %(published_at)s
    FROM skill JOIN version ON version.skill_id = skill.id
)
SELECT revision FROM skill;

-- name: lock_skill
-- Two publishers of one skill take turns, also for a skill that does not exist yet.
SELECT pg_advisory_xact_lock(hashtextextended(%(skill_id)s, 0));

-- name: current
SELECT s.*, s.version AS revision, v.content, v.files, v.report, v.submission_id, v.published_at
FROM skills s JOIN skill_versions v ON v.skill_id = s.id AND v.content_hash = s.content_hash
WHERE s.id = %(skill_id)s;

-- name: version_by_hash
SELECT version FROM skill_versions WHERE skill_id = %(skill_id)s AND content_hash = %(content_hash)s;

-- name: version_exists
SELECT 1 FROM skill_versions WHERE skill_id = %(skill_id)s AND version = %(version)s;

-- name: newest
SELECT s.*, s.version AS revision, '' AS content, '[]'::jsonb AS files, '{}'::jsonb AS report,
       v.submission_id, v.published_at
FROM skills s JOIN skill_versions v ON v.skill_id = s.id AND v.content_hash = s.content_hash
WHERE s.status IN ('published', 'blocked') AND (s.updated_at, s.id) < (%(after_at)s, %(after_id)s)
ORDER BY s.updated_at DESC, s.id DESC LIMIT %(limit)s;

-- name: count
SELECT count(*) AS skills FROM skills WHERE status = 'published';
