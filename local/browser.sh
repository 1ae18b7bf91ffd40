#!/bin/sh
# Makes sure that the browser tests find a Chromium: installs Debian's where that is possible, or says what to run.
set -eu

[ "${E2E:-1}" = 0 ] && exit 0
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 && exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests (once) …"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get install -y -qq --no-install-recommends chromium fonts-liberation \
        || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation; }; } >/dev/null
    exit 0
fi
echo "The browser tests need Chromium. Run:  sudo apt-get install chromium  (or leave them out: make test E2E=0)" >&2
exit 1
