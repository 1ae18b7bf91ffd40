"""The places where skills are found, each a listing of leads into GitHub's repositories.

ConfiguredSources (configured.py)   the port: opens a source by name, with a token pool of its own
├── CodeSearch (github_code.py)        SKILL.md by code search          ┐ sharding.py: past a thousand results
├── TopicSearch (github_topics.py)     repositories by topic            ┘
├── Vendors (vendors.py)               repositories of organisations
├── NpmPackages (npm.py)               packages of a registry           ┐ website.py: any site but GitHub, with care
└── WellKnownSites (well_known.py)     sites with a list of skills      ┘ links.py: what points at GitHub
LeadSource (leads.py)               looks into the leads, side by side, and keeps the checkpoint
"""

from skillgate.adapters.discovery.configured import ConfiguredSources

__all__ = ["ConfiguredSources"]
