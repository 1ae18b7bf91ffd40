"""Settings: what is required and missing is named, and no secret ever shows."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr
from skillgate.settings import Settings, SettingsError

from tests.support.fakes.backend import REQUIRED

SECRETS: dict[str, dict[str, Any]] = {
    "arn:app": {"internal_keys": "key-one, key-two", "github_tokens": "ghp_one,,ghp_two"},
    "arn:database": {"username": "user@x", "password": "p/w:d?", "engine": "postgres", "port": 5432},
}
ON_AWS = {name: value for name, value in REQUIRED.items() if name not in ("DATABASE_URL", "INTERNAL_KEYS")} | {
    "APP_SECRET_ARN": "arn:app",
    "DATABASE_SECRET_ARN": "arn:database",
    "DATABASE_HOST": "proxy.example",
}


def values(secrets: tuple[SecretStr, ...]) -> list[str]:
    return [secret.get_secret_value() for secret in secrets]


@pytest.mark.parametrize("name", sorted(REQUIRED))
@pytest.mark.parametrize("empty", [False, True])
def test_a_required_setting_that_is_missing_or_empty_is_named(name: str, empty: bool) -> None:
    environment = {key: value for key, value in REQUIRED.items() if key != name}
    if empty:
        environment[name] = ""
    with pytest.raises(SettingsError, match=name):
        Settings.from_environment(environment)


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as error:
        Settings.from_environment({"DATABASE_URL": REQUIRED["DATABASE_URL"]})
    assert all(name in str(error.value) for name in REQUIRED if name != "DATABASE_URL")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LEASE_SECONDS", "soon"),
        ("MAX_ATTEMPTS", "0"),
        ("JUDGE_PROVIDER", "oracle"),
        ("FAST_APPROVE", "maybe"),
        ("DATABASE_POOL_SIZE", "1e9"),
    ],
)
def test_a_value_that_does_not_fit_is_named_and_not_ignored(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as error:
        Settings.from_environment(REQUIRED | {name: value})
    assert value not in str(error.value).replace("greater than or equal to 1", "")


def test_secrets_come_from_where_their_arn_leads() -> None:
    made = Settings.from_environment(ON_AWS, SECRETS.__getitem__)

    assert values(made.internal_keys) == ["key-one", "key-two"]
    assert values(made.github_tokens) == ["ghp_one", "ghp_two"]
    assert made.postgres_dsn == "postgresql://user%40x:p%2Fw%3Ad%3F@proxy.example/skillgate?sslmode=require"


def test_the_environment_wins_over_a_secret() -> None:
    made = Settings.from_environment(ON_AWS | {"INTERNAL_KEYS": "mine"}, SECRETS.__getitem__)
    assert values(made.internal_keys) == ["mine"]


def test_a_secret_without_the_key_that_is_needed_names_the_setting() -> None:
    with pytest.raises(SettingsError, match="INTERNAL_KEYS"):
        Settings.from_environment(ON_AWS, (SECRETS | {"arn:app": {"internal_keys": " , "}}).__getitem__)


def test_a_database_without_a_password_is_refused() -> None:
    with pytest.raises(SettingsError, match="DATABASE_SECRET_ARN"):
        Settings.from_environment(ON_AWS, (SECRETS | {"arn:database": {"username": "u"}}).__getitem__)


def test_a_secret_that_nothing_can_read_is_an_error_and_not_left_out() -> None:
    with pytest.raises(SettingsError, match="APP_SECRET_ARN"):
        Settings.from_environment(ON_AWS)


def test_a_secret_that_cannot_be_read_stops_the_start() -> None:
    def refuse(_: str) -> dict[str, Any]:
        raise PermissionError("no access")

    with pytest.raises(PermissionError):
        Settings.from_environment(ON_AWS, refuse)


def test_no_secret_is_in_a_representation() -> None:
    made = Settings.from_environment(ON_AWS | {"JUDGE_OPENAI_KEY": "sk-judge"}, SECRETS.__getitem__)
    shown = repr(made) + str(made) + str(made.model_dump()) + made.model_dump_json()
    assert not [secret for secret in ("key-one", "key-two", "ghp_", "p/w:d?", "sk-judge") if secret in shown]


def test_no_secret_is_in_an_error() -> None:
    secret = "hunter2"
    environment = REQUIRED | {
        "DATABASE_URL": f"postgresql://u:{secret}@h/d",
        "INTERNAL_KEYS": secret,
        "JUDGE_OPENAI_KEY": secret,
        "TABLE_NAME": "",
        "GITHUB_TOKENS": secret,
    }
    with pytest.raises(SettingsError) as error:
        Settings.from_environment(environment)
    assert secret not in str(error.value) + repr(error.value)
    assert error.value.__cause__ is None, "pydantic's own error knows the input"


def test_settings_cannot_be_changed() -> None:
    made = Settings.from_environment(REQUIRED)
    with pytest.raises(ValueError, match="frozen"):
        made.table_name = "other"


def test_variables_that_are_no_settings_are_left_alone() -> None:
    Settings.from_environment(REQUIRED | {"PATH": "/bin", "AWS_REGION": "us-east-1"})
