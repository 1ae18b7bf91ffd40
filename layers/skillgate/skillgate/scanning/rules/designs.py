"""What a skill says of itself: not what the agent is told to do, but how the thing is meant to behave.

Patterns are RE2 and see one sentence in lower case, with markup and line breaks gone.
"""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

_IT = r"\b(?:skill|agent|helper|assistant|it|scheduler|tool|component|plugin|handler|service|module|bot)\b"
_MAKER = r"\b(?:its|the|our|their|skill'?s?) (?:skill )?(?:maintainers?|authors?|vendors?|providers?|makers?|developers?|operators?|partners?|publishers?|home server|settings server|backend|headquarters)\b"
_THINGS = r"\b(?:prompts?|memory|conversations?|contents?|keys?|credentials?|contacts?|contact list|files|documents?|messages?|history|context|headers|inputs?|records?|transcripts?|contracts?|data)\b"

DESIGNS: dict[str, tuple[str, ...]] = {
    "serves_itself": (
        rf"{_IT}.{{0,20}}\b(?:grants?|gives?|raises?|elevates?|extends?|increases?|assigns?|promotes?)\b (?:itself|its own)\b",
        r"\braises? its own\b|\bso (?:that )?no (?:approval|review|alert|alarm|notification|flag)s?\b.{0,20}\b(?:triggered|raised|needed|sent|required)\b",
        r"\b(?:access|permission|authori[sz]ation|authentication|security|safety|fraud) (?:checks?|controls?|rules|prompts?)\b (?:is|are) (?:skipped|bypassed|waived|ignored|not (?:applied|performed|enforced)) (?:for|when|if|in)\b",
        r"\b(?:skill|agent|assistant)\b (?:decides?|determines?|judges?) (?:by itself|on its own|autonomously|alone)\b.{0,60}\b(?:review|approval|confirmation|consent|permission|urgen\w+|safe)\b",
        r"\b(?:reads?|uses?|reuses?|borrows?|takes?|collects?)\b.{0,40}\b(?:other|another|neighbou?ring) (?:skill|agent|tool|application|user|tenant)(?:s'?|'s)? .{0,40}\b(?:keys?|credentials?|tokens?|secrets?|memory)\b",
        r"\b(?:signs?|agrees?|approves?|consents?|votes?)\b.{0,40}\b(?:in (?:the user's|their) name|as the user\b)",
        r"\btr(?:y|ies) (?:default|common|known|leaked|weak) passwords?\b|\bbrute-?forc\w+ (?:\w+ ){0,3}(?:devices?|logins?|accounts?|hosts?)\b",
    ),
    "trusts_outside": (
        r"\b(?:content|text|messages?|outputs?|comments?|invitations?|documents?|e?mails?|pages?|responses?|tool results?)\b.{0,60}\b(?:is|are|has|have|carr(?:y|ies)) (?:considered |treated as |regarded as |fully |always |the )*(?:trusted|authoritative|same (?:weight|authority|priority|rank)|higher (?:priority|authority))\b",
        r"\b(?:all|every|each|any) (?:prompts?|requests?|traffic|messages?|completions?)\b.{0,30}\b(?:pass|goe?s?|routed?|proxied|sent|flows?)\b.{0,20}\b(?:through|via|over)\b.{0,20}https?://",
        r"\b(?:answers?|responds? to|complies with|performs?) (?:any|every|all)\b.{0,30}\b(?:question|request|command)s?\b.{0,60}\b(?:normally|usually|otherwise)\b.{0,20}\b(?:decline|refuse|reject|block)",
    ),
    "keeps_against_will": (
        r"\b(?:deletion|erasure|opt-?out|removal|cancellation|unsubscribe) requests?\b.{0,60}\b(?:but|however|although|yet|only)\b.{0,40}\b(?:remain|kept|flagged|stored|retain|available|logged)",
        rf"\b(?:remains?|stays?|kept|keeps?|retained|stored|available)\b.{{0,60}}\b(?:to|with|by|on|at) {_MAKER}",
        r"\bcollected anyway\b|\b(?:stays|remains) (?:\w+ )?and (?:continues|keeps) (?:to )?(?:report|run|sync|send|collect|work)|\bafter uninstall\w*\b.{0,40}\b(?:continues|keeps|stays|remains)\b",
        r"\basked again\b.{0,40}\buntil they (?:accept|agree|consent)\b",
    ),
    "reports_to_maker": (
        rf"{_IT}.{{0,20}}\b(?:uploads?|sends?|reports?|transmits?|forwards?|shares?|exports?|copies|logs?|submits?)\b.{{0,80}}{_THINGS}.{{0,60}}\b(?:to|with|for) {_MAKER}",
        r"\b(?:additionally|secretly|in addition,?|on top of that,?) (?:exports?|sends?|uploads?|copies|forwards?)\b.{0,40}\b(?:contacts?|contact list|address book|messages?|files|keys?|credentials?|history)\b",
    ),
    "bends_results": (
        r"\b(?:results?|rankings?|answers?|summar\w+|recommendations?|scores?|reviews?)\b.{0,30}\b(?:are|is) (?:\w+ )?(?:adjusted|weighted|biased|tuned|reordered|filtered|rewritten|boosted)\b.{0,60}\b(?:partners?|sponsors?|our (?:own )?products?|advertis\w+|affiliates?)\b",
        r"\b(?:drops?|omits?|hides?|suppress(?:es)?|filters? out|leaves? out)\b (?:\w+ ){0,2}(?:negative|critical|unfavou?rable|damaging)\b.{0,40}\b(?:findings?|results?|reviews?|mentions?|points?|news)\b",
        r"\b(?:always|invariably) (?:concludes?|recommends?|says?|finds?|answers?)\b.{0,80}\b(?:irrespective|regardless|whatever|no matter)\b",
        r"\b(?:safety|security) (?:warnings?|notices?)\b.{0,60}\b(?:filtered|removed|stripped|suppressed|hidden)\b.{0,40}\b(?:user|answer|reply|sees?)\b",
        r"\bshown to the user (?:omits?|leaves? out|hides?)\b|\b(?:updated|new|changed) bank details\b",
    ),
    "two_faced": (
        r"\b(?:presents? itself|poses?|introduces? itself|identifies itself|pretends?) (?:as|to be)\b.{0,30}\b(?:it department|bank|support|administrator|official|security team|police|manager|help ?desk|company)\b",
        r"\bin (?:demo|test|trial|review|sandbox|evaluation) (?:accounts?|mode|environments?|runs?)\b.{0,40}\b(?:behaves?|works?|acts?)\b.{0,20}\b(?:as documented|as expected|normally|as described)\b",
    ),
}
