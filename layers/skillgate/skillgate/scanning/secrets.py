"""Secrets that were committed by mistake, and how to show a text without them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import re2

_KNOWN = re2.compile(
    r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}|sk-ant-[A-Za-z0-9_-]{20,}|"
    r"sk-(?:proj-)?[A-Za-z0-9_-]{32,}|xox[abprs]-[A-Za-z0-9-]{20,}|AIza[0-9A-Za-z_-]{35}|sk_live_[0-9a-zA-Z]{20,}|rk_live_[0-9a-zA-Z]{20,}|"
    r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{60,}|"
    r"eyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{20,}|\d{8,10}:AA[A-Za-z0-9_-]{33})"
)
_ASSIGNED = re2.compile(
    r"(?i)(?:password|passwd|secret|api_?key|access_?key|auth_?token|private_?key|client_?secret)[\"']?\s*[:=]\s*[\"']([A-Za-z0-9+/=_!@#%^&*.~-]{16,100})[\"']"
)
_PRIVATE_KEY = re2.compile(
    r"-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP |ENCRYPTED )?PRIVATE KEY(?: BLOCK)?-----\s+[A-Za-z0-9+/=\s]{64,}"
)
_PLACEHOLDER = re2.compile(
    r"(?i)example|sample|dummy|placeholder|your|xxx|\*\*\*|\.\.\.|<|\$\{|changeme|replace|insert|test|fake|mock|redacted|1234567|abcdef|todo|demo|process\.env|environ"
)
_HINT = re2.compile(
    r"(?i)AKIA|ASIA|gh[pousr]_|github_pat|glpat|sk-|xox|AIza|_live_|npm_|pypi-|hf_|SG\.|dop_v1|eyJ|:AA|passw|secret|key|token|PRIVATE"
)


def committed(text: str) -> Iterator[tuple[int, str]]:
    """Each secret with its place. Placeholders and text of little entropy are none."""
    if not _HINT.search(text):
        return
    for match in _KNOWN.finditer(text):
        if not _PLACEHOLDER.search(match.group()) and _entropy(match.group()) > 3.2:
            yield match.start(), match.group()
    for match in _ASSIGNED.finditer(text):
        value = match.group(1)
        if not _PLACEHOLDER.search(match.group()) and _entropy(value) > 3.8 and any(c.isdigit() for c in value):
            yield match.start(1), value
    for match in _PRIVATE_KEY.finditer(text):
        if not _PLACEHOLDER.search(match.group()):
            yield match.start(), match.group()


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def mask(text: str) -> str:
    """The text with every secret cut to its first characters."""
    for _, secret in list(committed(text)):
        text = text.replace(secret, f"{secret[:4]}…(masked)")
    return str(_KNOWN.sub(lambda match: f"{match.group()[:4]}…(masked)", text))
