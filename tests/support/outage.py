"""A backend whose stores are away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NoReturn

from skillgate.domain.errors import StoreUnavailable
from skillgate.ports import Backend


class Away:
    """Stands for any port of a store that cannot be reached."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise StoreUnavailable(f"The store is away ({name}).", retry_after=5)

        return refuse


_POSTGRES = (
    "store", "skills", "operators", "idempotency_fallback", "discoveries", "external_scans", "accounts", "disputes",
    "catalogue", "versions", "installs", "blocklist", "contents", "charts",
)  # fmt: skip


def without_postgres(backend: Backend) -> Backend:
    ports: dict[str, Any] = dict.fromkeys(_POSTGRES, Away())
    return replace(backend, **ports)


def without_dynamodb(backend: Backend) -> Backend:
    ports: dict[str, Any] = dict.fromkeys(("live", "idempotency"), Away())
    return replace(backend, **ports)


def later(backend: Backend, by: timedelta) -> Backend:
    """The backend at a later time."""

    def now() -> datetime:
        return backend.now() + by

    return replace(backend, now=now)
