"""The worker itself: a few threads that scan, one that reports, and the store between them."""

from __future__ import annotations

import json
import logging
import tempfile
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from workers.scanner.commands import Commands, Stopped
from workers.scanner.config import Config
from workers.scanner.delivery import MAX_DELIVERIES, Answer, Deliverer, next_try
from workers.scanner.jobs import Added, Claimed, JobStore
from workers.scanner.model import Job, Report, ScanFailed
from workers.scanner.scanners import Scanner, installed_version, scanners
from workers.scanner.staging import download, stage

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3  # a job that has ended the process this often is not tried again
_LOOK_SECONDS = 1.0  # how long a delivery that became due may wait to be noticed
_KEEP_SECONDS = 7 * 24 * 3600
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


class Worker:
    """Started and stopped once. A stop interrupts running scans, and the next start takes them up again."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._jobs = JobStore(config.data / "jobs.sqlite")
        self._commands = Commands(config.tools, config.limits)
        self._known = scanners(config.rules, config.limits.file_bytes)
        # No environment: a proxy's credentials or a .netrc are not for strangers' repositories.
        self._client = httpx.Client(timeout=_TIMEOUT, trust_env=False, follow_redirects=False)
        self._deliverer = Deliverer(self._client, config.webhook_secret)
        self._stopping = threading.Event()
        self._work = threading.Semaphore(0)
        self._results = threading.Event()
        self._threads: list[threading.Thread] = []
        self.versions: dict[str, str | None] = {}

    def start(self) -> None:
        with tempfile.TemporaryDirectory(prefix="scan-") as scratch:
            self.versions = {
                name: installed_version(self._commands, scanner, Path(scratch)) for name, scanner in self._known.items()
            }
        recovered = self._jobs.recover()
        logger.info("worker_started scanners=%s recovered=%s", self.versions, recovered)
        for _ in range(self._jobs.counts().get("queued", 0)):
            self._work.release()
        self._threads = [
            threading.Thread(target=self._scan_jobs, name=f"scan-{n}") for n in range(self._config.concurrency)
        ]
        self._threads.append(threading.Thread(target=self._report_results, name="report"))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._commands.stop()
        self._results.set()
        for _ in self._threads:
            self._work.release()
        for thread in self._threads:
            thread.join()
        self._client.close()
        self._jobs.close()

    def can_run(self, provider: str) -> bool:
        return self.versions.get(provider) is not None

    def submit(self, job: Job, request: str) -> Added:
        added = self._jobs.add(job, request, time.time(), backlog=self._config.backlog)
        if added is Added.ACCEPTED:
            self._work.release()
        self._results.set()  # a job that was known may have its result to report again
        return added

    def health(self) -> dict[str, Any]:
        counts = self._jobs.counts()
        return {
            "status": "stopping" if self._stopping.is_set() else "ok",
            "scanners": self.versions,
            "running": counts.get("running", 0),
            "queued": counts.get("queued", 0),
            "unreported": counts.get("scanned", 0),
            "concurrency": self._config.concurrency,
            "backlog": self._config.backlog,
        }

    def _scan_jobs(self) -> None:
        while self._work.acquire() and not self._stopping.is_set():
            claimed = self._jobs.claim()
            if claimed is None:
                continue
            try:
                report = self._scan(claimed)
            except Stopped:
                self._jobs.put_back(claimed.job.job_id)
                return
            self._jobs.finish(claimed.job.job_id, json.dumps(report.as_dict()))
            self._results.set()

    def _scan(self, claimed: Claimed) -> Report:
        job, started = claimed.job, time.monotonic()
        version = self.versions.get(job.provider)
        try:
            if claimed.attempts > MAX_ATTEMPTS:
                raise ScanFailed("worker_crashed", f"The worker ended {MAX_ATTEMPTS} times while scanning this.")
            if version is None:
                raise ScanFailed("scanner_not_installed", f"{job.provider} is not installed on this worker.")
            self._deliverer.announce(job, f"msg_{uuid.uuid4().hex}")
            with tempfile.TemporaryDirectory(prefix="scan-") as scratch:
                scan = self._run(job, self._known[job.provider], Path(scratch), version)
            report = Report(job, "completed", _milliseconds(started), scan)
        except ScanFailed as error:
            logger.warning("scan_failed job=%s provider=%s code=%s", job.job_id, job.provider, error.code)
            report = self._failed(job, started, error.code, str(error))
        except Stopped:
            raise
        except Exception:
            logger.exception("scan_crashed job=%s provider=%s", job.job_id, job.provider)
            report = self._failed(job, started, "worker_error", "Something went wrong on the worker.")
        return report

    def _run(self, job: Job, scanner: Scanner, scratch: Path, version: str) -> Any:
        tarball = scratch / "repository.tar.gz"
        download(self._client, self._config.github_api_url, job, tarball, self._config.limits)
        staged = stage(tarball, job, scratch / "files", self._config.limits)
        return scanner.scan(self._commands, staged, scratch, version)

    def _failed(self, job: Job, started: float, code: str, message: str) -> Report:
        error = {"code": code, "message": message}
        version = self.versions.get(job.provider)
        return Report(job, "failed", _milliseconds(started), error=error, scanner_version=version)

    def _report_results(self) -> None:
        while not self._stopping.is_set():
            delivery = self._jobs.due(time.time())
            if delivery is None:
                self._jobs.forget(time.time() - _KEEP_SECONDS)
                self._results.wait(_LOOK_SECONDS)
                self._results.clear()
                continue
            answer = self._deliverer.deliver(delivery)
            if answer is Answer.TRY_AGAIN and delivery.deliveries < MAX_DELIVERIES:
                self._jobs.postpone(delivery.job.job_id, next_try(delivery.deliveries))
            else:
                self._jobs.end(delivery.job.job_id, time.time(), reported=answer is Answer.TAKEN)


def _milliseconds(started: float) -> int:
    return int((time.monotonic() - started) * 1000)
