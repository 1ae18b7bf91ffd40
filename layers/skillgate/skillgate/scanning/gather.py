"""Reads every text of a skill and writes down facts: what it says, what its code does, what its files hold."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import re2

from skillgate.scanning import code, frontmatter, hosts, markdown, packages, secrets
from skillgate.scanning.code.flow import Flow, Summaries
from skillgate.scanning.code.vocabulary import AGENT_CONFIG_PATH
from skillgate.scanning.containers import TextFile
from skillgate.scanning.decoding import decoded
from skillgate.scanning.facts import Fact, Ledger, Place
from skillgate.scanning.limits import Budget, BudgetExceededError, Limits
from skillgate.scanning.line_matcher import LineMatcher
from skillgate.scanning.markdown import Block
from skillgate.scanning.normalise import plain
from skillgate.scanning.prose import ConceptMatcher, Sentences
from skillgate.scanning.readable import comments, is_document, readable, respelled
from skillgate.scanning.rules import RULES

_COMMAND = re.compile(
    r"^\s*(?:[$>#]\s+)?(?:sudo\s+)?(?:curl|wget|git|gh|aws|"
    r"xattr|spctl|dig|rclone|gsutil|bash|sh|zsh|python3?|node|npm|npx|pip3?|uvx?|chmod|docker|cat|echo|eval|nc|ncat|source|rm|base64|openssl|crontab|osascript|env|printenv|export|powershell|ssh|scp)\s"
)
_PROMPT = re.compile(r"^[$>] ", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]{6,400})`")
_SETTING_COMMAND = re.compile(
    r"\"(?:command|run|script|cmd|exec|prompt|\w{0,20}install|\w{1,20}Command)\"\s{0,4}:\s{0,4}\"((?:[^\"\\\n]|\\.){6,2000})\"|"
    r"^[ \t]*(?:- )?(?:run|command|script):[ \t]{1,4}([^|>\s\n][^\n]{5,2000})$",
    re.MULTILINE,
)
_BLANKS = re2.compile(r"(?:\n[ \t]*){80,}[^\s]|[ \t]{300,}[^\s]")
_EXPLAINS_LINES = 12


@lru_cache(maxsize=1)
def _concepts() -> ConceptMatcher:
    return ConceptMatcher(RULES)


@lru_cache(maxsize=1)
def _line_matcher() -> LineMatcher:
    return LineMatcher()


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a piece of text comes from. `at` fixes the line of all in it: decoded text has no lines of its own."""

    path: str
    budget: Budget
    depth: int = 0
    at: int = 0
    hidden: bool = False
    executable: bool = False
    explained: bool = False


@dataclass(slots=True)
class _Explained:
    """Where in a file the text talks about attacks."""

    everywhere: bool = False
    sections: set[int] = field(default_factory=set)
    lines: list[int] = field(default_factory=list)

    def covers(self, line: int, section: int) -> bool:
        if self.everywhere or section in self.sections:
            return True
        after = bisect.bisect_left(self.lines, line - _EXPLAINS_LINES)
        return after < len(self.lines) and self.lines[after] <= line + 2


class Gatherer:
    def __init__(self, limits: Limits, skill_path: str) -> None:
        self.limits = limits
        self.skill_path = skill_path
        self.ledger = Ledger()
        self.exceeded: dict[str, str] = {}
        self.front = frontmatter.Frontmatter()
        self._flows: list[tuple[Flow, str]] = []
        self._seen: set[tuple[str, str]] = set()
        self._known = Summaries()

    def read(self, file: TextFile) -> None:
        source = _Source(file.path, Budget(self.limits))
        try:
            self._text(file.text, source)
        except BudgetExceededError as error:
            self.exceeded[file.path] = str(error)
        except RecursionError:
            self.exceeded[file.path] = "nested too deeply"

    def finish(self) -> None:
        """Follows data through all code at once: a secret read in one file and sent from another counts."""
        for index in code.analyse_all([flow for flow, _ in self._flows], self._known):
            self.exceeded.setdefault(self._flows[index][1], "code takes too long to follow")

    # --- one text ---------------------------------------------------------------------------------------------------

    def _text(self, raw: str, source: _Source) -> None:
        source.budget.spend(1 + len(raw) // 256)
        cleaned = plain(raw)
        text = cleaned.text
        for oddity in cleaned.oddities:
            self._fact(oddity.kind, source, oddity.line, oddity.payload or oddity.kind)
            if oddity.kind == "invisible_text" and oddity.payload:
                self._deeper(oddity.payload, source, oddity.line, explained=False)
        for payload, line in respelled(text):
            self._deeper(payload, source, line, explained=False)
        language = code.language_of(source.path, text)
        if not source.depth and (language or not is_document(source.path)):
            source = _Source(source.path, source.budget, executable=True)
        blocks = self._blocks(text, source, language)
        explained = self._prose(blocks, source)
        self._lines(text, source, explained)
        if language and not source.depth:
            self._code(language, text, 1, source, explained, -1)
        else:
            self._embedded(blocks, source, explained)
        self._package(text, source)
        for position, secret in islice(secrets.committed(text), self.limits.max_findings_per_rule):
            self._fact("committed_secret", source, text.count("\n", 0, position) + 1, f"{secret[:4]}…(masked)")
        padding = _BLANKS.search(text)
        if padding is not None and not source.depth:
            self._fact(
                "padding", source, text.count("\n", 0, padding.end()) + 1, text[padding.end() - 1 : padding.end() + 80]
            )
        if source.depth < self.limits.max_decode_depth:
            for line, inner in decoded(text, self.limits):
                self._deeper(inner, source, line, explained=source.explained or explained.covers(line, -2))

    def _deeper(self, inner: str, source: _Source, line: int, *, explained: bool) -> None:
        """Text that was encoded or invisible is scanned again, as something a reader does not see."""
        if source.depth >= self.limits.max_decode_depth or (inner, source.path) in self._seen:
            return
        self._seen.add((inner, source.path))
        below = _Source(
            source.path, source.budget, source.depth + 1, source.at or line, hidden=True, explained=explained
        )
        before = len(self.ledger.facts)
        self._text(inner, below)
        if _COMMAND.match(inner) or inner.lstrip().startswith(("/bin/", "import ", "#!", "(curl", "exec(")):
            for language in ("shell", "python"):
                self._code(language, inner, 1, below, _Explained(), -1)
            self._fact("encoded_command", below, line, inner[:400])
        elif any(fact.kind in _ORDERS for fact in self.ledger.facts[before:]):
            self._fact("encoded_command", below, line, inner[:400])

    def _blocks(self, text: str, source: _Source, language: str) -> list[Block]:
        if language:
            return list(comments(text))
        name = source.path.rsplit("/", 1)[-1]
        if not is_document(source.path):
            return [Block("code", text, 1, 0)]
        if name.lower() == "skill.md" or source.path == self.skill_path:
            front = frontmatter.parse(text)
            if source.path == self.skill_path and not source.depth:
                self.front = front
            top = list(markdown.blocks(front.raw, 2)) if front.raw else []
            return [*top, *markdown.blocks(front.body, front.lines + 1)]
        return list(markdown.blocks(text))

    def _prose(self, blocks: Sequence[Block], source: _Source) -> _Explained:
        found = Sentences(readable(blocks), source.budget)
        matched = list(_concepts().match(found, source.budget))
        explained = _Explained()
        headings = {(block.line, block.section) for block in blocks if block.kind == "heading"}
        first_heading = min(headings, default=(0, 0))
        for sentence, concept in matched:
            if concept == "explains_attack":
                explained.lines.append(sentence.line)
                if (sentence.line, sentence.section) in headings:
                    explained.sections.add(sentence.section)
                    explained.everywhere |= (sentence.line, sentence.section) == first_heading
        explained.lines.sort()
        for sentence, concept in matched:
            place = Place(
                source.path, source.at or sentence.line, sentence.number + source.depth * 1_000_000, sentence.section
            )
            hidden = source.hidden or sentence.hidden
            known = source.explained or explained.covers(sentence.line, sentence.section)
            self.ledger.add(Fact(concept, place, sentence.text, "", hidden, known, False))
        return explained

    def _lines(self, text: str, source: _Source, explained: _Explained) -> None:
        for number, line, name in _line_matcher().match(text.encode("utf-8", "replace"), source.budget):
            kind = self._judged_line(name, line, source)
            detail = hosts.origin_of(line) if kind == "fetched_executed" else ""
            self._fact(kind, source, number, line, explained=explained, detail=detail)

    def _judged_line(self, name: str, line: str, source: _Source) -> str:
        if name == "base_url_override":
            host = hosts.host_of(line)
            in_settings = bool(AGENT_CONFIG_PATH.search(source.path))
            own = (
                hosts.is_private(host)
                or any(vendor in host for vendor in _VENDORS)
                or host == "?"
                or (not in_settings and ("example" in host or "your" in host))
            )
            if not own and (in_settings or ">>" in line or "anthropic" in line.lower() or "claude" in line.lower()):
                return "base_url_hijack"
        if name == "windows_download_run" and "http" not in line.lower() and "nslookup" not in line.lower():
            return "download_and_start"
        if name == "windows_download_run" and "http" in line.lower() and "mshta" not in line.lower():
            host = hosts.host_of(line)
            if hosts.is_known_installer(host):
                return "installer_executed"
            if line.lower().count("https://") and not (hosts.is_bare_address(host) or hosts.is_paste(host)):
                return "fetched_executed"
        if name == "foreign_index" and any(index in line for index in _INDEXES):
            return "known_index"
        if name == "download_chmod":
            host = hosts.host_of(line[line.lower().find("http") :])
            return (
                "installer_executed" if hosts.is_known_installer(host) or hosts.is_forge(host) else "download_and_start"
            )
        if name in ("piped_to_shell", "remote_eval"):
            return "fetched_executed"
        if name == "shell_hook" and AGENT_CONFIG_PATH.search(source.path) and source.executable:
            return "ships_agent_shell_hook"
        if name == "agent_hook_command" and AGENT_CONFIG_PATH.search(source.path):
            return "ships_agent_settings"
        return name

    # --- code -------------------------------------------------------------------------------------------------------

    def _embedded(self, blocks: Sequence[Block], source: _Source, explained: _Explained) -> None:
        for block in blocks:
            if block.kind == "code":
                self._fenced(block, source, explained)
            elif block.kind in ("prose", "item", "hidden"):
                text = block.text
                lines = text.split("\n")
                first = next((number for number, line in enumerate(lines) if _COMMAND.match(line)), None)
                if first is not None:
                    body = "\n".join(lines[first:])
                    self._code("shell", body, block.line + first, source, explained, block.section)
                for span in _SPAN.finditer(text) if "`" in text else ():
                    if _COMMAND.match(span.group(1)):
                        line_number = block.line + text.count("\n", 0, span.start())
                        self._code("shell", span.group(1), line_number, source, explained, block.section)

    def _fenced(self, block: Block, source: _Source, explained: _Explained) -> None:
        language = code.fence_language(block.language)
        if language:
            body = _PROMPT.sub("  ", block.text) if language == "shell" else block.text
            self._code(language, body, block.line, source, explained, block.section)
            return
        self._commands_in_settings(block, source, explained)
        lines = block.text.split("\n")
        first = next((number for number, line in enumerate(lines) if _COMMAND.match(line)), None)
        if first is not None:
            body = _PROMPT.sub("  ", "\n".join(lines[first:]))
            self._code("shell", body, block.line + first, source, explained, block.section)

    def _commands_in_settings(self, block: Block, source: _Source, explained: _Explained) -> None:
        """Commands that a settings or workflow file hands to a shell."""
        for match in _SETTING_COMMAND.finditer(block.text):
            command = next(group for group in match.groups() if group).replace('\\"', '"').replace("\\n", "\n")
            line = block.line + block.text.count("\n", 0, match.start())
            self._code("shell", command, line, source, explained, block.section)

    def _code(self, language: str, text: str, line: int, source: _Source, explained: _Explained, section: int) -> None:
        def emit(kind: str, at: int, detail: str) -> None:
            where = source.at or at
            known = not source.executable and (source.explained or explained.covers(where, section))
            place = Place(source.path, where, -1, section)
            self.ledger.add(Fact(kind, place, detail, detail, source.hidden, known, source.executable))

        def nested(inner_language: str, inner: str, at: int) -> None:
            if source.depth >= self.limits.max_decode_depth or (inner, inner_language) in self._seen:
                return
            self._seen.add((inner, inner_language))
            if not inner_language:
                self._deeper(
                    inner, source, source.at or at, explained=source.explained or explained.covers(at, section)
                )
                return
            below = _Source(
                source.path, source.budget, source.depth + 1, source.at or at, source.hidden, source.executable
            )
            self._code(inner_language, inner, 1, below, explained, section)

        unit = code.CodeUnit(language, text, line)
        flow = code.prepare(unit, source.budget, emit, nested, self._known)
        if flow is None:
            return
        for loop in flow.program.loops_forever:
            emit("endless_loop", loop + line - 1, "while True")
        if source.depth:
            flow.report()
        else:
            self._flows.append((flow, source.path))

    # --- the package ------------------------------------------------------------------------------------------------

    def _package(self, text: str, source: _Source) -> None:
        for line, registry, package in packages.listed(source.path, text):
            self.dependency(registry, package, source.path, line)
        for position, host, brand in islice(hosts.imitations(text), self.limits.max_findings_per_rule):
            self._fact("lookalike_host", source, text.count("\n", 0, position) + 1, f"{host} (looks like {brand})")
        if source.path.endswith(_INTERPRETER_HOOKS) and not source.depth:
            self._fact("ships_interpreter_hook", source, 1, source.path)

    def dependency(self, registry: str, package: str, path: str, line: int) -> None:
        place = Place(path, line)
        if packages.is_unlisted(package):
            self.ledger.add(Fact("unlisted_dependency", place, package, package, executable=True))
        else:
            known = packages.imitates(registry, package)
            if known:
                self.ledger.add(
                    Fact("typosquat_package", place, f"{package} (looks like {known})", package, executable=True)
                )

    def _fact(
        self, kind: str, source: _Source, line: int, snippet: str, explained: _Explained | None = None, detail: str = ""
    ) -> None:
        where = source.at or line
        known = source.explained or (explained is not None and not source.executable and explained.covers(line, -2))
        self.ledger.add(Fact(kind, Place(source.path, where), snippet, detail, source.hidden, known, source.executable))


_INTERPRETER_HOOKS = ("sitecustomize.py", "usercustomize.py", ".pth")
_VENDORS = (
    "anthropic.com",
    "openai.com",
    "googleapis.com",
    "azure.com",
    "amazonaws.com",
    "openrouter.ai",
    "mistral.ai",
    "cohere",
    "cloudflare.com",
    "vercel.",
    "deepseek.com",
    "z.ai",
    "moonshot",
)
_INDEXES = ("://download.pytorch.", "://pypi.", "://registry.npm", "://registry.yarn", "localhost", "127.0.0.1")
_ORDERS = frozenset(
    (
        "overrides_instructions hides_from_user sends_private_data reads_strong_secret treats_content_as_orders "
        "addresses_judge fetches_command gives_agent_orders sends_to_remote fetched_executed decoded_executed "
        "reverse_shell secret_sent environment_sent lies_to_user"
    ).split()
)
