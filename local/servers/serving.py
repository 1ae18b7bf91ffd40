"""Running a stand-in as a program: say where it listens, and stop cleanly when told to."""

import signal
import threading
from typing import Protocol


class Startable(Protocol):
    @property
    def url(self) -> str: ...

    def start(self) -> object: ...

    def stop(self) -> None: ...


def serve_until_told_to_stop(name: str, stand_in: Startable) -> None:
    """Prints one line when ready, and returns after SIGTERM or SIGINT."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    stand_in.start()
    try:
        print(f"{name} listening on {stand_in.url}", flush=True)
        told.wait()
    finally:
        stand_in.stop()
