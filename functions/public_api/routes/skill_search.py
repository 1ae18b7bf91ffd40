"""Searching for skills."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import skill_cursor
from skillgate.api.router import Api
from skillgate.api.skill_models import (
    FoundSkill,
    FoundSkills,
    Pagination,
    SearchAnswer,
    SearchResult,
    told,
    told_in_headers,
)
from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend
from skillgate.search.selection import Filters
from skillgate.services.search import Search, search_skills

Text = Annotated[str | None, Query(max_length=200)]


def register(api: Api, backend: Backend) -> None:
    @api.get(
        "/api/v1/skills/search",
        tags=["skills"],
        summary="Search skills by name, repository and description",
        description="Exact names first, then beginnings, words, repositories, descriptions, and what was misspelled.",
    )
    def search(
        q: Annotated[str, Query(description="Anything; only the first few words count")] = "",
        category: Text = None,
        tier: Text = None,
        author: Text = None,
        repo: Annotated[str | None, Query(max_length=500, description="owner/repo, or the repository's URL")] = None,
        agent: Text = None,
        has_scripts: Annotated[bool | None, Query(alias="hasScripts")] = None,
        sort: Annotated[
            str, Query(pattern="^(relevance|popular|installs|updated|created|stars|score|name)$")
        ] = "relevance",
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        cursor: Annotated[str | None, Query(max_length=1000)] = None,
    ) -> Response[SearchAnswer]:
        filters = Filters(
            category=category or None,
            tier=tier.upper() if tier else None,
            author=author or None,
            repo=_repo_key(repo),
            agent=agent.lower() if agent else None,
            has_scripts=has_scripts,
        )
        wanted = Search(q, filters, "popular" if sort == "installs" else sort, None, limit)
        wanted = Search(q, filters, wanted.sort, skill_cursor.decode(cursor, wanted.order), limit)
        found = search_skills(backend, wanted)
        following = skill_cursor.encode(wanted.order, found.next_after)
        results = [
            SearchResult(
                **SearchResult.values_of(hit.listing), alternate_repos=list(found.alternates[hit.listing.skill_id])
            )
            for hit in found.hits
        ]
        answer = SearchAnswer(
            results=results,
            pagination=Pagination(has_more=following is not None, next_cursor=following),
            **told(found.provenance),
        )
        return Response(200, "application/json", answer, headers=dict(told_in_headers(found.provenance)))

    @api.get("/api/search", tags=["skills"], summary="The search that command-line clients read")
    def find(
        q: Annotated[str, Query()] = "",
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        owner: Text = None,
    ) -> Response[FoundSkills]:
        found = search_skills(backend, Search(q, Filters(author=owner or None), limit=limit))
        skills = [
            FoundSkill(
                id=hit.listing.skill_id,
                name=hit.listing.name,
                source=f"{hit.listing.repo.owner}/{hit.listing.repo.repo}",
                installs=hit.listing.installs,
            )
            for hit in found.hits
            if not hit.listing.is_blocked  # what it finds it offers to install
        ]
        return Response(
            200, "application/json", FoundSkills(skills=skills), headers=dict(told_in_headers(found.provenance))
        )


def _repo_key(text: str | None) -> str | None:
    if not text:
        return None
    return RepoUrl.parse(text).key if "://" in text else text.strip("/").lower()
