"""The templates, with the words and addresses that they use."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined

from skillgate.domain.submission import State
from skillgate.web import words
from skillgate.web.assets import assets


def render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("skillgate.web", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters |= {
        "count": words.count,
        "duration": words.duration,
        "size": words.size,
        "ago": words.ago,
        "iso": _iso,
        "repo_key": lambda url: "/".join(url.rstrip("/").split("/")[-2:]),
    }
    environment.globals |= {
        "asset": lambda name: assets()[name].url,
        "state_words": lambda state: words.STATES[State(state)],
        "plural": words.plural,
        "next_step": words.next_step,
        "url": url,
        "github_file": github_file,
    }
    return environment


def url(path: str, **parameters: object) -> str:
    """An address with those parameters that have a value."""
    kept = [(name, str(value)) for name, value in parameters.items() if value not in (None, "", False)]
    return quote(path) + (f"?{urlencode(kept)}" if kept else "")


def github_file(repo_url: str, commit: str | None, path: str, line: int | None = None) -> str:
    """A file at a commit, at a line: what a finding points to stays what was scanned."""
    return f"{repo_url}/blob/{commit or 'HEAD'}/{quote(path)}" + (f"#L{line}" if line else "")


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
