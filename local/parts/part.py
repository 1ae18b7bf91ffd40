"""What all parts have in common: how they are started, stopped, killed and kept apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from local.parts.process import ChildProcess, DirectoryLock, Guardian, LogLine, PartError

PROJECT = Path(__file__).resolve().parents[2]


class Part(ABC):
    """One process of the stack. Without a guardian given, each start brings one of its own.

    `directory` keeps its data, and no other process can start a part on it meanwhile; None is for data in memory.
    """

    def __init__(self, name: str, directory: Path | None, *, guardian: Guardian | None, log: LogLine | None) -> None:
        self.name = name
        self._directory = None if directory is None else directory.absolute()
        self._given_guardian, self._log = guardian, log
        self._guardian: Guardian | None = None
        self._lock: DirectoryLock | None = None
        self._child: ChildProcess | None = None

    @abstractmethod
    def _launch(self, guardian: Guardian) -> ChildProcess:
        """Start the process and return when it answers. Raises PartError, with no process left, where it does not."""

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.is_running

    def start(self) -> Self:
        if self._child is not None:
            raise PartError(self.name, "is already started")
        try:
            if self._directory is not None:
                self._lock = DirectoryLock(self.name, self._directory)
            self._guardian = self._given_guardian or Guardian()
            self._child = self._launch(self._guardian)
        except BaseException:
            self._release()
            raise
        return self

    def stop(self) -> None:
        """End it in good order. Does nothing where it was not started."""
        if self._child is not None:
            self._child.stop()
        self._release()

    def kill(self) -> None:
        """End it as a power cut would; `start()` may be called again."""
        self._running().kill()
        self._release()

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def _running(self) -> ChildProcess:
        if self._child is None:
            raise PartError(self.name, "is not started")
        return self._child

    def _release(self) -> None:
        self._child = None
        if self._guardian is not None and self._guardian is not self._given_guardian:
            self._guardian.close()
        self._guardian = None
        if self._lock is not None:
            self._lock.release()
        self._lock = None
