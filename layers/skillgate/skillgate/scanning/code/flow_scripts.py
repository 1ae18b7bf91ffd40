"""What names mean in Python and JavaScript."""

from __future__ import annotations

import re

from skillgate.scanning.code import vocabulary as words
from skillgate.scanning.code.flow import NONE, UNKNOWN, Label, Labels, Summaries, secret_at
from skillgate.scanning.code.folding import FoldingFlow
from skillgate.scanning.code.ir import Call, Expr, Mix, Ref
from skillgate.scanning.hosts import host_of

_GETTERS = ("get", "__getitem__", "pop", "getenv", "setdefault")
_SUSPECT_MODULES = {
    "browser_cookie3": "reads_browser",
    "win32crypt.CryptUnprotectData": "reads_browser",
    "pynput.keyboard": "logs_keys",
    "pynput": "logs_keys",
    "keyboard.on_press": "logs_keys",
    "ctypes.windll.kernel32.IsDebuggerPresent": "evades_analysis",
    "sys.gettrace": "evades_analysis",
    "ImageGrab.grab": "captures_screen",
    "pyautogui.screenshot": "captures_screen",
    "pyperclip.paste": "reads_clipboard",
}


_SUSPECT_STARTS = tuple(_SUSPECT_MODULES)
_WALKERS = frozenset(("os.walk", "glob.glob", "glob.iglob", "os.listdir", "os.scandir", "fs.readdirSync", "fs.readdir"))
_LOADERS = frozenset(
    (
        "pickle.loads", "pickle.load", "dill.loads", "cloudpickle.loads", "marshal.loads", "yaml.load",
        "yaml.unsafe_load",
        "torch.load", "joblib.load", "importlib.util.spec_from_file_location", "runpy.run_path", "ctypes.CDLL",
    )
)  # fmt: skip
_FILE_WRITERS = frozenset(
    ("write", "write_text", "write_bytes", "urlretrieve", "createWriteStream", "writeFile", "writeFileSync")
)
HOME_FOLDER = Label("secret", "the home folder")
_SENDS_FILES = ("upload_file", "upload_from_filename", "send_document", "files_upload_v2")
_HOME = re.compile(r"(?:~|/|/home|/Users|/root|C:\\\\?)/?(?:\*\*?)?/?")


class ScriptFlow(FoldingFlow):
    def named(self, ref: Ref) -> Labels | None:
        name = self.program.resolve(ref.name)
        for environment in words.ENVIRONMENT[self.program.language]:
            if name == environment:
                return frozenset({Label("environment", name)})
            if name.startswith(f"{environment}."):
                return self._variable(name.rsplit(".", 1)[-1])
        return None

    def _variable(self, name: str) -> Labels:
        return frozenset({Label("named_secret", name)}) if words.SECRET_NAME.search(name) else NONE

    def origin(self, call: Call) -> Labels | None:
        name = self.program.resolve(call.name)
        if name in words.OPAQUE or name.startswith(("hashlib.", "hmac.", "logging.", "logger.")):
            return NONE
        environment = next((e for e in words.ENVIRONMENT[self.program.language] if name.startswith(f"{e}.")), None)
        if environment or name in ("os.getenv", "Deno.env.get"):
            if name.rsplit(".", 1)[-1] in _GETTERS and call.args:
                return self._variable(self.fold(call.args[0]))
            return frozenset({Label("environment", name)})
        meaning = self.meaning(call)
        if meaning in (words.FETCH, words.SEND):
            return self._answer(call, name)
        if meaning == words.CLIENT:
            return frozenset({Label("client", name)})
        if meaning == words.SOCKET:
            return frozenset({Label("socket", name)})
        if meaning == words.DECODE and self.decodes(call):
            return frozenset({Label("decoded", name)}).union(*(self.labels(arg) for arg in call.args))
        if name in _WALKERS or name.endswith((".rglob", ".iterdir")):
            root = self.fold(call.args[0] if name in _WALKERS and call.args else call.receiver)
            secret = HOME_FOLDER if _HOME.fullmatch(root) else secret_at(root)
            return frozenset({secret}) if secret else NONE
        if name == "keyring.get_password" and call.args:
            return frozenset({Label("named_secret", self.fold(call.args[0]))})
        if meaning == words.READ and call.args:
            path = self.fold(call.args[0])
            secret = secret_at(path)
            return frozenset({secret}) if secret else (self._file(call) or NONE) | self.file(path)
        if meaning == words.RUN_COMMAND:
            return self._command_output(call)
        if name.endswith((".read_text", ".read_bytes", ".open", ".text")) and call.receiver is not None:
            secret = secret_at(self.fold(call.receiver))
            return frozenset({secret}) if secret else None
        return None

    def _answer(self, call: Call, name: str) -> Labels:
        """What a request brings back; a request of Node's is also what its body is written to."""
        if call.receiver is not None and _has(self.labels(call.receiver), "socket"):
            return frozenset({Label("fetched", "socket")})
        host = self._url(call)
        secret = secret_at(host)
        extra = [secret] if secret else []
        if name in ("https.request", "http.request"):
            extra.append(Label("client", name))
        return frozenset({Label("fetched", host), *extra})

    def _file(self, call: Call) -> Labels | None:
        """A path that was built from a labelled one keeps its label; the name of a file alone is none."""
        found = frozenset(
            label
            for arg in call.args
            for label in self.labels(arg)
            if label.kind in ("secret", "secret_file", "parameter")
        )
        return found or NONE

    def _command_output(self, call: Call) -> Labels:
        command = self._command_line(call)
        secret = secret_at(command)
        if secret is not None and secret.kind == "secret":
            return frozenset({secret})
        first = command.split(" ", 1)[0]
        if first in ("env", "printenv", "set"):
            return frozenset({Label("environment", first)})
        if first in words.FETCHERS:
            return frozenset({Label("fetched", host_of(command))})
        return NONE

    def _url(self, call: Call) -> str:
        candidates = [*call.args[:2], *(v for k, v in call.named if k in ("url", "hostname", "host", "uri"))]
        for candidate in candidates:
            text = self.fold(candidate).replace(UNKNOWN, "x")
            if "." in text or "://" in text:
                return host_of(text)
        return "?"

    def effects(self, call: Call) -> None:
        name = self.program.resolve(call.name)
        for known, kind in _SUSPECT_MODULES.items() if name.startswith(_SUSPECT_STARTS) else ():
            if name == known or name.startswith(f"{known}."):
                self.emit(kind, call.line, known)
        meaning = self.meaning(call)
        if meaning == words.RUN_CODE:
            self._runs_code(call, name)
        elif meaning == words.RUN_COMMAND:
            self._runs_command(call)
        elif meaning in (words.FETCH, words.SEND):
            self._talks(call, meaning)
        elif meaning == words.DECODE and self.decodes(call):
            self.emit("decodes", call.line, name)
            self._look_inside(call)
            if name in _LOADERS:
                self._loads(call, name)
        elif meaning in (words.READ, words.WRITE, words.DELETE):
            self._touches(call, meaning, name)
        elif name.endswith(".connect") and call.receiver is not None and _has(self.labels(call.receiver), "socket"):
            self.emit("opens_socket", call.line, self.fold(call.args[0])[:60] if call.args else "")
        elif name in _LOADERS:
            self._loads(call, name)
        elif name in ("os.dup2", "dup2"):
            self.emit("redirects_descriptors", call.line, "")
        elif meaning == words.CLIENT and name.startswith("net."):
            self.emit("opens_socket", call.line, "")
        self._serialises(call, name)
        self._queries(call, name)
        self._passes_on(call)

    def settle(self) -> Summaries:
        summaries = super().settle()
        if not self.program.called & _FILE_WRITERS:
            return summaries
        fetches = False
        pieces = [(a.scope, a.value) for a in self.program.assigns] + self.program.exprs + self.program.returns
        for scope, value in pieces:
            for call in self.calls(value, scope):
                fetches |= self.meaning(call) == words.FETCH
                self._writes(call, fetches=fetches)
        return summaries

    def _writes(self, call: Call, *, fetches: bool) -> None:
        """Files that hold what was fetched or read, so that running or sending them is known for what it is."""
        name = self.program.resolve(call.name)
        if name.endswith("urlretrieve") and len(call.args) > 1:
            self.wrote_file(self.fold(call.args[1]), frozenset({Label("fetched", self._url(call))}))
        elif name.endswith("createWriteStream") and call.args and fetches:
            self.wrote_file(self.fold(call.args[0]), frozenset({Label("fetched", "?")}))
        elif name.startswith("fs") and "writeFile" in name and len(call.args) > 1:
            self.wrote_file(self.fold(call.args[0]), self.labels(call.args[1]))
        elif name.endswith((".write", ".write_text", ".write_bytes")) and call.receiver is not None and call.args:
            target = call.receiver
            opened = self.constant(target.name) if isinstance(target, Ref) else target
            path = (
                opened.args[0] if isinstance(opened, Call) and opened.name.endswith("open") and opened.args else opened
            )
            self.wrote_file(self.fold(path), self.labels(call.args[0]))

    def _loads(self, call: Call, name: str) -> None:
        """Unpickling and importing run what they are given."""
        given = NONE.union(*(self.labels(arg) for arg in call.args)) if call.args else NONE
        for arg in call.args:
            given = given | self.file(self.fold(arg))
        for label in given:
            if label.kind == "fetched":
                self.emit("fetched_executed", call.line, label.detail if label.detail != "?" else name)

    def _serialises(self, call: Call, name: str) -> None:
        """Secrets of several services that are packed together are about to go somewhere."""
        if name.rsplit(".", 1)[-1] not in ("dumps", "b64encode", "urlencode", "stringify", "packb"):
            return
        labels = NONE.union(*(self.labels(arg) for arg in call.args))
        owners = {label.detail.split("_")[0] for label in labels if label.kind == "named_secret"}
        if len(owners) > 1:
            self.emit("bundles_secrets", call.line, ", ".join(sorted(owners)))

    def _queries(self, call: Call, name: str) -> None:
        if not name.endswith((".execute", ".query", ".executescript")) or not call.args:
            return
        built = call.args[0]
        if isinstance(built, Ref):
            built = self.constant(built.name) or built
        if isinstance(built, Mix) and built.joined and _has(self.labels(built), "parameter"):
            text = self.fold(built).lstrip().upper()
            if text.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE ")):
                self.emit("injectable_query", call.line, text[:60].replace(UNKNOWN, "…"))

    def _passes_on(self, call: Call) -> None:
        """A secret handed to a function, here or in another file, that sends what it is given."""
        method = call.name.rsplit(".", 1)[-1]
        sinks = self.own.sinks.get(method, set()) | self.outside.sinks.get(method, set())
        if not sinks:
            return
        given = NONE.union(*(self.labels(v) for v in (*call.args, *(v for _, v in call.named))))
        if "send" in sinks:
            self.sent(given, call, f"through {method}()")
        if "execute" in sinks:
            # Which of its arguments a function runs is not known.
            if _has(given, "fetched"):
                self.emit("fetched_handed_on", call.line, method)
            self.executed(frozenset(label for label in given if label.kind != "fetched"), call, method)

    def _runs_code(self, call: Call, name: str) -> None:
        if not call.args or name == "compile":
            return
        self.emit("executes_code", call.line, name)
        self.executed(NONE.union(*(self.labels(arg) for arg in call.args)), call, name)
        inner = call.args[-1] if name == "Function" else call.args[0]
        source = self.fold(inner)
        if isinstance(inner, Call) and inner.name == "compile" and inner.args:
            source = self.fold(inner.args[0])
            read = inner.args[0]
        else:
            read = inner
        if UNKNOWN not in source and len(source) > 3:
            self.nested(self.program.language, source, call.line)
        if self._reads_a_hidden_file(read):
            self.emit("hidden_file_executed", call.line, name)

    def _reads_a_hidden_file(self, value: Expr) -> bool:
        """Code that lies in a temporary or hidden file came from somewhere else."""
        while isinstance(value, Call):
            if value.name.rsplit(".", 1)[-1] in ("open", "Path", "readFileSync") and value.args:
                path = self.fold(value.args[0])
                return path.startswith(("/tmp", "/var/tmp", "/dev/shm")) or "/." in path  # noqa: S108 - looked for
            if value.receiver is None:
                return False
            value = value.receiver
        return False

    def _command_line(self, call: Call) -> str:
        if not call.args:
            return self.fold(call.keyword("args"))
        first = call.args[0]
        listed = isinstance(first, Mix) and not first.joined
        words_given = first.parts if isinstance(first, Mix) and listed else ()
        if words_given:
            return " ".join(_quoted(self.fold(word)) for word in words_given)
        command = self.fold(first)
        rest = call.args[1] if len(call.args) > 1 and isinstance(call.args[1], Mix) else None
        if self.program.language == "javascript" and rest is not None and not rest.joined and not call.named:
            return " ".join([command, *(_quoted(self.fold(word)) for word in rest.parts)])
        return command

    def _program_labels(self, call: Call) -> Labels:
        """Of a list only the first word is the program; a text is all of it."""
        first = call.args[0] if call.args else None
        if isinstance(first, Ref):
            assigned = self.constant(first.name)
            first = assigned if isinstance(assigned, Mix) and not assigned.joined else first
        if isinstance(first, Mix) and not first.joined and first.parts:
            words_given = [self.fold(part) for part in first.parts]
            code_flag = next((i for i, word in enumerate(words_given) if word in ("-c", "-e", "/c", "-Command")), None)
            run = first.parts[:1] if code_flag is None else (first.parts[0], *first.parts[code_flag + 1 :])
            return NONE.union(*(self.labels(part) for part in run))
        return self.labels(first)

    def _runs_command(self, call: Call) -> None:
        command = self._command_line(call)
        self.emit("executes_command", call.line, command[:80].replace(UNKNOWN, "…"))
        given = self._program_labels(call)
        # What was fetched matters where it is the program itself and not one of its arguments.
        program = command.lstrip("'").startswith(UNKNOWN)
        self.executed(frozenset(label for label in given if program or label.kind != "fetched"), call, call.name)
        first = command.split(" ", 1)[0]
        if UNKNOWN not in first:
            self.executed(self.file(first), call, call.name)
        shell = (
            call.name.endswith(("exec", "execSync", "os.system", "popen")) or self.fold(call.keyword("shell")) == "True"
        )
        built = call.args[0] if call.args else None
        if shell and isinstance(built, Mix) and built.joined and _has(given, "parameter"):
            self.emit("injectable_command", call.line, command[:60].replace(UNKNOWN, "…"))
        if call.keyword("input") is not None:
            self.executed(self.labels(call.keyword("input")), call, call.name)
        if command.strip("'\" ") in (
            "/bin/sh",
            "/bin/bash",
            "sh",
            "bash",
            "cmd.exe",
            "cmd",
            "/bin/zsh",
            "powershell.exe",
        ):
            self.emit("spawns_shell", call.line, command)
        if command.replace(UNKNOWN, "").strip():
            self.nested("shell", command.replace(UNKNOWN, "X"), call.line)

    def _talks(self, call: Call, meaning: str) -> None:
        host = self._url(call)
        method = self.fold(call.keyword("method")).upper()
        body = [v for k, v in call.named if k in ("data", "json", "body", "files", "content", "params")]
        sends = meaning == words.SEND or bool(body) or method in ("POST", "PUT", "PATCH")
        if not sends:
            self.emit("fetches", call.line, host)
        if call.args and _has(self.labels(call.args[0]), "decoded"):
            self.emit("encoded_url_sent", call.line, host)
        carried = [arg for arg in call.args if not _is_options(arg, call)]
        carried += [v for k, v in call.named if k not in words.AUTH_ARGUMENTS and k != "method"]
        labels = NONE.union(*(self.labels(value) for value in carried)) if carried else NONE
        if call.name.endswith(_SENDS_FILES):
            labels = labels.union(secret for secret in (secret_at(self.fold(arg)) for arg in call.args) if secret)
        if sends:
            if any(UNKNOWN in self.fold(value) for value in carried[1:]):
                self.emit("sends_content", call.line, host)
            self.sent(labels, call, host)
        elif labels & _leaks(labels):
            self.sent(_leaks(labels), call, host)

    def _touches(self, call: Call, meaning: str, name: str) -> None:
        path = self.fold(call.args[0]) if call.args else ""
        if meaning == words.WRITE and call.receiver is not None and not call.name.startswith(("fs", "shutil", "os")):
            path = self.fold(call.receiver)
        mode = self.fold(call.args[1]) if len(call.args) > 1 else self.fold(call.keyword("mode"))
        writes = meaning == words.WRITE or (name.endswith("open") and mode[:1] in ("w", "a", "x"))
        if name.startswith(("shutil", "os.rename", "os.replace", "os.symlink")) and len(call.args) > 1:
            self._copied(self.fold(call.args[0]), call)
            path = self.fold(call.args[1]) if meaning == words.WRITE else path
        if meaning == words.DELETE:
            if words.SYSTEM_PATH.search(path.strip()) or (call.args and HOME_FOLDER in self.labels(call.args[0])):
                self.emit("destroys", call.line, path)
        elif writes:
            self.wrote(path, call.line)
        else:
            secret = secret_at(path)
            if secret is not None:
                self.emit("reads_secret" if secret.kind == "secret" else "reads_env_file", call.line, secret.detail)

    def _copied(self, path: str, call: Call) -> None:
        secret = secret_at(path)
        if secret is not None and secret.kind == "secret":
            self.emit("reads_secret", call.line, secret.detail)

    def wrote(self, path: str, line: int) -> None:
        if path.endswith((".pth", "sitecustomize.py", "usercustomize.py")):
            self.emit("writes_interpreter_hook", line, path[-60:].replace(UNKNOWN, "…"))
        if words.STARTUP_PATH.search(path):
            self.emit("writes_startup", line, path[-60:].replace(UNKNOWN, "…"))
        if words.AGENT_CONFIG_PATH.search(path):
            self.emit("writes_agent_config", line, path[-60:].replace(UNKNOWN, "…"))
        if words.WORKFLOW_PATH.search(path):
            self.emit("writes_workflow", line, path[-60:].replace(UNKNOWN, "…"))

    def _look_inside(self, call: Call) -> None:
        text = self.fold_call(call, 0)
        if UNKNOWN not in text and len(text) > 8:
            self.nested("", text, call.line)


def _has(labels: Labels, kind: str) -> bool:
    return any(label.kind == kind for label in labels)


def _leaks(labels: Labels) -> Labels:
    return frozenset(
        label for label in labels if label.kind in ("secret", "secret_file", "environment", "parameter", "named_secret")
    )


def _is_options(arg: Expr, call: Call) -> bool:
    """JavaScript passes options as an object, whose fields are already in `named`."""
    return bool(call.named) and isinstance(arg, Mix) and not arg.joined


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'" if any(c in word for c in " \"'$|;&<>()*") else word
