"""JavaScript (and TypeScript, as far as the grammar goes) to the common form."""

from __future__ import annotations

from tree_sitter import Node

from skillgate.scanning.code.ir import Assign, Call, Const, Expr, Function, Mix, Program, Ref
from skillgate.scanning.code.lower_python import joined_literal
from skillgate.scanning.code.trees import MAX_DEPTH, Lowering, flatten_left, text_of
from skillgate.scanning.limits import Budget, BudgetExceededError

_EXPRESSIONS = frozenset(
    [
        "call_expression",
        "new_expression",
        "member_expression",
        "subscript_expression",
        "binary_expression",
        "template_string",
        "string",
        "array",
        "object",
        "await_expression",
        "ternary_expression",
        "unary_expression",
        "sequence_expression",
        "parenthesized_expression",
        "yield_expression",
    ]
)
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "function"))
_GLOBALS = ("globalThis.", "window.", "global.", "self.")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b"}


def lower(tree_root: Node, budget: Budget) -> Program:
    return _JavaScriptLowering(budget).run(tree_root)


class _JavaScriptLowering(Lowering):
    def __init__(self, budget: Budget) -> None:
        super().__init__(budget, Program("javascript"))

    def statement(self, node: Node, scope: str) -> bool:
        kind = node.type
        if kind == "import_statement":
            self._import(node)
            return True
        if kind in ("function_declaration", "method_definition"):
            self._function(node, node.child_by_field_name("name"))
            return False
        if kind == "variable_declarator":
            return self._declare(node, scope)
        if kind in ("assignment_expression", "augmented_assignment_expression"):
            self._bind(node.child_by_field_name("left"), node.child_by_field_name("right"), scope)
            return True
        if kind == "for_in_statement":
            self._bind(node.child_by_field_name("left"), node.child_by_field_name("right"), scope)
            return False
        if kind == "return_statement":
            self.program.returns += [(scope, self.expr(child)) for child in node.named_children]
            return True
        if kind in _EXPRESSIONS:
            self.program.exprs.append((scope, self.expr(node)))
            return True
        return False

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        module = text_of(source).strip("\"'`").removeprefix("node:") if source is not None else ""
        stack = list(node.named_children)
        while stack:
            child = stack.pop()
            if child.type == "import_specifier":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None:
                    self.program.aliases[text_of(alias or name)] = f"{module}.{text_of(name)}"
            elif child.type == "identifier":
                self.program.aliases[text_of(child)] = module
            elif child.type in ("import_clause", "named_imports", "namespace_import"):
                stack.extend(child.named_children)

    def _function(self, node: Node, name: Node | None) -> None:
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        names = []
        if parameters is not None:
            children = [parameters] if parameters.type == "identifier" else parameters.named_children
            names = [text_of(child).split("=")[0].split(":")[0].strip() for child in children]
        if name is not None:
            self.program.functions.append(Function(text_of(name), tuple(names), node.start_point[0] + 1))

    def _declare(self, node: Node, scope: str) -> bool:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return False
        if value.type in _FUNCTIONS:
            self._function(value, name)
            body = value.child_by_field_name("body")
            if body is not None and body.type != "statement_block":
                self.program.returns.append((text_of(name), self.expr(body)))
            return False
        self._bind(name, value, scope)
        return True

    def _bind(self, target: Node | None, value: Node | None, scope: str) -> None:
        if target is None or value is None:
            return
        lowered = self.expr(value)
        module = self.dotted(lowered)
        if target.type == "object_pattern":
            for child in target.named_children:
                key = child.child_by_field_name("key") or child
                local = child.child_by_field_name("value") or child
                if module:
                    self.program.aliases[text_of(local)] = f"{module}.{text_of(key)}"
                self.program.assigns.append(Assign(text_of(local), lowered, scope))
            return
        if module and isinstance(lowered, Call) and target.type == "identifier":
            self.program.aliases[text_of(target)] = module
        base = target.child_by_field_name("object") if target.type == "subscript_expression" else target
        self.program.assigns.append(Assign(text_of(base or target), lowered, scope))

    def expr(self, node: Node, depth: int = 0) -> Expr:
        self.budget.spend()
        if depth > MAX_DEPTH:
            raise BudgetExceededError("code is nested too deeply")
        kind, line = node.type, node.start_point[0] + 1
        if kind == "string":
            return Const(_unquote(text_of(node)), line)
        if kind == "template_string":
            return self._template(node, line, depth)
        if kind in ("identifier", "property_identifier", "shorthand_property_identifier", "this"):
            return Ref(text_of(node), line)
        if kind == "number":
            return Const(text_of(node), line)
        if kind in ("member_expression", "subscript_expression"):
            return self._member(node, line, depth)
        if kind in ("call_expression", "new_expression"):
            return self._call(node, line, depth)
        if kind == "binary_expression":
            parts = tuple(self.expr(part, depth + 1) for part in flatten_left(node, "binary_expression"))
            return Mix(parts, line, joined=True)
        if kind == "pair":
            value = node.child_by_field_name("value")
            return self.expr(value, depth + 1) if value is not None else Const("", line)
        if kind in _FUNCTIONS:
            return self._callback(node, line, depth)
        children = [self.expr(child, depth + 1) for child in node.named_children if child.type != "comment"]
        if kind in ("parenthesized_expression", "await_expression") and len(children) == 1:
            return children[0]
        return Mix(tuple(children), line)

    def _callback(self, node: Node, line: int, depth: int) -> Expr:
        """A callback's statements are walked later; what it returns at once is its value."""
        body = node.child_by_field_name("body")
        if body is None:
            return Mix((), line)
        if body.type == "statement_block":
            self.pending.append((body, self.scope))
            return Mix((), line)
        return self.expr(body, depth + 1)

    def _template(self, node: Node, line: int, depth: int) -> Expr:
        parts: list[Expr] = []
        for child in node.named_children:
            if child.type == "string_fragment":
                parts.append(Const(text_of(child), line))
            elif child.type == "template_substitution" and child.named_children:
                parts.append(self.expr(child.named_children[0], depth + 1))
        return parts[0] if len(parts) == 1 else Mix(tuple(parts), line, joined=True)

    def _member(self, node: Node, line: int, depth: int) -> Expr:
        base = node.child_by_field_name("object")
        key = node.child_by_field_name("property") or node.child_by_field_name("index")
        if base is None or key is None:
            return Const("", line)
        lowered = self.expr(base, depth + 1)
        dotted = self.dotted(lowered)
        if node.type == "member_expression":
            return Ref(_global(f"{dotted}.{text_of(key)}"), line) if dotted else Mix((lowered,), line)
        index = self.expr(key, depth + 1)
        literal = joined_literal(index)
        if dotted and literal and not literal.isdigit():
            return Ref(_global(f"{dotted}.{literal}"), line)
        return Call(f"{dotted or '?'}.__getitem__", (index,), line, receiver=lowered)

    def _call(self, node: Node, line: int, depth: int) -> Expr:
        target = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        if target is None:
            return Const("", line)
        receiver: Expr | None = None
        if target.type == "member_expression":
            base, key = target.child_by_field_name("object"), target.child_by_field_name("property")
            if base is not None and key is not None:
                receiver = self.expr(base, depth + 1)
                name = _global(f"{self.dotted(receiver) or '?'}.{text_of(key)}")
        if receiver is None:
            lowered = self.expr(target, depth + 1)
            name = self.dotted(lowered) or "?"
            receiver = None if isinstance(lowered, Ref) else lowered
        args, named = [], []
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "object":
                named += self._pairs(child, depth)
            if child.type != "comment":
                args.append(self.expr(child, depth + 1))
        self.program.called.add(name.rsplit(".", 1)[-1])
        return Call(name, tuple(args), line, tuple(named), receiver)

    def _pairs(self, node: Node, depth: int) -> list[tuple[str, Expr]]:
        pairs = []
        for child in node.named_children:
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None:
                pairs.append((text_of(key).strip("\"'"), self.expr(value, depth + 1)))
        return pairs

    def dotted(self, value: Expr) -> str:
        if isinstance(value, Ref):
            return _global(self.program.resolve(value.name))
        if isinstance(value, Call) and value.name in ("require", "import", "process.mainModule.require") and value.args:
            return joined_literal(value.args[0]).removeprefix("node:")
        return ""


def _global(name: str) -> str:
    for prefix in _GLOBALS:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def _unquote(literal: str) -> str:
    body = literal[1:-1]
    if "\\" not in body:
        return body
    out, i = [], 0
    while i < len(body):
        if body[i] != "\\" or i + 1 >= len(body):
            out.append(body[i])
            i += 1
            continue
        code = body[i + 1]
        width = {"x": 2, "u": 4}.get(code, 0)
        digits = body[i + 2 : i + 2 + width]
        if width and len(digits) == width and all(d in "0123456789abcdefABCDEF" for d in digits):
            out.append(chr(int(digits, 16)))
        else:
            out.append(_ESCAPES.get(code, code))
            width = 0
        i += 2 + width
    return "".join(out)
