"""`python -m skillgate`."""

from __future__ import annotations

import sys

from skillgate.cli import main

if __name__ == "__main__":
    sys.exit(main())
