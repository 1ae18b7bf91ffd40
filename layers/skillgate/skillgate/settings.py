"""Everything that can be configured, validated when a function starts.

A setting comes from the function's environment (`template.yaml` names each), or, for secrets on AWS, from the secret
whose ARN the environment holds. What is required and missing stops the function with the setting's name; nothing is
switched off in silence. No other module reads the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator


class SettingsError(Exception):
    """A required setting is missing or a value does not fit. The message names each, and never shows a secret."""


def _comma_list(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


SecretList = Annotated[tuple[SecretStr, ...], BeforeValidator(_comma_list)]
_WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s/,]+(/[^\s,]*)?$")]
WebAddresses = Annotated[tuple[_WebAddress, ...], BeforeValidator(_comma_list)]
TextList = Annotated[tuple[str, ...], BeforeValidator(_comma_list)]
SigningKey = Annotated[SecretStr, Field(min_length=32)]  # as long as the digest that it keys
SigningKeys = Annotated[tuple[SigningKey, ...], BeforeValidator(_comma_list)]

# Which secret's JSON fills which settings, by the variable that holds the secret's ARN.
SECRET_SOURCES = ("APP_SECRET_ARN", "DATABASE_SECRET_ARN", "JWT_SECRET_ARN")


class Settings(BaseModel):
    """One frozen value per execution environment. Field names are the environment's variables in lower case."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    tracing: bool = Field(False, description="Whether invocations are traced with X-Ray.")
    stage: str = Field("local", description="Name of the installation, shown in logs and on the health page.")
    public_url: str = Field(
        "", description="Address of the product as its users see it; empty: taken from the request."
    )

    database_url: SecretStr | None = Field(None, description="Postgres connection URL; wins over the parts below.")
    database_host: str | None = Field(None, description="Host of the RDS Proxy.")
    database_name: str = Field("skillgate", description="Database at that host.")
    username: str | None = Field(None, description="Database user; the database secret's own key.")
    password: SecretStr | None = Field(None, description="Database password; the database secret's own key.")
    database_pool_size: int = Field(10, ge=1, le=100, description="Connections one execution environment may hold.")

    table_name: str = Field(min_length=3, description="The DynamoDB table.")
    submissions_queue_url: str = Field(min_length=1, description="SQS queue that the consumer reads.")
    submissions_dead_letters_url: str = Field(min_length=1, description="Its dead letters.")
    external_scans_queue_url: str = Field(min_length=1, description="SQS queue that the dispatcher reads.")

    internal_keys: SecretList = Field(min_length=1, description="Valid values of X-Internal-Key, comma-separated.")
    github_tokens: SecretList = Field((), description="GitHub tokens, comma-separated; none: unauthenticated.")
    github_api_url: str = Field("https://api.github.com", description="Where GitHub's REST API is.")
    github_raw_url: str = Field("https://raw.githubusercontent.com", description="Where GitHub's raw files are.")

    judge_provider: Literal["bedrock", "openai"] = Field(
        "bedrock", description="Where the tier 2 judge is: Amazon Bedrock, or an endpoint that speaks OpenAI's API."
    )
    judge_model: str = Field("", description="Model id of the tier 2 judge; empty: not configured.")
    judge_region: str = Field("", description="Bedrock's region; empty: the function's own.")
    judge_openai_url: str = Field("", description="Address of the OpenAI-compatible API, up to and with its version.")
    judge_openai_key: SecretStr | None = Field(None, description="Its key; none: asked without.")
    judge_temperature: float = Field(0, ge=0, le=1, description="How freely the judge words its answer.")
    judge_max_input_chars: int = Field(
        200_000, ge=1_000, description="Characters of a skill that the judge is shown; with more, none is approved."
    )
    judge_max_output_tokens: int = Field(4_000, ge=500, le=32_000, description="Longest answer of the judge.")
    judge_price_in: float | None = Field(None, ge=0, description="US dollars for a million tokens that it reads.")
    judge_price_out: float | None = Field(None, ge=0, description="US dollars for a million tokens that it writes.")
    judge_timeout_seconds: float = Field(30, gt=0, le=120, description="Longest that the judge may think.")

    max_attempts: int = Field(5, ge=1, le=20, description="Claims of a submission before it ends as processing_failed.")
    max_sweeps: int = Field(3, ge=1, le=20, description="Times the sweeper re-sends one before it gives up.")
    lease_seconds: int = Field(75, ge=1, description="How long a claim holds; longer than the consumer's timeout.")
    stuck_after_seconds: int = Field(900, ge=1, description="In flight and idle for this long: stuck.")
    unsent_after_seconds: int = Field(
        120, ge=1, description="Not sent to the queue for this long: sent by the sweeper."
    )
    fast_approve: bool = Field(True, description="False sends every skill to tier 2, also one that tier 1 would pass.")
    processing_workers: int = Field(10, ge=1, le=50, description="Records of one batch that run side by side.")
    retry_base_seconds: int = Field(30, ge=0, le=900, description="First delay of a transient failure; doubles.")

    discovery_function_name: str = Field("", description="Function that runs a source; empty: none can be dispatched.")
    discovery_max_results: int = Field(2_000, ge=1, le=100_000, description="Most skills that one run enqueues.")
    discovery_again_after_days: int = Field(
        30, ge=1, description="Days after which a candidate that is seen again is submitted again."
    )
    discovery_topics: TextList = Field(
        ("agent-skills", "claude-skills", "claude-code-skills"), description="GitHub topics to search, comma-separated."
    )
    discovery_vendors: TextList = Field((), description="GitHub organisations whose repositories are looked into.")
    discovery_well_known_sites: TextList = Field(
        (), description="Sites whose /.well-known/agent-skills/index.json is read, as https addresses."
    )
    npm_registry_url: str = Field("", description="Address of an npm registry; empty: the npm source is off.")
    npm_searches: TextList = Field(
        ("keywords:agent-skill", "keywords:agent-skills", "keywords:claude-skill"),
        description="What the npm registry is searched for, comma-separated.",
    )
    discovery_workers: int = Field(32, ge=1, le=64, description="Repositories looked into side by side.")
    discovery_requests_per_token: int = Field(
        16, ge=1, le=90, description="Requests of one GitHub token at once in each source; GitHub tolerates a hundred."
    )
    discovery_quota_share: float = Field(
        0.8, gt=0, le=1, description="Share of each GitHub budget that discovery uses; the rest is for submissions."
    )
    discovery_longest_wait_seconds: int = Field(
        90, ge=0, description="Longest wait for a rate limit; a longer one ends the run, and the next goes on."
    )
    discovery_allow_loopback: bool = Field(
        False, description="Whether npm and well-known addresses may be http on 127.0.0.1; for tests."
    )
    external_scans_dead_letters_url: str = Field("", description="Dead letters of the external-scans queue.")
    scan_workers: WebAddresses = Field(
        (), description="Addresses of the scan workers, comma-separated; none: no scans."
    )
    scan_worker_secret: SecretStr | None = Field(None, description="What jobs for the workers are signed with.")
    webhook_secrets: SecretList = Field((), description="What results may be signed with, comma-separated.")
    external_scans_per_hour: int = Field(1_000, ge=1, description="Jobs handed to the scan workers in any one hour.")

    jwt_secrets: SigningKeys = Field(
        min_length=1, description="Keys of access tokens, comma-separated: the first signs, every one verifies."
    )
    access_token_seconds: int = Field(600, ge=60, le=3600, description="How long an access token is valid.")
    session_days: int = Field(30, ge=1, le=365, description="Days after which everybody signs in anew.")
    github_oauth_client_id: str = Field("", description="Client id of the GitHub OAuth app; empty: nobody signs in.")
    github_oauth_client_secret: SecretStr | None = Field(None, description="Its client secret.")
    github_oauth_url: str = Field("https://github.com", description="Where GitHub's sign-in is.")
    admin_logins: TextList = Field((), description="GitHub logins with the role SUPER_ADMIN, comma-separated.")
    reviewer_logins: TextList = Field((), description="GitHub logins with the role REVIEWER, comma-separated.")
    cors_origins: TextList = Field(
        (), description="Origins whose pages may read the API, without cookies; comma-separated, none: no other."
    )
    limit_reads: int = Field(1200, ge=1, description="Reads a minute of one address or account.")
    limit_submissions: int = Field(10, ge=1, description="Submissions an hour of one address that is not signed in.")
    limit_submissions_signed_in: int = Field(30, ge=1, description="Submissions an hour of one account.")
    limit_bulk: int = Field(5, ge=1, description="Bulk submissions an hour of one address or account.")
    limit_installs: int = Field(600, ge=1, description="Installs an hour of one address or account.")
    limit_sign_in: int = Field(60, ge=1, description="Sign-ins, and credentials refused, an hour of one address.")
    limit_writes: int = Field(600, ge=1, description="Other writes an hour of one address or account.")

    @model_validator(mode="after")
    def _needs_a_database(self) -> Settings:
        if self.database_url is None and not (self.database_host and self.username and self.password):
            raise ValueError("DATABASE_URL, or DATABASE_HOST with DATABASE_SECRET_ARN, is required")
        return self

    @model_validator(mode="after")
    def _an_openai_judge_has_an_address(self) -> Settings:
        url = urlsplit(self.judge_openai_url)
        is_safe = url.hostname and (url.scheme == "https" or url.hostname in ("127.0.0.1", "localhost"))
        if self.judge_provider == "openai" and self.judge_model and not is_safe:
            raise ValueError("JUDGE_OPENAI_URL, with https, is required for JUDGE_PROVIDER openai")
        return self

    @cached_property
    def postgres_dsn(self) -> str:
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        assert self.username and self.password
        user, password = quote(self.username, safe=""), quote(self.password.get_secret_value(), safe="")
        return f"postgresql://{user}:{password}@{self.database_host}/{self.database_name}?sslmode=require"

    @cached_property
    def secret_values(self) -> tuple[str, ...]:
        """Every secret in clear, so that it can be kept out of logs."""
        values = [getattr(self, name) for name in type(self).model_fields]
        flat = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
        return tuple(each.get_secret_value() for each in flat if isinstance(each, SecretStr))

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str], read_secret: Callable[[str], Mapping[str, Any]] | None = None
    ) -> Settings:
        """Raises SettingsError with the name of everything that is missing or wrong."""
        values: dict[str, Any] = {}
        for source in SECRET_SOURCES:
            if arn := environment.get(source):
                if read_secret is None:
                    raise SettingsError(f"{source} is set, but nothing here can read secrets")
                values |= {name.lower(): value for name, value in read_secret(arn).items()}
        values |= {name.lower(): value for name, value in environment.items() if value != ""}
        known = {name: values[name] for name in cls.model_fields if name in values}
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            raise SettingsError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    wrong = [f"{str(part['loc'][0]).upper() if part['loc'] else ''} {part['msg']}".strip() for part in error.errors()]
    return "Settings are missing or invalid: " + "; ".join(wrong)
