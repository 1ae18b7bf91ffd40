"""`python -m tests.eval CORPUS [--out FILE] [--peer]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.eval.corpus import opened
from tests.eval.measure import Outcome, Share, ready_ms, scan_all, shares, timing

# (label, tier, what, at least, at most)
TARGETS = (
    ("malicious", "all", "caught", 0.85, 1.0),
    ("malicious", "all", "blocked", 0.60, 1.0),
    ("malicious", "wild", "blocked", 0.97, 1.0),
    ("benign", "all", "blocked", 0.0, 0.01),
    ("benign", "all", "reviewed", 0.0, 0.10),
)
SHOWN = 60


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("corpus", type=Path, help="a folder with malicious/ and benign/, or an archive of one")
    parser.add_argument("--out", type=Path, help="a line of JSON per skill goes there")
    parser.add_argument("--peer", action="store_true", help="run cisco-ai-skill-scanner on the same skills")
    options = parser.parse_args(arguments)
    with opened(options.corpus) as samples:
        # Beside a peer that has one process ours has one too.
        outcomes = scan_all(samples, 1 if options.peer else None)
        print_outcomes(outcomes)
        if options.out:
            options.out.write_text("".join(json.dumps(outcome.line()) + "\n" for outcome in outcomes), encoding="utf-8")
        if options.peer:
            from tests.eval.peer import scan_with_peer

            print_side_by_side(outcomes, scan_with_peer(samples))
    return 0 if met(shares(outcomes)) else 1


def print_outcomes(outcomes: Sequence[Outcome]) -> None:
    print("Missed (malicious and approved):")
    _print_list([o for o in outcomes if o.label == "malicious" and not o.block and not o.review])
    print("Wrongly blocked:")
    _print_list([o for o in outcomes if o.label == "benign" and o.block])
    print("Wrongly sent on:")
    _print_list([o for o in outcomes if o.label == "benign" and o.review])
    print(f"\n{'kind':24}{'skills':>8}{'blocked':>10}{'sent on':>10}{'approved':>10}")
    for share in shares(outcomes):
        approved = 1 - share.caught
        counts = f"{share.count:8}{share.blocked:10.1%}{share.reviewed:10.1%}{approved:10.1%}"
        print(f"{share.label + ' ' + share.tier:24}{counts}")
    spent = timing(outcomes)
    print(f"time per skill: mean {spent.mean_ms:.1f} ms, p95 {spent.p95_ms:.1f} ms, max {spent.max_ms:.0f} ms")
    print(f"ready within {ready_ms():.0f} ms of importing")
    for line in unmet(shares(outcomes)):
        print(f"NOT MET: {line}")


def _print_list(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes[:SHOWN]:
        print(f"  {outcome.id} ({outcome.tier}, score {outcome.score}) {outcome.why}")
    if len(outcomes) > SHOWN:
        print(f"  … and {len(outcomes) - SHOWN} more")
    if not outcomes:
        print("  none")


def unmet(measured: Sequence[Share]) -> list[str]:
    """The targets that the figures do not reach, for the kinds that the corpus has."""
    found = []
    by_kind = {(share.label, share.tier): share for share in measured}
    for label, tier, what, least, most in TARGETS:
        share = by_kind.get((label, tier))
        if share is not None and not least <= getattr(share, what) <= most:
            limit = f"at least {least:.0%}" if least else f"at most {most:.0%}"
            found.append(f"{label} {tier}: {what} {getattr(share, what):.1%}, {limit} wanted")
    return found


def met(measured: Sequence[Share]) -> bool:
    return not unmet(measured)


def print_side_by_side(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> None:
    print(f"\n{'':24}{'Skillgate':>28}{'peer':>28}")
    print(f"{'kind':24}{'blocked':>14}{'sent on':>14}{'blocked':>14}{'sent on':>14}")
    for mine, peer in zip(shares(ours), shares(theirs), strict=True):
        row = (mine.blocked, mine.reviewed, peer.blocked, peer.reviewed)
        print(f"{mine.label + ' ' + mine.tier:24}" + "".join(f"{value:14.1%}" for value in row))
    mine_time, peer_time = timing(ours), timing(theirs)
    print(f"{'mean time per skill':24}{mine_time.mean_ms:25.1f} ms{peer_time.mean_ms:25.1f} ms")
    print(f"{'p95':24}{mine_time.p95_ms:25.1f} ms{peer_time.p95_ms:25.1f} ms")
    print(f"{'mean CPU time':24}{mine_time.mean_cpu_ms:25.1f} ms{peer_time.mean_cpu_ms:25.1f} ms")
    print(f"ours is {peer_time.mean_ms / max(mine_time.mean_ms, 0.001):.1f} times faster")
    failed = [outcome for outcome in theirs if outcome.why]
    if failed:
        print(f"the peer failed on {len(failed)}, counted as approved: {failed[0].id} {failed[0].why}")


if __name__ == "__main__":
    sys.exit(main())
