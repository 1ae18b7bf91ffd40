"""Runs the right front end over each piece of code, and once more where another file's functions matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import re2

from skillgate.scanning.code import lower_javascript, lower_python, lower_shell, trees
from skillgate.scanning.code.flow import Flow, Summaries
from skillgate.scanning.code.flow_scripts import ScriptFlow
from skillgate.scanning.code.flow_shell import ShellFlow
from skillgate.scanning.limits import Budget, BudgetExceededError

_LOWER = {"python": lower_python.lower, "javascript": lower_javascript.lower, "shell": lower_shell.lower}
_FLOWS: dict[str, type[Flow]] = {"python": ScriptFlow, "javascript": ScriptFlow, "shell": ShellFlow}
_SUFFIXES = {
    **dict.fromkeys(("py", "pyw", "pyi"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"), "javascript"),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh", "command", "bats"), "shell"),
}
_FENCES = {
    **_SUFFIXES,
    **dict.fromkeys(("python", "python3", "ipython", "starlark"), "python"),
    **dict.fromkeys(("javascript", "typescript", "node", "nodejs"), "javascript"),
    **dict.fromkeys(("shell", "console", "terminal", "shell-session", "shellsession", "fish"), "shell"),
}
# Without one of these words a piece of code cannot do anything a rule knows, so it need not be parsed.
_RELEVANT = {
    "python": re2.compile(
        r"environ|getenv|exec|eval|compile|system|popen|subprocess|spawn|socket|requests|urllib|http|aiohttp|smtplib|ftplib|paramiko|decode|"
        r"fromhex|unhexlify|decompress|marshal|pickle|getattr|__import__|importlib|globals|builtins|\bopen\b|Path|rmtree|browser_cookie|"
        r"win32crypt|pynput|keyring|ctypes|dup2|while True|ssh|wallet|chr\("
    ),
    "javascript": re2.compile(
        r"process\.env|eval|Function|child_process|exec|spawn|fetch|axios|https?|request|atob|Buffer|zlib|vm\b|require|XMLHttp|WebSocket|"
        r"sendBeacon|readFile|writeFile|net\.|fromCharCode|globalThis|window\[|dns|execa|rmSync|unlink|got\b"
    ),
    "shell": re2.compile(
        r"(?i)curl|wget|fetch|base64|eval|source|\bsh\b|bash|zsh|python|node|perl|ruby|php|osascript|powershell|\bnc\b|ncat|netcat|socat|/dev/tcp|"
        r"ssh|aws|env\b|secret|token|passw|key|cron|launchctl|systemctl|rm |dd "
        r"|mkfs|chmod|chown|sudo|docker|podman|git clone|pip|npm|npx|uvx?\b|brew|gem|"
        r"xattr|spctl|iptables|history|>|openssl|xxd|rev\b|iwr|iex|scp|rsync|mail|nslookup|dig\b|/etc/|schtasks|"
        r"csrutil|security|visudo|usermod|dscl|tee|cp "
        r"|mv |ln "
    ),
}


@dataclass(frozen=True, slots=True)
class CodeUnit:
    """A piece of code of one file: the whole of it or a fenced block, whose first line is `line`."""

    language: str
    source: str
    line: int


Emit = Callable[[str, int, str], None]
Nested = Callable[[str, str, int], None]


def language_of(path: str, source: str) -> str:
    """python, javascript, shell or empty, by the first line before the name: attackers choose names freely."""
    first = source[:200].split("\n", 1)[0]
    if first.startswith("#!"):
        for word, language in (
            ("python", "python"),
            ("node", "javascript"),
            ("deno", "javascript"),
            ("bun", "javascript"),
            ("sh", "shell"),
        ):
            if word in first:
                return language
    suffix = path.rsplit(".", 1)[-1].lower() if "." in path.rsplit("/", 1)[-1] else ""
    return _SUFFIXES.get(suffix, "")


def fence_language(tag: str) -> str:
    return _FENCES.get(tag, "")


def prepare(unit: CodeUnit, budget: Budget, emit: Emit, nested: Nested, outside: Summaries) -> Flow | None:
    """The settled flow of a piece of code, None where nothing in it matters."""
    if not _RELEVANT[unit.language].search(unit.source):
        return None
    budget.spend(len(unit.source) // 16)
    root = trees.parse(unit.language, unit.source)
    program = _LOWER[unit.language](root, budget)
    flow = _FLOWS[unit.language](
        program, budget, _shifted(emit, unit.line), _shifted_nested(nested, unit.line), outside
    )
    flow.settle()
    return flow


def _shifted(emit: Emit, first: int) -> Emit:
    return lambda kind, line, detail: emit(kind, line + first - 1, detail)


def _shifted_nested(nested: Nested, first: int) -> Nested:
    return lambda language, source, line: nested(language, source, line + first - 1)


def analyse_all(flows: Sequence[Flow], everything: Summaries) -> set[int]:
    """Reports every piece, with what the functions of all pieces return and send known to each.

    `everything` is what all pieces, also those that turn up inside others, know of each other.
    Returns the numbers of the pieces that took more than their budget.
    """
    exceeded: set[int] = set()

    def run(step: Callable[[Flow], object]) -> None:
        for number, flow in enumerate(flows):
            if number not in exceeded:
                try:
                    step(flow)
                except (BudgetExceededError, RecursionError):
                    exceeded.add(number)

    for flow in flows:
        everything.absorb(flow.own)

    def settle_again(flow: Flow) -> None:
        if _learns(flow, everything):
            everything.absorb(flow.settle())

    def report_to_callers(flow: Flow) -> None:
        if flow.program.called & everything.sinks.keys():
            flow.report()

    run(settle_again)
    run(Flow.report)
    # Which functions send or run what they are given is known only now; their callers are looked at once more.
    for flow in flows:
        everything.absorb(flow.own)
    run(report_to_callers)
    return exceeded


def _learns(flow: Flow, everything: Summaries) -> bool:
    """Whether other pieces know something that this one does not."""
    returns = {name for name, labels in everything.returns.items() if labels}
    if flow.program.language != "shell":  # a shell's own words can be functions; the others list what they call
        returns &= flow.program.called
    return bool(returns - flow.own.returns.keys() or everything.files.keys() - flow.own.files.keys())
