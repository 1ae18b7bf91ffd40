"""Setting the marketplace right, and what is not let in."""

from skillgate.api.auth import operator_because
from skillgate.api.models import DoneOut, ReasonIn
from skillgate.api.registry_models import BlockIn, RebuildAnswer, SkillHealthOut
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput, NotFound
from skillgate.domain.repo_url import RepoUrl, skill_path
from skillgate.ports import Backend
from skillgate.services import blocklist
from skillgate.services.rebuild import rebuild
from skillgate.services.skill_health import skill_health


def register(api: Api, backend: Backend) -> None:
    @api.post(
        "/api/v1/admin/rebuild-index",
        tags=["marketplace"],
        summary="Write back what Postgres lacks and build the index again",
        description="May be called again and again. With `complete` false time ran out, and the next call goes on.",
    )
    def rebuild_index() -> RebuildAnswer:
        return RebuildAnswer.of(rebuild(backend))

    @api.get("/api/v1/admin/health/skills", tags=["marketplace"], summary="Compare the stores and say what to do")
    def health() -> SkillHealthOut:
        return SkillHealthOut.of(skill_health(backend))

    @api.post("/api/v1/admin/blocklist/block", tags=["blocklist"], summary="Block a source or a content")
    def block(body: BlockIn) -> DoneOut:
        repo, path = _scope(body)
        hit = blocklist.block(
            backend,
            operator_because(body.reason),
            repo=repo,
            skill_path=path,
            content_hash=body.content_hash,
            threat_type=body.threat_type,
            severity=body.severity,
        )
        return DoneOut(detail={"blocked": list(hit)})

    @api.post("/api/v1/admin/blocklist/unblock", tags=["blocklist"], summary="Lift a block")
    def unblock(body: BlockIn) -> DoneOut:
        repo, path = _scope(body)
        operator = operator_because(body.reason)
        if not blocklist.unblock(backend, operator, repo=repo, skill_path=path, content_hash=body.content_hash):
            raise NotFound("Nothing is blocked by exactly this.", code="block_not_found")
        return DoneOut()

    @api.post("/api/v1/admin/skills/<owner>/<repo>/<skill>/remove", tags=["marketplace"], summary="Remove a skill")
    def remove(owner: str, repo: str, skill: str, body: ReasonIn) -> DoneOut:
        blocklist.remove(backend, operator_because(body.reason), f"{owner}/{repo}/{skill}")
        return DoneOut()

    @api.post("/api/v1/admin/skills/<owner>/<repo>/<skill>/restore", tags=["marketplace"], summary="Bring one back")
    def restore(owner: str, repo: str, skill: str, body: ReasonIn) -> DoneOut:
        blocklist.restore(backend, operator_because(body.reason), f"{owner}/{repo}/{skill}")
        return DoneOut()


def _scope(body: BlockIn) -> tuple[RepoUrl | None, str | None]:
    if (body.repo_url is None) == (body.content_hash is None):
        raise InvalidInput("Give either repoUrl (and skillPath) or contentHash.", code="validation_failed")
    if body.repo_url is None:
        if body.skill_path is not None:
            raise InvalidInput("A skillPath needs its repoUrl.", code="validation_failed")
        return None, None
    return RepoUrl.parse(body.repo_url), skill_path(body.skill_path) if body.skill_path else None
