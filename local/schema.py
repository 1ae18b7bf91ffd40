"""The schema that the migrations make, as text: `python -m local.schema` writes it to sql/schema.sql."""

from __future__ import annotations

import re
import subprocess

from skillgate.adapters.postgres.migrations import migrate

from local.parts import postgres_host
from local.parts.part import PROJECT
from local.parts.postgres import temporary_postgres

SCHEMA = PROJECT / "layers" / "skillgate" / "skillgate" / "sql" / "schema.sql"
_HEADER = "-- What the migrations make of an empty database; written by `make schema`, never by hand.\n\n"


def dump(url: str) -> str:
    """The schema of a database, without what differs from one Postgres release or one dump to the next."""
    pg_dump = str(postgres_host.find_binaries() / "pg_dump")
    command = [pg_dump, "--schema-only", "--no-owner", "--no-privileges", url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", "", text, flags=re.MULTILINE)
    return _HEADER + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def main() -> None:
    with temporary_postgres() as postgres, postgres.scratch_database() as url:
        migrate(url)
        SCHEMA.write_text(dump(url))


if __name__ == "__main__":
    main()
