"""A bound on memory, for what must not be unpacked."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def most_memory(limit: int) -> Iterator[None]:
    """Fails if more than this was in use at once; what was in use before does not count."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit, f"{peak:,} bytes at once"
