-- name: free_login
-- The login has changed hands on GitHub: whoever had it before has to sign in anew, and is then known by another one.
WITH before AS (
    UPDATE accounts SET login = '#' || github_id WHERE lower(login) = lower(%(login)s) AND github_id <> %(github_id)s
    RETURNING id
)
UPDATE sessions SET ended_at = %(at)s WHERE account_id IN (SELECT id FROM before) AND ended_at IS NULL;

-- name: sign_in
INSERT INTO accounts AS a (id, github_id, login, created_at, signed_in_at)
VALUES (%(id)s, %(github_id)s, %(login)s, %(at)s, %(at)s)
ON CONFLICT (github_id) DO UPDATE SET login = excluded.login, signed_in_at = excluded.signed_in_at
RETURNING id, github_id, login, created_at;

-- name: forget_old_sessions
DELETE FROM sessions WHERE account_id = %(account_id)s AND expires_at < %(at)s;

-- name: start_session
INSERT INTO sessions (token_hash, family, account_id, created_at, expires_at)
VALUES (%(token_hash)s, %(family)s, %(account_id)s, %(at)s, %(expires_at)s);

-- name: rotate_session
-- The old token is used up and the new one made in one statement; it ends when the first of its family does.
WITH used AS (
    UPDATE sessions SET used_at = %(at)s
    WHERE token_hash = %(old_hash)s AND used_at IS NULL AND ended_at IS NULL AND expires_at > %(at)s
    RETURNING account_id, family, expires_at
), fresh AS (
    INSERT INTO sessions (token_hash, family, account_id, created_at, expires_at)
    SELECT %(new_hash)s, family, account_id, %(at)s, expires_at FROM used
)
SELECT a.id, a.github_id, a.login, a.created_at FROM used JOIN accounts a ON a.id = used.account_id;

-- name: end_reused_family
UPDATE sessions SET ended_at = %(at)s WHERE ended_at IS NULL AND family IN (
    SELECT family FROM sessions WHERE token_hash = %(token_hash)s AND used_at IS NOT NULL)
RETURNING family;

-- name: end_session
UPDATE sessions SET ended_at = %(at)s WHERE ended_at IS NULL AND family IN (
    SELECT family FROM sessions WHERE token_hash = %(token_hash)s)
RETURNING family;

-- name: end_all_sessions
UPDATE sessions SET ended_at = %(at)s WHERE account_id = %(account_id)s AND ended_at IS NULL RETURNING family;

-- name: lock_account
SELECT id FROM accounts WHERE id = %(account_id)s FOR UPDATE;

-- name: add_token
INSERT INTO api_tokens (id, token_hash, account_id, name, scopes, created_at, expires_at)
SELECT %(id)s, %(token_hash)s, %(account_id)s, %(name)s, %(scopes)s, %(created_at)s, %(expires_at)s
WHERE (SELECT count(*) FROM api_tokens
       WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(created_at)s) < %(at_most)s
RETURNING id;

-- name: tokens
SELECT id, name, scopes, created_at, expires_at, last_used_at FROM api_tokens
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(at)s ORDER BY created_at DESC, id DESC;

-- name: revoke_token
UPDATE api_tokens SET revoked_at = %(at)s WHERE id = %(id)s AND account_id = %(account_id)s AND revoked_at IS NULL
RETURNING id;

-- name: token
SELECT t.id AS token_id, t.name, t.scopes, t.created_at AS token_created_at, t.expires_at, t.last_used_at,
       a.id, a.github_id, a.login, a.created_at
FROM api_tokens t JOIN accounts a ON a.id = t.account_id
WHERE t.token_hash = %(token_hash)s AND t.revoked_at IS NULL AND t.expires_at > %(at)s;

-- name: token_used
UPDATE api_tokens SET last_used_at = %(at)s WHERE id = %(id)s;

-- name: submissions_of
-- Handed in by the account, or of a repository that is its owner's; each half walks its own index.
(SELECT created_at, id FROM submissions
 WHERE submitted_by = %(account_id)s AND (created_at, id) < (%(after_at)s, %(after_id)s)
 ORDER BY created_at DESC, id DESC LIMIT %(limit)s)
UNION
(SELECT created_at, id FROM submissions
 WHERE split_part(repo_key, '/', 1) = lower(%(login)s) AND (created_at, id) < (%(after_at)s, %(after_id)s)
 ORDER BY created_at DESC, id DESC LIMIT %(limit)s)
ORDER BY created_at DESC, id DESC LIMIT %(limit)s;

-- name: skills_of
SELECT id, name, repo_url, skill_path, current_version, content_hash, cert_score, status, status_reason, updated_at
FROM skills WHERE lower(owner) = lower(%(login)s) AND id > %(after)s ORDER BY id LIMIT %(limit)s;

-- name: withdraw_skill
WITH gone AS (
    UPDATE skills SET status = 'removed', status_reason = %(reason)s, version = version + 1, updated_at = %(at)s
    WHERE id = %(skill_id)s AND status <> 'removed'
    RETURNING id, current_version, content_hash
)
INSERT INTO changes (kind, skill_id, skill_version, content_hash, at)
SELECT 'removed', id, current_version, content_hash, %(at)s FROM gone
RETURNING skill_id;
