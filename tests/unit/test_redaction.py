"""Logs hold no tokens, keys, cookies or e-mail addresses, however they got there."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools import Logger
from skillgate import context
from skillgate.observability import logger
from skillgate.redaction import MARK, redacted
from skillgate.settings import Settings

INTERNAL = "an-internal-key-of-somebody"
SETTINGS = Settings.from_environment(
    {
        "DATABASE_URL": "postgresql://user:hunter22@nowhere.invalid/skillgate",
        "TABLE_NAME": "skillgate",
        "SUBMISSIONS_QUEUE_URL": "https://queues.invalid/a",
        "SUBMISSIONS_DEAD_LETTERS_URL": "https://queues.invalid/b",
        "EXTERNAL_SCANS_QUEUE_URL": "https://queues.invalid/c",
        "INTERNAL_KEYS": INTERNAL,
        "JWT_SECRETS": "j" * 40,
        "GITHUB_TOKENS": "plain-github-token",
    }
)
SECRET_TEXTS = [
    "vsk_" + "a" * 43,
    "ghp_" + "b" * 36,
    "github_pat_" + "c" * 40,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl",
    "ada.lovelace+news@example.co.uk",
    "AKIA" + "D" * 16,
    "Bearer opaque-credential-123",
    "Basic dXNlcjpwYXNzd29yZA==",
    "__Host-skillgate-session=abcdef",
    "__Secure-skillgate-refresh=abcdef",
    "user:password@",
]


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the product's own logger writes."""
    stream = io.StringIO()
    handler = logger.registered_handler
    before = handler.setStream(stream) if isinstance(handler, logging.StreamHandler) else None
    yield stream
    if isinstance(handler, logging.StreamHandler) and before is not None:
        handler.setStream(before)


def logged(lines: io.StringIO) -> dict[str, Any]:
    return dict(json.loads(lines.getvalue().splitlines()[-1]))


@pytest.mark.parametrize("secret", SECRET_TEXTS)
def test_a_secret_inside_any_text_is_taken_out(secret: str) -> None:
    shown = redacted({"error": f"call of https://{secret}x.invalid/ failed" if "@" in secret else f"got {secret}, no"})
    assert secret not in json.dumps(shown) and MARK in shown["error"]


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "Cookie",
        "cookies",
        "set-cookie",
        "password",
        "email",
        "x-internal-key",
        "refresh_token",
        "secret",
    ],
)
def test_a_field_that_is_called_secret_is_taken_out_whatever_it_holds(name: str) -> None:
    assert redacted({"headers": {name: "anything"}}) == {"headers": {name: MARK}}


def test_what_is_no_secret_stays() -> None:
    event = {
        "submission_id": "0190-a",
        "repo": "https://github.com/acme/tools",
        "tokens_left": 3,
        "ok": True,
        "at": None,
    }
    assert redacted(event) == event


def test_the_logger_takes_them_out_of_fields_messages_and_exceptions(lines: io.StringIO) -> None:
    assert isinstance(logger, Logger)
    environment = context.Environment(settings=SETTINGS, request_id="r")

    def crash() -> None:
        try:
            raise RuntimeError(f"refused {INTERNAL} and plain-github-token for ada@example.com")
        except RuntimeError:
            logger.exception("request_crashed", error="vsk_" + "a" * 43, headers={"cookie": "x=1"})

    context.run_with_context(environment, crash)
    written = lines.getvalue()
    for secret in (INTERNAL, "plain-github-token", "ada@example.com", "vsk_aaa", "x=1", "hunter22"):
        assert secret not in written
    assert logged(lines)["message"] == "request_crashed"


def test_settings_know_all_of_their_secrets() -> None:
    assert {INTERNAL, "j" * 40, "plain-github-token"} <= set(SETTINGS.secret_values)
