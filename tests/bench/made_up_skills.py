"""A marketplace's worth of skills that look real: names of a few words, repositories of very different sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from skillgate.domain.listing import Listing


def _words(text: str) -> list[str]:
    return text.split()


_SUBJECTS = _words("""
terraform kubernetes docker postgres redis kafka react vue svelte nextjs tailwind figma stripe shopify github gitlab
jira slack notion linear salesforce hubspot airtable excel csv pdf docx pptx markdown latex mermaid graphql rest
grpc openapi oauth jwt aws azure gcp lambda cloudflare vercel netlify supabase firebase mongodb sqlite duckdb pandas
numpy pytorch tensorflow huggingface langchain llamaindex mcp playwright selenium cypress jest pytest rust golang
python typescript java kotlin swift flutter android ios unity unreal godot blender ffmpeg imagemagick seo email
calendar invoice contract resume podcast video audio image logo brand changelog release security threat secrets
dependency license accessibility performance memory database schema migration api cli sdk prompt agent workflow
incident oncall runbook dashboard metrics logging tracing alert cost budget forecast survey interview
""")
_ACTIONS = _words("""
review audit deploy migrate generate analyze debug refactor test document summarize translate convert monitor
optimize scaffold lint validate build release plan design automate schedule import export sync search explain triage
benchmark profile visualize classify extract transform clean format diff merge backup restore rotate
""")
_KINDS = _words("""
helper assistant expert builder toolkit guide checklist patterns starter pro best-practices workflow
""")
_WORDS = _words("""
careful production teams step configuration repository files errors results report template project standards
existing changes structured output examples common mistakes before after every request data source pipeline
environment quickly reliable safe consistent readable clear concise team conventions code quality edge cases large
small modern legacy service client server frontend backend cloud local open source commercial customer
""")
_CATEGORIES = _words("""
development devops data design testing security writing productivity ai business other
""")
_SYLLABLES = _words("""
ka lo mi ra ten vo zi pha dor qui sel mur bra cy nex tro lin gar
""")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def made_up_skills(count: int, seed: int = 1) -> Iterator[Listing]:
    """Always the same for the same arguments. A few repositories hold hundreds, most hold one or two."""
    chance = random.Random(seed)
    made = 0
    repository = 0
    while made < count:
        repository += 1
        owner = f"{chance.choice(_SUBJECTS)}{chance.choice(['', '-labs', '-dev', 'hq', 'io'])}{chance.randrange(9000)}"
        repo = chance.choice(
            ["skills", "agent-skills", "claude-skills", f"{chance.choice(_SUBJECTS)}-skills", "toolbox"]
        )
        size = min(count - made, int(chance.paretovariate(0.9)), 600)
        taken: set[str] = set()
        for _ in range(size):
            slug = _slug(chance)
            while slug in taken:
                slug = f"{slug}-{chance.randrange(100)}"
            taken.add(slug)
            yield _listing(chance, owner, repo, slug)
        made += size


def _rare_word(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.choice((2, 3, 3, 4))))


def _slug(chance: random.Random) -> str:
    shape = chance.random()
    parts = [chance.choice(_SUBJECTS), chance.choice(_ACTIONS)]
    if shape < 0.25:
        parts = [chance.choice(_ACTIONS), chance.choice(_SUBJECTS)]
    if shape > 0.5:
        parts.append(chance.choice(_KINDS))
    if shape > 0.85:
        parts.insert(0, _rare_word(chance))
    return "-".join(parts)


def _listing(chance: random.Random, owner: str, repo: str, slug: str) -> Listing:
    sentence = " ".join(chance.choices(_WORDS, k=chance.randrange(8, 26)))
    sentence += f" {_rare_word(chance)} {_rare_word(chance)}"
    topic = f"{chance.choice(_ACTIONS)} {chance.choice(_SUBJECTS)}"
    at = _NOW + timedelta(seconds=chance.randrange(20_000_000))
    digest = f"{chance.getrandbits(256):064x}"
    return Listing(
        skill_id=f"{owner}/{repo}/{slug}",
        repo_url=f"https://github.com/{owner}/{repo}",
        skill_path=f"skills/{slug}/SKILL.md",
        name=slug,
        description=f"{topic.capitalize()} with {sentence}. Use when the user asks about {slug.replace('-', ' ')}.",
        version=f"1.{chance.randrange(9)}.{chance.randrange(9)}",
        commit_sha=digest[:40],
        content_hash=digest,
        cert_tier=chance.choice(["VERIFIED", "VERIFIED", "CERTIFIED"]),
        cert_method="tier1",
        cert_score=chance.randrange(75, 101),
        certified_at=at,
        created_at=at,
        updated_at=at,
        category=chance.choice(_CATEGORIES),
        labels=(chance.choice(_SUBJECTS),),
        license="MIT",
        trust_tier="T2",
        trust_score=80,
        has_scripts=chance.random() < 0.3,
        stars=int(chance.paretovariate(0.6)) % 200_000,
        installs=int(chance.paretovariate(0.5)) % 1_000_000,
        artifact="skill-md",
        digest=f"sha256:{digest}",
    )
