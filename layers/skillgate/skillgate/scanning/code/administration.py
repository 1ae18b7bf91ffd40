"""Commands that change the machine rather than move data."""

from __future__ import annotations

from collections.abc import Iterator

from skillgate.scanning.code.vocabulary import SECRET_NAME, SYSTEM_PATH

_INSTALLERS = frozenset(
    ("pip", "pip3", "npm", "pnpm", "yarn", "uv", "npx", "gem", "brew", "cargo", "go", "uvx", "bunx")
)
_GUARDS = frozenset(("xattr", "spctl", "csrutil", "setenforce", "ufw", "set-mppreference"))
_GUARDS_DOWN = ("quarantine", " -c", " -cr", "-rc", "disable", " 0", "true")
_SETUID = frozenset(("u+s", "4755", "+s"))
_OPEN_TO_ALL = frozenset(("777", "0777", "a+rwx", *_SETUID))
_HOST_MOUNTS = ("-v /:/", "/etc/shadow", "/root/.ssh", "source=/proc", "-v /etc:", "--mount type=bind,source=/,")
_PRIVILEGES = ("--privileged", "--cap-add=ALL", "SYS_ADMIN", "--pid=host")


def facts(name: str, line: str) -> Iterator[str]:
    """The kinds of facts that a command line states; `name` is the command without its path."""
    flags = line.split()
    lowered = line.lower()
    if _destroys(name, line, flags):
        yield "destroys"
    elif (name == "crontab" and not {"-l", "-e"} & set(flags)) or (
        name in ("launchctl", "schtasks") and any(word in lowered for word in ("load", "bootstrap", "/create"))
    ):
        yield "writes_startup"
    elif (name == "history" and "-c" in flags) or (name == "unset" and "HISTFILE" in line):
        yield "hides_traces"
    elif name in _GUARDS and any(word in lowered for word in _GUARDS_DOWN):
        yield "disables_protection_command"
    elif name in ("iptables", "nft", "pfctl"):
        yield "changes_network"
    elif name in ("chmod", "chown", "useradd", "usermod", "visudo", "dscl"):
        yield from _rights(name, line, flags)
    elif name in ("docker", "podman") and "run" in flags:
        yield from _container(line)
    elif name == "sudo":
        yield "uses_sudo"
    elif name in _INSTALLERS:
        yield "installs"


def _destroys(name: str, line: str, flags: list[str]) -> bool:
    if name == "rm" and any(flag.startswith("-") and "r" in flag.lower() for flag in flags):
        return any(SYSTEM_PATH.search(word) for word in flags[1:] if not word.startswith("-"))
    if name == "find" and "-delete" in flags and len(flags) > 1:
        return bool(SYSTEM_PATH.search(flags[1]))
    if name in ("shred", "wipefs", "dd"):
        return "of=/dev/" in line or any(word.startswith("/dev/") for word in flags[1:])
    return name == "mkfs" or name.startswith("mkfs.")


def _rights(name: str, line: str, flags: list[str]) -> Iterator[str]:
    if name == "chmod":
        if _SETUID & set(flags) and ("sh" in flags[-1] or "/." in flags[-1] or flags[-1].startswith("/tmp")):  # noqa: S108 - looked for
            yield "sets_root_shell"
        elif _OPEN_TO_ALL & set(flags):
            yield "opens_permissions"
    elif name == "chown":
        if any(word.startswith("root") for word in flags):
            yield "takes_root_ownership"
    elif "-u 0" in line or "-ou 0" in line or {"sudo", "wheel"} & set(flags):
        yield "sets_root_shell"


def _container(line: str) -> Iterator[str]:
    if "docker.sock" in line:
        yield "mounts_docker_socket"
    if any(privilege in line for privilege in _PRIVILEGES):
        yield "privileged_container"
    if any(mount in line for mount in _HOST_MOUNTS):
        yield "mounts_host"
    if any(SECRET_NAME.search(word) for word in line.split() if "=" in word):
        yield "passes_secret"
