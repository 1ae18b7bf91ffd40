"""Parsers and the walk that every front end shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache

import tree_sitter_bash
import tree_sitter_javascript
import tree_sitter_python
from tree_sitter import Language, Node, Parser

from skillgate.scanning.code.ir import Expr, Program
from skillgate.scanning.limits import Budget

MAX_DEPTH = 120  # each level takes three Python frames at most; the interpreter allows a thousand
_GRAMMARS = {
    "python": tree_sitter_python.language,
    "javascript": tree_sitter_javascript.language,
    "shell": tree_sitter_bash.language,
}
_SCOPES = frozenset(("function_definition", "function_declaration", "method_definition"))


@lru_cache(maxsize=len(_GRAMMARS))
def _language(name: str) -> Language:
    return Language(_GRAMMARS[name]())


def parse(language: str, source: str) -> Node:
    return Parser(_language(language)).parse(source.encode("utf-8", "replace")).root_node


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def first_child(node: Node) -> Node | None:
    return next(iter(node.named_children), None)


def flatten_left(node: Node, kind: str) -> list[Node]:
    """The operands of `a + b + c`, without recursion: minified code has thousands in a row."""
    operands: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == kind:
        right = current.child_by_field_name("right")
        if right is not None:
            operands.append(right)
        current = current.child_by_field_name("left")
    if current is not None:
        operands.append(current)
    return operands[::-1]


class Lowering(ABC):
    """Walks statements with its own stack, so that deep nesting cannot overflow the interpreter's."""

    def __init__(self, budget: Budget, program: Program) -> None:
        self.budget = budget
        self.program = program
        self.pending: list[tuple[Node, str]] = []
        self.scope = ""

    def run(self, root: Node) -> Program:
        """Everything below `root`, and the bodies of callbacks that `expr` left in `pending`."""
        self.pending.append((root, self.scope))
        while self.pending:
            node, scope = self.pending.pop()
            self.scope = scope
            self.budget.spend()
            if self.statement(node, scope):
                continue
            if node.type in _SCOPES:
                name = node.child_by_field_name("name")
                scope = text_of(name) if name is not None else scope
            self.pending.extend((child, scope) for child in reversed(node.named_children))
        return self.program

    @abstractmethod
    def statement(self, node: Node, scope: str) -> bool:
        """Takes the statement into the program; whether nothing below it is left to walk."""

    @abstractmethod
    def expr(self, node: Node, depth: int = 0) -> Expr:
        """The expression's value as far as it can be told."""
