"""All the ports together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from skillgate.ports.accounts import AccountStore, Counters, DisputeStore, IdentityProvider
from skillgate.ports.discovery import DiscoveryDispatcher, DiscoverySources, DiscoveryStore
from skillgate.ports.external_scans import ExternalScanQueue, ExternalScanStore, ScanWorkers
from skillgate.ports.skills import (
    BlocklistReader,
    Catalogue,
    ContentStore,
    IndexStore,
    InstallStore,
    KvSkills,
    SkillStore,
    VersionStore,
)
from skillgate.ports.submissions import (
    ChartStore,
    IdempotencyStore,
    Judge,
    LiveStore,
    OperatorStore,
    SkillSource,
    SubmissionQueue,
    SubmissionStore,
)
from skillgate.settings import Settings

if TYPE_CHECKING:  # whoever searches imports it; the others need not
    from skillgate.search.warm import WarmIndex


@dataclass(frozen=True)
class Backend:
    """Everything a service may use. `bootstrap.build` makes one; tests make their own with fakes."""

    settings: Settings
    store: SubmissionStore
    skills: SkillStore
    operators: OperatorStore
    live: LiveStore
    idempotency: IdempotencyStore
    idempotency_fallback: IdempotencyStore
    queue: SubmissionQueue
    source: SkillSource
    judge: Judge
    discoveries: DiscoveryStore
    discovery_sources: DiscoverySources
    discovery_dispatcher: DiscoveryDispatcher
    external_scans: ExternalScanStore
    external_queue: ExternalScanQueue
    scan_workers: ScanWorkers
    accounts: AccountStore
    disputes: DisputeStore
    identity: IdentityProvider
    counters: Counters
    catalogue: Catalogue
    versions: VersionStore
    installs: InstallStore
    blocklist: BlocklistReader
    contents: ContentStore
    contents_copy: ContentStore
    kv_skills: KvSkills
    index: IndexStore
    warm: WarmIndex
    charts: ChartStore
    now: Callable[[], datetime]
    close: Callable[[], None]  # for tools and tests; a function's environment simply ends
