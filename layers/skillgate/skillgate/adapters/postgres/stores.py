"""Every store in Postgres, on one pool of connections."""

from __future__ import annotations

from collections.abc import Callable

from skillgate.adapters.postgres.accounts import PostgresAccounts
from skillgate.adapters.postgres.catalogue import PostgresCatalogue
from skillgate.adapters.postgres.charts import PostgresCharts
from skillgate.adapters.postgres.connections import Connections
from skillgate.adapters.postgres.discoveries import PostgresDiscoveries
from skillgate.adapters.postgres.disputes import PostgresDisputes
from skillgate.adapters.postgres.external_scans import PostgresExternalScans
from skillgate.adapters.postgres.operators import PostgresIdempotency, PostgresOperators
from skillgate.adapters.postgres.skills import PostgresContents, PostgresSkills
from skillgate.adapters.postgres.submissions import PostgresSubmissions
from skillgate.adapters.postgres.versions import PostgresBlocklist, PostgresInstalls, PostgresVersions


class PostgresStores:
    def __init__(self, dsn: str, *, pool_size: int, renew_dsn: Callable[[], str] | None) -> None:
        connections = Connections(dsn, size=pool_size, renew=renew_dsn)
        self.close = connections.close
        self.submissions = PostgresSubmissions(connections)
        self.skills = PostgresSkills(connections)
        self.operators = PostgresOperators(connections)
        self.idempotency = PostgresIdempotency(connections)
        self.discoveries = PostgresDiscoveries(connections)
        self.external_scans = PostgresExternalScans(connections)
        self.accounts = PostgresAccounts(connections)
        self.disputes = PostgresDisputes(connections)
        self.catalogue = PostgresCatalogue(connections)
        self.versions = PostgresVersions(connections)
        self.installs = PostgresInstalls(connections)
        self.blocklist = PostgresBlocklist(connections)
        self.contents = PostgresContents(connections)
        self.charts = PostgresCharts(connections)
