"""Published skills: lists, and one by its name."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import skill_cursor
from skillgate.api.caching import cacheable
from skillgate.api.router import Api
from skillgate.api.skill_models import (
    CategoryList,
    CategoryOut,
    Pagination,
    SkillAnswer,
    SkillCount,
    SkillDetail,
    SkillList,
    SkillOut,
    told,
    told_in_headers,
)
from skillgate.domain.errors import NotFound
from skillgate.ports import Backend
from skillgate.search.selection import Filters
from skillgate.services import marketplace
from skillgate.services.marketplace import SkillQuery
from skillgate.services.search import Search, search_skills

from public_api.routes.skill_names import redirect_flat_names

_FIRST_PAGES = 100  # further on, a cursor is the way
_MAX_SEARCHED = 1_000

Text = Annotated[str | None, Query(max_length=100)]
Cursor = Annotated[str | None, Query(max_length=1000)]


def register(api: Api, backend: Backend) -> None:
    @api.get("/api/v1/skills", tags=["skills"], summary="Published skills, filtered and sorted")
    def list_skills(
        q: Annotated[str | None, Query(description="Searches, as /skills/search does")] = None,
        category: Text = None,
        tier: Text = None,
        author: Text = None,
        labels: Annotated[str | None, Query(max_length=500, description="Comma-separated; all are wanted")] = None,
        sort: Annotated[
            str | None, Query(pattern="^(relevance|popular|installs|updated|created|stars|score|name)$")
        ] = None,
        page: Annotated[int, Query(ge=1, le=_FIRST_PAGES)] = 1,
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
        cursor: Cursor = None,
    ) -> SkillList:
        wanted = tuple(label.strip().lower() for label in (labels or "").split(",") if label.strip())
        filters = Filters(category=category, tier=tier.upper() if tier else None, author=author or None, labels=wanted)
        number = 1 if cursor else page
        if (q or "").strip():
            return _searched(backend, q or "", filters, _order(sort, "relevance"), number, limit, cursor)
        order = _order(None if sort == "relevance" else sort, "popular")
        query = SkillQuery(filters, order, skill_cursor.decode(cursor, order), (number - 1) * limit, limit)
        found = marketplace.get_skills(backend, query)
        following = skill_cursor.encode(order, found.next_after)
        return SkillList(
            skills=[SkillOut.of(listing) for listing in found.skills],
            total=found.total,
            page=None if cursor else page,
            limit=limit,
            next_cursor=following,
            pagination=Pagination(has_more=following is not None, next_cursor=following),
            skipped=found.provenance.skipped,
            **told(found.provenance),
        )

    @api.get("/api/v1/skills/count", tags=["skills"], summary="How many skills there are")
    def count() -> SkillCount:
        number, provenance = marketplace.get_skill_count(backend)
        return SkillCount(count=number, **told(provenance))

    @api.get("/api/v1/skills/categories", tags=["skills"], summary="Categories and how many skills each has")
    def categories() -> CategoryList:
        counts, provenance = marketplace.get_skill_categories(backend)
        shown = [CategoryOut(name=name, count=number) for name, number in counts.items()]
        return CategoryList(categories=shown, **told(provenance))

    @api.get("/api/v1/repos/<owner>/<repo>/skills", tags=["skills"], summary="All skills of one repository")
    def of_repository(owner: str, repo: str) -> SkillList:
        query = SkillQuery(Filters(repo=f"{owner}/{repo}"), limit=2_000)
        found = marketplace.get_skills(backend, query)
        if not found.skills:
            raise NotFound("No skill of this repository is published here.", code="repository_not_found")
        return SkillList(
            skills=[SkillOut.of(listing) for listing in found.skills],
            total=found.total,
            page=1,
            limit=query.limit,
            next_cursor=None,
            pagination=Pagination(has_more=False, next_cursor=None),
            skipped=found.provenance.skipped,
            **told(found.provenance),
        )

    redirect_flat_names(api, backend)

    @api.get("/api/v1/skills/<owner>/<repo>/<skill>", tags=["skills"], summary="One published skill with its SKILL.md")
    def get_skill(owner: str, repo: str, skill: str) -> Response[SkillAnswer]:
        found = marketplace.get_skill_by_name(backend, f"{owner}/{repo}/{skill}")
        answer = SkillAnswer(skill=SkillDetail.of_skill(found), **told(found.provenance))
        same: Any = [found.listing.to_dict(), found.provenance.source]
        return cacheable(api, answer, headers=told_in_headers(found.provenance), same_if=same, max_age=0)


def _order(sort: str | None, default: str) -> str:
    return {"installs": "popular", None: default}.get(sort) or str(sort)


def _searched(
    backend: Backend, q: str, filters: Filters, sort: str, page: int, limit: int, cursor: str | None
) -> SkillList:
    wanted = min(_MAX_SEARCHED, page * limit)
    search = Search(q, filters, sort, skill_cursor.decode(cursor, sort), wanted)
    found = search_skills(backend, search)
    following = skill_cursor.encode(search.order, found.next_after)
    return SkillList(
        skills=[SkillOut.of(hit.listing) for hit in found.hits[(page - 1) * limit :]],
        total=None if following or cursor else len(found.hits),
        page=None if cursor else page,
        limit=limit,
        next_cursor=following,
        pagination=Pagination(has_more=following is not None, next_cursor=following),
        **told(found.provenance),
    )
