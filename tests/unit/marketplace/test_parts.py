"""The small parts of the marketplace."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.api import skill_cursor
from skillgate.domain.archive import StoredFile, artifact_of, installed_path, zip_archive
from skillgate.domain.categories import CATEGORIES, category_of
from skillgate.domain.errors import InvalidInput, StoreUnavailable
from skillgate.domain.listing import Listing
from skillgate.domain.version import bump
from skillgate.search.packed import to_bytes
from skillgate.search.warm import LOOK_EVERY_SECONDS, WarmIndex
from skillgate.search.writer import build
from skillgate.services.badge import badge
from skillgate.services.seeds import seeds
from skillgate.services.well_known import install_name

from tests.bench.made_up_skills import made_up_skills

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SKILLS = list(made_up_skills(300))


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=20).filter(lambda p: "\0" not in p), st.binary(max_size=300), min_size=1
    )
)
def test_an_archive_unpacks_to_what_was_packed(files: dict[str, bytes]) -> None:
    try:
        stored = {path: StoredFile.of(content) for path, content in files.items() if path.encode()}
    except UnicodeEncodeError:
        return
    with zipfile.ZipFile(io.BytesIO(zip_archive(stored))) as archive:
        assert archive.testzip() is None
        by_name = {entry.orig_filename: archive.read(entry) for entry in archive.infolist()}
    assert by_name == files


def test_an_archive_of_the_same_files_is_the_same_bytes() -> None:
    one, two = StoredFile.of(b"one"), StoredFile.of(b"two")
    assert zip_archive({"a": one, "b": two}) == zip_archive({"b": two, "a": one})
    kind, digest = artifact_of({"SKILL.md": one, "b": two})
    assert (kind, digest) == (
        "archive",
        f"sha256:{hashlib.sha256(zip_archive({'SKILL.md': one, 'b': two})).hexdigest()}",
    )
    assert artifact_of({"SKILL.md": one}) == ("skill-md", f"sha256:{hashlib.sha256(b'one').hexdigest()}")
    assert artifact_of({"b": two}) == ("", "")


@pytest.mark.parametrize(
    ("path", "skill_path", "installed"),
    [
        ("skills/pdf/SKILL.md", "skills/pdf/SKILL.md", "SKILL.md"),
        ("skills/pdf/skill.md", "skills/pdf/skill.md", "SKILL.md"),
        ("skills/pdf/scripts/a.py", "skills/pdf/SKILL.md", "scripts/a.py"),
        ("shared/b.py", "skills/pdf/SKILL.md", None),
        ("skills/pdf2/x.md", "skills/pdf/SKILL.md", None),
        ("docs/x.md", "SKILL.md", "docs/x.md"),
    ],
)
def test_files_are_installed_relative_to_their_skill(path: str, skill_path: str, installed: str | None) -> None:
    assert installed_path(path, skill_path) == installed


def test_listings_survive_being_written_down() -> None:
    for listing in (*SKILLS, *seeds()):
        assert Listing.from_dict(listing.to_dict()) == listing


def test_the_seeds_are_all_there_and_described() -> None:
    assert len(seeds()) == len({seed.skill_id for seed in seeds()}) == 118
    assert all(seed.category in CATEGORIES and seed.description.endswith(".") for seed in seeds())


@pytest.mark.parametrize(
    ("before", "after", "how_far"),
    [("1.0.0", "2.0.0", "major"), ("1.0.0", "1.1.0", "minor"), ("1.0.0", "1.0.1", "patch"), ("1", "1.0.0", "none"),
     ("soon", "1.0.0", None)],
)  # fmt: skip
def test_how_far_apart_versions_are(before: str, after: str, how_far: str | None) -> None:
    assert bump(before, after) == how_far


def test_categories_come_from_the_author_or_from_the_words() -> None:
    assert category_of("anything", "at all", "Security") == "security"
    assert category_of("terraform-plan", "Deploys infrastructure.") == "devops"
    assert category_of("haiku", "Nothing that is known.", "my-own") == "other"


def test_cursors_are_ours_and_of_one_order() -> None:
    cursor = skill_cursor.encode("popular", (5, 7, "a/b/c"))
    assert skill_cursor.decode(cursor, "popular") == (5, 7, "a/b/c")
    for bad, sort in [(cursor, "name"), ("x", "popular"), ("W10", "popular"), ("WyJwb3B1bGFyIiwxLDIsM10", "popular")]:
        with pytest.raises(InvalidInput):
            skill_cursor.decode(bad, sort)


def test_a_badge_never_holds_what_an_author_wrote() -> None:
    assert "<script" not in badge(replace(SKILLS[0], cert_tier="<script>"))
    assert "blocked" in badge(replace(SKILLS[0], status="blocked"))


def test_install_names_are_what_installers_take() -> None:
    odd = replace(SKILLS[0], skill_path="skills/My  Skill__v2.1-/SKILL.md")
    assert install_name(odd) == "my-skill-v2-1"
    assert install_name(replace(SKILLS[0], skill_path="skills/日本/SKILL.md")) == ""


@dataclass(frozen=True)
class Pointer:
    generation: str
    chunks: int
    built_at: datetime
    sha256: str


class Shelf:
    """An index store whose reads can be counted and made to fail."""

    def __init__(self) -> None:
        self.pointer: Pointer | None = None
        self.chunks: dict[str, list[bytes]] = {}
        self.reads = 0
        self.away = False

    def put(self, generation: str, listings: Sequence[Listing], size: int = 500) -> None:
        data = to_bytes(build(listings))
        parts = [data[start : start + size] for start in range(0, len(data), size)]
        self.chunks[generation] = parts
        self.pointer = Pointer(generation, len(parts), NOW, hashlib.sha256(data).hexdigest())

    def look(self) -> Pointer | None:
        if self.away:
            raise StoreUnavailable("away")
        return self.pointer

    def read(self, generation: str, numbers: Sequence[int]) -> Mapping[int, bytes]:
        if self.away:
            raise StoreUnavailable("away")
        self.reads += 1
        return {number: self.chunks[generation][number] for number in numbers}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


def warm_on(shelf: Shelf, clock: Clock, now: datetime = NOW) -> WarmIndex:
    return WarmIndex(shelf.look, shelf.read, lambda: [], lambda: now, clock)


def test_an_index_is_loaded_a_little_with_each_request() -> None:
    shelf, clock = Shelf(), Clock()
    shelf.put("one", SKILLS)
    warm = warm_on(shelf, clock)
    calls = 0
    while (held := warm.get(patience=0)) is None:
        calls += 1
        assert shelf.reads == calls  # one stride each, and no request waits for the rest
    assert calls > 1 and len(held.index) == len(SKILLS)
    before = shelf.reads
    assert warm.get() is not None and shelf.reads == before


def test_the_old_index_answers_until_the_new_one_is_loaded() -> None:
    shelf, clock = Shelf(), Clock()
    shelf.put("one", SKILLS[:100])
    warm = warm_on(shelf, clock)
    while warm.get() is None:
        pass
    shelf.put("two", SKILLS)
    clock.now += LOOK_EVERY_SECONDS
    sizes = set()
    while (held := warm.get(patience=0)) is not None and held.generation == "one":
        sizes.add(len(held.index))
    assert sizes == {100} and held is not None and len(held.index) == len(SKILLS)


def test_a_store_that_goes_away_does_not_take_the_index_with_it() -> None:
    shelf, clock = Shelf(), Clock()
    shelf.put("one", SKILLS)
    warm = warm_on(shelf, clock)
    while warm.get() is None:
        pass
    shelf.away = True
    clock.now += LOOK_EVERY_SECONDS
    assert warm.get() is not None


def test_an_index_that_nobody_renewed_for_a_day_is_not_believed() -> None:
    shelf, clock = Shelf(), Clock()
    shelf.put("one", SKILLS)
    warm = warm_on(shelf, clock, NOW + timedelta(days=2))
    assert [warm.get() for _ in range(200)] == [None] * 200


def test_chunks_that_do_not_fit_their_pointer_are_not_believed() -> None:
    shelf, clock = Shelf(), Clock()
    shelf.put("one", SKILLS)
    shelf.chunks["one"][3] = bytes(len(shelf.chunks["one"][3]))
    warm = warm_on(shelf, clock)
    assert [warm.get(patience=10) for _ in range(3)] == [None] * 3
