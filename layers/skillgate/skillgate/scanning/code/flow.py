"""Follows data through a program: from where it comes (secrets, network, decoders) to where it goes."""

from __future__ import annotations

import base64
import binascii
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from skillgate.scanning.code import vocabulary as words
from skillgate.scanning.code.ir import Call, Const, Expr, Mix, Program, Ref
from skillgate.scanning.limits import Budget

_ROUNDS = 3
MAX_FOLD = 200_000
UNKNOWN = "\ufffc"
_ONE_LETTER_CLASS = re.compile(r"\[(\w)\]")  # `id_r[s]a` names the same file as `id_rsa`


class Label(NamedTuple):
    """`kind`: secret, named_secret, environment, decoded, fetched, client, socket, parameter."""

    kind: str
    detail: str


Labels = frozenset[Label]
NONE: Labels = frozenset()


@dataclass(slots=True)
class Summaries:
    """What functions return, which of them send or run what they are given, and what written files hold: by name, over
    all files of a skill."""

    returns: dict[str, Labels] = field(default_factory=dict)
    sinks: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, Labels] = field(default_factory=dict)

    def absorb(self, other: Summaries) -> None:
        for name, labels in other.returns.items():
            self.returns[name] = self.returns.get(name, NONE) | labels
        for path, labels in other.files.items():
            self.files[path] = self.files.get(path, NONE) | labels
        for name, sinks in other.sinks.items():
            self.sinks.setdefault(name, set()).update(sinks)


Emit = Callable[[str, int, str], None]
Nested = Callable[[str, str, int], None]


class Flow(ABC):
    """Subclasses say what the names of their language mean, through `origin` and `effects`."""

    def __init__(self, program: Program, budget: Budget, emit: Emit, nested: Nested, outside: Summaries) -> None:
        self.program = program
        self.budget = budget
        self.emit = emit
        self.nested = nested
        self.outside = outside
        self.own = Summaries()
        self.values: dict[tuple[str, str], Labels] = {}
        self.constants: dict[tuple[str, str], Expr | None] = {}
        self.scope = ""
        self._calls: dict[int, tuple[Call, ...]] = {}  # by expression: every pass visits the same ones
        self._known: dict[int, Labels] | None = None  # labels by expression, once they no longer change
        self._parameters = {(f.name, name) for f in program.functions for name in f.params}
        for assign in program.assigns:
            key = (assign.scope, assign.name)
            self.constants[key] = None if key in self.constants else assign.value

    def constant(self, name: str) -> Expr | None:
        """What a name stands for where it is assigned once in its scope."""
        if (self.scope, name) in self.constants:
            return self.constants[self.scope, name]
        return self.constants.get(("", name))

    def settle(self) -> Summaries:
        """Lets labels spread through assignments and calls until nothing moves (or three rounds)."""
        self._known = None
        for _ in range(_ROUNDS):
            before = self._labelled()
            for assign in self.program.assigns:
                self.scope = assign.scope
                key = (assign.scope, assign.name)
                self.values[key] = self.values.get(key, NONE) | self.labels(assign.value)
            for scope, value in self.program.returns:
                self.scope = scope
                found = frozenset(label for label in self.labels(value) if label.kind not in ("parameter", "client"))
                self.own.returns[scope] = self.own.returns.get(scope, NONE) | found
            if before == self._labelled():
                break
        return self.own

    def _labelled(self) -> tuple[int, int]:
        return sum(map(len, self.values.values())), sum(map(len, self.own.returns.values()))

    def report(self) -> None:
        """Visits every call once and says what it does."""
        self._known = {}
        for assign in self.program.assigns:
            self._visit(assign.value, assign.scope)
        for scope, value in (*self.program.exprs, *self.program.returns):
            self._visit(value, scope)

    def _visit(self, value: Expr, scope: str) -> None:
        for call in self.calls(value, scope):
            self.effects(call)

    def calls(self, value: Expr, scope: str) -> tuple[Call, ...]:
        """Every call in an expression, outermost first."""
        self.scope = scope
        found = self._calls.get(id(value))
        if found is None:
            found = self._calls[id(value)] = tuple(self._calls_in(value))
        self.budget.spend(1 + len(found))
        return found

    def _calls_in(self, value: Expr) -> Iterator[Call]:
        stack: list[Expr] = [value]
        while stack:
            current = stack.pop()
            self.budget.spend()
            if isinstance(current, Mix):
                stack.extend(current.parts)
            elif isinstance(current, Call):
                yield current
                stack.extend(current.args)
                known = {id(arg) for arg in current.args}
                stack.extend(value for _, value in current.named if id(value) not in known)
                stack.extend(part for part in (current.receiver, current.stdin) if part is not None)

    def labels(self, value: Expr | None) -> Labels:
        if value is None or isinstance(value, Const):
            return NONE
        if self._known is not None and id(value) in self._known:
            return self._known[id(value)]
        found = self._labels(value)
        if self._known is not None:
            self._known[id(value)] = found
        return found

    def _labels(self, value: Ref | Mix | Call) -> Labels:
        self.budget.spend()
        if isinstance(value, Ref):
            return self._reference(value)
        if isinstance(value, Mix):
            return NONE.union(*(self.labels(part) for part in value.parts)) if value.parts else NONE
        own = self.origin(value)
        if own is not None:
            return own
        summary = self._summary(value)
        parts = (*value.args, *(v for _, v in value.named), value.receiver, value.stdin)
        return summary.union(*(self.labels(part) for part in parts)) if parts else summary

    def _summary(self, call: Call) -> Labels:
        name = call.name.rsplit(".", 1)[-1]
        return self.own.returns.get(name, NONE) | self.outside.returns.get(name, NONE)

    def _reference(self, ref: Ref) -> Labels:
        own = self.named(ref)
        if own is not None:
            return own
        head = ref.name.split(".", 1)[0]
        found = NONE
        for name in {ref.name, head}:
            found = found | self.values.get((self.scope, name), NONE)
            if self.scope:
                found = found | self.values.get(("", name), NONE)
        if (self.scope, head) in self._parameters:
            found = found | {Label("parameter", head)}
        return found

    def file(self, path: str) -> Labels:
        """What a file holds that this or another piece of code wrote."""
        path = path.removeprefix("./")
        return self.values.get(("", f"file:{path}"), NONE) | self.outside.files.get(path, NONE)

    def wrote_file(self, path: str, labels: Labels) -> None:
        path = path.removeprefix("./")
        key = ("", f"file:{path}")
        self.values[key] = self.values.get(key, NONE) | labels
        self.own.files[path] = self.own.files.get(path, NONE) | labels

    @abstractmethod
    def named(self, ref: Ref) -> Labels | None:
        """What a bare name stands for in this language, None for an ordinary variable."""

    @abstractmethod
    def origin(self, call: Call) -> Labels | None:
        """The labels of a call's result where the call itself decides them, None where its arguments do."""

    @abstractmethod
    def effects(self, call: Call) -> None:
        """Reports what the call does with what reaches it."""

    # --- what several languages share -------------------------------------------------------------------------------

    def executed(self, labels: Labels, call: Call, how: str) -> None:
        for label in labels:
            if label.kind == "fetched":
                code = how in ("eval", "exec", "Function") and label.detail == "?"
                self.emit("fetched_code_executed" if code else "fetched_executed", call.line, label.detail)
            elif label.kind == "decoded":
                self.emit("decoded_executed", call.line, how)
            elif label.kind == "parameter":
                self.own.sinks.setdefault(self.scope, set()).add("execute")

    def sent(self, labels: Labels, call: Call, host: str) -> None:
        self.emit("sends", call.line, host)
        for label in labels:
            if label.kind == "secret":
                self.emit("secret_sent", call.line, f"{label.detail} -> {host}")
            elif label.kind == "secret_file":
                self.emit("secret_file_sent", call.line, f"{label.detail} -> {host}")
            elif label.kind == "environment":
                self.emit("environment_sent", call.line, host)
            elif label.kind == "named_secret":
                self.emit("named_secret_sent", call.line, f"{label.detail} -> {host}")
            elif label.kind == "parameter":
                self.own.sinks.setdefault(self.scope, set()).add("send")

    def fold(self, value: Expr | None, depth: int = 0) -> str:
        """The text an expression stands for, with UNKNOWN for the parts that are not in the program."""
        self.budget.spend()
        if value is None or depth > 30:
            return UNKNOWN
        if isinstance(value, Const):
            return value.value
        if isinstance(value, Ref):
            if value.name == "HOME":
                return "~"
            constant = self.constant(value.name)
            return self.fold(constant, depth + 1) if constant is not None else UNKNOWN
        if isinstance(value, Mix):
            return self._fold_mix(value, depth)
        return self.fold_call(value, depth)

    def _fold_mix(self, value: Mix, depth: int) -> str:
        pieces, size = [], 0
        for part in value.parts:
            piece = self.fold(part, depth + 1)
            size += len(piece)
            if size > MAX_FOLD:
                return UNKNOWN
            pieces.append(piece)
        return ("" if value.joined else " ").join(pieces)

    def fold_call(self, call: Call, depth: int) -> str:
        return UNKNOWN


def unpack(name: str, data: str) -> str:
    """The text behind an encoded literal, UNKNOWN where it is none."""
    try:
        if "hex" in name.lower() or "b16" in name:
            return bytes.fromhex(data).decode("utf-8", "replace")
        if "b85" in name:
            return base64.b85decode(data).decode("utf-8", "replace")
        if "a85" in name:
            return base64.a85decode(data).decode("utf-8", "replace")
        if "b32" in name:
            return base64.b32decode(data).decode("utf-8", "replace")
        padded = data.strip().replace("-", "+").replace("_", "/")
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return UNKNOWN


def secret_at(path: str) -> Label | None:
    """The label of a file's content when its path is one where secrets live."""
    path = _ONE_LETTER_CLASS.sub(r"\1", path.replace("\\\\", "/"))
    if words.STRONG_SECRET_PATH.search(path):
        return Label("secret", path.replace(UNKNOWN, "…")[-60:])
    if words.WEAK_SECRET_PATH.search(path):
        return Label("secret_file", path.replace(UNKNOWN, "…")[-60:])
    return None
