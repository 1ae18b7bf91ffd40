"""Shell to the common form: a command is a call, a pipe is its stdin, a file written is an assignment to `file:…`."""

from __future__ import annotations

from tree_sitter import Node

from skillgate.scanning.code.ir import Assign, Call, Const, Expr, Function, Mix, Program, Ref
from skillgate.scanning.code.trees import MAX_DEPTH, Lowering, text_of
from skillgate.scanning.limits import Budget, BudgetExceededError

_WRAPPERS = frozenset(
    (
        "sudo",
        "doas",
        "nohup",
        "env",
        "exec",
        "command",
        "time",
        "xargs",
        "builtin",
        "setsid",
        "timeout",
        "nice",
        "then",
        "do",
    )
)
_COMMANDS = frozenset(("command", "pipeline", "redirected_statement", "declaration_command", "test_command"))


def lower(tree_root: Node, budget: Budget) -> Program:
    return _ShellLowering(budget).run(tree_root)


class _ShellLowering(Lowering):
    def __init__(self, budget: Budget) -> None:
        super().__init__(budget, Program("shell"))

    def statement(self, node: Node, scope: str) -> bool:
        if node.type == "function_definition":
            name = node.child_by_field_name("name")
            if name is not None:
                self.program.functions.append(Function(text_of(name), (), node.start_point[0] + 1))
            return False
        if node.type == "variable_assignment":
            self._assign(node)
            return True
        if node.type == "for_statement":
            name = node.child_by_field_name("variable")
            values = [self.expr(child) for child in node.children_by_field_name("value")]
            if name is not None:
                self.program.assigns.append(Assign(text_of(name), Mix(tuple(values), node.start_point[0] + 1), ""))
            return False
        if node.type in _COMMANDS:
            self.program.exprs.append((scope, self.expr(node)))
            return True
        return False

    def _assign(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            self.program.assigns.append(Assign(text_of(name), self.expr(value), ""))

    def expr(self, node: Node, depth: int = 0) -> Expr:
        self.budget.spend()
        if depth > MAX_DEPTH:
            raise BudgetExceededError("code is nested too deeply")
        kind, line = node.type, node.start_point[0] + 1
        if kind == "command":
            return self._command(node, None, depth)
        if kind == "pipeline":
            return self._pipeline(node, depth)
        if kind == "redirected_statement":
            return self._redirected(node, depth)
        if kind == "variable_assignment":
            self._assign(node)
            return Const("", line)
        if kind in ("word", "number", "string_content", "raw_string", "ansi_c_string", "heredoc_content"):
            return Const(_literal(node), line)
        if kind in ("simple_expansion", "expansion"):
            name = next((child for child in node.named_children if child.type == "variable_name"), None)
            return Ref(text_of(name) if name is not None else "?", line)
        children = tuple(self.expr(child, depth + 1) for child in node.named_children if child.type != "comment")
        if kind in ("string", "concatenation", "translated_string", "heredoc_body"):
            return children[0] if len(children) == 1 else Mix(children, line, joined=True)
        return children[0] if len(children) == 1 else Mix(children, line)

    def _command(self, node: Node, stdin: Expr | None, depth: int) -> Expr:
        line = node.start_point[0] + 1
        words: list[Expr] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(child)
            elif child.type in ("herestring_redirect", "file_redirect", "heredoc_redirect"):
                stdin = self._redirect(child, None, depth) or stdin
            elif child.type == "command_name":
                words.append(
                    self.expr(child.named_children[0], depth + 1)
                    if child.named_children
                    else Const(text_of(child), line)
                )
            else:
                words.append(self.expr(child, depth + 1))
        return self._unwrapped(words, stdin, line)

    def _unwrapped(self, words: list[Expr], stdin: Expr | None, line: int) -> Expr:
        """`sudo env X=1 bash -s` is a call of bash; the wrapper is kept as a call around it."""
        if not words:
            return Mix((stdin,) if stdin else (), line)
        head = words[0]
        name = head.value.rsplit("/", 1)[-1].removesuffix(".exe") if isinstance(head, Const) else "$command"
        if name in _WRAPPERS and len(words) > 1:
            rest = words[1:]
            while (
                rest
                and isinstance(rest[0], Const)
                and (rest[0].value.startswith("-") or "=" in rest[0].value or rest[0].value.isdigit())
            ):
                rest = rest[1:]
            if rest:
                return Call(name, (self._unwrapped(rest, stdin, line),), line)
        path = head if not isinstance(head, Const) or "/" in head.value else None
        return Call(name, tuple(words[1:]), line, receiver=path, stdin=stdin)

    def _pipeline(self, node: Node, depth: int) -> Expr:
        current: Expr | None = None
        if len(node.named_children) > MAX_DEPTH // 2:
            raise BudgetExceededError("a pipe of too many commands")
        for child in node.named_children:
            if child.type == "command":
                current = self._command(child, current, depth + 1)
            elif child.type == "redirected_statement":
                current = self._redirected(child, depth + 1, current)
            elif child.type != "comment":
                inner = self.expr(child, depth + 1)
                current = inner if current is None else Mix((current, inner), child.start_point[0] + 1)
                self.pending.append((child, self.scope))
        return current or Const("", node.start_point[0] + 1)

    def _redirected(self, node: Node, depth: int, stdin: Expr | None = None) -> Expr:
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect")
        for redirect in redirects:
            given = self._redirect(redirect, None, depth)
            stdin = given if given is not None else stdin
        if body is None:
            value: Expr = stdin or Const("", node.start_point[0] + 1)
        elif body.type == "command":
            value = self._command(body, stdin, depth + 1)
        else:
            value = self.expr(body, depth + 1)
            if body.type not in _COMMANDS:
                self.pending.append((body, self.scope))
        for redirect in redirects:
            self._redirect(redirect, value, depth)
        return value

    def _redirect(self, node: Node, written: Expr | None, depth: int) -> Expr | None:
        """What a redirect feeds in; with `written`, records the file that an output redirect makes."""
        if node.type == "heredoc_redirect":
            for child in node.named_children:
                if child.type == "file_redirect" and written is not None:
                    self._redirect(child, written, depth)
                if child.type == "heredoc_body" and written is None:
                    line = child.start_point[0] + 1
                    values = tuple(self.expr(part, depth + 1) for part in child.named_children)
                    return Mix((Const(text_of(child), line), *values), line)
            return None
        target = node.child_by_field_name("destination") or next(iter(node.named_children[::-1]), None)
        if target is None:
            return None
        value = self.expr(target, depth + 1)
        if node.type == "herestring_redirect":
            return value
        operator = node.children[0].type if node.children else ""
        if operator == "<":
            return Call("cat", (value,), node.start_point[0] + 1)
        if written is not None and ">" in text_of(node)[:3]:
            line = node.start_point[0] + 1
            self.program.exprs.append(("", Call(">", (value,), line, stdin=written)))
            if isinstance(value, Const):
                self.program.assigns.append(Assign(f"file:{value.value.removeprefix('./')}", written, ""))
        return None


def _literal(node: Node) -> str:
    text = text_of(node)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "ansi_c_string":
        body = text[2:-1]
        return body.encode("latin-1", "replace").decode("unicode_escape", "replace") if "\\" in body else body
    return text.replace("\\\n", "").replace("\\", "") if node.type == "word" else text.replace("\\\n", "")
