"""What the scans found, for people, programs and READMEs."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from skillgate.api.caching import cacheable
from skillgate.api.responses import text
from skillgate.api.router import Api
from skillgate.domain.errors import Gone, NotFound
from skillgate.ports import Backend
from skillgate.services import marketplace
from skillgate.services.badge import badge
from skillgate.services.security_view import report_of, sarif_of

_SVG = "image/svg+xml; charset=utf-8"
_EMBEDDABLE = {"Cross-Origin-Resource-Policy": "cross-origin"}  # a README elsewhere shows it
_SKILL = "/api/v1/skills/<owner>/<repo>/<skill>"


def register(api: Api, backend: Backend) -> None:
    @api.get(
        f"{_SKILL}/badge",
        tags=["security"],
        summary="A badge for a README, as SVG",
        responses=text(200, "The badge, also for a skill that there is not.", _SVG),
    )
    def get_badge(owner: str, repo: str, skill: str) -> Response[Any]:
        try:
            listing = marketplace.get_skill_by_name(backend, f"{owner}/{repo}/{skill}").listing
        except (NotFound, Gone):
            listing = None
        return cacheable(api, badge(listing), content_type=_SVG, max_age=300, headers=_EMBEDDABLE)

    @api.get(f"{_SKILL}/report.json", tags=["security"], summary="The scan report of the current version")
    def json_report(owner: str, repo: str, skill: str) -> Response[Any]:
        found, report = report_of(backend, f"{owner}/{repo}/{skill}")
        body = {"name": found.listing.skill_id, "version": found.listing.version, **report}
        return cacheable(api, body, headers=_as_file(found.listing.slug, "report.json"))

    @api.get(f"{_SKILL}/report.sarif", tags=["security"], summary="The same report as SARIF 2.1.0")
    def sarif_report(owner: str, repo: str, skill: str) -> Response[Any]:
        found, document = sarif_of(backend, f"{owner}/{repo}/{skill}")
        return cacheable(api, document, headers=_as_file(found.listing.slug, "sarif.json"))


def _as_file(slug: str, suffix: str) -> dict[str, str]:
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "-" for letter in slug)
    return {"Content-Disposition": f'attachment; filename="{plain}.{suffix}"'}
