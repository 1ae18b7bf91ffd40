-- name: publish
-- The skill, its version, its alias and the change in one transaction; content that is already there is neither a new
-- version nor a change, unless it brings back what was removed.
WITH skill AS (
    INSERT INTO skills AS s (id, owner, repo, slug, repo_url, repo_key, skill_path, name, name_key, slug_key, description,
        category, labels, agents, license, current_version, commit_sha, content_hash, artifact, digest, cert_tier,
        cert_method, cert_score, certified_at, trust_tier, trust_score, has_scripts, stars, version, created_at, updated_at)
    VALUES (%(skill_id)s, %(owner)s, %(repo)s, %(slug)s, %(repo_url)s, %(repo_key)s, %(skill_path)s, %(name)s,
        %(name_key)s, %(slug_key)s, %(description)s, %(category)s, %(labels)s, %(agents)s, %(license)s, %(version)s,
        %(commit_sha)s, %(content_hash)s, %(artifact)s, %(digest)s, %(cert_tier)s, %(cert_method)s, %(cert_score)s,
        %(published_at)s, %(trust_tier)s, %(trust_score)s, %(has_scripts)s, %(stars)s, %(revision)s,
        coalesce(%(created_at)s, %(published_at)s), %(published_at)s)
    ON CONFLICT (id) DO UPDATE SET
        repo_url = excluded.repo_url, skill_path = excluded.skill_path, name = excluded.name,
        name_key = excluded.name_key, slug_key = excluded.slug_key, description = excluded.description,
        category = excluded.category, labels = excluded.labels, agents = excluded.agents,
        license = excluded.license, current_version = excluded.current_version, commit_sha = excluded.commit_sha,
        content_hash = excluded.content_hash, artifact = excluded.artifact, digest = excluded.digest,
        cert_tier = excluded.cert_tier, cert_method = excluded.cert_method, cert_score = excluded.cert_score,
        certified_at = excluded.certified_at, trust_tier = excluded.trust_tier, trust_score = excluded.trust_score,
        has_scripts = excluded.has_scripts, stars = excluded.stars,
        version = greatest(s.version + 1, excluded.version), updated_at = excluded.updated_at,
        source_removed_at = NULL,
        -- A block is of the skill and stays; a quarantine is of a version, and new content comes without it.
        status = CASE WHEN s.status = 'blocked' THEN s.status ELSE coalesce((
            SELECT v.status FROM skill_versions v WHERE v.skill_id = excluded.id
              AND v.content_hash = excluded.content_hash AND v.status = 'quarantined'), 'published') END,
        status_reason = CASE WHEN s.status = 'blocked' THEN s.status_reason ELSE (
            SELECT v.status_reason FROM skill_versions v WHERE v.skill_id = excluded.id
              AND v.content_hash = excluded.content_hash AND v.status = 'quarantined') END
    RETURNING id, version AS revision, (xmax = 0) AS is_new, created_at, updated_at, status, status_reason, installs,
              threat_type, severity
), version AS (
    INSERT INTO skill_versions (skill_id, version, content_hash, commit_sha, submission_id, content, files, report,
                                artifact, digest, published_at)
    SELECT id, %(version)s, %(content_hash)s, %(commit_sha)s, %(submission_id)s, %(content)s, %(files)s, %(report)s,
           %(artifact)s, %(digest)s, %(published_at)s FROM skill
    ON CONFLICT (skill_id, content_hash) DO NOTHING
    RETURNING id, skill_id
), planned AS (
    -- Planned with the version or not at all: whoever fails to send them afterwards loses none.
    INSERT INTO external_scans (job_id, version_id, scanner, content_hash, status, created_at)
    SELECT gen_random_uuid(), version.id, scanner, %(content_hash)s, 'QUEUED', %(published_at)s
    FROM version, unnest(%(scanners)s::text[]) AS scanner
), alias AS (
    INSERT INTO skill_aliases (alias, skill_id, created_at) SELECT %(slug_key)s, id, %(published_at)s FROM skill
    ON CONFLICT DO NOTHING
), feed AS (
    INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
    SELECT CASE WHEN skill.is_new THEN 'published' WHEN %(was_removed)s THEN 'restored' ELSE 'updated' END, skill.id,
           %(version)s, %(content_hash)s, %(published_at)s
    FROM skill LEFT JOIN version ON version.skill_id = skill.id
    WHERE version.skill_id IS NOT NULL OR %(was_removed)s
)
SELECT revision, created_at, updated_at, status, status_reason, installs, threat_type, severity FROM skill;

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

-- name: set_status
-- Blocks, removes or restores, and says so in the feed. What another entry of the blocklist still names stays blocked.
WITH changed AS (
    UPDATE skills s SET status = %(status)s, status_reason = %(reason)s, threat_type = %(threat_type)s,
        severity = %(severity)s, version = version + 1
    WHERE s.status = ANY(%(from_statuses)s)
      AND (s.id = %(skill_id)s OR s.content_hash = %(content_hash)s
           OR (s.repo_key = %(repo_key)s AND coalesce(%(skill_path)s, s.skill_path) = s.skill_path))
      AND NOT (%(status)s = 'published' AND EXISTS (
          SELECT FROM blocklist b WHERE b.removed_at IS NULL AND (b.content_hash = s.content_hash
              OR (b.repo_key = s.repo_key AND coalesce(b.skill_path, s.skill_path) = s.skill_path))))
    RETURNING id, current_version, content_hash
), feed AS (
    INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
    SELECT %(kind)s, id, current_version, content_hash, %(at)s FROM changed
)
SELECT id FROM changed ORDER BY id;

-- name: put_contents
INSERT INTO file_contents (sha256, size, crc32, deflated)
SELECT * FROM unnest(%(hashes)s::text[], %(sizes)s::int[], %(checksums)s::bigint[], %(contents)s::bytea[])
ON CONFLICT DO NOTHING;

-- name: contents
SELECT sha256, size, crc32, deflated FROM file_contents WHERE sha256 = ANY(%(hashes)s);
