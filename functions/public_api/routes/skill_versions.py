"""Versions of a skill: what they hold, how they differ, what installs them, and who has an old one."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from skillgate.api.caching import cacheable
from skillgate.api.router import Api
from skillgate.api.version_models import (
    ChangedFile,
    CompareAnswer,
    DiffAnswer,
    InstallIn,
    InstallsAnswer,
    InstallsIn,
    UpdateOut,
    UpdatesAnswer,
    UpdatesIn,
    VersionAnswer,
    VersionDetail,
    VersionList,
    VersionOut,
)
from skillgate.domain.archive import SKILL_MD
from skillgate.domain.errors import NotFound
from skillgate.ports import Backend
from skillgate.services import marketplace, versions
from skillgate.services.installs import count_installs
from skillgate.services.updates import Installed, check_updates

_SKILL = "/api/v1/skills/<owner>/<repo>/<skill>"
_DOWNLOADS = {"SKILL.md": "text/markdown; charset=utf-8", "skill.zip": "application/zip"}

Version = Annotated[str, Query(max_length=40)]
FromVersion = Annotated[str, Query(alias="from", max_length=40)]


def register(api: Api, backend: Backend) -> None:
    @api.get(f"{_SKILL}/versions", tags=["versions"], summary="Every version, the newest first")
    def list_versions(owner: str, repo: str, skill: str) -> VersionList:
        found = versions.list_versions(backend, f"{owner}/{repo}/{skill}")
        return VersionList(versions=[VersionOut.of(record) for record in found])

    @api.get(f"{_SKILL}/versions/diff", tags=["versions"], summary="How SKILL.md changed between two versions")
    def diff(owner: str, repo: str, skill: str, from_: FromVersion, to: Version) -> DiffAnswer:
        name = f"{owner}/{repo}/{skill}"
        before, after = versions.get_version(backend, name, from_), versions.get_version(backend, name, to)
        path = marketplace.get_skill_by_name(backend, name).listing.skill_path
        summary, changed = versions.diff_summary(before, after, path), versions.content_diff(before, after)
        return DiffAnswer.model_validate({"from": from_, "to": to, "diff_summary": summary, "content_diff": changed})

    @api.get(f"{_SKILL}/versions/compare", tags=["versions"], summary="How every file changed between two versions")
    def compare(owner: str, repo: str, skill: str, from_: FromVersion, to: Version) -> CompareAnswer:
        name = f"{owner}/{repo}/{skill}"
        before, after = versions.get_version(backend, name, from_), versions.get_version(backend, name, to)
        path = marketplace.get_skill_by_name(backend, name).listing.skill_path
        changes = versions.compare(backend, before, after, path)
        files = [ChangedFile.of(change) for change in changes]
        summary = versions.diff_summary(before, after, path)
        return CompareAnswer.model_validate({"from": from_, "to": to, "diff_summary": summary, "files": files})

    @api.get(f"{_SKILL}/versions/<version>", tags=["versions"], summary="One version with its SKILL.md and its files")
    def get_version(owner: str, repo: str, skill: str, version: str) -> VersionAnswer:
        record = versions.get_version(backend, f"{owner}/{repo}/{skill}", version)
        return VersionAnswer(version=VersionDetail.of_record(record))

    @api.get(
        f"{_SKILL}/versions/<version>/<file>",
        tags=["versions"],
        summary="What installs this version: SKILL.md, or skill.zip where it has more files",
    )
    def download(owner: str, repo: str, skill: str, version: str, file: str) -> Response[Any]:
        found = versions.artifact(backend, f"{owner}/{repo}/{skill}", version)
        if file != ("SKILL.md" if found.kind == SKILL_MD else "skill.zip"):
            raise NotFound("This version is not installed by that file.", code="no_artifact")
        headers = {"X-Content-Digest": found.digest}
        return cacheable(api, found.content, content_type=_DOWNLOADS[file], max_age=300, headers=headers)

    @api.post("/api/v1/skills/check-updates", tags=["versions"], summary="Which of up to 100 installed skills are old")
    def updates(body: UpdatesIn) -> UpdatesAnswer:
        installed = [Installed(each.name, each.current_version, each.sha) for each in body.skills]
        return UpdatesAnswer(results=[UpdateOut.of(update) for update in check_updates(backend, installed)])

    @api.post("/api/v1/skills/installs", tags=["installs"], summary="Count installs of up to 100 skills")
    def installs(body: InstallsIn) -> InstallsAnswer:
        counted = count_installs(backend, body.skills, body.machine_id or _caller(api))
        return InstallsAnswer(counted=len(counted), skills=sorted(counted))

    @api.post(
        f"{_SKILL}/installs",
        tags=["installs"],
        summary="Count an install",
        description="Once per machine and day. The machine is hashed under a salt of the day and never kept.",
    )
    def install(owner: str, repo: str, skill: str, body: Annotated[InstallIn | None, Body()] = None) -> InstallsAnswer:
        name = f"{owner}/{repo}/{skill}".lower()
        marketplace.get_skill_by_name(backend, name)
        counted = count_installs(backend, [name], (body.machine_id if body else None) or _caller(api))
        return InstallsAnswer(counted=len(counted), skills=sorted(counted))


def _caller(api: Api) -> str:
    """Who calls, where the client does not say which machine it is."""
    http = api.current_event.request_context.http
    return f"{http.source_ip} {http.get('userAgent', '')}"
