"""What a skill's name and description say that it is for."""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

import re2

_DEFENDS = re2.compile(
    r"(?i)\b(?:review|audit|detect|scan|harden|prevent|protect|defend|assess|analy[sz]|evaluat|identif|secur|guard|investigat|threat[- ]model|pentest|penetration test|red[- ]team)\w*\b.{0,80}"
    r"\b(?:security|vulnerab\w+|threats?|injections?|malicious|malware|attacks?|exploit\w*|secrets?|owasp|guardrails?|cve|hardening|unsafe|phishing|jailbreak\w*|supply[- ]chain)\b|"
    r"\b(?:security|vulnerability|threat|injection|malware|safety)\b.{0,40}\b(?:review|audit|detect\w*|scan\w*|best practices|hardening|check\w*|analysis|assessment|guidelines?|testing|guard\w*|rules|evaluat\w*)"
)
_TEACHES = re2.compile(
    r"(?i)\b(?:teach\w*|learn\w*|lessons?|explain\w*|recogni[sz]\w*|notic\w+|spot\w*|awareness|train\w*)\b.{0,100}"
    r"\b(?:attack\w*|injections?|malicious|malware|phishing|unsafe|scams?|social engineering|vulnerab\w+|exploit\w*)\b"
)
_DEMONSTRATES = re2.compile(
    r"(?i)\b(?:demonstrat\w+|showcas\w+|proof[- ]of[- ]concept|malicious$|simulat\w+ an? attack)"
)
_HANDLES_SECRETS = re2.compile(
    r"(?i)secret|credential|token|password|api[ -]?key|vault|rotat|auth|login|env|config|integrat|deploy|sync|connect|api\b"
)


def is_defensive(name: str, description: str) -> bool:
    """Whether a skill says that it finds, prevents or teaches about attacks. Showing one off is no defence."""
    purpose = f"{name.replace('-', ' ')}. {description}"
    return bool(_DEFENDS.search(purpose) or _TEACHES.search(purpose)) and not _DEMONSTRATES.search(purpose)


def handles_secrets(name: str, description: str) -> bool:
    """Whether a reader of the description would expect the skill to touch credentials."""
    return bool(_HANDLES_SECRETS.search(f"{name} {description}"))
