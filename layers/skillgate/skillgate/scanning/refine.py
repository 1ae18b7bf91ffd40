"""Sharpens neutral facts by what their details say: whose host it is, which secret goes where."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import re2

from skillgate.scanning import hosts
from skillgate.scanning.facts import Fact
from skillgate.scanning.frontmatter import Frontmatter
from skillgate.scanning.readable import is_document

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
# Services that everybody knows, and at which nobody collects what others send.
_WELL_KNOWN = frozenset(
    (
        "openai anthropic googleapis github notion stripe openstreetmap wikipedia wikimedia huggingface vercel sentry"
    ).split()
)
_PLACEHOLDERS = frozenset(
    "example test your yourdomain domain company acme mycompany site localhost foo bar slack google".split()
)
_IN_PASSING = 2  # mentions of a host that is not the skill's business
_STAYS_HERE = re2.compile(
    r"\b(?:offline|locally|nothing (?:leaves|is sent)|no (?:network|internet|data leaves)|"
    r"stays on (?:the|your) machine)\b"
)
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


def strangers(facts: Iterable[Fact], front: Frontmatter, documents: str) -> Iterator[Fact]:
    """What is fetched from or sent to a host that the skill does not name as its business; `documents` is lower case.

    An installer of the service that a skill is for is that service's word; one of an unknown host is nobody's.
    """
    purpose = f"{front.name} {front.description}".lower()
    squeezed = _SPLIT.sub("", purpose)
    promises = bool(_STAYS_HERE.search(purpose))
    for fact in facts:
        if (
            fact.kind == "moves_to_url"
            and is_document(fact.place.file)
            and _is_stray(fact.snippet, squeezed, documents)
        ):
            yield replace(fact, kind="stray_destination")
        host = fact.detail.removeprefix("http://")
        if "." not in host or host.startswith("through") or hosts.is_private(host) or hosts.is_forge(host):
            continue
        owner = hosts.owner_of(host)
        if fact.kind == "fetched_executed" and _SPLIT.sub("", owner) not in squeezed:
            yield replace(fact, kind="stranger_executed")
        elif fact.kind == "sends_content" and fact.executable and owner not in documents and owner not in _WELL_KNOWN:
            yield replace(fact, kind="undeclared_destination")
        elif fact.kind == "sends_content" and fact.executable and promises:
            yield replace(fact, kind="sends_despite_promise")


def _is_stray(sentence: str, purpose: str, documents: str) -> bool:
    """Whether a sentence names a host that the skill is not about and that hardly turns up elsewhere in it."""
    start = max(sentence.find("://"), 0) or max(sentence.find("@"), 0)
    host = hosts.host_of(sentence[max(0, start - 8) :])
    owner = hosts.owner_of(host)
    if "." not in host or hosts.is_private(host) or hosts.is_forge(host) or owner in _WELL_KNOWN | _PLACEHOLDERS:
        return False
    return _SPLIT.sub("", owner) not in purpose and documents.count(owner) <= _IN_PASSING


def _fetched(detail: str) -> str:
    plain = detail.startswith("http://")
    host = detail.removeprefix("http://")
    if host == "socket":
        return "network_command_loop"
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
