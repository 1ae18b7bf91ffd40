"""Names without owner and repository, from when they were enough: they redirect, or say what they may mean."""

import json
from http import HTTPStatus
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response
from skillgate.api import problems
from skillgate.api.responses import text
from skillgate.api.router import Api
from skillgate.domain.errors import NotFound
from skillgate.ports import Backend
from skillgate.services import marketplace

_SHOWN = 20
_PARTS = ("versions", "security", "badge")


def redirect_flat_names(api: Api, backend: Backend) -> None:
    def resolved(name: str, rest: str = "") -> Response[str]:
        candidates = marketplace.resolve_name(backend, name)
        if not candidates:
            raise NotFound("There is no skill with this name.", code="skill_not_found")
        if len(candidates) == 1:
            path = "/".join(quote(part, safe="") for part in candidates[0].skill_id.split("/"))
            return Response(308, "text/plain", "", headers={"Location": f"/api/v1/skills/{path}{rest}"})
        sentence = f"{len(candidates)} skills have this name; ask for one of them by owner/repo/skill."
        answer = problems.problem(HTTPStatus.NOT_FOUND, "ambiguous_name", sentence, api.request_id)
        body = json.loads(answer.body or "{}") | {"candidates": [each.skill_id for each in candidates[:_SHOWN]]}
        return Response(answer.status_code, problems.CONTENT_TYPE, json.dumps(body))

    @api.get(
        "/api/v1/skills/<name>",
        tags=["skills"],
        summary="Redirects a bare name to owner/repo/skill",
        responses=text(308, "To the one skill that has this name."),
    )
    def by_flat_name(name: str) -> Response[str]:
        return resolved(name)

    def redirect_part(part: str) -> None:
        @api.get(
            f"/api/v1/skills/<name>/{part}",
            tags=["skills"],
            summary=f"Redirects to the {part} of a skill by its bare name",
            responses=text(308, "To the one skill that has this name."),
        )
        def part_by_flat_name(name: str) -> Response[str]:
            return resolved(name, f"/{part}")

    for part in _PARTS:
        redirect_part(part)

    @api.post(
        "/api/v1/skills/<name>/installs",
        tags=["skills"],
        summary="Redirects an install by the bare name",
        responses=text(308, "To the one skill that has this name."),
    )
    def installs_by_flat_name(name: str) -> Response[str]:
        return resolved(name, "/installs")
