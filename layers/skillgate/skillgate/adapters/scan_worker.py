"""Handing jobs to the scanners' VMs over HTTP."""

from __future__ import annotations

from datetime import datetime

import httpx

from skillgate.domain.signatures import job_headers
from skillgate.observability import logger
from skillgate.ports import Handover

_CONNECT_SECONDS = 2.0
_AT_ONCE = 64


def scan_worker_client() -> httpx.Client:
    return httpx.Client(
        trust_env=False,
        follow_redirects=False,  # a job goes where it was configured to go, and nowhere else
        limits=httpx.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE),
    )


class HttpScanWorkers:
    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def hand_over(self, worker: str, body: bytes, *, secret: str, now: datetime, timeout: float) -> Handover:
        headers = job_headers(body, secret, now) | {"content-type": "application/json"}
        waits = httpx.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        try:
            answer = self._client.post(f"{worker.rstrip('/')}/jobs", content=body, headers=headers, timeout=waits)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            logger.warning("scan_worker_down", worker=worker, error=type(error).__name__)
            return Handover.UNREACHED
        except httpx.HTTPError as error:
            logger.warning("scan_worker_silent", worker=worker, error=type(error).__name__)
            return Handover.REFUSED
        if answer.is_success:
            return Handover.TAKEN
        logger.warning("scan_worker_refused", worker=worker, status=answer.status_code)
        return Handover.NOT_INSTALLED if answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY else Handover.REFUSED
