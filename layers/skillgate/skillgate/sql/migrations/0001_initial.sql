-- The whole of the durable truth. Uniqueness is part of it from the start.
-- Limits belong to the database: RDS Proxy takes no start-up options, and a SET would pin its sessions.
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET statement_timeout = %L', current_database(), '10s');
    EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = %L', current_database(), '30s');
    EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'UTC');
END $$;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE submission_state AS ENUM (
    'RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED', 'NEEDS_REVIEW',
    'PUBLISHED', 'TIER1_FAILED', 'REJECTED', 'BLOCKED', 'DEQUEUED'
);

-- Submissions: also the outbox. A row with no sent_at is found by the sweeper and sent.
CREATE TABLE submissions (
    id             uuid PRIMARY KEY,
    repo_url       text NOT NULL,
    repo_key       text NOT NULL,              -- owner/repo in lower case: GitHub's names ignore case
    skill_path     text NOT NULL,
    skill_name     text NOT NULL,
    source         text NOT NULL,
    email          text,
    submitted_by   text,
    state          submission_state NOT NULL,
    version        integer NOT NULL CHECK (version > 0),
    attempt        integer NOT NULL DEFAULT 0,
    sweeps         integer NOT NULL DEFAULT 0,
    lease_until    timestamptz,
    sent_at        timestamptz,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    ended_at       timestamptz,
    reason_code    text,
    reason         text,
    commit_sha     text,
    content_hash   text,
    score          integer CHECK (score BETWEEN 0 AND 100),
    skill_id       text,
    uncopied       boolean NOT NULL DEFAULT false  -- DynamoDB was away when this was written
) WITH (fillfactor = 80);

-- One open submission per repository and skill path.
CREATE UNIQUE INDEX submissions_one_open ON submissions (repo_key, skill_path)
    WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED', 'NEEDS_REVIEW');
CREATE INDEX submissions_by_created ON submissions (created_at DESC, id DESC);
CREATE INDEX submissions_by_updated ON submissions (updated_at DESC, id DESC);
CREATE INDEX submissions_by_state_created ON submissions (state, created_at DESC, id DESC);
CREATE INDEX submissions_by_state_updated ON submissions (state, updated_at DESC, id DESC);
CREATE INDEX submissions_by_repo ON submissions (repo_key, created_at DESC, id DESC);
CREATE INDEX submissions_by_answer ON submissions (ended_at DESC) INCLUDE (created_at) WHERE ended_at IS NOT NULL;
-- Partial, and so chosen whatever the statistics say: a walk through the others is long where nothing is in flight.
CREATE INDEX submissions_in_flight ON submissions (updated_at)
    WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED');
CREATE INDEX submissions_in_flight_age ON submissions (created_at)
    WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING', 'AUTO_APPROVED', 'RESCAN_REQUIRED');
CREATE INDEX submissions_unsent ON submissions (created_at) WHERE sent_at IS NULL AND state = 'RECEIVED';
CREATE INDEX submissions_uncopied ON submissions (updated_at) WHERE uncopied;
CREATE INDEX submissions_text ON submissions USING gin (skill_name gin_trgm_ops, repo_key gin_trgm_ops);

-- Every move of a submission. The transaction's id orders the stream: a number from a sequence can become visible after
-- a higher one has been read, a transaction below the snapshot's horizon cannot.
CREATE TABLE submission_events (
    submission_id  uuid NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
    version        integer NOT NULL,
    from_state     submission_state,
    to_state       submission_state NOT NULL,
    at             timestamptz NOT NULL,
    actor          text NOT NULL,
    reason_code    text,
    reason         text,
    detail         jsonb NOT NULL DEFAULT '{}',
    xact           xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seq            bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (submission_id, version)
);
CREATE INDEX submission_events_stream ON submission_events (xact, seq);

-- Exact counts at any size: kept by triggers in the same transaction, spread over slots so that writers do not queue.
CREATE TABLE submission_counts (
    state          submission_state NOT NULL,
    slot           smallint NOT NULL,
    submissions    bigint NOT NULL,
    PRIMARY KEY (state, slot)
) WITH (fillfactor = 50);
-- Answers in buckets of five minutes, for throughput.
CREATE TABLE submission_answers (
    bucket         timestamptz NOT NULL,
    state          submission_state NOT NULL,
    slot           smallint NOT NULL,
    answers        bigint NOT NULL,
    PRIMARY KEY (bucket, state, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION count_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are taken in one order by everybody, so that two writers in one slot cannot block each other for ever.
    IF TG_OP = 'INSERT' THEN
        INSERT INTO submission_counts AS c (state, slot, submissions)
        SELECT state, pg_backend_pid() % 32, count(*) FROM new_rows GROUP BY state ORDER BY state
        ON CONFLICT (state, slot) DO UPDATE SET submissions = c.submissions + excluded.submissions;
        INSERT INTO submission_answers AS a (bucket, state, slot, answers)
        SELECT date_bin('5 minutes', ended_at, 'epoch'), state, pg_backend_pid() % 32, count(*) FROM new_rows
        WHERE ended_at IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (bucket, state, slot) DO UPDATE SET answers = a.answers + excluded.answers;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO submission_counts AS c (state, slot, submissions)
        SELECT state, pg_backend_pid() % 32, -count(*) FROM old_rows GROUP BY state ORDER BY state
        ON CONFLICT (state, slot) DO UPDATE SET submissions = c.submissions + excluded.submissions;
    ELSE
        INSERT INTO submission_counts AS c (state, slot, submissions)
        SELECT state, pg_backend_pid() % 32, sum(delta)
        FROM (SELECT state, 1 AS delta FROM new_rows UNION ALL SELECT state, -1 FROM old_rows) AS moves
        GROUP BY state HAVING sum(delta) <> 0 ORDER BY state
        ON CONFLICT (state, slot) DO UPDATE SET submissions = c.submissions + excluded.submissions;
        INSERT INTO submission_answers AS a (bucket, state, slot, answers)
        SELECT date_bin('5 minutes', n.ended_at, 'epoch'), n.state, pg_backend_pid() % 32, count(*)
        FROM new_rows n JOIN old_rows o USING (id)
        WHERE n.ended_at IS NOT NULL AND o.ended_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (bucket, state, slot) DO UPDATE SET answers = a.answers + excluded.answers;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_counted_insert AFTER INSERT ON submissions
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_submissions();
CREATE TRIGGER submissions_counted_update AFTER UPDATE ON submissions
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_submissions();
CREATE TRIGGER submissions_counted_delete AFTER DELETE ON submissions
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_submissions();

-- Published skills. The id is owner/repo/skill in lower case; the spelling to show is kept beside it. Ids and keys
-- compare by their bytes, as they do in the index that functions hold in memory.
CREATE TABLE skills (
    id              text COLLATE "C" PRIMARY KEY,
    owner           text NOT NULL,
    repo            text NOT NULL,
    slug            text NOT NULL,
    repo_url        text NOT NULL,
    repo_key        text COLLATE "C" NOT NULL,
    skill_path      text NOT NULL,
    name            text NOT NULL,
    name_key        text COLLATE "C" NOT NULL,    -- the words of the name alone: what searches compare
    slug_key        text COLLATE "C" NOT NULL,
    description     text NOT NULL DEFAULT '',
    category        text COLLATE "C" NOT NULL DEFAULT 'other',
    labels          text[] NOT NULL DEFAULT '{}',
    agents          text[] NOT NULL DEFAULT '{}', -- empty: any agent that reads SKILL.md
    license         text,
    current_version text NOT NULL,
    commit_sha      text NOT NULL,
    content_hash    text NOT NULL,
    artifact        text NOT NULL DEFAULT '' CHECK (artifact IN ('', 'skill-md', 'archive')),
    digest          text NOT NULL DEFAULT '',     -- of what an installer fetches
    cert_tier       text NOT NULL,
    cert_method     text NOT NULL,
    cert_score      integer NOT NULL CHECK (cert_score BETWEEN 0 AND 100),
    certified_at    timestamptz NOT NULL,
    trust_tier      text NOT NULL DEFAULT 'T1',
    trust_score     integer NOT NULL DEFAULT 0 CHECK (trust_score BETWEEN 0 AND 100),
    has_scripts     boolean NOT NULL DEFAULT false,
    stars           integer NOT NULL DEFAULT 0,
    installs        bigint NOT NULL DEFAULT 0,
    status          text NOT NULL DEFAULT 'published' CHECK (status IN ('published', 'quarantined', 'blocked', 'removed')),
    status_reason   text,
    source_head     text,                         -- the repository's newest commit when it was last looked at
    source_checked_at timestamptz,
    source_removed_at timestamptz,                -- since when it is no longer in its repository
    threat_type     text,
    severity        text,
    version         integer NOT NULL DEFAULT 1,   -- of this row; the newer of two copies wins
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- One column for each rank of a search, and not one with weights: the planner knows how often a word is in a column,
    -- but not how often it has a weight, and would walk the whole table for a word that is common elsewhere.
    name_words      tsvector GENERATED ALWAYS AS (
        to_tsvector('simple', translate(name || ' ' || slug, '-_./', '    '))) STORED,
    near_words      tsvector GENERATED ALWAYS AS (
        to_tsvector('simple', translate(name || ' ' || slug || ' ' || repo_url, '-_./:', '     '))) STORED,
    all_words       tsvector GENERATED ALWAYS AS (
        to_tsvector('simple', translate(name || ' ' || slug || ' ' || repo_url, '-_./:', '     '))
        || to_tsvector('simple', description) || to_tsvector('english', description)) STORED,
    search_text     text GENERATED ALWAYS AS (lower(name_key || ' ' || slug_key || ' ' || repo_url)) STORED,
    UNIQUE (repo_key, skill_path)
);
CREATE INDEX skills_by_popularity ON skills (installs DESC, stars DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_updated ON skills (updated_at DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_created ON skills (created_at DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_stars ON skills (stars DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_score ON skills (cert_score DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_shown_name ON skills ((lower(name) COLLATE "C"), id) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_category ON skills (category, installs DESC, stars DESC, id DESC) WHERE status IN ('published', 'blocked');
CREATE INDEX skills_by_name_key ON skills (name_key);
CREATE INDEX skills_by_slug_key ON skills (slug_key);
CREATE INDEX skills_by_content ON skills (content_hash);
CREATE INDEX skills_words ON skills USING gin (name_words, near_words, all_words);
CREATE INDEX skills_text ON skills USING gin (name_key gin_trgm_ops, repo_key gin_trgm_ops, search_text gin_trgm_ops);
CREATE INDEX skills_by_source_check ON skills (source_checked_at NULLS FIRST) WHERE status IN ('published', 'quarantined');

-- Immutable versions: content that was published once stays what it was.
CREATE TABLE skill_versions (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    skill_id       text COLLATE "C" NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
    version        text NOT NULL,
    content_hash   text NOT NULL,
    commit_sha     text NOT NULL,
    submission_id  uuid NOT NULL,
    content        text NOT NULL,             -- SKILL.md
    files          jsonb NOT NULL DEFAULT '[]', -- path, size and hash of each
    report         jsonb NOT NULL DEFAULT '{}', -- the scan that let it pass
    artifact       text NOT NULL DEFAULT '',
    digest         text NOT NULL DEFAULT '',
    status         text NOT NULL DEFAULT 'published' CHECK (status IN ('published', 'quarantined', 'removed')),
    status_reason  text,
    published_at   timestamptz NOT NULL,
    UNIQUE (skill_id, content_hash),
    UNIQUE (skill_id, version)
);
CREATE INDEX skill_versions_newest ON skill_versions (skill_id, published_at DESC);

-- What published files hold, once for each content, deflated: archives are put together from these bytes as they are.
CREATE TABLE file_contents (
    sha256         text PRIMARY KEY,
    size           integer NOT NULL,
    crc32          bigint NOT NULL,
    deflated       bytea NOT NULL
);
ALTER TABLE file_contents ALTER COLUMN deflated SET STORAGE EXTERNAL;

-- Names without owner and repository, from when they were enough. One name may lead to several skills.
CREATE TABLE skill_aliases (
    alias          text COLLATE "C" NOT NULL,
    skill_id       text COLLATE "C" NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (alias, skill_id)
);

-- Installs are counted once per machine and day. Marks are hashes under a salt that is thrown away with its day.
CREATE TABLE install_salts (
    day            date PRIMARY KEY,
    salt           bytea NOT NULL
);
CREATE TABLE install_marks (
    day            date NOT NULL,
    skill_id       text COLLATE "C" NOT NULL,
    machine        bytea NOT NULL,
    PRIMARY KEY (day, skill_id, machine)
);
CREATE TABLE installs_by_day (
    skill_id       text COLLATE "C" NOT NULL,
    day            date NOT NULL,
    installs       bigint NOT NULL,
    PRIMARY KEY (skill_id, day)
);

-- What each tier said about a submission, kept for published and rejected alike.
CREATE TABLE scans (
    submission_id  uuid NOT NULL,
    tier           smallint NOT NULL CHECK (tier IN (1, 2)),
    content_hash   text NOT NULL,
    scanner        text NOT NULL,             -- engine and rules, or model and prompt
    score          integer CHECK (score BETWEEN 0 AND 100),
    decision       text NOT NULL,
    report         jsonb NOT NULL,
    duration_ms    integer NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (submission_id, tier, content_hash, scanner)
);
CREATE INDEX scans_by_content ON scans (content_hash, tier);

-- One scan per version and scanner; also the outbox of the external-scans queue. A queued row with no sent_at is sent by
-- the sweeper.
CREATE TABLE external_scans (
    job_id         uuid PRIMARY KEY,
    version_id     bigint NOT NULL REFERENCES skill_versions (id) ON DELETE CASCADE,
    scanner        text NOT NULL CHECK (scanner IN ('semgrep', 'njsscan', 'trufflehog')),
    content_hash   text NOT NULL,
    status         text NOT NULL CHECK (status IN ('QUEUED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'TIMED_OUT')),
    worker         text,
    dispatches     integer NOT NULL DEFAULT 0,
    sent_at        timestamptz,
    error_code     text,
    error          text,
    result         jsonb,
    created_at     timestamptz NOT NULL,
    dispatched_at  timestamptz,
    completed_at   timestamptz,
    UNIQUE (version_id, scanner)
);
CREATE INDEX external_scans_unsent ON external_scans (created_at) WHERE status = 'QUEUED' AND sent_at IS NULL;
CREATE INDEX external_scans_dispatched ON external_scans (dispatched_at) WHERE status IN ('PENDING', 'RUNNING');
CREATE INDEX external_scans_unfinished ON external_scans (scanner, status, created_at)
    WHERE status IN ('QUEUED', 'PENDING', 'RUNNING');
CREATE INDEX external_scans_finished ON external_scans (completed_at DESC) INCLUDE (scanner, status)
    WHERE completed_at IS NOT NULL;
-- What the hourly limit is counted by.
CREATE TABLE external_scan_dispatches (
    job_id         uuid NOT NULL,
    at             timestamptz NOT NULL,
    PRIMARY KEY (at, job_id)
);
-- Every webhook once: its id, and the whole of it where it changed nothing.
CREATE TABLE external_scan_messages (
    webhook_id     text PRIMARY KEY,
    job_id         uuid NOT NULL,
    received_at    timestamptz NOT NULL,
    not_applied    text,                      -- why it changed nothing
    content        jsonb
);
CREATE INDEX external_scan_messages_by_age ON external_scan_messages (received_at);

CREATE TABLE discoveries (
    repo_key       text NOT NULL,
    skill_path     text NOT NULL,
    repo_url       text NOT NULL,
    source         text NOT NULL,
    commit_sha     text,
    submission_id  uuid,
    first_seen_at  timestamptz NOT NULL,
    last_seen_at   timestamptz NOT NULL,
    submitted_at   timestamptz,
    PRIMARY KEY (repo_key, skill_path)
);
CREATE TABLE discovery_runs (
    id             uuid PRIMARY KEY,
    source         text NOT NULL,
    started_at     timestamptz NOT NULL,
    ended_at       timestamptz,               -- null while it runs, and for ever if it was cut
    max_results    integer NOT NULL,
    counts         jsonb NOT NULL DEFAULT '{}',
    hidden         integer NOT NULL DEFAULT 0,
    tokens         jsonb NOT NULL DEFAULT '[]',
    checkpoint     jsonb,                     -- where the next run of this source goes on; null: from the beginning
    outcome        text,
    message        text
);
CREATE INDEX discovery_runs_newest ON discovery_runs (source, started_at DESC);
-- What a run found in each repository.
CREATE TABLE discovery_repositories (
    run_id          uuid NOT NULL REFERENCES discovery_runs (id) ON DELETE CASCADE,
    repo_key        text NOT NULL,
    repo_url        text NOT NULL,
    candidates      integer NOT NULL,
    enqueued        integer NOT NULL,
    skipped_dedup   integer NOT NULL,
    skipped_blocked integer NOT NULL,
    errors          integer NOT NULL,
    error           text,
    PRIMARY KEY (run_id, repo_key)
);

-- An entry names a repository (and perhaps one skill in it) or a content hash; never a bare name.
CREATE TABLE blocklist (
    id             uuid PRIMARY KEY,
    repo_key       text,
    skill_path     text,
    content_hash   text,
    reason         text NOT NULL,
    threat_type    text NOT NULL DEFAULT 'malicious',
    severity       text NOT NULL DEFAULT 'critical',
    created_by     text NOT NULL,
    created_at     timestamptz NOT NULL,
    removed_at     timestamptz,
    CHECK ((repo_key IS NULL) <> (content_hash IS NULL)),
    CHECK (skill_path IS NULL OR repo_key IS NOT NULL)
);
CREATE UNIQUE INDEX blocklist_one_per_source ON blocklist (repo_key, coalesce(skill_path, ''))
    WHERE removed_at IS NULL AND repo_key IS NOT NULL;
CREATE UNIQUE INDEX blocklist_one_per_hash ON blocklist (content_hash)
    WHERE removed_at IS NULL AND content_hash IS NOT NULL;

-- What changed in the marketplace, in order, for anyone who mirrors it.
CREATE TABLE changes (
    xact           xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind           text NOT NULL CHECK (kind IN ('published', 'updated', 'blocked', 'unblocked', 'quarantined', 'restored', 'removed')),
    skill_id       text NOT NULL,
    skill_version  text,
    content_hash   text,
    at             timestamptz NOT NULL
);
CREATE INDEX changes_stream ON changes (xact, seq);

-- What operators did, and why.
CREATE TABLE audit_log (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at             timestamptz NOT NULL,
    actor          text NOT NULL,
    action         text NOT NULL,
    subject        text NOT NULL,
    reason         text NOT NULL,
    detail         jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_by_subject ON audit_log (subject, id DESC);

-- Small facts that operators set, such as the pause of the queue.
CREATE TABLE controls (
    name           text PRIMARY KEY,
    value          jsonb NOT NULL,
    updated_at     timestamptz NOT NULL,
    updated_by     text NOT NULL
);

-- Where idempotency keys are kept while the KV is away.
CREATE TABLE idempotency_keys (
    key            text PRIMARY KEY,
    request_hash   text NOT NULL,
    response       jsonb,
    expires_at     timestamptz NOT NULL
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- People who signed in. GitHub's number is who somebody is; a login can change hands.
CREATE TABLE accounts (
    id             uuid PRIMARY KEY,
    github_id      bigint NOT NULL UNIQUE,
    login          text NOT NULL,
    created_at     timestamptz NOT NULL,
    signed_in_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX accounts_by_login ON accounts (lower(login));
CREATE INDEX submissions_by_submitter ON submissions (submitted_by, created_at DESC, id DESC) WHERE submitted_by IS NOT NULL;
CREATE INDEX submissions_by_owner ON submissions (split_part(repo_key, '/', 1), created_at DESC, id DESC);
CREATE INDEX skills_by_owner ON skills (lower(owner), id);

-- Refresh tokens, hashed. Each is used once; all that came of one sign-in are a family, and end together.
CREATE TABLE sessions (
    token_hash     text PRIMARY KEY,
    family         uuid NOT NULL,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    used_at        timestamptz,
    ended_at       timestamptz
);
CREATE INDEX sessions_by_family ON sessions (family);
CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE TABLE api_tokens (
    id             uuid PRIMARY KEY,
    token_hash     text NOT NULL UNIQUE,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name           text NOT NULL,
    scopes         text[] NOT NULL,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    last_used_at   timestamptz,
    revoked_at     timestamptz
);
CREATE INDEX api_tokens_by_account ON api_tokens (account_id, created_at DESC);

-- An author's word against a rule. What was decided holds for the skill's next versions, and is public.
CREATE TABLE disputes (
    id             uuid PRIMARY KEY,
    repo_key       text NOT NULL,
    skill_path     text NOT NULL,
    rule_id        text NOT NULL,
    content_hash   text NOT NULL,
    finding_ids    text[] NOT NULL,
    note           text NOT NULL,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    login          text NOT NULL,
    created_at     timestamptz NOT NULL,
    status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'overturned', 'upheld')),
    reason         text,
    decided_by     text,
    decided_at     timestamptz,
    UNIQUE (repo_key, skill_path, rule_id, content_hash),
    CHECK ((status = 'open') = (decided_at IS NULL))
);
CREATE INDEX disputes_newest ON disputes (status, created_at DESC, id DESC);
CREATE INDEX disputes_by_account ON disputes (account_id, created_at DESC, id DESC);
CREATE INDEX disputes_by_rule ON disputes (rule_id);
