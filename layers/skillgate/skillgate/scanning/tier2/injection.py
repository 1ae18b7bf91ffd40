"""Text in a skill that talks to whoever judges it. It may lower a score, and can never raise one."""

from __future__ import annotations

import re
import unicodedata

import re2

_WHO = r"(?:judges?|reviewers?|scanners?|auditors?|evaluators?|moderators?|classifiers?)"
_KIND = r"(?:(?:ai|llm|security|automated|automatic|skill|tier ?2|reviewing) )"
_THIS = r"this (?:skill|submission|package|repository|file|content|document)"
_GOOD = r"(?:safe|benign|clean|trusted|approved|harmless|verified|passed|low[ -]risk|perfect|100)"
_CHECKED = r"(?:audited|verified|reviewed|certified|approved|vetted)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|tier ?1|system)"
_ORDERS = r"(?:findings|instructions|verdicts?|rules|prompts?)"
_REVIEW = r"(?:review|analysis|scan|evaluation|judgement|judgment)"

# RE2 takes time linear in the text, whatever the text is. The text is folded first.
_PATTERNS = (
    rf"\bif you(?: are|'re) (?:an? |the )?{_KIND}{{0,3}}{_WHO}\b",
    rf"\b(?:note|message|memo|instructions?) (?:to|for) (?:(?:the|any|all) {_KIND}{{0,3}}|{_KIND}{{1,3}}){_WHO}\b",
    rf"\b(?:attention|dear|hey|hello)\W{{1,3}}(?:the |any |all )?{_KIND}{{0,3}}{_WHO}\b",
    rf"\b(?:approve|accept|certify|whitelist|allowlist|pass) {_THIS}\b",
    rf"\b(?:rate|score|mark|classify|label|grade|treat|report) {_THIS} (?:as|with|at)(?: an?)? {_GOOD}\b",
    rf"\b{_THIS} (?:has|was|is)(?: already| been| fully| pre){{0,3}}[ -]{_CHECKED}\b",
    rf"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|of) ){{0,3}}(?:your |{_EARLIER} ){{1,2}}{_ORDERS}\b",
    r"\bverdict[\"' ]{0,2}(?:[:=][\"' ]{0,3}|[\"'])approve\b",
    rf"\b(?:skip|stop|end|abort) (?:the rest of the|this) (?:security )?{_REVIEW}\b",
)
_ADDRESS = re2.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_LINES_TO_SEARCH = 5_000  # for the place of what was found; that it was found is already known
_MARKUP = str.maketrans({"*": "", "~": "", "`": "", "_": " ", "#": " ", ">": " ", "|": " ", "’": "'"})
_TAGS = {code: chr(code - 0xE0000) for code in range(0xE0020, 0xE007F)}  # letters that are there but never shown


def addresses_the_judge(text: str) -> bool:
    """Simple cases only, in linear time; the judge is told to look for the rest."""
    return "submit_verdict" in text.casefold() or _ADDRESS.search(_folded(text)) is not None


def addressing_line(text: str) -> int | None:
    """The number of the line that talks to the judge, or where a passage of a few lines that does begins."""
    if not addresses_the_judge(text):
        return None
    lines = text.split("\n")[:_LINES_TO_SEARCH]
    for height in (1, 2, 3):
        for start in range(len(lines)):
            if addresses_the_judge("\n".join(lines[start : start + height])):
                return start + 1
    return 1


def _folded(text: str) -> str:
    """Without invisible characters, look-alike widths, case, markup and line breaks."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text.translate(_TAGS))).casefold()
    return " ".join(plain.translate(_MARKUP).split())
