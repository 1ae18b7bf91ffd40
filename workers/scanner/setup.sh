#!/bin/sh
# Makes the scanners' virtual environment, or brings it up to the lock file: setup.sh [FOLDER]
# Needs python3 (3.11 or newer), and uses uv where there is one. A second call costs nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${1:-"$here/.venv"}
lock="$here/requirements.lock"
if cmp -s "$lock" "$venv/requirements.lock"; then
    exit 0
fi
python=${PYTHON:-python3}
if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --clear --python "$python" "$venv"
    uv pip sync --quiet --require-hashes --python "$venv/bin/python" "$lock"
else
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --require-hashes --requirement "$lock"
fi
cp "$lock" "$venv/requirements.lock"
