#!/bin/sh
# Show the first lines of a file.
set -eu
head -n "${2:-5}" -- "$1"
