"""What dispatching needs, as one value. It is made when the dispatcher starts and handed to what uses it."""

from __future__ import annotations

from dataclasses import dataclass, field

from skillgate.settings import Settings, SettingsError

CALLBACK_PATH = "/api/v1/webhooks/scan-results"


@dataclass(frozen=True)
class DispatchConfig:
    """`workers` is empty where none are configured: a state that the statistics show, and no error."""

    workers: tuple[str, ...]
    per_hour: int
    callback_url: str = ""
    secret: str = field(default="", repr=False)


def dispatch_config(settings: Settings) -> DispatchConfig:
    """Raises SettingsError with the name of everything that workers need and that is missing."""
    if not settings.scan_workers:
        return DispatchConfig((), settings.external_scans_per_hour)
    required = {
        "SCAN_WORKER_SECRET": settings.scan_worker_secret and settings.scan_worker_secret.get_secret_value(),
        "WEBHOOK_SECRETS": settings.webhook_secrets,  # without one, no result could ever be taken
        "PUBLIC_URL": settings.public_url,
    }
    missing = [name for name, value in required.items() if not value]
    if missing:
        raise SettingsError(f"SCAN_WORKERS is set, and these are missing: {', '.join(missing)}")
    assert settings.scan_worker_secret is not None
    return DispatchConfig(
        workers=settings.scan_workers,
        per_hour=settings.external_scans_per_hour,
        callback_url=settings.public_url.rstrip("/") + CALLBACK_PATH,
        secret=settings.scan_worker_secret.get_secret_value(),
    )
