"""One submission all the way through, on real stores."""

from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State
from skillgate.services.queue_view import queue_statistics, submission_story
from skillgate.services.submit import Outcome, Request, create_submission

from tests.support.backends import World
from tests.support.queue import drain

SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"


def test_a_clean_skill_is_received_scanned_and_published(real: World) -> None:
    real.github.put_repository("acme", "tools", {"skills/pdf/SKILL.md": SKILL})
    answer = create_submission(real.backend, Request(RepoUrl("acme", "tools"), "skills/pdf/SKILL.md"))
    assert answer.outcome is Outcome.CREATED and answer.submission is not None and answer.queued

    assert drain(real) == 1

    story = submission_story(real.backend, answer.submission.id)
    assert [stage.event.to_state for stage in story.stages] == [
        State.RECEIVED,
        State.TIER1_SCANNING,
        State.AUTO_APPROVED,
        State.PUBLISHED,
    ]
    published = real.backend.skills.get("acme/tools/pdf")
    assert published is not None and published.name == "pdf" and published.content == SKILL
    assert queue_statistics(real.backend).states[State.PUBLISHED] == 1
    copy = real.backend.live.get_many([answer.submission.id]).submissions[answer.submission.id]
    assert (copy.state, copy.version) == (story.submission.state, story.submission.version)
