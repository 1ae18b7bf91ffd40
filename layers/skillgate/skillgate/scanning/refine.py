"""Sharpens neutral facts by what their details say: whose host it is, which secret goes where."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

from dataclasses import replace

import re2

from skillgate.scanning import hosts
from skillgate.scanning.facts import Fact

_SPLIT = re2.compile(r"[^a-z0-9]+")
_GENERIC = frozenset(
    (
        "api key token secret access auth password url id app bot user client private public account service http "
        "https com io www org net dev env my"
    ).split()
)
# Secrets of a vendor whose API has another name.
_ALIASES = {
    "gh": "github",
    "hf": "huggingface",
    "gemini": "googleapis",
    "google": "googleapis",
    "claude": "anthropic",
    "sentry": "sentry",
    "notion": "notion",
    "tg": "telegram",
    "x": "twitter",
}
_NEVER_SENT = re2.compile(
    r"(?i)aws_secret|ssh_|private_key|mnemonic|seed|gcp_service|database_url|docker_password|jwt_secret|stripe_secret|npm_token|pypi_token|kube"
)


def refine(fact: Fact) -> Fact:
    if fact.kind == "fetched_executed":
        return replace(fact, kind=_fetched(fact.detail))
    if fact.kind == "destroys" and not fact.executable:
        return replace(fact, kind="destroys_in_text")
    if fact.kind in ("process_injection", "credential_tool", "shadow_copy_delete") and not fact.executable:
        return replace(fact, kind="attack_tool_in_text")
    if fact.kind == "named_secret_sent":
        return replace(fact, kind=_named_secret(fact.detail))
    if fact.kind in ("secret_sent", "environment_sent", "secret_file_sent") and _local(fact.detail):
        return replace(fact, kind="sends_locally")
    if fact.kind == "sends":
        host = fact.detail
        if hosts.is_drop(host) or hosts.is_bare_address(host):
            return replace(
                fact, kind="sends_to_drop" if fact.executable or hosts.is_bare_address(host) else "mentions_drop"
            )
        if hosts.is_private(host):
            return replace(fact, kind="sends_locally")
    if fact.kind == "fetches" and (
        hosts.is_paste(fact.detail) or hosts.is_bare_address(fact.detail.removeprefix("http://"))
    ):
        return replace(fact, kind="fetches_from_nowhere")
    return fact


def _fetched(detail: str) -> str:
    plain = detail.startswith("http://")
    host = detail.removeprefix("http://")
    if host == "?" and not plain:
        return "fetched_executed_unknown"
    if hosts.is_private(host):
        return "local_executed"
    if hosts.is_bare_address(host) or hosts.is_paste(host) or hosts.is_drop(host) or host == "dns":
        return "fetched_executed_nowhere"
    if hosts.is_known_installer(host):
        return "installer_executed"
    return "fetched_executed_nowhere" if plain else "fetched_executed"


def _local(detail: str) -> bool:
    return hosts.is_private(detail.rsplit("-> ", 1)[-1])


def _named_secret(detail: str) -> str:
    """`OPENAI_API_KEY` belongs to api.openai.com; a key of one vendor in a request to another does not."""
    name, _, host = detail.partition(" -> ")
    if hosts.is_private(host):
        return "sends_locally"
    if hosts.is_drop(host) or hosts.is_bare_address(host):
        return "secret_sent"
    words = {word for word in _SPLIT.split(name.lower()) if word} - _GENERIC
    words |= {_ALIASES[word] for word in words if word in _ALIASES}
    if host == "?" or host.startswith("through") or any(len(word) > 2 and word in host for word in words):
        return "own_secret_sent"
    if _NEVER_SENT.search(name):
        return "secret_sent"
    return "foreign_secret_sent" if words else "own_secret_sent"
