-- What the migrations make of an empty database; written by `make schema`, never by hand.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE TYPE public.submission_state AS ENUM (
    'RECEIVED',
    'TIER1_SCANNING',
    'TIER2_SCANNING',
    'AUTO_APPROVED',
    'RESCAN_REQUIRED',
    'NEEDS_REVIEW',
    'PUBLISHED',
    'TIER1_FAILED',
    'REJECTED',
    'BLOCKED',
    'DEQUEUED'
);

CREATE FUNCTION public.count_submissions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    github_id bigint NOT NULL,
    login text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone NOT NULL
);

CREATE TABLE public.api_tokens (
    id uuid NOT NULL,
    token_hash text NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    reason text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.blocklist (
    id uuid NOT NULL,
    repo_key text,
    skill_path text,
    content_hash text,
    reason text NOT NULL,
    threat_type text DEFAULT 'malicious'::text NOT NULL,
    severity text DEFAULT 'critical'::text NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT blocklist_check CHECK (((repo_key IS NULL) <> (content_hash IS NULL))),
    CONSTRAINT blocklist_check1 CHECK (((skill_path IS NULL) OR (repo_key IS NOT NULL)))
);

CREATE TABLE public.changes (
    xact xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    skill_id text NOT NULL,
    skill_version text,
    content_hash text,
    at timestamp with time zone NOT NULL,
    CONSTRAINT changes_kind_check CHECK ((kind = ANY (ARRAY['published'::text, 'updated'::text, 'blocked'::text, 'unblocked'::text, 'quarantined'::text, 'restored'::text, 'removed'::text])))
);

ALTER TABLE public.changes ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.changes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.controls (
    name text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    updated_by text NOT NULL
);

CREATE TABLE public.discoveries (
    repo_key text NOT NULL,
    skill_path text NOT NULL,
    repo_url text NOT NULL,
    source text NOT NULL,
    commit_sha text,
    submission_id uuid,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    submitted_at timestamp with time zone
);

CREATE TABLE public.discovery_repositories (
    run_id uuid NOT NULL,
    repo_key text NOT NULL,
    repo_url text NOT NULL,
    candidates integer NOT NULL,
    enqueued integer NOT NULL,
    skipped_dedup integer NOT NULL,
    skipped_blocked integer NOT NULL,
    errors integer NOT NULL,
    error text
);

CREATE TABLE public.discovery_runs (
    id uuid NOT NULL,
    source text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    max_results integer NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    hidden integer DEFAULT 0 NOT NULL,
    tokens jsonb DEFAULT '[]'::jsonb NOT NULL,
    checkpoint jsonb,
    outcome text,
    message text
);

CREATE TABLE public.disputes (
    id uuid NOT NULL,
    repo_key text NOT NULL,
    skill_path text NOT NULL,
    rule_id text NOT NULL,
    content_hash text NOT NULL,
    finding_ids text[] NOT NULL,
    note text NOT NULL,
    account_id uuid NOT NULL,
    login text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    reason text,
    decided_by text,
    decided_at timestamp with time zone,
    CONSTRAINT disputes_check CHECK (((status = 'open'::text) = (decided_at IS NULL))),
    CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'overturned'::text, 'upheld'::text])))
);

CREATE TABLE public.external_scan_dispatches (
    job_id uuid NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE public.external_scan_messages (
    webhook_id text NOT NULL,
    job_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    not_applied text,
    content jsonb
);

CREATE TABLE public.external_scans (
    job_id uuid NOT NULL,
    version_id bigint NOT NULL,
    scanner text NOT NULL,
    content_hash text NOT NULL,
    status text NOT NULL,
    worker text,
    dispatches integer DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone,
    error_code text,
    error text,
    result jsonb,
    created_at timestamp with time zone NOT NULL,
    dispatched_at timestamp with time zone,
    completed_at timestamp with time zone,
    CONSTRAINT external_scans_scanner_check CHECK ((scanner = ANY (ARRAY['semgrep'::text, 'njsscan'::text, 'trufflehog'::text]))),
    CONSTRAINT external_scans_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'PENDING'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text, 'TIMED_OUT'::text])))
);

CREATE TABLE public.file_contents (
    sha256 text NOT NULL,
    size integer NOT NULL,
    crc32 bigint NOT NULL,
    deflated bytea NOT NULL
);
ALTER TABLE ONLY public.file_contents ALTER COLUMN deflated SET STORAGE EXTERNAL;

CREATE TABLE public.idempotency_keys (
    key text NOT NULL,
    request_hash text NOT NULL,
    response jsonb,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.install_marks (
    day date NOT NULL,
    skill_id text NOT NULL COLLATE pg_catalog."C",
    machine bytea NOT NULL
);

CREATE TABLE public.install_salts (
    day date NOT NULL,
    salt bytea NOT NULL
);

CREATE TABLE public.installs_by_day (
    skill_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    installs bigint NOT NULL
);

CREATE TABLE public.scans (
    submission_id uuid NOT NULL,
    tier smallint NOT NULL,
    content_hash text NOT NULL,
    scanner text NOT NULL,
    score integer,
    decision text NOT NULL,
    report jsonb NOT NULL,
    duration_ms integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT scans_score_check CHECK (((score >= 0) AND (score <= 100))),
    CONSTRAINT scans_tier_check CHECK ((tier = ANY (ARRAY[1, 2])))
);

CREATE TABLE public.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.sessions (
    token_hash text NOT NULL,
    family uuid NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    ended_at timestamp with time zone
);

CREATE TABLE public.skill_aliases (
    alias text NOT NULL COLLATE pg_catalog."C",
    skill_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.skill_versions (
    id bigint NOT NULL,
    skill_id text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL,
    content_hash text NOT NULL,
    commit_sha text NOT NULL,
    submission_id uuid NOT NULL,
    content text NOT NULL,
    files jsonb DEFAULT '[]'::jsonb NOT NULL,
    report jsonb DEFAULT '{}'::jsonb NOT NULL,
    artifact text DEFAULT ''::text NOT NULL,
    digest text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'published'::text NOT NULL,
    status_reason text,
    published_at timestamp with time zone NOT NULL,
    CONSTRAINT skill_versions_status_check CHECK ((status = ANY (ARRAY['published'::text, 'quarantined'::text, 'removed'::text])))
);

ALTER TABLE public.skill_versions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.skill_versions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.skills (
    id text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL,
    repo text NOT NULL,
    slug text NOT NULL,
    repo_url text NOT NULL,
    repo_key text NOT NULL COLLATE pg_catalog."C",
    skill_path text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    slug_key text NOT NULL COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    category text DEFAULT 'other'::text NOT NULL COLLATE pg_catalog."C",
    labels text[] DEFAULT '{}'::text[] NOT NULL,
    agents text[] DEFAULT '{}'::text[] NOT NULL,
    license text,
    current_version text NOT NULL,
    commit_sha text NOT NULL,
    content_hash text NOT NULL,
    artifact text DEFAULT ''::text NOT NULL,
    digest text DEFAULT ''::text NOT NULL,
    cert_tier text NOT NULL,
    cert_method text NOT NULL,
    cert_score integer NOT NULL,
    certified_at timestamp with time zone NOT NULL,
    trust_tier text DEFAULT 'T1'::text NOT NULL,
    trust_score integer DEFAULT 0 NOT NULL,
    has_scripts boolean DEFAULT false NOT NULL,
    stars integer DEFAULT 0 NOT NULL,
    installs bigint DEFAULT 0 NOT NULL,
    status text DEFAULT 'published'::text NOT NULL,
    status_reason text,
    source_head text,
    source_checked_at timestamp with time zone,
    source_removed_at timestamp with time zone,
    threat_type text,
    severity text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    name_words tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(((name || ' '::text) || slug), '-_./'::text, '    '::text))) STORED,
    near_words tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(((((name || ' '::text) || slug) || ' '::text) || repo_url), '-_./:'::text, '     '::text))) STORED,
    all_words tsvector GENERATED ALWAYS AS (((to_tsvector('simple'::regconfig, translate(((((name || ' '::text) || slug) || ' '::text) || repo_url), '-_./:'::text, '     '::text)) || to_tsvector('simple'::regconfig, description)) || to_tsvector('english'::regconfig, description))) STORED,
    search_text text GENERATED ALWAYS AS (lower(((((name_key || ' '::text) || slug_key) || ' '::text) || repo_url))) STORED,
    CONSTRAINT skills_artifact_check CHECK ((artifact = ANY (ARRAY[''::text, 'skill-md'::text, 'archive'::text]))),
    CONSTRAINT skills_cert_score_check CHECK (((cert_score >= 0) AND (cert_score <= 100))),
    CONSTRAINT skills_status_check CHECK ((status = ANY (ARRAY['published'::text, 'quarantined'::text, 'blocked'::text, 'removed'::text]))),
    CONSTRAINT skills_trust_score_check CHECK (((trust_score >= 0) AND (trust_score <= 100)))
);

CREATE TABLE public.submission_answers (
    bucket timestamp with time zone NOT NULL,
    state public.submission_state NOT NULL,
    slot smallint NOT NULL,
    answers bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.submission_counts (
    state public.submission_state NOT NULL,
    slot smallint NOT NULL,
    submissions bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.submission_events (
    submission_id uuid NOT NULL,
    version integer NOT NULL,
    from_state public.submission_state,
    to_state public.submission_state NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    reason_code text,
    reason text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    xact xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint NOT NULL
);

ALTER TABLE public.submission_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.submission_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.submissions (
    id uuid NOT NULL,
    repo_url text NOT NULL,
    repo_key text NOT NULL,
    skill_path text NOT NULL,
    skill_name text NOT NULL,
    source text NOT NULL,
    email text,
    submitted_by text,
    state public.submission_state NOT NULL,
    version integer NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    sent_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    reason_code text,
    reason text,
    commit_sha text,
    content_hash text,
    score integer,
    skill_id text,
    uncopied boolean DEFAULT false NOT NULL,
    CONSTRAINT submissions_score_check CHECK (((score >= 0) AND (score <= 100))),
    CONSTRAINT submissions_version_check CHECK ((version > 0))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_github_id_key UNIQUE (github_id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.blocklist
    ADD CONSTRAINT blocklist_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY public.controls
    ADD CONSTRAINT controls_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.discoveries
    ADD CONSTRAINT discoveries_pkey PRIMARY KEY (repo_key, skill_path);

ALTER TABLE ONLY public.discovery_repositories
    ADD CONSTRAINT discovery_repositories_pkey PRIMARY KEY (run_id, repo_key);

ALTER TABLE ONLY public.discovery_runs
    ADD CONSTRAINT discovery_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_repo_key_skill_path_rule_id_content_hash_key UNIQUE (repo_key, skill_path, rule_id, content_hash);

ALTER TABLE ONLY public.external_scan_dispatches
    ADD CONSTRAINT external_scan_dispatches_pkey PRIMARY KEY (at, job_id);

ALTER TABLE ONLY public.external_scan_messages
    ADD CONSTRAINT external_scan_messages_pkey PRIMARY KEY (webhook_id);

ALTER TABLE ONLY public.external_scans
    ADD CONSTRAINT external_scans_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY public.external_scans
    ADD CONSTRAINT external_scans_version_id_scanner_key UNIQUE (version_id, scanner);

ALTER TABLE ONLY public.file_contents
    ADD CONSTRAINT file_contents_pkey PRIMARY KEY (sha256);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.install_marks
    ADD CONSTRAINT install_marks_pkey PRIMARY KEY (day, skill_id, machine);

ALTER TABLE ONLY public.install_salts
    ADD CONSTRAINT install_salts_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.installs_by_day
    ADD CONSTRAINT installs_by_day_pkey PRIMARY KEY (skill_id, day);

ALTER TABLE ONLY public.scans
    ADD CONSTRAINT scans_pkey PRIMARY KEY (submission_id, tier, content_hash, scanner);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.skill_aliases
    ADD CONSTRAINT skill_aliases_pkey PRIMARY KEY (alias, skill_id);

ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_skill_id_content_hash_key UNIQUE (skill_id, content_hash);

ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_skill_id_version_key UNIQUE (skill_id, version);

ALTER TABLE ONLY public.skills
    ADD CONSTRAINT skills_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.skills
    ADD CONSTRAINT skills_repo_key_skill_path_key UNIQUE (repo_key, skill_path);

ALTER TABLE ONLY public.submission_answers
    ADD CONSTRAINT submission_answers_pkey PRIMARY KEY (bucket, state, slot);

ALTER TABLE ONLY public.submission_counts
    ADD CONSTRAINT submission_counts_pkey PRIMARY KEY (state, slot);

ALTER TABLE ONLY public.submission_events
    ADD CONSTRAINT submission_events_pkey PRIMARY KEY (submission_id, version);

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX accounts_by_login ON public.accounts USING btree (lower(login));

CREATE INDEX api_tokens_by_account ON public.api_tokens USING btree (account_id, created_at DESC);

CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (subject, id DESC);

CREATE UNIQUE INDEX blocklist_one_per_hash ON public.blocklist USING btree (content_hash) WHERE ((removed_at IS NULL) AND (content_hash IS NOT NULL));

CREATE UNIQUE INDEX blocklist_one_per_source ON public.blocklist USING btree (repo_key, COALESCE(skill_path, ''::text)) WHERE ((removed_at IS NULL) AND (repo_key IS NOT NULL));

CREATE INDEX changes_stream ON public.changes USING btree (xact, seq);

CREATE INDEX discovery_runs_newest ON public.discovery_runs USING btree (source, started_at DESC);

CREATE INDEX disputes_by_account ON public.disputes USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX disputes_by_rule ON public.disputes USING btree (rule_id);

CREATE INDEX disputes_newest ON public.disputes USING btree (status, created_at DESC, id DESC);

CREATE INDEX external_scan_messages_by_age ON public.external_scan_messages USING btree (received_at);

CREATE INDEX external_scans_dispatched ON public.external_scans USING btree (dispatched_at) WHERE (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]));

CREATE INDEX external_scans_finished ON public.external_scans USING btree (completed_at DESC) INCLUDE (scanner, status) WHERE (completed_at IS NOT NULL);

CREATE INDEX external_scans_unfinished ON public.external_scans USING btree (scanner, status, created_at) WHERE (status = ANY (ARRAY['QUEUED'::text, 'PENDING'::text, 'RUNNING'::text]));

CREATE INDEX external_scans_unsent ON public.external_scans USING btree (created_at) WHERE ((status = 'QUEUED'::text) AND (sent_at IS NULL));

CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX scans_by_content ON public.scans USING btree (content_hash, tier);

CREATE INDEX sessions_by_account ON public.sessions USING btree (account_id);

CREATE INDEX sessions_by_family ON public.sessions USING btree (family);

CREATE INDEX skill_versions_newest ON public.skill_versions USING btree (skill_id, published_at DESC);

CREATE INDEX skills_by_category ON public.skills USING btree (category, installs DESC, stars DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_content ON public.skills USING btree (content_hash);

CREATE INDEX skills_by_created ON public.skills USING btree (created_at DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_name_key ON public.skills USING btree (name_key);

CREATE INDEX skills_by_owner ON public.skills USING btree (lower(owner), id);

CREATE INDEX skills_by_popularity ON public.skills USING btree (installs DESC, stars DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_score ON public.skills USING btree (cert_score DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_shown_name ON public.skills USING btree (lower(name) COLLATE "C", id) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_slug_key ON public.skills USING btree (slug_key);

CREATE INDEX skills_by_source_check ON public.skills USING btree (source_checked_at NULLS FIRST) WHERE (status = ANY (ARRAY['published'::text, 'quarantined'::text]));

CREATE INDEX skills_by_stars ON public.skills USING btree (stars DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_by_updated ON public.skills USING btree (updated_at DESC, id DESC) WHERE (status = ANY (ARRAY['published'::text, 'blocked'::text]));

CREATE INDEX skills_text ON public.skills USING gin (name_key public.gin_trgm_ops, repo_key public.gin_trgm_ops, search_text public.gin_trgm_ops);

CREATE INDEX skills_words ON public.skills USING gin (name_words, near_words, all_words);

CREATE INDEX submission_events_stream ON public.submission_events USING btree (xact, seq);

CREATE INDEX submissions_by_answer ON public.submissions USING btree (ended_at DESC) INCLUDE (created_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX submissions_by_created ON public.submissions USING btree (created_at DESC, id DESC);

CREATE INDEX submissions_by_owner ON public.submissions USING btree (split_part(repo_key, '/'::text, 1), created_at DESC, id DESC);

CREATE INDEX submissions_by_repo ON public.submissions USING btree (repo_key, created_at DESC, id DESC);

CREATE INDEX submissions_by_state_created ON public.submissions USING btree (state, created_at DESC, id DESC);

CREATE INDEX submissions_by_state_updated ON public.submissions USING btree (state, updated_at DESC, id DESC);

CREATE INDEX submissions_by_submitter ON public.submissions USING btree (submitted_by, created_at DESC, id DESC) WHERE (submitted_by IS NOT NULL);

CREATE INDEX submissions_by_updated ON public.submissions USING btree (updated_at DESC, id DESC);

CREATE INDEX submissions_in_flight ON public.submissions USING btree (updated_at) WHERE (state = ANY (ARRAY['RECEIVED'::public.submission_state, 'TIER1_SCANNING'::public.submission_state, 'TIER2_SCANNING'::public.submission_state, 'AUTO_APPROVED'::public.submission_state, 'RESCAN_REQUIRED'::public.submission_state]));

CREATE INDEX submissions_in_flight_age ON public.submissions USING btree (created_at) WHERE (state = ANY (ARRAY['RECEIVED'::public.submission_state, 'TIER1_SCANNING'::public.submission_state, 'TIER2_SCANNING'::public.submission_state, 'AUTO_APPROVED'::public.submission_state, 'RESCAN_REQUIRED'::public.submission_state]));

CREATE UNIQUE INDEX submissions_one_open ON public.submissions USING btree (repo_key, skill_path) WHERE (state = ANY (ARRAY['RECEIVED'::public.submission_state, 'TIER1_SCANNING'::public.submission_state, 'TIER2_SCANNING'::public.submission_state, 'AUTO_APPROVED'::public.submission_state, 'RESCAN_REQUIRED'::public.submission_state, 'NEEDS_REVIEW'::public.submission_state]));

CREATE INDEX submissions_text ON public.submissions USING gin (skill_name public.gin_trgm_ops, repo_key public.gin_trgm_ops);

CREATE INDEX submissions_uncopied ON public.submissions USING btree (updated_at) WHERE uncopied;

CREATE INDEX submissions_unsent ON public.submissions USING btree (created_at) WHERE ((sent_at IS NULL) AND (state = 'RECEIVED'::public.submission_state));

CREATE TRIGGER submissions_counted_delete AFTER DELETE ON public.submissions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_submissions();

CREATE TRIGGER submissions_counted_insert AFTER INSERT ON public.submissions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_submissions();

CREATE TRIGGER submissions_counted_update AFTER UPDATE ON public.submissions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_submissions();

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.discovery_repositories
    ADD CONSTRAINT discovery_repositories_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.discovery_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.external_scans
    ADD CONSTRAINT external_scans_version_id_fkey FOREIGN KEY (version_id) REFERENCES public.skill_versions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES public.skills(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.submission_events
    ADD CONSTRAINT submission_events_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;
