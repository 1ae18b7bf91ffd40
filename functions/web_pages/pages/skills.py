"""A skill's page, its security report, its versions, and its repository."""

from aws_lambda_powertools.event_handler import Response
from skillgate.api.auth import current_principal
from skillgate.domain.errors import InvalidInput
from skillgate.domain.principal import signed_in
from skillgate.domain.skill import Published
from skillgate.ports import Backend
from skillgate.services import disputes, market_view, skill_view, versions
from skillgate.services.marketplace import get_skill_by_name
from skillgate.services.owners import Owner
from skillgate.web import markdown
from skillgate.web.assessment import advice_on, compared, power_of
from skillgate.web.findings import shown_findings
from skillgate.web.install import commands
from skillgate.web.rendering import github_file

from web_pages.pages.marketplace import Row
from web_pages.site import Site

_SKILL = "/skills/<owner>/<repo>/<name>"
_REPOSITORY = "/repos/<owner>/<repo>"


def register(site: Site, backend: Backend) -> None:
    @site.get(_SKILL, include_in_schema=False)
    def skill(owner: str, repo: str, name: str) -> Response[str]:
        found = skill_view.skill_page(backend, f"{owner}/{repo}/{name}")
        listing, published = found.skill.listing, found.skill.published
        if listing.is_blocked:
            return site.page("tombstone.html", skill=listing)
        if published is None:
            return site.page("unscanned.html", skill=listing, advice=advice_on(listing))
        capabilities = published.report.get("capabilities", {})
        return site.page(
            "skill.html",
            skill=published,
            listing=listing,
            versions=found.versions,
            degraded=found.skill.provenance.degraded,
            body=markdown.render(found.body, _folder(published)),
            cut=len(found.body) > markdown.MAX_CHARACTERS,
            advice=advice_on(published),
            power=power_of(capabilities.get("observed", ()), has_scripts=published.has_scripts),
            capabilities=compared(capabilities),
            installing=commands(published, site.public_url),
            finding_count=len(published.report.get("findings", ())),
            badge=f"/api/v1/skills/{published.skill_id}/badge",
        )

    @site.get(f"{_SKILL}/security", include_in_schema=False)
    def security(owner: str, repo: str, name: str) -> Response[str]:
        found = skill_view.security_page(backend, f"{owner}/{repo}/{name}")
        shown, report = found.skill, found.skill.report
        api = f"/api/v1/skills/{shown.skill_id}"
        return site.page(
            "security.html",
            skill=shown,
            advice=advice_on(shown),
            power=power_of(report.get("capabilities", {}).get("observed", ()), has_scripts=shown.has_scripts),
            scanners=found.cards,
            silent=found.silent,
            findings=shown_findings(report, found.tier2),
            outside=found.outside,
            skipped=report.get("coverage", {}).get("skipped", ()),
            history=found.history,
            degraded=found.degraded,
            downloads={"json": f"{api}/report.json", "sarif": f"{api}/report.sarif"},
            disputed=site.query("disputed"),
        )

    @site.post(f"{_SKILL}/security", include_in_schema=False, security=signed_in())
    def dispute(owner: str, repo: str, name: str) -> Response[str]:
        form = site.form()
        rule, note = (form.get("rule") or [""])[0][:200], (form.get("note") or [""])[0].strip()
        if not 10 <= len(note) <= 2000:
            raise InvalidInput("Say why the finding is wrong, in 10 to 2000 characters.", code="note_needed")
        content_hash = get_skill_by_name(backend, f"{owner}/{repo}/{name}").listing.content_hash
        disputes.dispute(backend, Owner.of(current_principal()), rule_id=rule, content_hash=content_hash, note=note)
        return site.see(f"/skills/{owner}/{repo}/{name}/security?disputed=yes#findings")

    @site.get(f"{_SKILL}/versions", include_in_schema=False)
    def compare(owner: str, repo: str, name: str) -> Response[str]:
        skill_id = f"{owner}/{repo}/{name}"
        listing = get_skill_by_name(backend, skill_id).listing
        known = versions.list_versions(backend, skill_id)
        by_number = {version.version: version for version in known}
        after = by_number.get(site.query("to") or "", known[0])
        older = [version for version in known if version.published_at < after.published_at]
        before = by_number.get(site.query("from") or "", older[0] if older else after)
        return site.page(
            "versions.html",
            skill=listing,
            versions=known,
            before=before,
            after=after,
            summary=versions.diff_summary(before, after, listing.skill_path),
            changes=versions.compare(backend, before, after, listing.skill_path),
        )

    @site.get(_REPOSITORY, include_in_schema=False)
    def repository(owner: str, repo: str) -> Response[str]:
        listings, provenance = market_view.repository(backend, owner, repo)
        return site.page(
            "repository.html",
            repo=listings[0].repo,
            repo_url=listings[0].repo_url,
            rows=[Row(listing, advice_on(listing)) for listing in listings],
            commits=sorted({listing.commit_sha for listing in listings if listing.commit_sha}),
            head=skill_view.head_of(backend, owner, repo),
            degraded=provenance.degraded,
        )


def _folder(skill: Published) -> str:
    return github_file(skill.repo_url, skill.commit_sha, skill.skill_path).rpartition("/")[0] + "/"
