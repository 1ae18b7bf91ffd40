"""The index in memory against a plain reading of the same skills."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skillgate.domain.listing import Key, Listing, is_descending, popularity, sort_key
from skillgate.search.lines import Lines
from skillgate.search.memory import Hit, MemoryIndex, Rank
from skillgate.search.packed import UnreadableIndex, from_bytes, to_bytes
from skillgate.search.selection import Filters
from skillgate.search.text import Phrase, key, parse, words
from skillgate.search.typos import one_slip, within_two
from skillgate.search.writer import IndexWriter, build

from tests.bench.made_up_skills import made_up_skills

SKILLS = list(made_up_skills(1_500))
INDEX = MemoryIndex(from_bytes(to_bytes(build(SKILLS))))
EVERYTHING = Phrase("", (), "", blank=True)


def paged(phrase: Phrase, filters: Filters, sort: str, limit: int = 37) -> list[Hit]:
    hits: list[Hit] = []
    after: Key | None = None
    while page := INDEX.search(phrase, filters, sort=sort, after=after, limit=limit):
        hits += page
        after = page[-1].key
    return hits


def plain_rank(listing: Listing, q: str) -> Rank | None:
    """The ranks as they are described, worked out the slow way; typos aside."""
    phrase = parse(q)
    keys = {key(listing.name), key(listing.slug)}
    named = {*words(listing.name), *words(listing.slug)}
    repo = listing.repo.key

    def begins(word: str, texts: set[str]) -> bool:
        return any(text.startswith(word) if len(word) > 1 else text == word for text in texts)

    if phrase.key in keys:
        return Rank.EXACT
    if any(name.startswith(phrase.key) for name in keys):
        return Rank.PREFIX
    if all(begins(word, named) for word in phrase.words):
        return Rank.WORD
    if (phrase.repository and phrase.repository in repo) or all(
        begins(word, named) or word in repo for word in phrase.words
    ):
        return Rank.REPOSITORY
    described = {*words(listing.description)}
    if all(begins(word, named | described) or word in repo for word in phrase.words):
        return Rank.DESCRIPTION
    if len(phrase.key) > 2 and any(phrase.key in name for name in keys):
        return Rank.PART
    return None


@pytest.mark.parametrize("q", ["terraform", "deploy", "code review", "claude-skills", "react test", "prod", "rm"])
def test_hits_and_their_order_are_those_of_the_description(q: str) -> None:
    ranked = [(rank, listing) for listing in SKILLS if (rank := plain_rank(listing, q)) is not None]
    ranked.sort(key=lambda pair: (pair[0], tuple(-n for n in popularity(pair[1])[:2]), _inverted(pair[1].skill_id)))
    hits = [hit for hit in paged(parse(q), Filters(), "relevance") if -int(hit.key[0]) <= Rank.PART]
    assert [hit.listing.skill_id for hit in hits] == [listing.skill_id for _, listing in ranked]


def _inverted(text: str) -> tuple[int, ...]:
    return (*(-ord(letter) for letter in text), 1)


@pytest.mark.parametrize("sort", ["popular", "updated", "created", "stars", "score", "name"])
def test_pages_of_every_order_hold_everything_once(sort: str) -> None:
    expected = sorted(SKILLS, key=lambda each: sort_key(sort, each), reverse=is_descending(sort))
    assert [hit.listing for hit in paged(EVERYTHING, Filters(), sort)] == expected


@pytest.mark.parametrize(
    "filters",
    [
        Filters(category="ai"),
        Filters(tier="CERTIFIED", has_scripts=True),
        Filters(author=SKILLS[0].repo.owner.upper()),
        Filters(repo=SKILLS[40].repo.key),
        Filters(agent="cursor"),
        Filters(labels=SKILLS[3].labels, has_scripts=False),
        Filters(category="nothing-is-this"),
    ],
)
def test_filters_pass_what_they_pass_on_a_listing_in_hand(filters: Filters) -> None:
    for sort in ("popular", "name"):
        found = {hit.listing.skill_id for hit in paged(EVERYTHING, filters, sort)}
        assert found == {listing.skill_id for listing in SKILLS if filters.accept(listing)}


def test_agents_are_those_named_or_any() -> None:
    only, other = replace(SKILLS[0], agents=("cursor",)), replace(SKILLS[1], agents=("codex",))
    index = MemoryIndex(build([only, other, SKILLS[2]]))
    found = {hit.listing.skill_id for hit in index.search(EVERYTHING, Filters(agent="cursor"), limit=9)}
    assert found == {only.skill_id, SKILLS[2].skill_id}


def test_every_skill_is_found_by_its_id_and_its_name() -> None:
    assert all(INDEX.find(listing.skill_id) == listing for listing in SKILLS)
    assert INDEX.find("nobody/has/this") is None
    name = key(SKILLS[9].slug)
    assert {each.skill_id for each in INDEX.named(name)} == {
        each.skill_id for each in SKILLS if name in (key(each.slug), key(each.name))
    }


@pytest.mark.parametrize(("typed", "meant"), [("terrafrom", "terraform"), ("kuberntes", "kubernetes"),
                                              ("playwrigth", "playwright"), ("tensrflwo", "tensorflow")])  # fmt: skip
def test_a_slip_or_two_still_finds(typed: str, meant: str) -> None:
    hits = INDEX.search(parse(typed), Filters(), limit=5)
    assert hits and all(meant in words(hit.listing.slug) for hit in hits)


def test_whole_sentences_find_what_has_most_of_their_words() -> None:
    hits = INDEX.search(parse("please could somebody triage our kafka things quickly"), Filters(), limit=5)
    assert hits and all({"kafka", "triage"} & {*words(h.listing.slug), *words(h.listing.description)} for h in hits)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_a_query(q: str) -> None:
    hits = INDEX.search(parse(q), Filters(), limit=10)
    assert len(hits) <= 10 and len({hit.listing.skill_id for hit in hits}) == len(hits)


def test_an_index_of_nothing_finds_nothing() -> None:
    empty = MemoryIndex(from_bytes(to_bytes(build([]))))
    for q in ("", "terraform", "acme/tools"):
        assert empty.search(parse(q), Filters(), limit=5) == []
    assert empty.find("acme/tools/pdf") is None


def test_a_damaged_index_is_refused() -> None:
    data = to_bytes(build(SKILLS[:50]))
    for damaged in (b"", b"{}\n", data[: len(data) // 2], data.replace(b'"format": 1', b'"format": 9')):
        with pytest.raises(UnreadableIndex):
            from_bytes(damaged)


def test_listings_out_of_order_are_refused() -> None:
    writer = IndexWriter()
    lower, higher = sorted(SKILLS[:2], key=popularity)
    writer.add(lower)
    with pytest.raises(ValueError, match="out of order"):
        writer.add(higher)


@given(st.lists(st.text("abc/", min_size=1, max_size=6), max_size=40), st.text("abc/", min_size=1, max_size=3))
def test_parts_are_found_in_exactly_the_lines_that_have_them(lines: list[str], part: str) -> None:
    assert list(Lines(lines).having(part)) == [number for number, line in enumerate(lines) if part in line]


@given(st.text("abcde", min_size=1, max_size=7), st.text("abcde", min_size=1, max_size=7))
def test_one_slip_is_within_two_and_two_slips_are_found_both_ways(first: str, second: str) -> None:
    assert within_two(first, second) == within_two(second, first)
    if second in one_slip(first):
        assert within_two(first, second)


def test_the_cost_of_a_query_is_bounded_before_it_is_looked_up() -> None:
    phrase = parse("word" * 10_000 + " x" * 5_000)
    assert len(phrase.words) <= 8 and len(phrase.key) <= 400
    assert parse("  🙂 %_' ").words == () and not parse("🙂").blank and parse("  ").blank
    assert parse("https://github.com/Obra/Superpowers/tree/main/skills/x").repository == "obra/superpowers"
