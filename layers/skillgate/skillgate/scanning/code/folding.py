"""What calls of Python and JavaScript mean, and the text that an expression of them stands for."""

from __future__ import annotations

from skillgate.scanning.code import vocabulary as words
from skillgate.scanning.code.flow import MAX_FOLD, UNKNOWN, Flow, unpack
from skillgate.scanning.code.ir import Call, Expr, Mix, Ref

_CLIENT_METHODS = words.CLIENT_SENDS | words.CLIENT_FETCHES
_PATHS = frozenset(("Path", "resolve", "expanduser", "expandvars", "homedir", "home", "abspath", "realpath"))
_CASTS = ("os.path.", "path.", "str", "String", "bytes")
_SAME_TEXT = frozenset(("encode", "decode", "strip", "trim", "toString", "format"))


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
        if call.receiver is not None and method in _CLIENT_METHODS:
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
        if method == "join" and call.receiver is not None and name not in ("os.path.join", "path.join"):
            return self._fold_join(call, depth)
        if method in ("fromCharCode", "chr"):
            return "".join(_character(self.fold(arg, depth + 1)) for arg in call.args)
        if method in _PATHS or (name.startswith(_CASTS) and method != "fromhex"):
            return "/".join(self.fold(arg, depth + 1) for arg in call.args) if call.args else "~"
        if name == "reversed" and call.args:
            return self.fold(call.args[0], depth + 1)[::-1]
        if self.meaning(call) == words.DECODE and call.args and self.decodes(call):
            coding = self.fold(call.args[1], depth + 1) if method == "from" and len(call.args) > 1 else name
            return unpack(coding, self.fold(call.args[0], depth + 1))
        if call.receiver is not None and method in _SAME_TEXT:
            return self.fold(call.receiver, depth + 1)
        if call.receiver is not None and method == "replace" and len(call.args) == 2:
            return self._fold_replace(call.receiver, call.args, depth)
        return UNKNOWN

    def _fold_replace(self, receiver: Expr, args: tuple[Expr, ...], depth: int) -> str:
        text, old, new = (self.fold(value, depth + 1) for value in (receiver, *args))
        if not old or text.count(old) * len(new) > MAX_FOLD:
            return UNKNOWN
        return text.replace(old, new)

    def _fold_join(self, call: Call, depth: int) -> str:
        """`",".join(items)` in Python, `items.join(",")` in JavaScript."""
        first = call.args[0] if call.args else None
        items, separator = (first, call.receiver) if self.program.language == "python" else (call.receiver, first)
        if isinstance(items, Ref):
            items = self.constant(items.name)
        if not isinstance(items, Mix):
            return UNKNOWN
        between = self.fold(separator, depth + 1) if separator is not None else ","
        pieces = [self.fold(part, depth + 1) for part in items.parts]
        if sum(map(len, pieces)) + len(between) * len(pieces) > MAX_FOLD:
            return UNKNOWN
        return between.join(pieces)


def _character(number: str) -> str:
    try:
        return chr(int(number, 0))
    except (ValueError, OverflowError):
        return UNKNOWN
