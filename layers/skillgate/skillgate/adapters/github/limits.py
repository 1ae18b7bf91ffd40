"""How much of a repository is read at most. What is beyond a limit is noted, and what was not read cannot pass."""

from skillgate.domain import repo_url

MAX_PATH_LENGTH = repo_url.MAX_PATH_LENGTH
MAX_FILES = 2_000
MAX_FILE_BYTES = 5_000_000
MAX_TOTAL_BYTES = 25_000_000
MAX_DEPTH = 20  # folders above a file

# References are followed from file to file this often; 200 files is far above what any honest skill shares.
MAX_REFERENCE_ROUNDS = 3
MAX_REFERRED_FILES = 200

MAX_API_BYTES = 32_000_000  # GitHub cuts a listing at 100,000 entries, which is about 25 MB of JSON
MAX_ERROR_BYTES = 64_000
MAX_TREE_REQUESTS = 300  # for the walk through a repository that is too large to be listed at once

# From this many files on, a tarball of the whole repository is cheaper, unless the rest of it is much larger.
TARBALL_FROM_FILES = 40
MAX_TARBALL_BYTES = 40_000_000
