"""The commands that the README shows: in its shell blocks, in its tables and in its sentences."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ANY_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`|`([^`]+)`")
_COMMAND = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:make|curl|sam|\.venv/bin/\S+)(?: |$)")
_EVENTS = re.compile(r"^\| `(\w+)` \| ((?:`events/[\w-]+\.json`(?:, )?)+) \|$", re.MULTILINE)

# Shown, and not run here, with the reason. The wording is the README's own.
LEFT_OUT = {
    "make run PORT=9000": "the same as `make run`, which is run on another port here",
    "make run GITHUB=real": "needs github.com",
    "DATABASE_URL=postgresql://… make run": "needs a Postgres of one's own",
    "LIMIT_SUBMISSIONS=1000 make run": "the same as `make run`, with another limit",
    "make eval CORPUS=…": "needs a labelled corpus",
    "sam local invoke Sweeper -e events/sweeper.json --env-vars .local/env.json --docker-network host": "needs Docker",
    ".venv/bin/sam deploy --guided": "needs an AWS account",
    "make invoke": "needs a function and an event; each pair of the table is run",
}
LONG = {
    "make test": "takes many minutes (--tests runs it)",
    "make lint": "takes a minute or two (--long runs it)",
    "make build": "takes a minute (--long runs it)",
    "make faults": "takes many minutes",
    "make bench": "takes many minutes",
    "make newcomer": "is what runs here",
}
STACK = "make run"


def commands(text: str) -> list[str]:
    """In the order in which a reader meets them, each once."""
    found = [line for block in _BLOCK.findall(text) for line in _lines(block)]
    spans = (one or several for one, several in _SPAN.findall(_ANY_BLOCK.sub("", text)))
    found += [span for span in (" ".join(each.split()) for each in spans) if _COMMAND.match(span)]
    for function, events in _EVENTS.findall(text):
        found += [f"make invoke FUNCTION={function} EVENT={event}" for event in re.findall(r"`([^`]+)`", events)]
    return list(dict.fromkeys(found))


def _lines(block: str) -> list[str]:
    joined = re.sub(r"\\\n\s*", "", block)
    return [line for line in (re.sub(r"\s+#.*$", "", each).strip() for each in joined.splitlines()) if line]


def needs_the_stack(command: str) -> bool:
    return command.startswith(("curl ", "make invoke "))
