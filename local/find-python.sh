#!/bin/sh
# Prints the newest interpreter among 3.13, 3.12 and 3.11 that really starts. pyenv's shims of a version that is not
# selected are on PATH but fail, so each candidate is run, and pyenv's own folders are looked into as well.
set -u
roots="${PYENV_ROOT:-} $(pyenv root 2>/dev/null) $HOME/.pyenv"
for minor in 3.13 3.12 3.11; do
    for candidate in "python$minor" $(for root in $roots; do ls -d "$root"/versions/"$minor".*/bin/python 2>/dev/null; done) python3; do
        found=$("$candidate" -c "import sys, venv, ensurepip; print(sys.executable if sys.version_info[:2] == tuple(map(int, '$minor'.split('.'))) else '')" 2>/dev/null)
        [ -n "$found" ] && { echo "$found"; exit 0; }
    done
done
echo "No Python 3.11, 3.12 or 3.13 with venv found; install one (Debian: apt-get install python3 python3-venv)" >&2
exit 1
