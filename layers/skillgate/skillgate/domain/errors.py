"""Every error that the domain knows.

    SkillgateError
    ├── InvalidInput               the caller sent something that cannot be understood
    ├── TooLarge                   more of it than is taken at once
    ├── NotFound                   nothing by that name
    ├── Conflict                   the thing has moved on since it was read
    │   └── DuplicateSubmission    another submission of the same skill is open
    ├── Gone                       it was here and was removed, with a reason
    ├── Unauthenticated            nobody, or somebody whose proof does not hold
    ├── Forbidden                  somebody, but not somebody who may
    ├── IdempotencyMismatch        an Idempotency-Key used again with another body
    ├── RateLimited                too many calls, with the seconds to wait
    ├── Unavailable                infrastructure failed; says nothing about the skill
    │   ├── StoreUnavailable       Postgres or DynamoDB did not answer
    │   ├── QueueUnavailable       SQS did not answer
    │   ├── SourceUnavailable      GitHub did not answer, or asks us to wait
    │   │   └── NoTokenLeft        every token is used up or refused
    │   ├── NotConfigured          this installation was not told where or with what
    │   └── JudgeUnavailable       the tier 2 model did not answer
    ├── OutOfTime                  the invocation is about to end; the work is handed back
    └── PermanentFailure           the skill itself is the problem; ends the submission

An error's `code` is stable and machine-readable; its text is a sentence for a person and never holds a secret,
a query or a stack trace. Which HTTP status each becomes is decided in one place, `api/problems.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with the input, and where (a JSON pointer into the body, or `?name` for a query parameter)."""

    pointer: str
    message: str


class SkillgateError(Exception):
    """Something went wrong in a way that Skillgate has a word for."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class InvalidInput(SkillgateError):
    code = "invalid_input"

    def __init__(self, message: str, *, errors: Sequence[FieldError] = (), code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.errors = tuple(errors)


class TooLarge(SkillgateError):
    code = "too_large"


class NotFound(SkillgateError):
    code = "not_found"


class Conflict(SkillgateError):
    code = "conflict"


class DuplicateSubmission(Conflict):
    code = "duplicate_submission"


class Gone(SkillgateError):
    code = "gone"


class Unauthenticated(SkillgateError):
    code = "unauthenticated"


class Forbidden(SkillgateError):
    code = "forbidden"


class IdempotencyMismatch(SkillgateError):
    code = "idempotency_mismatch"


class RateLimited(SkillgateError):
    code = "rate_limited"

    def __init__(self, message: str, *, retry_after: int, limit: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.limit = limit


class Unavailable(SkillgateError):
    code = "unavailable"

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StoreUnavailable(Unavailable):
    code = "store_unavailable"


class QueueUnavailable(Unavailable):
    code = "queue_unavailable"


class SourceUnavailable(Unavailable):
    code = "source_unavailable"


class NoTokenLeft(SourceUnavailable):
    code = "no_token_left"


class NotConfigured(Unavailable):
    code = "not_configured"


class JudgeUnavailable(Unavailable):
    code = "judge_unavailable"


class OutOfTime(SkillgateError):
    code = "out_of_time"


class PermanentFailure(SkillgateError):
    """The submission ends here: `code` is its reason and the message is what its author reads."""

    code = "permanent_failure"
