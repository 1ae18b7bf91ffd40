"""Skills as they lie on GitHub, read over HTTP.

GitHub (source.py)            the port: resolves the commit, then reads one snapshot
└── Repository (repository.py)    one repository with one token: metadata, commit, trees, files
    ├── Requests (requests.py)       one request: retries, budget, size limits, redirects, ETags
    ├── RepositoryTree (trees.py)    what is in the snapshot
    └── unpack (tarball.py)          many files from one download
SkillReader (reading.py)      which files make up a skill, and what of them is only noted
└── references (references.py)    which other files a text refers to
"""

from skillgate.adapters.github.requests import build_client
from skillgate.adapters.github.source import GitHub

__all__ = ["GitHub", "build_client"]
