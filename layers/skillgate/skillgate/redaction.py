"""Keeping secrets and people's addresses out of logs, whoever put them there.

Nothing secret is logged on purpose. This is for what slips in by accident: an exception's text, a URL, a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

MARK = "[redacted]"

_SECRET_FIELDS = re.compile(
    r"(?:.*[_-])?(?:authorization|cookies?|set[_-]cookie|password|passwd|secrets?|token|api[_-]?key|internal[_-]?keys?|"
    r"email|e[_-]mail)",
    re.IGNORECASE,
)
_SECRET_TEXTS = re.compile(
    r"\bvsk_[A-Za-z0-9_-]{16,}"
    r"|\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"  # a JWT
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?i:\b(?:__(?:Host|Secure)-[\w-]+|x-internal-key|password|client_secret|access_token|code_verifier))\s*[=:]\s*[^\s;&,\"']+"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"  # credentials in a URL
    r"|[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"  # an e-mail address
)


def redacted(value: Any, secrets: Iterable[str] = ()) -> Any:
    """The value with everything secret in it replaced; `secrets` are texts that are known to be."""
    known = sorted((secret for secret in secrets if len(secret) >= 6), key=len, reverse=True)
    return _value(value, known)


def _value(value: Any, known: list[str]) -> Any:
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, Mapping):
        return {name: MARK if _is_secret(name, item) else _value(item, known) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(item, known) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else _text(str(value), known)


def _is_secret(name: Any, item: Any) -> bool:
    return isinstance(name, str) and isinstance(item, str | list | tuple) and bool(_SECRET_FIELDS.fullmatch(name))


def _text(text: str, known: list[str]) -> str:
    for secret in known:
        text = text.replace(secret, MARK)
    return _SECRET_TEXTS.sub(MARK, text)
