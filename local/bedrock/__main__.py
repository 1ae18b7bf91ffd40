"""python -m local.bedrock [--port PORT] [--script FILE]"""

import argparse
from pathlib import Path

from local.bedrock.script import Script
from local.bedrock.stub import BedrockStub
from local.servers.serving import serve_until_told_to_stop


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m local.bedrock", description="A scripted judge behind Bedrock's API"
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    parser.add_argument("--script", type=Path, help="YAML list of plays, such as local/examples/judge.yaml")
    arguments = parser.parse_args()
    script = Script.read(arguments.script) if arguments.script else Script()
    serve_until_told_to_stop("bedrock", BedrockStub(script, arguments.port))


if __name__ == "__main__":
    main()
