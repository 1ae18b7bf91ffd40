"""The small form that every language is lowered to. It keeps what data flows where, and forgets control flow.

Expressions are named tuples: a large file makes hundreds of thousands, and frozen dataclasses take three times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Const(NamedTuple):
    value: str
    line: int


class Ref(NamedTuple):
    """A variable or a dotted path such as `os.environ`."""

    name: str
    line: int


class Mix(NamedTuple):
    """Several values in one: a container, a condition, or (`joined`) text put together in this order."""

    parts: tuple[Expr, ...]
    line: int
    joined: bool = False


class Call(NamedTuple):
    """`name` is dotted as far as it is known; `receiver` is what a method is called on, `stdin` what is piped in."""

    name: str
    args: tuple[Expr, ...]
    line: int
    named: tuple[tuple[str, Expr], ...] = ()
    receiver: Expr | None = None
    stdin: Expr | None = None

    def keyword(self, name: str) -> Expr | None:
        return next((value for key, value in self.named if key == name), None)


Expr: TypeAlias = Const | Ref | Mix | Call


@dataclass(frozen=True, slots=True)
class Assign:
    name: str
    value: Expr
    scope: str


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    params: tuple[str, ...]
    line: int


@dataclass(slots=True)
class Program:
    language: str
    assigns: list[Assign] = field(default_factory=list)
    exprs: list[tuple[str, Expr]] = field(default_factory=list)
    returns: list[tuple[str, Expr]] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    loops_forever: list[int] = field(default_factory=list)
    called: set[str] = field(default_factory=set)  # the last parts of the names of everything called

    def resolve(self, name: str) -> str:
        """The full name behind an alias: with `import requests as r`, `r.post` is `requests.post`."""
        head, dot, rest = name.partition(".")
        if head in ("__builtins__", "builtins") and rest:
            return rest
        full = self.aliases.get(head)
        return f"{full}{dot}{rest}" if full else name
