"""What calls of Python and JavaScript mean, and the text that an expression of them stands for."""

from __future__ import annotations

from skillgate.scanning.code import vocabulary as words
from skillgate.scanning.code.flow import UNKNOWN, Flow, unpack
from skillgate.scanning.code.ir import Call, Const, Expr, Mix, Ref


class FoldingFlow(Flow):
    def meaning(self, call: Call) -> str:
        table = words.CALLS[self.program.language]
        name = self.program.resolve(call.name)
        found = table.get(name)
        if found is not None:
            return found
        method = name.rsplit(".", 1)[-1]
        if method in words.METHODS and "." in name:
            return words.METHODS[method]
        if call.receiver is not None and method in words.CLIENT_SENDS | words.CLIENT_FETCHES:
            kinds = {label.kind for label in self.labels(call.receiver)}
            if "client" in kinds or "socket" in kinds:
                return words.SEND if method in words.CLIENT_SENDS else words.FETCH
        return ""

    def decodes(self, call: Call) -> bool:
        """`Buffer.from(text)` and `codecs.decode(x, "utf-8")` only change the type."""
        name = call.name.rsplit(".", 2)
        if name[-1] == "from" or call.name.endswith("codecs.decode"):
            coding = self.fold(call.args[1]).lower() if len(call.args) > 1 else ""
            return coding in ("base64", "hex", "base64url", "rot13", "rot_13", "zlib", UNKNOWN)
        return True

    def fold_call(self, call: Call, depth: int) -> str:
        name = self.program.resolve(call.name)
        method = name.rsplit(".", 1)[-1]
        if (
            method == "join"
            and call.receiver is not None
            and self.program.language == "python"
            and not name.startswith("os.")
        ):
            return self._fold_join(call.receiver, call.args[0] if call.args else None, depth)
        if (
            method == "join"
            and call.receiver is not None
            and self.program.language == "javascript"
            and name != "path.join"
        ):
            return self._fold_join(call.args[0] if call.args else Const(",", 0), call.receiver, depth)
        if name.startswith(("os.path.", "path.", "str", "String", "bytes")) or method in (
            "Path",
            "resolve",
            "expanduser",
            "homedir",
        ):
            if method in ("fromCharCode", "chr"):
                return "".join(_character(self.fold(arg, depth + 1)) for arg in call.args)
            if method not in ("fromhex",):
                return "/".join(self.fold(arg, depth + 1) for arg in call.args) if call.args else "~"
        if name == "chr" and call.args:
            return _character(self.fold(call.args[0], depth + 1))
        if name == "reversed" and call.args:
            return self.fold(call.args[0], depth + 1)[::-1]
        if (
            method in ("encode", "decode", "strip", "trim", "toString", "format")
            and call.receiver is not None
            and not name.startswith(("base64", "codecs"))
        ):
            return self.fold(call.receiver, depth + 1)
        if method == "replace" and call.receiver is not None and len(call.args) == 2:
            old, new = self.fold(call.args[0], depth + 1), self.fold(call.args[1], depth + 1)
            return self.fold(call.receiver, depth + 1).replace(old, new) if old else UNKNOWN
        if self.meaning(call) == words.DECODE and call.args and self.decodes(call):
            coding = self.fold(call.args[1], depth + 1) if method == "from" and len(call.args) > 1 else name
            return unpack(coding, self.fold(call.args[0], depth + 1))
        return UNKNOWN

    def _fold_join(self, separator: Expr, items: Expr | None, depth: int) -> str:
        if not isinstance(items, Mix):
            constant = self.constant(items.name) if isinstance(items, Ref) else None
            items = constant if isinstance(constant, Mix) else None
        if items is None:
            return UNKNOWN
        return self.fold(separator, depth + 1).join(self.fold(part, depth + 1) for part in items.parts)


def _character(number: str) -> str:
    try:
        return chr(int(number, 0))
    except (ValueError, OverflowError):
        return UNKNOWN
