"""How long a batch keeps a consumer busy: the waiting does not grow with the batch, the work does."""

from __future__ import annotations

from local.capacity.figures import Basis

FULL_VCPU_GB = 1769 / 1024
MEASURED_BATCH = 10  # what consumer_batch_seconds was measured with


def batch_seconds(basis: Basis, size: int, memory_gb: float = FULL_VCPU_GB) -> float:
    """Without the judge. The records of a batch share one processor, which grows with memory up to a whole one."""
    m, a = basis.measured, basis.assumed
    alone = m["consumer_alone_seconds"]
    work = max(0.0, (m["consumer_batch_seconds"] - alone) / (MEASURED_BATCH - 1))
    slower = a["cpu_factor"] * max(1.0, FULL_VCPU_GB / memory_gb)
    stores = m["postgres_transactions"] * a["store_round_trip_seconds"]
    return alone - work + size * work * slower + stores


def judged_chance(share: float, size: int) -> float:
    """That at least one record of the batch goes to the judge, and the rest wait for it."""
    return 1.0 - (1.0 - share) ** size


def billed_seconds(basis: Basis, size: int, memory_gb: float, tier2_share: float) -> float:
    return batch_seconds(basis, size, memory_gb) + judged_chance(tier2_share, size) * basis.assumed["judge_seconds"]
