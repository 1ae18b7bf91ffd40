"""Candidates that somebody else found: the same way in, without a source."""

from __future__ import annotations

from collections.abc import Sequence

from skillgate.domain.discovery import BULK, Candidate, Outcome, Run
from skillgate.ports import Backend
from skillgate.services.discovery.candidates import take
from skillgate.services.discovery.run_log import RunLog, ending


def hand_in(backend: Backend, candidates: Sequence[Candidate]) -> Run:
    """Takes what is new of the candidates. Raises StoreUnavailable if nothing can be written down."""
    log = RunLog(backend, BULK, len(candidates))
    taken, trouble = take(backend, candidates, source=BULK, at_most=len(candidates))
    log.took(taken)
    if trouble is not None:
        return log.end(ending(trouble), trouble.message)
    return log.end(Outcome.COMPLETED)
