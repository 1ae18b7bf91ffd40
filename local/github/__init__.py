"""A stand-in for GitHub: its REST API, tarballs and raw files over a folder of example repositories.

What GitHub does and a client could notice is done here too, with git's own object ids. What is left out: writing
through the API, branches other than `main`, pull requests, issues, and pages for people.
"""

from local.github.rate_limits import Limits
from local.github.request_log import RequestRecord
from local.github.stand_in import GitHubStandIn

__all__ = ["GitHubStandIn", "Limits", "RequestRecord"]
