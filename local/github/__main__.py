"""python -m local.github --repositories DIR [--port PORT] [--state DIR] [--limits generous|github]"""

import argparse
from pathlib import Path

from local.github.rate_limits import Limits
from local.github.stand_in import GITHUB_LIMITS, GitHubStandIn
from local.servers.serving import serve_until_told_to_stop


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.github", description="A stand-in for GitHub")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of <owner>/<repo>/…files…")
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    parser.add_argument("--state", type=Path, help="folder where history and pushed repositories outlive a restart")
    parser.add_argument(
        "--limits", choices=("generous", "github"), default="generous", help="rate limits: GitHub's own, or very high"
    )
    arguments = parser.parse_args()
    if not arguments.repositories.is_dir():
        parser.error(f"not a folder: {arguments.repositories}")
    limits = GITHUB_LIMITS if arguments.limits == "github" else Limits.generous()
    stand_in = GitHubStandIn(arguments.repositories, arguments.port, state=arguments.state, limits=limits)
    serve_until_told_to_stop("github", stand_in)


if __name__ == "__main__":
    main()
