"""Python to the common form, by its syntax tree. Broken and partial code is read as far as it goes."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from skillgate.scanning.code.ir import Assign, Call, Const, Expr, Function, Mix, Program, Ref
from skillgate.scanning.code.trees import MAX_DEPTH, Lowering, first_child, flatten_left, text_of
from skillgate.scanning.limits import Budget, BudgetExceededError

_EXPRESSIONS = frozenset(
    [
        "call",
        "attribute",
        "subscript",
        "binary_operator",
        "string",
        "concatenated_string",
        "list",
        "tuple",
        "dictionary",
        "set",
        "lambda",
        "await",
        "conditional_expression",
        "boolean_operator",
        "comparison_operator",
        "not_operator",
        "unary_operator",
        "list_comprehension",
        "generator_expression",
        "dictionary_comprehension",
        "set_comprehension",
        "parenthesized_expression",
        "expression_list",
    ]
)
_PREFIX = re.compile(r"^[A-Za-z]*")


def lower(tree_root: Node, budget: Budget) -> Program:
    return _PythonLowering(budget).run(tree_root)


class _PythonLowering(Lowering):
    def __init__(self, budget: Budget) -> None:
        super().__init__(budget, Program("python"))

    def statement(self, node: Node, scope: str) -> bool:
        """Records what a node says; True where its children need no further look."""
        kind = node.type
        if kind in ("import_statement", "import_from_statement"):
            self._import(node)
            return True
        if kind == "function_definition":
            self._function(node)
            return False
        if kind in ("assignment", "augmented_assignment", "named_expression"):
            self._assign(node, scope)
            return True
        if kind == "for_statement" or kind == "for_in_clause":
            self._bind(node.child_by_field_name("left"), node.child_by_field_name("right"), scope)
            return False
        if kind == "as_pattern":
            self._as(node, scope)
            return True
        if kind == "return_statement":
            self.program.returns += [(scope, self.expr(child)) for child in node.named_children]
            return True
        if kind == "while_statement":
            condition = node.child_by_field_name("condition")
            if condition is not None and text_of(condition) in ("True", "1") and not _leaves(node):
                self.program.loops_forever.append(node.start_point[0] + 1)
            return False
        if kind in _EXPRESSIONS:
            self.program.exprs.append((scope, self.expr(node)))
            return True
        return False

    def _import(self, node: Node) -> None:
        module = node.child_by_field_name("module_name")
        prefix = f"{text_of(module)}." if module is not None else ""
        for child in node.children_by_field_name("name"):
            if child.type == "aliased_import":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None and alias is not None:
                    self.program.aliases[text_of(alias)] = prefix + text_of(name)
            elif prefix:
                self.program.aliases[text_of(child)] = prefix + text_of(child)

    def _function(self, node: Node) -> None:
        name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        names = []
        for child in parameters.named_children if parameters is not None else ():
            first = child if child.type == "identifier" else (child.child_by_field_name("name") or first_child(child))
            if first is not None:
                names.append(text_of(first).lstrip("*"))
        if name is not None:
            self.program.functions.append(Function(text_of(name), tuple(names), node.start_point[0] + 1))

    def _assign(self, node: Node, scope: str) -> None:
        left = node.child_by_field_name("left") or node.child_by_field_name("name")
        self._bind(left, node.child_by_field_name("right") or node.child_by_field_name("value"), scope)

    def _as(self, node: Node, scope: str) -> None:
        alias = node.child_by_field_name("alias")
        self._bind(alias, first_child(node), scope)

    def _bind(self, target: Node | None, value: Node | None, scope: str) -> None:
        if target is None or value is None:
            return
        lowered = self.expr(value)
        module = self.dotted(lowered) if isinstance(lowered, Call) else ""
        if module and target.type == "identifier":
            self.program.aliases[text_of(target)] = module
        names = [target] if target.type in ("identifier", "attribute", "subscript") else target.named_children
        for name in names:
            base = name.child_by_field_name("value") if name.type == "subscript" else name
            if base is not None:
                self.program.assigns.append(Assign(text_of(base), lowered, scope))
        if not names:
            self.program.assigns.append(Assign(text_of(target), lowered, scope))

    def expr(self, node: Node, depth: int = 0) -> Expr:
        self.budget.spend()
        if depth > MAX_DEPTH:
            raise BudgetExceededError("code is nested too deeply")
        kind, line = node.type, node.start_point[0] + 1
        if kind == "string":
            return self._string(node, line, depth)
        if kind == "identifier":
            return Ref(text_of(node), line)
        if kind in ("integer", "float"):
            return Const(text_of(node), line)
        if kind == "attribute":
            return self._attribute(node, line, depth)
        if kind == "subscript":
            return self._subscript(node, line, depth)
        if kind == "call":
            return self._call(node, line, depth)
        if kind == "keyword_argument" or kind == "pair":
            value = node.child_by_field_name("value")
            return self.expr(value, depth + 1) if value is not None else Const("", line)
        if kind == "binary_operator":
            parts = tuple(self.expr(part, depth + 1) for part in flatten_left(node, "binary_operator"))
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "/":
                return Call("os.path.join", parts, line)
            return Mix(parts, line, joined=True)
        if kind == "lambda":
            body = node.child_by_field_name("body")
            return self.expr(body, depth + 1) if body is not None else Const("", line)
        if kind == "as_pattern":
            self._as(node, "")
        if kind == "for_in_clause" or kind == "named_expression":
            self.statement(node, "")
        children = [self.expr(child, depth + 1) for child in node.named_children if child.type != "comment"]
        if kind in ("parenthesized_expression", "await") and len(children) == 1:
            return children[0]
        return Mix(tuple(children), line, joined=kind == "concatenated_string")

    def _string(self, node: Node, line: int, depth: int) -> Expr:
        parts: list[Expr] = []
        literal = text_of(node)
        raw = "r" in (_PREFIX.match(literal) or [""])[0].lower()
        for child in node.named_children:
            if child.type == "interpolation":
                inner = child.child_by_field_name("expression") or first_child(child)
                if inner is not None:
                    parts.append(self.expr(inner, depth + 1))
            elif child.type == "string_content":
                value = text_of(child)
                parts.append(Const(value if raw or "\\" not in value else _unescape(value), line))
        return parts[0] if len(parts) == 1 else Mix(tuple(parts), line, joined=True) if parts else Const("", line)

    def _attribute(self, node: Node, line: int, depth: int) -> Expr:
        base = node.child_by_field_name("object")
        name = node.child_by_field_name("attribute")
        if base is None or name is None:
            return Const("", line)
        lowered = self.expr(base, depth + 1)
        dotted = self.dotted(lowered)
        return Ref(f"{dotted}.{text_of(name)}", line) if dotted else Mix((lowered,), line)

    def _subscript(self, node: Node, line: int, depth: int) -> Expr:
        base = node.child_by_field_name("value")
        key = node.child_by_field_name("subscript")
        if base is None or key is None:
            return Const("", line)
        lowered, index = self.expr(base, depth + 1), self.expr(key, depth + 1)
        if key.type == "slice" and text_of(key).replace(" ", "") == "::-1":
            return Call("reversed", (lowered,), line)
        if key.type == "slice":
            return Mix((lowered,), line)
        dotted = self.dotted(lowered)
        return Call(f"{dotted or '?'}.__getitem__", (index,), line, receiver=lowered)

    def _call(self, node: Node, line: int, depth: int) -> Expr:
        target, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if target is None or arguments is None:
            return Const("", line)
        name, receiver = self._callee(target, depth)
        args, named = [], []
        children = [arguments] if arguments.type == "generator_expression" else arguments.named_children
        for child in children:
            if child.type == "comment":
                continue
            value = self.expr(child, depth + 1)
            key = child.child_by_field_name("name") if child.type == "keyword_argument" else None
            if key is not None:
                named.append((text_of(key), value))
            else:
                args.append(value)
        self.program.called.add(name.rsplit(".", 1)[-1])
        return Call(name, tuple(args), line, tuple(named), receiver)

    def _callee(self, target: Node, depth: int) -> tuple[str, Expr | None]:
        if target.type == "attribute":
            base, name = target.child_by_field_name("object"), target.child_by_field_name("attribute")
            if base is not None and name is not None:
                receiver = self.expr(base, depth + 1)
                return f"{self.dotted(receiver) or '?'}.{text_of(name)}", receiver
        lowered = self.expr(target, depth + 1)
        return self.dotted(lowered) or "?", None if isinstance(lowered, Ref) else lowered

    def dotted(self, value: Expr) -> str:
        """The name behind an expression: also `__import__("os")`, `getattr(os, "system")` and `globals()["exec"]`."""
        if isinstance(value, Ref):
            return self.program.resolve(value.name)
        if not isinstance(value, Call):
            return ""
        literal = joined_literal(value.args[-1]) if value.args else ""
        if value.name in ("__import__", "importlib.import_module", "import_module") and literal:
            return literal
        if value.name == "getattr" and len(value.args) >= 2:
            literal = joined_literal(value.args[1])
            base = self.dotted(value.args[0])
            return f"{base}.{literal}" if literal and base else literal
        if value.name.endswith(".__getitem__") and literal and _is_namespace(value.receiver):
            return literal
        return ""


def _leaves(loop: Node) -> bool:
    """Whether a loop has a way out or waits for something."""
    body = text_of(loop)
    return any(
        word in body
        for word in (
            "break",
            "return",
            "raise",
            "exit",
            "yield",
            "sleep",
            "recv",
            "accept",
            "input(",
            "wait",
            "await",
            "read",
            "get(",
        )
    )


def joined_literal(value: Expr) -> str:
    """The text of a literal or of literals put together, else empty."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Mix) and value.joined and all(isinstance(part, (Const, Mix)) for part in value.parts):
        return "".join(joined_literal(part) for part in value.parts)
    return ""


def _is_namespace(value: Expr | None) -> bool:
    if isinstance(value, Call):
        return value.name in ("globals", "locals", "vars")
    return (isinstance(value, Ref) and "__builtins__" in value.name) or (
        isinstance(value, Ref) and "__dict__" in value.name
    )


def _unescape(value: str) -> str:
    try:
        text = ast.literal_eval('"""' + value.replace('"', '\\"').replace('\\\\"', '\\"') + '"""')
    except (SyntaxError, ValueError):
        return value
    return text if isinstance(text, str) else value
