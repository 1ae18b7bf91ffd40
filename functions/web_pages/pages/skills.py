"""A skill's page, its security report, its versions and its repository."""

from aws_lambda_powertools.event_handler import Response
from skillgate.ports import Backend
from skillgate.scanning import frontmatter
from skillgate.services import marketplace
from skillgate.web import markdown
from skillgate.web.assessment import advice_on, compared, power_of
from skillgate.web.install import commands
from skillgate.web.rendering import github_file

from web_pages.site import Site

_ROUTE = "/skills/<owner>/<repo>/<name>"
_TOMBSTONES = ("removed", "blocked")


def register(site: Site, backend: Backend) -> None:
    @site.get(_ROUTE, include_in_schema=False)
    def skill(owner: str, repo: str, name: str) -> Response[str]:
        found, source = marketplace.get_skill(backend, f"{owner}/{repo}/{name}".lower())
        if found.status in _TOMBSTONES:
            return site.page("tombstone.html", 410 if found.status == "removed" else 200, skill=found)
        front = frontmatter.parse(found.content)
        folder = github_file(found.repo_url, found.commit_sha, found.skill_path).rpartition("/")[0] + "/"
        report = found.report
        capabilities = report.get("capabilities", {})
        return site.page(
            "skill.html",
            skill=found,
            degraded=source != "postgres",
            body=markdown.render(front.body, folder),
            cut=len(front.body) > markdown.MAX_CHARACTERS,
            advice=advice_on(found, report),
            power=power_of(capabilities.get("observed", ()), has_scripts=found.has_scripts),
            capabilities=compared(capabilities),
            installing=commands(found, site.public_url),
            finding_count=len(report.get("findings", ())),
        )
