-- name: columns
s.id AS skill_id, s.repo_url, s.skill_path, s.name, s.description, s.current_version AS version, s.commit_sha,
s.content_hash, s.cert_tier, s.cert_method, s.cert_score, s.certified_at, s.created_at, s.updated_at, s.category, s.labels,
s.agents, s.license, s.trust_tier, s.trust_score, s.has_scripts, s.stars, s.installs, s.artifact, s.digest, s.status,
s.status_reason, s.threat_type, s.severity, s.source_removed_at, s.version AS revision

-- name: visible
s.status IN ('published', 'blocked')

-- name: filters
s.status IN ('published', 'blocked')
AND (%(category)s::text IS NULL OR s.category = %(category)s)
AND (%(tier)s::text IS NULL OR s.cert_tier = %(tier)s)
AND (%(author)s::text IS NULL OR s.repo_key LIKE %(author)s)
AND (%(repo)s::text IS NULL OR s.repo_key = %(repo)s)
AND (%(agent)s::text IS NULL OR s.agents = '{}' OR %(agent)s = ANY(s.agents))
AND (%(has_scripts)s::bool IS NULL OR s.has_scripts = %(has_scripts)s)
AND s.labels @> %(labels)s::text[]

-- name: page
SELECT {columns} FROM skills s WHERE {filters} AND {after} ORDER BY {order} LIMIT %(limit)s;

-- name: count
SELECT count(*) AS skills FROM skills s WHERE {filters};

-- name: count_all
SELECT count(*) AS skills FROM skills s WHERE {visible};

-- name: categories
SELECT s.category, count(*) AS skills FROM skills s WHERE {visible} GROUP BY s.category ORDER BY 2 DESC, 1;

-- name: by_ids
SELECT {columns} FROM skills s WHERE s.id = ANY(%(ids)s);

-- name: known
-- Of these ids, the ones that are or were here, whatever became of them.
SELECT id FROM skills WHERE id = ANY(%(ids)s);

-- name: named
SELECT {columns} FROM skills s
WHERE {visible} AND (s.slug_key = %(key)s OR s.name_key = %(key)s
                     OR s.id IN (SELECT skill_id FROM skill_aliases WHERE alias = %(key)s))
ORDER BY s.installs DESC, s.stars DESC, s.id DESC LIMIT %(limit)s;

-- name: of_repository
SELECT {columns} FROM skills s WHERE {visible} AND s.repo_key = %(repo)s ORDER BY s.installs DESC, s.stars DESC, s.id DESC;

-- name: same_names
SELECT {columns} FROM skills s WHERE {visible} AND s.slug_key = ANY(%(keys)s)
ORDER BY s.installs DESC, s.stars DESC, s.id DESC LIMIT 500;

-- name: everything
SELECT {columns} FROM skills s WHERE {visible} ORDER BY s.installs DESC, s.stars DESC, s.id DESC;

-- name: revisions
SELECT s.id, s.version, s.status FROM skills s;

-- name: horizon
-- Every transaction below this has ended: what it changed is seen, and what comes later is not below it.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon;

-- name: changed_since
SELECT EXISTS (SELECT FROM changes WHERE xact >= %(horizon)s::xid8) AS changed;

-- name: changes
SELECT xact::text AS xact, seq, kind, skill_id, skill_version, content_hash, at FROM changes
WHERE (xact, seq) > (%(xact)s::xid8, %(seq)s) AND xact < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY xact, seq LIMIT %(limit)s;

-- name: orphaned_aliases
SELECT alias, skill_id FROM skill_aliases a WHERE NOT EXISTS (SELECT FROM skills s WHERE s.id = a.skill_id)
ORDER BY alias, skill_id LIMIT %(limit)s;

-- name: after_rank
(%(after_rank)s < {rank} OR (%(after_rank)s = {rank}
    AND (s.installs, s.stars, s.id) < (%(after_installs)s::bigint, %(after_stars)s::int, %(after_id)s)))

-- name: by_rank
SELECT * FROM (SELECT {rank} AS rank, {columns} FROM skills s
    WHERE {match} AND {filters} AND {after_rank} ORDER BY s.installs DESC, s.stars DESC, s.id DESC LIMIT %(limit)s) AS r{rank}

-- name: rank_0
(s.name_key = %(key)s OR s.slug_key = %(key)s)

-- name: rank_1
(s.name_key LIKE %(prefix)s OR s.slug_key LIKE %(prefix)s)

-- name: rank_2
s.name_words @@ to_tsquery('simple', %(words)s)

-- name: rank_3
(s.repo_key LIKE %(repository)s OR s.near_words @@ to_tsquery('simple', %(words)s))

-- name: rank_4
(s.all_words @@ to_tsquery('simple', %(meaningful)s) OR s.all_words @@ plainto_tsquery('english', %(plain)s))

-- name: rank_5
s.search_text LIKE %(part)s

-- name: rank_6
(s.name_key %% %(key)s OR %(key)s <%% s.search_text)
