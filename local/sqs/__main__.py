"""`python -m local.sqs --port 0 --data FILE`: the SQS server as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sqlite3
import sys
from pathlib import Path

from local.sqs.server import DEFAULT_ACCOUNT, DEFAULT_REGION, SqsService


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.sqs", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--data", type=Path, help="the file that keeps the queues; in memory without it")
    parser.add_argument("--region", default=DEFAULT_REGION)
    parser.add_argument("--account", default=DEFAULT_ACCOUNT)
    parser.add_argument("--release", action="store_true", help="make visible what was being worked on by nobody left")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    try:
        asyncio.run(_serve(options))
    except sqlite3.OperationalError as error:
        print(f"sqs cannot use {options.data}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"sqs cannot listen on {options.host}:{options.port}: {error}", file=sys.stderr)
        return 1
    return 0


async def _serve(options: argparse.Namespace) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    service = SqsService(options.data, region=options.region, account=options.account)
    if options.release:
        service.release()
    url = await service.start(options.host, options.port)
    print(f"sqs listening on {url}", flush=True)
    await stopping.wait()
    await service.stop()


if __name__ == "__main__":
    sys.exit(main())
