"""What a skill is about: what its author says, or what its words suggest."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "security": "security vulnerability secrets threat audit pentest owasp auth oauth encryption malware cve",
    "devops": "deploy deployment ci cd pipeline docker kubernetes terraform helm aws azure gcp cloud infrastructure "
    "hosting monitoring incident serverless ansible packer workflow",
    "data": "data database sql postgres mysql mongodb redis analytics etl csv pandas dataframe warehouse query schema",
    "testing": "test tests testing qa e2e unit playwright cypress selenium jest pytest coverage debugging bug bugs",
    "documents": "pdf docx xlsx pptx spreadsheet spreadsheets presentation slides excel word powerpoint document",
    "design": "design ui ux figma css brand branding theme layout art typography logo poster",
    "media": "image images video audio music gif podcast photo speech voice ffmpeg transcription dubbing",
    "mobile": "ios android mobile swift kotlin flutter expo xcode",
    "writing": "writing write blog copywriting editing article newsletter docs documentation translate prose",
    "ai": "ai llm agent agents prompt prompts mcp model models rag embedding embeddings claude openai gemini",
    "business": "marketing sales seo finance invoice crm legal contract hr recruiting ecommerce shop pricing",
    "productivity": "plan planning notes meeting calendar email task tasks todo organize notion slack jira linear",
    "development": "code coding api react vue typescript javascript python rust go java refactor git github review "
    "frontend backend library sdk cli component components",
}
CATEGORIES = (*_WORDS, "other")
_BY_WORD: dict[str, list[str]] = {}
for _category, _text in _WORDS.items():
    for _word in _text.split():
        _BY_WORD.setdefault(_word, []).append(_category)
_WORD = re.compile(r"[a-z0-9]+")


def category_of(name: str, description: str, declared: str = "") -> str:
    """One of CATEGORIES. A word in the name counts for three in the description; the first in the list wins a tie."""
    if declared.strip().lower() in CATEGORIES:
        return declared.strip().lower()
    scores = dict.fromkeys(CATEGORIES, 0)
    for text, weight in ((name, 3), (description, 1)):
        for word in set(_WORD.findall(text.lower())):
            for category in _BY_WORD.get(word, ()):
                scores[category] += weight
    best = max(CATEGORIES, key=lambda category: scores[category])
    return best if scores[best] else "other"
