"""Published skills whose repository has moved on: changed content is submitted again, and what is gone is marked.

A skill that is gone from its source stays listed, as such; if it comes back, the mark goes. Those that were not looked
at for longest come first, so a run that ends early is continued by the next without a checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby

from skillgate import context
from skillgate.concurrency import chunks, settle
from skillgate.domain.discovery import PUBLISHED, Candidate, LookFailure, Outcome, PublishedAtSource, Run, Verdict
from skillgate.domain.errors import NoTokenLeft, OutOfTime, PermanentFailure, SkillgateError, StoreUnavailable
from skillgate.domain.repo_url import RepoUrl
from skillgate.observability import logger
from skillgate.ports import Backend, RepositoryHeads
from skillgate.services.discovery.candidates import VERDICTS
from skillgate.services.discovery.run_log import RunLog, ending
from skillgate.services.submit import Request, create_submissions_batch

NOT_MORE_OFTEN_THAN = timedelta(hours=1)
GROUP = 100  # repositories between two looks at the clock
_SECONDS_FOR_A_GROUP = 60.0
# Renamed is not gone: GitHub leads installers on to the new name.
_GONE = frozenset({"repository_gone", "repository_private", "repository_blocked", "repository_empty"})
_NO_SKILL = "no_skill_md"

Look = list[tuple[Candidate, Verdict]]


def recheck(backend: Backend, *, max_results: int | None = None) -> Run:
    """Looks at published skills again until none is due, so many were submitted, or it cannot go on.

    A repository is dealt with whole, so the last ones may bring more than `max_results`.
    """
    log = RunLog(backend, PUBLISHED, max_results or backend.settings.discovery_max_results)
    heads = backend.discovery_sources.heads()
    try:
        outcome = _run(backend, log, heads)
    except SkillgateError as error:
        return log.end(ending(error), error.message, heads.tokens())
    return log.end(outcome, tokens=heads.tokens())


def _run(backend: Backend, log: RunLog, heads: RepositoryHeads) -> Outcome:
    checked_before = backend.now() - NOT_MORE_OFTEN_THAN
    while log.room > 0:
        _require_time()
        due = backend.discoveries.due(checked_before=checked_before, limit=min(GROUP, log.room))
        if not due:
            return Outcome.COMPLETED
        repositories = [list(skills) for _, skills in groupby(due, key=lambda skill: RepoUrl.parse(skill.repo_url).key)]
        workers = backend.settings.discovery_workers
        outcomes = settle(lambda skills: _look(backend, heads, skills), repositories, workers=workers)
        stop: SkillgateError | None = None
        for skills, outcome in zip(repositories, outcomes, strict=True):
            if isinstance(outcome.error, NoTokenLeft | OutOfTime | StoreUnavailable):
                stop = outcome.error
            elif isinstance(outcome.error, SkillgateError):
                log.failed([LookFailure(skills[0].repo_url, outcome.error.code, outcome.error.message)])
                # To the end of the line, or else a repository that never answers would always be the first.
                backend.discoveries.checked([skill.skill_id for skill in skills], head=None, at=backend.now())
            else:
                log.took(outcome.unwrap())
        log.save(None)
        if stop is not None:
            raise stop
    return Outcome.CAPPED


def _look(backend: Backend, heads: RepositoryHeads, skills: Sequence[PublishedAtSource]) -> Look:
    """What became of one repository's published skills."""
    repo = RepoUrl.parse(skills[0].repo_url)
    ids = [skill.skill_id for skill in skills]
    try:
        head = heads.head(repo)
    except PermanentFailure as error:
        if error.code not in _GONE:
            raise
        _mark_removed(backend, ids)
        backend.discoveries.checked(ids, head=None, at=backend.now())
        return [(Candidate(repo, skill.skill_path), Verdict.KNOWN) for skill in skills]
    moved = [skill for skill in skills if skill.source_head != head or skill.removed_at is not None]
    changed = [skill for skill in moved if _is_changed(backend, heads, repo, skill, head)]
    answers = _submit(backend, repo, changed)
    backend.discoveries.checked(ids, head=head, at=backend.now())
    return [(Candidate(repo, skill.skill_path, head), answers.get(skill.skill_path, Verdict.KNOWN)) for skill in skills]


def _is_changed(backend: Backend, heads: RepositoryHeads, repo: RepoUrl, skill: PublishedAtSource, head: str) -> bool:
    """Whether the repository has other content than what is published. One without the skill has it removed."""
    try:
        bundle = heads.bundle(repo, skill.skill_path, head)
    except PermanentFailure as error:
        if error.code == _NO_SKILL:
            _mark_removed(backend, [skill.skill_id])
            return False
        raise
    if skill.removed_at is not None:
        _set_removed(backend, [skill.skill_id], is_removed=False)
    return bundle.content_hash() != skill.content_hash


def _submit(backend: Backend, repo: RepoUrl, changed: Sequence[PublishedAtSource]) -> dict[str, Verdict]:
    requests = [Request(repo, skill.skill_path, source=f"discovery-{PUBLISHED}") for skill in changed]
    verdicts: dict[str, Verdict] = {}
    for part in chunks(requests, 500):
        for request, answer in zip(part, create_submissions_batch(backend, part), strict=True):
            if VERDICTS[answer.outcome] is Verdict.ERROR:
                raise StoreUnavailable("Some submissions were not taken.")
            verdicts[request.skill_path] = VERDICTS[answer.outcome]
    return verdicts


def _mark_removed(backend: Backend, skill_ids: Sequence[str]) -> None:
    _set_removed(backend, skill_ids, is_removed=True)


def _set_removed(backend: Backend, skill_ids: Sequence[str], *, is_removed: bool) -> None:
    """In the durable store, and then in the copy of each skill for which it is news."""
    now = backend.now()
    for skill_id in backend.discoveries.set_removed(skill_ids, removed_at=now if is_removed else None, at=now):
        logger.info("skill_removed_at_source" if is_removed else "skill_back_at_source", skill_id=skill_id)
        skill = backend.skills.get(skill_id)
        try:
            if skill is not None:
                backend.live.put_skill(skill, synced=True)
        except StoreUnavailable as error:  # the copy follows with the next change, and the index is built from Postgres
            logger.warning("kv_write_failed", skill_id=skill_id, error=error.message)


def _require_time() -> None:
    environment = context.current_or_none()
    if environment is not None:
        environment.require(_SECONDS_FOR_A_GROUP, "another group of repositories")
