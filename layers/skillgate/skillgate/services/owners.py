"""What authors do with what is theirs.

A submission belongs to who handed it in and to the owner of its repository. A skill belongs to the owner of its
repository alone: anybody may submit a public repository, and gets no say over it by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from skillgate.domain.errors import Conflict, Forbidden, NotFound, StoreUnavailable
from skillgate.domain.ids import is_id
from skillgate.domain.principal import Principal
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import OPEN, Reason, State, Submission
from skillgate.observability import logger
from skillgate.ports import Backend, OwnSkill
from skillgate.services.blocklist import show_status
from skillgate.services.submit import Answer, Request, create_submissions_batch
from skillgate.services.transition import load, update_state

NO_REASON_GIVEN = "Withdrawn by its author."
_WITHDRAWN = "withdrawn_by_author"


@dataclass(frozen=True)
class Owner:
    """Somebody who has an account. `name` is what events show."""

    account_id: str
    login: str
    name: str

    @classmethod
    def of(cls, principal: Principal) -> Owner:
        """Raises Forbidden for who has no account, such as the holder of an internal key."""
        if principal.account_id is None or principal.login is None:
            raise Forbidden("This is for people who signed in.", code="account_needed")
        return cls(principal.account_id, principal.login, principal.name)

    def owns_repository(self, repo_url: str) -> bool:
        return RepoUrl.parse(repo_url).owner.lower() == self.login.lower()

    def owns(self, submission: Submission) -> bool:
        return submission.submitted_by == self.account_id or self.owns_repository(submission.repo_url)


@dataclass(frozen=True)
class OwnSubmissions:
    submissions: Sequence[Submission]
    next_after: tuple[datetime, str] | None


def submissions(backend: Backend, owner: Owner, *, after: tuple[datetime, str] | None, limit: int) -> OwnSubmissions:
    """The newest first, each in the state that the newer of the two stores knows."""
    keys = backend.accounts.submissions_of(owner.account_id, owner.login, after=after, limit=limit + 1)
    shown = keys[:limit]
    found = load(backend, [id_ for _, id_ in shown]) if shown else {}
    rows = [found[id_] for _, id_ in shown if id_ in found]
    return OwnSubmissions(rows, shown[-1] if len(keys) > limit else None)


def skills(backend: Backend, owner: Owner, *, after: str, limit: int) -> tuple[Sequence[OwnSkill], str | None]:
    found = backend.accounts.skills_of(owner.login, after=after, limit=limit + 1)
    return found[:limit], found[limit - 1].id if len(found) > limit else None


def withdraw_submission(backend: Backend, owner: Owner, submission_id: str, reason: str) -> Submission:
    """Takes an open submission out of the queue. Raises Conflict for one that has its answer."""
    submission = _own(backend, owner, submission_id)
    if submission.state not in OPEN:
        raise Conflict(f"It is {submission.state}: there is nothing left to withdraw.", code="already_answered")
    return update_state(backend, submission, State.DEQUEUED, actor=owner.name, reason=Reason(_WITHDRAWN, reason))


def withdraw_skill(backend: Backend, owner: Owner, skill_id: str, reason: str) -> None:
    """Removes a published skill from the marketplace; submitting it again brings it back."""
    skill = backend.skills.get(skill_id)
    if skill is None:
        raise NotFound("There is no skill with this name.", code="skill_not_found")
    if not owner.owns_repository(skill.repo_url):
        raise Forbidden("Only the owner of its repository may withdraw a skill.", code="not_yours")
    if not backend.accounts.withdraw_skill(skill.skill_id, reason=reason, at=backend.now()):
        raise Conflict("It was removed before.", code="already_removed")
    removed = backend.skills.get(skill_id)
    assert removed is not None  # a skill's row stays, for the reason it carries
    try:
        show_status(backend, [removed])
    except StoreUnavailable as error:  # the copy is rebuilt from Postgres, which has it
        logger.warning("kv_write_failed", skill_id=skill_id, error=error.message)


def rescan_submission(backend: Backend, owner: Owner, submission_id: str) -> Answer:
    """Submits the same skill anew. One that is still open is answered as the duplicate that it would be."""
    submission = _own(backend, owner, submission_id)
    repo = RepoUrl.parse(submission.repo_url)
    return _rescan(backend, owner, repo, submission.skill_path, submission.skill_name)


def rescan_skill(backend: Backend, owner: Owner, skill_id: str) -> Answer:
    skill = backend.skills.get(skill_id)
    if skill is None:
        raise NotFound("There is no skill with this name.", code="skill_not_found")
    if not owner.owns_repository(skill.repo_url):
        raise Forbidden("Only the owner of its repository may have a skill scanned again.", code="not_yours")
    return _rescan(backend, owner, skill.repo, skill.skill_path, skill.name)


def _rescan(backend: Backend, owner: Owner, repo: RepoUrl, path: str, name: str) -> Answer:
    request = Request(repo, path, name, source="rescan", submitted_by=owner.account_id)
    return create_submissions_batch(backend, [request])[0]


def _own(backend: Backend, owner: Owner, submission_id: str) -> Submission:
    submission = load(backend, [submission_id]).get(submission_id) if is_id(submission_id) else None
    if submission is None:
        raise NotFound("There is no submission with this id.", code="submission_not_found")
    if not owner.owns(submission):
        raise Forbidden("It is not your submission.", code="not_yours")
    return submission
