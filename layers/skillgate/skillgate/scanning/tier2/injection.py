"""Text in a skill that talks to whoever judges it. It may lower a score, and can never raise one."""

from __future__ import annotations

import re
import unicodedata

import re2

_WHO = r"(?:judges?|reviewers?|scanners?|auditors?|evaluators?|moderators?|classifiers?)"
_KIND = r"(?:(?:ai|llm|security|automated|automatic|skill|code|tier ?2|reviewing) ){0,3}"
_THIS = r"this (?:skill|submission|package|repository|file|content|document)"
_CALL = r"(?:note|message|instructions?|attention|dear|hey|hello|memo)\W{1,3}(?:to |for )?(?:the |any |all |our )?"
_CHECKED = r"(?:audited|verified|reviewed|certified|approved|vetted)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|tier ?1|system)"
_ORDERS = r"(?:findings|instructions|verdicts?|rules|prompts?)"
_REVIEW = r"(?:review|analysis|scan|evaluation|judgement|judgment)"

# RE2 takes time linear in the text, whatever the text is. The text is folded first.
_PATTERNS = (
    r"submit_verdict",
    rf"\bif you(?: are|'re) (?:an? |the )?{_KIND}{_WHO}\b",
    rf"\b{_CALL}{_KIND}{_WHO}\b",
    rf"\b(?:approve|accept|certify|whitelist|allowlist|pass) {_THIS}\b",
    rf"\b(?:rate|score|mark|classify|label|grade|treat|report) {_THIS} (?:as|with|at|a)\b",
    rf"\b{_THIS} (?:has|was|is)(?: already| been| fully| pre){{0,3}}[ -]{_CHECKED}\b",
    rf"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|these|those) ){{0,3}}(?:{_EARLIER} )?{_ORDERS}\b",
    r"\bverdict\W{1,5}approved?\b|\bverdict (?:must|should) be\b",
    rf"\b(?:skip|stop|end|abort) (?:the )?(?:rest of the )?(?:security )?{_REVIEW}\b",
)
_ADDRESS = re2.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_TAGS = {code: chr(code - 0xE0000) for code in range(0xE0020, 0xE007F)}  # letters that are there but never shown


def addresses_the_judge(text: str) -> bool:
    """Simple cases only, in linear time; the judge is told to look for the rest."""
    return _ADDRESS.search(_folded(text)) is not None


def _folded(text: str) -> str:
    """Without invisible characters, look-alike widths, case, markup between words, and line breaks."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text.translate(_TAGS))).casefold()
    return " ".join(re.sub(r"[*_~`>#|]+(?=\s|$)|(?<=\s)[*_~`>#|]+", " ", plain).replace("’", "'").split())
