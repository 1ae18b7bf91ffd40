"""Lists and searches of published skills in Postgres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.domain.listing import Key, Listing, popularity
from skillgate.market_ports import Change
from skillgate.search.memory import Hit, Rank
from skillgate.search.selection import Filters
from skillgate.search.text import Phrase, meaningful

_RAW = sql.queries("catalogue")
_FRAGMENTS = ("columns", "visible", "filters")
_SHORTEST_PART = 3  # what a trigram index can look up
_FETCH = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# How each list is ordered, and what comes after a key in that order.
_ORDERS: Mapping[str, tuple[str, str]] = {
    "popular": ("s.installs DESC, s.stars DESC, s.id DESC", "(s.installs, s.stars, s.id) < (%(a0)s, %(a1)s, %(a2)s)"),
    "updated": ("s.updated_at DESC, s.id DESC", "(s.updated_at, s.id) < (%(a0)s, %(a1)s)"),
    "created": ("s.created_at DESC, s.id DESC", "(s.created_at, s.id) < (%(a0)s, %(a1)s)"),
    "stars": ("s.stars DESC, s.id DESC", "(s.stars, s.id) < (%(a0)s, %(a1)s)"),
    "score": ("s.cert_score DESC, s.id DESC", "(s.cert_score, s.id) < (%(a0)s, %(a1)s)"),
    "name": ('lower(s.name) COLLATE "C", s.id', '(lower(s.name) COLLATE "C", s.id) > (%(a0)s, %(a1)s)'),
}


def _filled(text: str, **parts: str) -> str:
    """The query with its fragments. They are all ours; what users send is always a bound parameter."""
    for name in _FRAGMENTS:
        parts.setdefault(name, _RAW[name])
    for _ in range(2):  # a fragment may hold another
        for name, part in parts.items():
            text = text.replace("{" + name + "}", part)
    return text


class PostgresCatalogue:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def page(self, filters: Filters, *, sort: str, after: Key | None, limit: int) -> list[Listing]:
        order, after_clause = _ORDERS[sort]
        query = _filled(_RAW["page"], order=order, after=after_clause if after else "true")
        values = _filter_values(filters) | {"limit": limit}
        return self._listings(query, **values, **_after_values(sort, after))

    def count(self, filters: Filters) -> int:
        name = "count_all" if filters == Filters() else "count"
        return int(self._run(_filled(_RAW[name]), **_filter_values(filters))[0]["skills"])

    def categories(self) -> dict[str, int]:
        return {row["category"]: row["skills"] for row in self._run(_filled(_RAW["categories"]))}

    def by_ids(self, ids: Sequence[str]) -> dict[str, Listing]:
        return {each.skill_id: each for each in self._listings(_filled(_RAW["by_ids"]), ids=list(ids))}

    def known(self, ids: Sequence[str]) -> set[str]:
        return {row["id"] for row in self._run(_RAW["known"], ids=list(ids))}

    def named(self, key: str, limit: int) -> list[Listing]:
        return self._listings(_filled(_RAW["named"]), key=key, limit=limit)

    def of_repository(self, repo_key: str) -> list[Listing]:
        return self._listings(_filled(_RAW["of_repository"]), repo=repo_key)

    def same_names(self, keys: Sequence[str]) -> list[Listing]:
        return self._listings(_filled(_RAW["same_names"]), keys=list(keys))

    def search(self, phrase: Phrase, filters: Filters, *, after: Key | None, limit: int) -> list[Hit]:
        """Rank by rank, each from an index; a rank is only begun if the ones before it did not fill the page.

        What may be misspelled is only looked for where nothing is there as written: similarity costs the most.
        """
        ranks = _ranks(phrase)
        values = _filter_values(filters) | _phrase_values(phrase) | _rank_values(after) | {"limit": limit}
        as_written = [rank for rank in ranks if rank < Rank.TYPO]
        if as_written and values["after_rank"] < Rank.TYPO:
            rows = self._run(_search_query(as_written), **values)
            if rows or after is not None:
                return [_hit(row) for row in rows]
        if Rank.TYPO not in ranks:
            return []
        return [_hit(row) for row in self._run(_search_query([Rank.TYPO]), **values)]

    @contextmanager
    def everything(self) -> Iterator[Iterator[Listing]]:
        """All that lists show, the most popular first, a few thousand in memory at a time."""
        with self._connections.transaction() as connection, connection.cursor(name="everything") as cursor:
            cursor.itersize = _FETCH
            cursor.execute(_filled(_RAW["everything"]))
            yield (_listing(row) for row in cursor)

    def horizon(self) -> str:
        return str(self._run(_RAW["horizon"])[0]["horizon"])

    def changed_since(self, horizon: str) -> bool:
        return bool(self._run(_RAW["changed_since"], horizon=horizon)[0]["changed"])

    def revisions(self) -> dict[str, tuple[int, str]]:
        return {row["id"]: (row["version"], row["status"]) for row in self._run(_RAW["revisions"])}

    def changes(self, after: tuple[str, int], limit: int) -> list[Change]:
        rows = self._run(_RAW["changes"], xact=after[0], seq=after[1], limit=limit)
        return [
            Change(
                (row["xact"], row["seq"]),
                row["kind"],
                row["skill_id"],
                row["skill_version"],
                row["content_hash"],
                row["at"],
            )
            for row in rows
        ]

    def orphaned_aliases(self, limit: int) -> list[tuple[str, str]]:
        return [(row["alias"], row["skill_id"]) for row in self._run(_RAW["orphaned_aliases"], limit=limit)]

    def _listings(self, query: str, /, **values: Any) -> list[Listing]:
        return [_listing(row) for row in self._run(query, **values)]

    def _run(self, query: str, /, **values: Any) -> list[dict[str, Any]]:
        with self._connections.transaction() as connection:
            return connection.execute(query, values).fetchall()


def _listing(row: Mapping[str, Any]) -> Listing:
    values = {name: value for name, value in row.items() if name != "rank"}
    return Listing(**values | {"labels": tuple(row["labels"]), "agents": tuple(row["agents"])})


def _hit(row: Mapping[str, Any]) -> Hit:
    listing = _listing(row)
    return Hit((-row["rank"], *popularity(listing)), listing)


def _filter_values(filters: Filters) -> dict[str, Any]:
    return {
        "category": filters.category,
        "tier": filters.tier,
        "author": f"{_escaped(filters.author.lower())}/%" if filters.author else None,
        "repo": filters.repo.lower() if filters.repo else None,
        "agent": filters.agent,
        "has_scripts": filters.has_scripts,
        "labels": list(filters.labels),
    }


def _after_values(sort: str, after: Key | None) -> dict[str, Any]:
    if after is None:
        return {}
    first: Any = after[0]
    if sort in ("updated", "created"):
        first = _EPOCH + timedelta(microseconds=cast(int, first))
    return {f"a{place}": value for place, value in enumerate((first, *after[1:]))}


def _rank_values(after: Key | None) -> dict[str, Any]:
    rank, installs, stars, skill_id = after or (1, 0, 0, "")  # ranks in keys are negative: before the first is -1
    return {
        "after_rank": -cast(int, rank),
        "after_installs": installs,
        "after_stars": stars,
        "after_id": skill_id,
    }


def _ranks(phrase: Phrase) -> list[int]:
    if phrase.key:
        return [rank for rank in range(Rank.SOME_WORDS) if len(phrase.key) >= _SHORTEST_PART or rank < Rank.PART]
    return [Rank.REPOSITORY] if len(phrase.repository) >= _SHORTEST_PART else []


def _search_query(ranks: Sequence[int]) -> str:
    parts = []
    for place, rank in enumerate(ranks):
        earlier = "".join(f" AND NOT {_RAW[f'rank_{other}']}" for other in ranks[:place])
        match = f"{_RAW[f'rank_{rank}']}{earlier}"
        after = _RAW["after_rank"].replace("{rank}", str(int(rank)))
        parts.append(_filled(_RAW["by_rank"], match=match, after_rank=after, rank=str(int(rank))))
    return "\nUNION ALL\n".join(parts) + "\nLIMIT %(limit)s;"


def _phrase_values(phrase: Phrase) -> dict[str, Any]:
    repository = phrase.repository if len(phrase.repository) >= _SHORTEST_PART else ""
    return {
        "key": phrase.key,
        "prefix": f"{_escaped(phrase.key)}%",
        "words": _all_of(phrase.words),
        "meaningful": _all_of(meaningful(phrase.words)),
        "plain": " ".join(meaningful(phrase.words)),
        "repository": f"%{_escaped(repository)}%" if repository else "",
        "part": f"%{_escaped(phrase.key)}%",
    }


def _all_of(words: Sequence[str]) -> str:
    """A query for all of these words or their beginnings; a word has only letters and digits, so nothing to escape."""
    return " & ".join(f"'{word}':*" if len(word) > 1 else f"'{word}'" for word in words)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
