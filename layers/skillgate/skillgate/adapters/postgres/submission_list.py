"""The statements behind the list of submissions, put together from fixed fragments; every value is a parameter."""
# ruff: noqa: S608 - nothing from outside is ever part of a statement's text

from __future__ import annotations

from typing import Any

from skillgate.domain.ids import is_id
from skillgate.ports import ListQuery

EXACT_UP_TO = 10_000  # a search that matches more says "about"
_SORTS = {"created_at", "updated_at"}

Statement = tuple[bytes, dict[str, Any]]


def page(query: ListQuery) -> Statement:
    """The page's rows and one more, which tells whether there is a next page."""
    if query.sort not in _SORTS:
        raise ValueError(f"Cannot sort by {query.sort}")
    where, parameters = _filters(query)
    comparison, direction = ("<", "DESC") if query.descending else (">", "ASC")
    if query.after is not None:
        where.append(f"({query.sort}, id) {comparison} (%(after_at)s, %(after_id)s)")
        parameters |= {"after_at": query.after[0], "after_id": query.after[1]}
    order = f"ORDER BY {query.sort} {direction}, id {direction}"
    parameters |= {"reach": query.offset + query.limit + 1, "offset": query.offset, "limit": query.limit + 1}
    if query.states:  # state by state, so that each walks its own index and stops where the page ends
        parameters["states"] = list(query.states)
        conditions = " AND ".join(["state = wanted", *where])
        source = (
            "unnest(%(states)s::submission_state[]) AS wanted CROSS JOIN LATERAL"
            f" (SELECT * FROM submissions WHERE {conditions} {order} LIMIT %(reach)s) AS s"
        )
    else:
        conditions = " AND ".join(where) or "true"
        source = f"(SELECT * FROM submissions WHERE {conditions} {order} LIMIT %(reach)s) AS s"
    return f"SELECT s.* FROM {source} {order} OFFSET %(offset)s LIMIT %(limit)s".encode(), parameters


def counted_by_state(query: ListQuery) -> bool:
    """Whether the counters know the total, so that nothing has to be counted."""
    return not query.text and not query.repo_key


def total(query: ListQuery) -> Statement:
    """How many match, counted no further than one past the exact limit."""
    where, parameters = _filters(query)
    if query.states:
        where.append("state = ANY(%(states)s::submission_state[])")
        parameters["states"] = list(query.states)
    matching = f"SELECT 1 FROM submissions WHERE {' AND '.join(where)} LIMIT {EXACT_UP_TO + 1}"
    return f"SELECT count(*) AS found FROM ({matching}) AS matching".encode(), parameters


def _filters(query: ListQuery) -> tuple[list[str], dict[str, Any]]:
    where: list[str] = []
    parameters: dict[str, Any] = {}
    if query.text and is_id(query.text):
        where.append("id = %(id)s")
        parameters["id"] = query.text
    elif query.text:
        where.append("(skill_name ILIKE %(text)s OR repo_key ILIKE %(text)s)")
        escaped = query.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        parameters["text"] = f"%{escaped}%"
    if query.repo_key:
        where.append("repo_key = %(repo_key)s")
        parameters["repo_key"] = query.repo_key
    return where, parameters
