"""Whether processes are still there."""

from pathlib import Path


def is_running(pid: int) -> bool:
    """False also for a process that ended and whose parent has not looked yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")
