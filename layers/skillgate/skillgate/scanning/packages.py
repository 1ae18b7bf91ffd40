"""Dependencies and names: what is installed, from where, and whether it imitates something known."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Iterator

_POPULAR = {
    "pip": frozenset(
        (
            "requests urllib3 numpy pandas scipy matplotlib django flask fastapi pydantic sqlalchemy celery "
            "redis boto3 botocore "
            "cryptography paramiko pillow pyyaml setuptools scikit-learn tensorflow pytorch torch transformers "
            "openai anthropic "
            "langchain beautifulsoup4 selenium playwright pytest tqdm click httpx aiohttp colorama "
            "python-dateutil python-dotenv "
            "jinja2 werkzeug psycopg2 pymongo discord telethon web3 solana ccxt opencv-python streamlit gradio "
            "uvicorn typing-extensions"
        ).split()
    ),
    "npm": frozenset(
        (
            "react react-dom lodash express axios typescript webpack eslint prettier chalk commander debug "
            "dotenv moment uuid jquery "
            "vue angular svelte next nuxt socket.io mongoose sequelize puppeteer playwright cross-env "
            "node-fetch body-parser electron "
            "ethers web3 discord.js telegraf openai tailwindcss postcss nodemon jsonwebtoken bcrypt yargs inquirer"
        ).split()
    ),
}
_TOOLS = {
    "pip": "pip",
    "pip3": "pip",
    "uv": "pip",
    "uvx": "pip",
    "npm": "npm",
    "pnpm": "npm",
    "yarn": "npm",
    "npx": "npm",
    "bunx": "npm",
}
_KNOWN_WORDS = frozenset(
    (
        "config configuration validator formatter converter generator calendar kubernetes terraform postgres "
        "database markdown "
        "javascript typescript python github gitlab docker analyzer manager assistant scheduler monitor "
        "reporter scanner tracker "
        "weather translator optimizer automation documentation deployment migration security template workflow "
        "browser download "
        "summarize summarizer polymarket metamask coinbase binance ethereum bitcoin solana telegram discord "
        "whatsapp linkedin "
        "parser linter helper wrapper loader builder logger editor viewer reader writer session account password "
        "wallet utils schema cluster backend frontend pipeline dashboard analytics extension plugin gateway webhook "
        "openapi youtube twitter notion spotify shopify stripe anthropic openai claude clawhub openclaw request "
        "requests"
    ).split()
)
_VERSION = re.compile(r"[=<>~!@\[;].*$")
_SPLIT = re.compile(r"[^a-z0-9]+")
_NAME = re.compile(r"[@A-Za-z0-9][\w./@-]*")


def installs(command: str) -> Iterator[tuple[str, str]]:
    """(registry, package) of each package that a command installs; the package is a URL where one is given."""
    words = command.split()
    if not words or words[0] not in _TOOLS:
        return
    registry = _TOOLS[words[0]]
    verbs = (
        {"install", "add", "i", "get", "-y", "run", "tool", "pip"}
        if words[0] not in ("npx", "uvx", "bunx")
        else {"-y", "--yes"}
    )
    if words[0] not in ("npx", "uvx", "bunx") and not verbs & set(words[1:4]):
        return
    rest = iter(words[1:])
    for word in rest:
        if word in ("-r", "--requirement", "-c", "-e", "--prefix", "--python", "--target"):
            next(rest, None)
        elif word in ("--index-url", "-i", "--extra-index-url", "--registry") or word.startswith(
            ("--index-url=", "--extra-index-url=", "--registry=")
        ):
            yield registry, word.split("=", 1)[1] if "=" in word else next(rest, "")
        elif (
            word not in verbs
            and not word.startswith("-")
            and (_NAME.fullmatch(_VERSION.sub("", word)) or "://" in word)
        ):
            yield registry, word
        if words[0] in ("npx", "uvx", "bunx") and word not in verbs:
            return


def listed(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    """(line, registry, package) of the dependency files that list them."""
    name = path.rsplit("/", 1)[-1].lower()
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        for number, line in enumerate(text.split("\n"), 1):
            entry = line.split("#", 1)[0].strip()
            if entry and not entry.startswith("-"):
                yield number, "pip", entry
    elif name == "package.json":
        inside = False
        for number, line in enumerate(text.split("\n"), 1):
            if "ependencies" in line:
                inside = True
            elif "}" in line:
                inside = False
            elif inside and '"' in line:
                parts = line.split('"')
                version = parts[3] if len(parts) > 3 else ""
                yield number, "npm", version if "://" in version else parts[1]


def is_unlisted(package: str) -> bool:
    """From a URL, a repository or another index rather than from the registry."""
    trusted = ("github.com/", "https://download.pytorch.", "https://registry.npm", "https://pypi.")
    return ("://" in package or package.startswith("git+")) and not any(host in package for host in trusted)


def imitates(registry: str, package: str) -> str:
    """The well-known package that this name is one slip away from, or nothing."""
    name = _VERSION.sub("", package).lower().strip()
    known = _POPULAR[registry]
    if name in known or len(name) < 5 or "/" in name:
        return ""
    return next((other for other in known if len(other) > 4 and _is_slip(name, other)), "")


def lookalike_word(name: str) -> str:
    """The known word that a part of a skill's name misspells, or nothing."""
    for part in _SPLIT.split(name.lower()):
        if len(part) < 5 or part in _KNOWN_WORDS:
            continue
        for word in _KNOWN_WORDS:
            if len(word) > 5 and _is_slip(part, word) and part[0] == word[0] and not _is_inflection(part, word):
                return word
    return ""


def _is_inflection(one: str, other: str) -> bool:
    """A letter added, dropped or changed at the very end makes another word rather than a slip."""
    shorter = min(len(one), len(other))
    same = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    return same == shorter or (len(one) == len(other) and same == shorter - 1)


def _is_slip(one: str, other: str) -> bool:
    """One letter added, dropped, changed or swapped with its neighbour."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    if len(a) == len(b):
        return (a[1:] == b[1:] and len(one) > 7) or (len(a) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else a == b[1:]
