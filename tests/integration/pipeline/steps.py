"""What many of these tests do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State, Submission
from skillgate.ports import Backend
from skillgate.services.submit import Outcome, Request, create_submissions_batch
from skillgate.services.transition import load

from tests.support.backends import World
from tests.support.queue import drain

REPO = RepoUrl("acme", "tools")


def skill_md(name: str, body: str = "Sum the file up.") -> str:
    return f"---\nname: {name}\ndescription: Reads {name} files and tells what is in them.\n---\n# {name}\n{body}\n"


def put_skills(
    world: World, names: Sequence[str], repo: RepoUrl = REPO, body: str = "Sum the file up."
) -> list[Request]:
    files = {f"skills/{name}/SKILL.md": skill_md(name, body) for name in names}
    world.github.put_repository(repo.owner, repo.repo, files)
    return [Request(repo, path) for path in files]


def submitted(backend: Backend, requests: Sequence[Request]) -> list[Submission]:
    answers = create_submissions_batch(backend, requests)
    assert {answer.outcome for answer in answers} == {Outcome.CREATED}
    return [answer.submission for answer in answers if answer.submission]


def one_submitted(world: World, name: str = "pdf", body: str = "Sum the file up.") -> Submission:
    return submitted(world.backend, put_skills(world, [name], body=body))[0]


def now_of(backend: Backend, submission: Submission | str) -> Submission:
    id_ = submission if isinstance(submission, str) else submission.id
    return load(backend, [id_])[id_]


def state_of(backend: Backend, submission: Submission | str) -> State:
    return now_of(backend, submission).state


def drain_with(world: World, backend: Backend, **options: Any) -> int:
    return drain(replace(world, backend=backend), **options)


def sql(world: World, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(world.database_url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode(), parameters)
        return cursor.fetchall() if cursor.description else []


def records(world: World, *, most: int = 10) -> list[dict[str, Any]]:
    """Takes messages off the queue as records, without deleting them."""
    from tests.support.queue import records_of

    answer = world.sqs.receive_message(
        QueueUrl=world.settings.submissions_queue_url,
        MaxNumberOfMessages=most,
        MessageSystemAttributeNames=["All"],
        WaitTimeSeconds=0,
    )
    return records_of(answer.get("Messages", []))
