"""What a newcomer does, done by a machine: `make newcomer` follows the README in a fresh clone with an empty home."""
