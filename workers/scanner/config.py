"""What can be configured, from the environment; what is required and missing is named."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
OWN_RULES = Path(__file__).with_name("rules")


class ConfigError(Exception):
    """A variable is missing or does not fit. The message names each."""


@dataclass(frozen=True)
class Limits:
    """What one job may cost. Over one of the first four it fails; a single file that is too large is left out."""

    download_bytes: int = 100 * MEGABYTE
    unpacked_bytes: int = 500 * MEGABYTE
    files: int = 5_000
    download_seconds: float = 120.0
    file_bytes: int = 5 * MEGABYTE
    scan_seconds: float = 600.0
    output_bytes: int = 50 * MEGABYTE


@dataclass(frozen=True)
class Config:
    secrets: tuple[str, ...]
    webhook_secret: str
    data: Path
    host: str = "127.0.0.1"
    port: int = 8090
    concurrency: int = 2
    backlog: int = 200
    tools: Path = Path(sys.executable).parent
    rules: Path = OWN_RULES
    github_api_url: str = "https://api.github.com"
    limits: Limits = Limits()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], *, port: int | None = None) -> Config:
        """Raises ConfigError with the name of everything that is missing or wrong."""
        missing = [name for name in ("SCAN_WORKER_SECRET", "WEBHOOK_SECRET") if not environment.get(name)]
        if missing:
            raise ConfigError(f"Required and not set: {', '.join(missing)}")
        return cls(
            secrets=tuple(part.strip() for part in environment["SCAN_WORKER_SECRET"].split(",") if part.strip()),
            webhook_secret=environment["WEBHOOK_SECRET"],
            data=Path(environment.get("WORKER_DATA") or "worker-data").absolute(),
            host=environment.get("WORKER_HOST") or cls.host,
            port=port if port is not None else _number(environment, "WORKER_PORT", cls.port, lowest=0),
            concurrency=_number(environment, "WORKER_CONCURRENCY", cls.concurrency),
            backlog=_number(environment, "WORKER_BACKLOG", cls.backlog),
            tools=Path(environment.get("SCANNER_TOOLS") or cls.tools).absolute(),
            github_api_url=(environment.get("GITHUB_API_URL") or cls.github_api_url).rstrip("/"),
        )


def _number(environment: Mapping[str, str], name: str, default: int, *, lowest: int = 1) -> int:
    text = environment.get(name) or str(default)
    if not text.isdecimal() or int(text) < lowest:
        raise ConfigError(f"{name} must be a whole number of at least {lowest}")
    return int(text)
