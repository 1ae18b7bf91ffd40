"""The example repositories, their READMEs, the list of what becomes of them and the judge's script tell one story."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.bedrock import Script
from local.github.catalogue import Catalogue
from local.github.repository import Repository

EXAMPLES = Path(__file__).parents[3] / "local" / "examples"
REPOSITORIES = EXAMPLES / "repositories"
EXPECTED: list[dict[str, str]] = yaml.safe_load((EXAMPLES / "expected.yaml").read_text(encoding="utf-8"))
STATES = {"PUBLISHED", "TIER1_FAILED", "REJECTED", "NEEDS_REVIEW"}
WITHOUT_SKILL = {"example-org/just-docs", "example-org/empty-start"}
RENAMED = {"acme-labs/changelog-bot": "acme-labs/changelog"}

HOST = re.compile(r"(?:https?://|/dev/tcp/)([A-Za-z0-9.-]+)")
ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\U000e0020-\U000e007f]")


def name_of(entry: dict[str, str]) -> str:
    return entry["repoUrl"].removeprefix("https://github.com/")


def prompt_name(entry: dict[str, str]) -> str:
    repository = RENAMED.get(name_of(entry), name_of(entry))
    skill = repository.split("/")[1] if entry["skillPath"] == "." else entry["skillPath"].rpartition("/")[2]
    return f"{repository}/{skill}"


def files() -> list[Path]:
    return sorted(path for path in EXAMPLES.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def repositories() -> dict[str, Repository]:
    return {repository.full_name: repository for repository in Catalogue(REPOSITORIES).all()}


def test_every_repository_is_expected_to_become_something(repositories: dict[str, Repository]) -> None:
    assert {name_of(entry) for entry in EXPECTED} == set(repositories)
    assert {entry["state"] for entry in EXPECTED} == STATES
    assert all(set(entry) == {"repoUrl", "skillPath", "state", "shows"} for entry in EXPECTED)
    places = [(entry["repoUrl"], entry["skillPath"]) for entry in EXPECTED]
    assert len(places) == len(set(places))


def test_readmes_and_the_list_agree(repositories: dict[str, Repository]) -> None:
    for name, repository in repositories.items():
        if repository.head is None:
            continue
        readme = (REPOSITORIES / name / "README.md").read_text(encoding="utf-8")
        said = re.findall(r"^Expected: (\S+) → (\S+)$", readme, re.MULTILINE)
        listed = [(entry["skillPath"], entry["state"]) for entry in EXPECTED if name_of(entry) == name]
        shows = re.findall(r"^Shows: (.+)$", readme, re.MULTILINE)
        assert said == listed, name
        assert shows == list({entry["shows"] for entry in EXPECTED if name_of(entry) == name}), name


def test_every_listed_skill_is_there_and_every_skill_is_listed(repositories: dict[str, Repository]) -> None:
    listed = {(name_of(entry), entry["skillPath"]) for entry in EXPECTED}
    there = {
        (name, path.removesuffix("SKILL.md").rstrip("/") or ".")
        for name, repository in repositories.items()
        for path in (repository.head.files if repository.head else ())
        if path.rpartition("/")[2] == "SKILL.md"
    }
    absent = {(name, ".") for name in WITHOUT_SKILL}
    renamed = {(old, path) for old, new in RENAMED.items() for name, path in there if name == new}
    assert listed == there | absent | renamed


def test_renamed_and_empty_repositories_are_declared(repositories: dict[str, Repository]) -> None:
    renamed = {name: item.metadata.renamed_to for name, item in repositories.items() if item.metadata.renamed_to}
    assert renamed == RENAMED
    assert {name for name, item in repositories.items() if item.metadata.empty} == {"example-org/empty-start"}


def test_a_skill_is_named_as_its_folder_unless_its_frontmatter_is_the_point(
    repositories: dict[str, Repository],
) -> None:
    for entry in EXPECTED:
        if name_of(entry) in WITHOUT_SKILL | set(RENAMED):
            continue
        text = (REPOSITORIES / name_of(entry) / entry["skillPath"] / "SKILL.md").read_text(encoding="utf-8")
        block = text.split("---\n")[1]
        if name_of(entry) == "example-org/broken-frontmatter":
            with pytest.raises(yaml.YAMLError):
                yaml.safe_load(block)
            continue
        frontmatter: dict[str, Any] = yaml.safe_load(block)
        assert frontmatter["name"] == prompt_name(entry).rpartition("/")[2]
        assert 20 < len(frontmatter["description"]) <= 1024


def test_the_judges_script_leads_to_the_expected_states() -> None:
    states = {"approve": "PUBLISHED", "review": "NEEDS_REVIEW", "reject": "REJECTED"}
    script = Script.read(EXAMPLES / "judge.yaml")
    played = set()
    for entry in EXPECTED:
        play = script.take(f"Judge this.\nSkill: {prompt_name(entry)}\nIts files follow.")
        if play is None:
            continue
        played.add(prompt_name(entry))
        if entry["state"] == "TIER1_FAILED":
            assert play.play != "approve", entry
        else:
            assert states[play.play] == entry["state"], entry
    judged = {prompt_name(entry) for entry in EXPECTED if entry["state"] in ("REJECTED", "NEEDS_REVIEW")}
    assert judged <= played


def test_no_host_in_an_example_can_exist() -> None:
    for path in files():
        text = ZERO_WIDTH.sub("", path.read_text(encoding="utf-8"))
        hosts = set(HOST.findall(text)) - {"github.com"}
        assert all(host.endswith((".invalid", ".example")) for host in hosts), (path, hosts)


def test_the_leaked_key_cannot_be_a_real_one() -> None:
    found = [key for path in files() for key in re.findall(r"AKIA[0-9A-Z]{16}", path.read_text(encoding="utf-8"))]
    assert len(found) == 1
    # Real key ids are base32, which has no 0, 1, 8 or 9.
    assert re.search("[0189]", found[0].removeprefix("AKIA"))


def test_the_invisible_instruction_has_survived_every_editor() -> None:
    inked = [path.parts[-4] for path in files() if ZERO_WIDTH.search(path.read_text(encoding="utf-8"))]
    assert inked == ["invisible-ink"]


def test_the_examples_stay_small_and_the_large_file_is_made_up(repositories: dict[str, Repository]) -> None:
    assert sum(path.stat().st_size for path in files()) < 100_000
    atlas = repositories["example-org/big-atlas"].head
    assert atlas is not None
    assert atlas.files["skills/big-atlas/assets/places.txt"].size == 12_000_000
