"""What authors see and do of their own."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import cursor as cursors
from skillgate.api.account_models import OwnSkillList, OwnSkillOut, OwnSubmissionList, WithdrawIn
from skillgate.api.auth import current_principal
from skillgate.api.models import DoneOut, SubmissionAnswer, SubmissionOut
from skillgate.api.responses import answers
from skillgate.api.router import Api
from skillgate.domain.principal import Scope, signed_in
from skillgate.ports import Backend
from skillgate.services import owners
from skillgate.services.owners import Owner
from skillgate.services.submit import Answer, Outcome

_TAGS = ["owners"]
_RESCANNED = answers(SubmissionAnswer, _202="It is on its way.", _200="It is open already, or blocked.")


def register(api: Api, backend: Backend) -> None:
    @api.get(
        "/api/v1/me/submissions",
        tags=_TAGS,
        summary="What I submitted, and what others submitted of my repositories; the newest first",
        security=signed_in(Scope.READ),
    )
    def my_submissions(
        limit: Annotated[int, Query(ge=1, le=100)] = 50, cursor: Annotated[str | None, Query(max_length=500)] = None
    ) -> OwnSubmissionList:
        found = owners.submissions(backend, _owner(), after=cursors.decode_with_id(cursor), limit=limit)
        rows = [SubmissionOut.of(submission) for submission in found.submissions]
        return OwnSubmissionList(submissions=rows, next_cursor=cursors.encode(found.next_after))

    @api.post(
        "/api/v1/me/submissions/<submission_id>/withdraw",
        tags=_TAGS,
        summary="Take one of my submissions out of the queue",
        security=signed_in(Scope.WRITE),
    )
    def withdraw_submission(submission_id: str, body: WithdrawIn) -> SubmissionOut:
        return SubmissionOut.of(owners.withdraw_submission(backend, _owner(), submission_id, body.reason))

    @api.post(
        "/api/v1/me/submissions/<submission_id>/rescan",
        tags=_TAGS,
        summary="Have the skill of one of my submissions scanned again",
        security=signed_in(Scope.WRITE),
        responses=_RESCANNED,
    )
    def rescan_submission(submission_id: str) -> Response[SubmissionAnswer]:
        return _rescanned(owners.rescan_submission(backend, _owner(), submission_id))

    @api.get(
        "/api/v1/me/skills",
        tags=_TAGS,
        summary="Skills of my repositories, whatever has become of them",
        security=signed_in(Scope.READ),
    )
    def my_skills(
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
        cursor: Annotated[str | None, Query(max_length=500, description="The last id of the page before")] = None,
    ) -> OwnSkillList:
        found, next_cursor = owners.skills(backend, _owner(), after=cursor or "", limit=limit)
        return OwnSkillList(skills=[OwnSkillOut.of(skill) for skill in found], next_cursor=next_cursor)

    @api.post(
        "/api/v1/me/skills/<owner>/<repo>/<skill>/withdraw",
        tags=_TAGS,
        summary="Take a skill of mine out of the marketplace",
        security=signed_in(Scope.WRITE),
    )
    def withdraw_skill(owner: str, repo: str, skill: str, body: WithdrawIn) -> DoneOut:
        owners.withdraw_skill(backend, _owner(), f"{owner}/{repo}/{skill}", body.reason)
        return DoneOut()

    @api.post(
        "/api/v1/me/skills/<owner>/<repo>/<skill>/rescan",
        tags=_TAGS,
        summary="Have a skill of mine scanned again",
        security=signed_in(Scope.WRITE),
        responses=_RESCANNED,
    )
    def rescan_skill(owner: str, repo: str, skill: str) -> Response[SubmissionAnswer]:
        return _rescanned(owners.rescan_skill(backend, _owner(), f"{owner}/{repo}/{skill}"))


def _owner() -> Owner:
    return Owner.of(current_principal())


def _rescanned(answer: Answer) -> Response[SubmissionAnswer]:
    submission = answer.submission
    body = SubmissionAnswer.of(
        submission.repo_url if submission else "", submission.skill_path if submission else "", answer
    )
    if answer.outcome is not Outcome.CREATED:
        return Response(200, "application/json", body)
    return Response(202, "application/json", body, headers={"Location": f"/api/v1/submissions/{body.id}"})
