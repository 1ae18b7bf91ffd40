"""Lists of the whole: a feed of new skills, the sitemap, what crawlers may look at, and what is blocked."""

from aws_lambda_powertools.event_handler import Response
from skillgate.ports import Backend
from skillgate.services import blocklist_view, marketplace
from skillgate.services.marketplace import SkillQuery
from skillgate.web.rendering import render

from web_pages.site import Site

_IN_FEED = 50
_IN_SITEMAP = 1000
_CACHED = {"Cache-Control": "public, max-age=300"}


def register(site: Site, backend: Backend) -> None:
    @site.get("/feed.xml", include_in_schema=False)
    def feed() -> Response[str]:
        skills = marketplace.get_skills(backend, SkillQuery(sort="created", limit=_IN_FEED))
        body = render("feed.xml", public_url=site.public_url, skills=skills.skills, now=backend.now())
        return Response(200, "application/rss+xml; charset=utf-8", body, headers=_CACHED)

    @site.get("/sitemap.xml", include_in_schema=False)
    def sitemap() -> Response[str]:
        skills = marketplace.get_skills(backend, SkillQuery(sort="popular", limit=_IN_SITEMAP))
        body = render("sitemap.xml", public_url=site.public_url, skills=skills.skills)
        return Response(200, "application/xml; charset=utf-8", body, headers=_CACHED)

    @site.get("/blocklist", include_in_schema=False)
    def blocked() -> Response[str]:
        return site.page("blocklist.html", entries=blocklist_view.entries(backend))

    @site.get("/robots.txt", include_in_schema=False)
    def robots() -> Response[str]:
        lines = ("User-agent: *", "Disallow: /admin", "Disallow: /api/", f"Sitemap: {site.public_url}/sitemap.xml", "")
        return Response(200, "text/plain; charset=utf-8", "\n".join(lines), headers=_CACHED)
