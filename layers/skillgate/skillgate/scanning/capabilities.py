"""What a skill was seen to do, in words that its author can compare with what it declares."""

from __future__ import annotations

from collections.abc import Sequence

from skillgate.scanning.facts import Fact

_OBSERVED = {
    "network": (
        "fetches",
        "sends",
        "sends_to_drop",
        "fetched_executed",
        "fetched_executed_nowhere",
        "fetches_command",
        "installer_executed",
    ),
    "shell": ("executes_command", "uses_sudo", "installs"),
    "dynamic code": ("executes_code", "decoded_executed"),
    "secrets": ("reads_secret", "own_secret_sent", "secret_sent", "foreign_secret_sent", "reads_env_file"),
    "environment": ("environment_sent",),
    "start-up files": ("writes_startup", "windows_persistence"),
    "agent settings": ("writes_agent_config", "ships_agent_settings"),
    "packages": ("installs",),
    "root": ("uses_sudo", "privileged_container"),
}


def capabilities(facts: Sequence[Fact]) -> tuple[str, ...]:
    kinds = {fact.kind for fact in facts}
    return tuple(name for name, signs in _OBSERVED.items() if kinds.intersection(signs))


def unused_tools(declared: Sequence[str], facts: Sequence[Fact], texts: Sequence[str]) -> list[str]:
    """Declared tools of which no text shows a use. Only unrestricted shell and network access are looked at."""
    runs = bool({fact.kind for fact in facts}.intersection(_OBSERVED["shell"])) or any(map(_has_command, texts))
    browses = any("http" in text or "web" in text.lower() for text in texts)
    needless = {*(() if runs else ("bash", "shell", "bash(*)")), *(() if browses else ("webfetch", "websearch"))}
    return [tool for tool in declared if tool.lower() in needless]


def _has_command(text: str) -> bool:
    return "```" in text or "`" in text or text.startswith("#!")
