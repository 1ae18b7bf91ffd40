"""The README's commands and the pages' links, as `make newcomer` reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from local.newcomer import links
from local.newcomer.readme import LEFT_OUT, LONG, commands, needs_the_stack
from tests.support.backends import PROJECT

README = (PROJECT / "README.md").read_text()
SHOWN = commands(README)


def test_commands_come_from_blocks_tables_and_sentences() -> None:
    text = """
```sh
make run     # starts it
curl -i http://127.0.0.1:8080/x \\
     -d '{"a": 1}'
```
```
not a command
```
Call `make lint`, or see `local/examples`; `sam local
invoke X` needs more. | `LIMIT=1 make run` |

| `Sweeper` | `events/a.json`, `events/b.json` |
"""
    assert commands(text) == [
        "make run",
        "curl -i http://127.0.0.1:8080/x -d '{\"a\": 1}'",
        "make lint",
        "sam local invoke X",
        "LIMIT=1 make run",
        "make invoke FUNCTION=Sweeper EVENT=events/a.json",
        "make invoke FUNCTION=Sweeper EVENT=events/b.json",
    ]


@pytest.mark.parametrize("command", sorted(LEFT_OUT | LONG))
def test_what_is_left_out_is_in_the_readme_and_has_a_reason(command: str) -> None:
    assert command in SHOWN
    assert (LEFT_OUT | LONG)[command]


def test_the_two_commands_of_the_readme_come_first() -> None:
    assert SHOWN[:2] == ["make run", "make test"]


def test_every_function_has_a_command_with_an_event_that_is_there() -> None:
    invoked = [command for command in SHOWN if command.startswith("make invoke FUNCTION=")]
    functions = {command.split("FUNCTION=")[1].split()[0] for command in invoked}
    assert len(functions) == len(list((PROJECT / "functions").glob("*/app.py")))
    assert all((PROJECT / command.split("EVENT=")[1]).is_file() for command in invoked)
    assert all(map(needs_the_stack, invoked))


def test_no_link_of_ours_leads_nowhere() -> None:
    assert list(links.broken(PROJECT)) == []
    assert len(links.pages(PROJECT)) >= 8


@pytest.mark.parametrize(
    ("link", "trouble"),
    [
        ("there.md", None),
        ("there.md#a-heading", None),
        ("#at-home", None),
        ("https://example.com/x", None),
        ("gone.md", "is not there"),
        ("there.md#nothing", "has no such heading"),
        ("../../outside.md", "leads out of the repository"),
        ("https:///nowhere", "is no address"),
    ],
)
def test_a_link_is_followed(tmp_path: Path, link: str, trouble: str | None) -> None:
    (tmp_path / "there.md").write_text("# A `heading`!\n")
    (tmp_path / "page.md").write_text(f"# At home\nSee [it]({link}), not `[this](no.md)`.\n")
    found = list(links.broken(tmp_path))
    assert found == ([f"page.md: {link}: {trouble}"] if trouble else [])


def test_headings_of_the_same_words_are_numbered() -> None:
    assert links.anchors_of("# One\n## One\n```\n# not one\n```\n") == {"one", "one-1"}
