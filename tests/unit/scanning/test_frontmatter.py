"""Frontmatter, also when it is hostile."""

from __future__ import annotations

import pytest
from skillgate.scanning.frontmatter import parse


def test_the_fields_are_read() -> None:
    front = parse(
        "---\nname: notes\ndescription: Keeps notes.\nversion: 1.2\nlicense: MIT\nallowed-tools: Bash(git "
        "add:*), Read\n---\n# Body\n"
    )
    assert (front.name, front.description, front.version, front.license) == ("notes", "Keeps notes.", "1.2", "MIT")
    assert front.allowed_tools == ("Bash(git add:*)", "Read")
    assert front.body == "# Body\n"
    assert front.errors == ()


def test_tools_may_be_a_list_or_separated_by_spaces() -> None:
    assert parse("---\nallowed-tools: [Read, Write]\n---\n").allowed_tools == ("Read", "Write")
    assert parse("---\nallowed-tools: Read Write\n---\n").allowed_tools == ("Read", "Write")


def test_the_body_starts_at_the_right_line() -> None:
    assert parse("---\nname: x\n---\nbody").lines == 3


def test_what_is_missing_is_said() -> None:
    assert parse("# Only a body").errors == ("no frontmatter",)
    assert "no description" in parse("---\nname: x\n---\n").errors


def test_broken_yaml_still_gives_the_name() -> None:
    front = parse('---\nname: notes\ndescription: "unclosed\n---\n')
    assert front.name == "notes"
    assert any("not valid YAML" in error for error in front.errors)


def test_aliases_are_refused() -> None:
    bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n"
    assert "frontmatter uses YAML aliases" in parse(bomb).errors


def test_tags_build_no_objects() -> None:
    front = parse("---\nname: !!python/object/apply:os.system ['true']\n---\n")
    assert any("not valid YAML" in error for error in front.errors)


def test_a_huge_block_is_refused() -> None:
    assert any("larger than" in error for error in parse("---\nname: " + "x" * 70_000 + "\n---\n").errors)


def test_a_date_or_a_number_is_text() -> None:
    assert parse("---\nname: 2024-01-01\nversion: 3\n---\n").version == "3"


@pytest.mark.parametrize(
    ("text", "unusable"),
    [
        ("---\ntitle: [\n---\nbody", True),
        ("---\na line between two rules\n---\nbody", False),
        ("---\nname: still-readable\ndescription: a: b: c\n---\nbody", False),
        ("---\ndescription: no name, but it parses\n---\nbody", False),
        ("no block at all", False),
    ],
)
def test_only_a_block_that_does_not_parse_and_hides_the_name_is_unusable(text: str, unusable: bool) -> None:
    assert bool(parse(text).unusable) is unusable
