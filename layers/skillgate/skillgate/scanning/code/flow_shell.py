"""What commands mean in a shell."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from itertools import pairwise

from skillgate.scanning.code import administration
from skillgate.scanning.code import vocabulary as words
from skillgate.scanning.code.flow import NONE, UNKNOWN, Flow, Label, Labels, Summaries, secret_at, unpack
from skillgate.scanning.code.ir import Call, Const, Expr, Mix, Ref
from skillgate.scanning.hosts import host_of

_READERS = frozenset(
    "cat head tail less more strings tac type get-content gc xxd od tar zip gzip cp scp rsync sqlite3 security".split()
)
_BODY_FLAGS = (
    "-d",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--json",
    "--post-data",
    "--post-file",
    "-Body",
)
_OUTPUT_FLAGS = ("-o", "--output", "-O", "--output-document", "-OutFile")
_VALUE_FLAGS = frozenset(
    (
        "-H",
        "--header",
        "-X",
        "--request",
        "-u",
        "--user",
        "-A",
        "--user-agent",
        "-m",
        "--max-time",
        "--retry",
        *_OUTPUT_FLAGS,
    )
)
_COPIERS = frozenset("scp rsync sftp ftp mail sendmail mutt aws gsutil rclone gh az".split())
_DECODERS = frozenset(["base64", "base32", "openssl", "xxd", "gunzip", "zcat", "uudecode", "rev", "tr"])
_FORGES = ("github.com", "gitlab.", "bitbucket.org", "codeberg.org", "huggingface.co", "git.sr.ht", "?")


_COMBINED_OUTPUT = re.compile(r"-[A-Za-z]{1,6}[oO]")


def _takes_value(flag: str) -> bool:
    return flag in _VALUE_FLAGS or flag in _BODY_FLAGS or bool(_COMBINED_OUTPUT.fullmatch(flag))


class ShellFlow(Flow):
    def named(self, ref: Ref) -> Labels | None:
        if (self.scope, ref.name) in self.values or ("", ref.name) in self.values:
            return None
        return frozenset({Label("named_secret", ref.name)}) if words.SECRET_NAME.search(ref.name) else NONE

    def origin(self, call: Call) -> Labels | None:
        name = call.name
        if name in words.FETCHERS:
            host = self._target(call)
            secret = secret_at(host)
            return frozenset({Label("fetched", host), *([secret] if secret else [])})
        if name in ("nslookup", "dig", "host"):
            return frozenset({Label("fetched", "dns")})
        if name in ("env", "printenv", "set", "export") and not call.args:
            return frozenset({Label("environment", name)})
        if name in _READERS or name == "find":
            return self._read(call)
        if name in _DECODERS and self._decodes(call):
            piped = NONE.union(*(self.labels(part) for part in (*call.args, call.stdin)))
            return piped | {Label("decoded", name)}
        if name in ("grep", "test", "[", "which", "ls", "stat", "wc"):
            return self.labels(call.stdin)
        return None

    def _read(self, call: Call) -> Labels:
        found = self.labels(call.stdin)
        for arg in call.args:
            path = self.fold(arg)
            secret = secret_at(path)
            found = found | ({secret} if secret else NONE) | self.file(path) | self.labels(arg)
        return found

    def _decodes(self, call: Call) -> bool:
        flags = " ".join(self.fold(arg) for arg in call.args)
        if call.name in ("gunzip", "zcat", "uudecode"):
            return True
        if call.name == "openssl":
            return " -d" in f" {flags}"
        if call.name == "xxd":
            return "-r" in flags
        if call.name in ("rev", "tr"):
            return call.name == "rev" or "A-Za-z" in flags
        return any(flag in f" {flags} " for flag in (" -d ", " -D ", " --decode ", " -di ", " -id "))

    def _target(self, call: Call) -> str:
        """The host, after `http://` where the connection is in the clear."""
        texts = [self.fold(arg) for arg in call.args]
        url = next((text for text in texts if "://" in text), "")
        if not url:
            plain = (
                text
                for before, text in zip(["", *texts], texts, strict=False)
                if not _takes_value(before) and not text.startswith("-")
            )
            url = next((text for text in plain if "." in text), "")
        return ("http://" if url.startswith("http://") else "") + host_of(url)

    def effects(self, call: Call) -> None:
        name = call.name
        if name in words.FETCHERS:
            self._talks(call)
        elif (
            name in words.SHELLS
            or name in words.INTERPRETERS
            or name in ("eval", "source", ".", "iex", "invoke-expression")
        ):
            self._executes(call)
        elif name in ("dig", "nslookup", "host", "ping") and call.args:
            carried = NONE.union(*(self.labels(arg) for arg in call.args))
            if carried:
                self.sent(carried, call, "a host name")
        elif name in ("nc", "ncat", "netcat", "socat", "telnet"):
            self._netcat(call)
        elif name == ">":
            self._redirect(call)
        elif name in ("tee", "cp", "mv", "ln", "install") and call.args:
            self.wrote(self.fold(call.args[-1]), call.line, call)
            self._reads(call)
        elif name == "dd":
            self._administers(call)
        elif name in _READERS or name in ("grep", "find"):
            self._reads(call)
            self._administers(call)
        elif name in _DECODERS and self._decodes(call):
            self.emit("decodes", call.line, name)
            self._look_inside(call)
        else:
            self._administers(call)
        if call.receiver is not None:
            self._runs_file(call)
        if name == "ssh" and call.stdin is not None:
            self.sent(self.labels(call.stdin), call, self.fold(call.args[0]) if call.args else "?")
        if name == "git" and "push" in self._line(call) and "://" in self._line(call):
            self.emit("sends", call.line, host_of(self._line(call)))
        if name in _COPIERS:
            self._copies_out(call)

    def _line(self, call: Call) -> str:
        return " ".join([call.name, *(self.fold(arg) for arg in call.args)])

    def _talks(self, call: Call) -> None:
        host = self._target(call)
        self.emit("fetches", call.line, host)
        carried = self._carried(call)
        if carried:
            if any(UNKNOWN in text or "@" in text for text in map(self.fold, carried)):
                self.emit("sends_content", call.line, host)
            self.sent(NONE.union(*(self._body(value, call) for value in carried)), call, host)

    def _carried(self, call: Call) -> list[Expr]:
        """What a request takes along: its body, its form fields, and a URL that is put together."""
        carried: list[Expr] = []
        for index, arg in enumerate(call.args):
            flag = self.fold(arg)
            if flag in _BODY_FLAGS:
                carried += call.args[index + 1 : index + 2]
            elif any(
                flag.startswith(f"{body}=" if len(body) > 2 else body) and flag != body for body in _BODY_FLAGS
            ) or ("://" in flag and not isinstance(arg, Const)):
                carried.append(arg)
        return carried

    def _saved_as(self, call: Call) -> str:
        """The file that a download is written to, empty where it goes to the output."""
        given = [self.fold(arg) for arg in call.args]
        for flag, following in pairwise(given):
            if (flag in _OUTPUT_FLAGS or _COMBINED_OUTPUT.fullmatch(flag)) and not following.startswith(("-", "http")):
                return following
        if call.name == "wget" or "-O" in given or "--remote-name" in given:
            url = next((text for text in given if "://" in text), "")
            return url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
        return ""

    def _file_at(self, path: str) -> Labels:
        secret = secret_at(path)
        return self.file(path) | ({secret} if secret else NONE)

    def _body(self, value: Expr, call: Call) -> Labels:
        """`-d @file` and `-F x=@file` send a file's content, `@-` what is piped in."""
        text = self.fold(value)
        found = self.labels(value) | self._file_at(text)
        if "@" in text:
            path = text.split("@", 1)[1]
            found = found | self._file_at(path)
            if path.startswith("-"):
                found = found | self.labels(call.stdin)
        elif "@-" in text or text == "-":
            found = found | self.labels(call.stdin)
        return found

    def settle(self) -> Summaries:
        summaries = super().settle()
        for _, value in self.program.exprs:
            self._downloads(value)
        for (_, name), labels in list(self.values.items()):
            if name.startswith("file:"):
                self.wrote_file(name.removeprefix("file:"), labels)
        return summaries

    def _downloads(self, value: Expr) -> None:
        """Files that a command leaves behind must be known before anything runs them."""
        stack = [value]
        while stack:
            current = stack.pop()
            if isinstance(current, Mix):
                stack.extend(current.parts)
            elif isinstance(current, Call):
                stack.extend((*current.args, *([current.stdin] if current.stdin else [])))
                if current.name in words.FETCHERS:
                    path = self._saved_as(current)
                    if path:
                        self.wrote_file(path, frozenset({Label("fetched", self._target(current))}))
                elif current.name == "git" and current.args and self.fold(current.args[0]) == "clone":
                    self.values[("", "cloned")] = frozenset({Label("fetched", host_of(self._line(current)))})

    def _executes(self, call: Call) -> None:
        self.emit("executes_command", call.line, self._line(call)[:80].replace(UNKNOWN, "…"))
        given = self.labels(call.stdin) if self._reads_code(call) else NONE
        code_next = False
        for arg in call.args:
            text = self.fold(arg)
            if code_next or call.name in ("eval", "iex", "invoke-expression"):
                self.executed(self.labels(arg), call, call.name)
                self._inline(call, text)
                code_next = False
            elif text in ("-c", "-e", "-lc", "-ic", "-Command", "/c", "-enc", "-EncodedCommand", "-r", "--eval", "-ec"):
                code_next = True
            elif not text.startswith("-"):
                given = given | self.file(text)
                given = given | frozenset(
                    label
                    for label in self.labels(arg)
                    if isinstance(arg, Call) and label.kind in ("fetched", "decoded")
                )
        self.executed(given, call, call.name)
        for label in self.values.get(("", "cloned"), NONE):
            if not label.detail.startswith(_FORGES):
                self.emit("clone_executed_nowhere", call.line, label.detail)
        if call.stdin is not None:
            piped = self.fold(call.stdin)
            if UNKNOWN not in piped and piped.strip():
                self._inline(call, piped)

    def _reads_code(self, call: Call) -> bool:
        """An interpreter takes what is piped in as code unless it was given a script, a module or code."""
        if call.name in ("source", ".", "eval"):
            return True
        given = [self.fold(arg) for arg in call.args]
        if any(
            flag in ("-c", "-m", "-e", "-lc", "--eval", "-p", "-n", "-ne", "-pe") or flag.startswith("-m")
            for flag in given
        ):
            return call.name in words.SHELLS and "-c" not in given
        script = next((word for word in given if not word.startswith("-") or word == "-"), "-")
        return script in ("-", "/dev/stdin") or "-s" in given

    def _inline(self, call: Call, text: str) -> None:
        language = words.INTERPRETERS.get(call.name, "shell")
        if text.replace(UNKNOWN, "").strip():
            self.nested(language, text.replace(UNKNOWN, "X"), call.line)

    def _runs_file(self, call: Call) -> None:
        path = self.fold(call.receiver)
        labels = self.file(path)
        if isinstance(call.receiver, (Call, Ref)):
            labels = labels | frozenset(
                label for label in self.labels(call.receiver) if label.kind in ("fetched", "decoded")
            )
        self.executed(labels, call, path)

    def _netcat(self, call: Call) -> None:
        line = self._line(call)
        if (
            any(f" {flag} " in f"{line} " for flag in ("-e", "-c", "--exec", "--sh-exec"))
            or "EXEC:" in line.upper()
            or "SYSTEM:" in line
        ):
            self.emit("reverse_shell", call.line, line[:80])
        elif call.stdin is not None:
            self.sent(self.labels(call.stdin), call, host_of(line))

    def _redirect(self, call: Call) -> None:
        target = self.fold(call.args[0])
        if target.startswith(("/dev/tcp/", "/dev/udp/")):
            labels = self.labels(call.stdin)
            name = call.stdin.name if isinstance(call.stdin, Call) else ""
            if name in words.SHELLS or name in ("exec", "$command"):
                self.emit("reverse_shell", call.line, target)
            else:
                self.sent(labels, call, target.split("/")[3] if target.count("/") > 2 else target)
        else:
            self.wrote(target, call.line, call)

    def wrote(self, path: str, line: int, call: Call) -> None:
        if words.STARTUP_PATH.search(path):
            self.emit("writes_startup", line, path[-60:])
            written = self.fold(call.stdin)
            if UNKNOWN not in written and written.strip():
                self.nested("shell", written, line)
            if self.labels(call.stdin) and any(
                label.kind in ("fetched", "decoded") for label in self.labels(call.stdin)
            ):
                self.emit("fetched_executed", line, path[-60:])
        if words.AGENT_CONFIG_PATH.search(path):
            settings = call.stdin is not None and path.endswith(
                ("settings.json", "settings.local.json", "mcp.json", ".claude.json")
            )
            self.emit("writes_agent_settings" if settings else "writes_agent_config", line, path[-60:])
        if words.WORKFLOW_PATH.search(path):
            self.emit("writes_workflow", line, path[-60:])
        if path == "/etc/hosts":
            self.emit("changes_network", line, path)

    def _reads(self, call: Call) -> None:
        for label in self._read(call):
            if label.kind == "secret":
                self.emit("reads_secret", call.line, label.detail)
        if (call.name == "security" and "find-generic-password" in self._line(call)) or "dump-keychain" in self._line(
            call
        ):
            self.emit("reads_secret", call.line, "keychain")

    def _copies_out(self, call: Call) -> None:
        line = self._line(call)
        if call.name in ("mail", "sendmail", "mutt") or ":" in line or "@" in line or "gist create" in line:
            labels = self._read(call)
            if labels:
                self.sent(labels, call, line.split(" ")[-1][:60])

    def _look_inside(self, call: Call) -> None:
        piped = self.fold(call.stdin) if call.stdin is not None else UNKNOWN
        if isinstance(call.stdin, Call) and call.stdin.name in ("echo", "printf") and call.stdin.args:
            piped = self.fold(call.stdin.args[-1])
        if UNKNOWN not in piped:
            text = piped[::-1] if call.name == "rev" else unpack("hex" if call.name == "xxd" else "b64", piped.strip())
            if UNKNOWN not in text:
                self.nested("", text, call.line)

    def fold_call(self, call: Call, depth: int) -> str:
        if call.name in ("echo", "printf") and call.args:
            return " ".join(
                self.fold(arg, depth + 1) for arg in call.args if self.fold(arg, depth + 1) not in ("-n", "-e")
            )
        if call.name == "base64" and call.stdin is not None and self._decodes(call):
            return unpack("b64", self.fold(call.stdin, depth + 1).strip())
        if call.name in ("sudo", "command", "env") and call.args:
            return self.fold(call.args[0], depth + 1)
        return UNKNOWN

    def _administers(self, call: Call) -> None:
        for kind in administration.facts(call.name, self._line(call)):
            self.emit(kind, call.line, self._line(call)[:160])
