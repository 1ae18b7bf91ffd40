"""A unit test opens no socket. Some adapters are tested against a stub on this machine; those may reach it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

LOOPBACK_ALLOWED = {"adapters"}
_CALLS = ("connect", "connect_ex", "bind", "sendto")


@pytest.fixture(autouse=True)
def no_sockets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(request.node.path).relative_to(Path(__file__).parent).parts[0]
    for name in _CALLS:
        monkeypatch.setattr(socket.socket, name, _guarded(name, loopback=folder in LOOPBACK_ALLOWED))


def _guarded(name: str, *, loopback: bool) -> Any:
    real = getattr(socket.socket, name)

    def call(self: socket.socket, *arguments: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = arguments[-1][0]
            if not loopback or host not in ("127.0.0.1", "::1", "localhost"):
                raise AssertionError(f"A unit test wanted to {name} a socket ({host})")
        return real(self, *arguments)

    return call
