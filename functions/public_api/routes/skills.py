"""Published skills."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import cursor as cursors
from skillgate.api.models import SkillAnswer, SkillList, SkillOut
from skillgate.api.router import Api
from skillgate.ports import Backend
from skillgate.services import marketplace


def register(api: Api, backend: Backend) -> None:
    @api.get("/api/v1/skills", tags=["skills"], summary="Published skills, the most recently updated first")
    def list_skills(
        limit: Annotated[int, Query(ge=1, le=100)] = 50, cursor: Annotated[str | None, Query(max_length=500)] = None
    ) -> SkillList:
        page = marketplace.get_skills(backend, limit=limit, after=cursors.decode(cursor))
        return SkillList(
            skills=[SkillOut.of(skill) for skill in page.skills],
            total=page.total,
            next_cursor=cursors.encode(page.next_after),
            source=page.source,
            degraded=False,
            as_of=page.as_of,
        )

    @api.get("/api/v1/skills/<owner>/<repo>/<skill>", tags=["skills"], summary="One published skill with its SKILL.md")
    def get_skill(owner: str, repo: str, skill: str) -> SkillAnswer:
        found, source = marketplace.get_skill(backend, f"{owner}/{repo}/{skill}")
        return SkillAnswer(skill=SkillOut.of(found, with_content=True), source=source, degraded=source != "postgres")
