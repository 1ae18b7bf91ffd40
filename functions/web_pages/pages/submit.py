"""Submitting: an address in, the skills found in it out; choose, submit, and follow."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_lambda_powertools.event_handler import Response
from skillgate import context
from skillgate.domain.errors import InvalidInput, PermanentFailure, SkillgateError
from skillgate.domain.repo_url import RepoUrl, parse_location, skill_path, skill_slug
from skillgate.domain.submission import State, Submission
from skillgate.ports import Backend, ListQuery
from skillgate.services import queue_view
from skillgate.services.limits import Kind
from skillgate.services.submit import Request, create_submissions_batch

from web_pages.site import Site

_MOST = 500


@dataclass(frozen=True)
class FoundSkill:
    """A SKILL.md in the repository, and what the registry already knows about it."""

    path: str
    name: str
    standing: str  # new, pending, verified, rejected or blocked
    submission: Submission | None
    skill_id: str | None
    wanted: bool


def register(site: Site, backend: Backend) -> None:
    @site.get("/submit", include_in_schema=False)
    def look() -> Response[str]:
        text = site.query("repo", limit=500)
        if text is None:
            return site.page("submit.html", text="", repo=None, found=(), error=None)
        try:
            repo, wanted = parse_location(_address(text))
            found = find(backend, repo, wanted)
        except SkillgateError as error:
            return site.page("submit.html", text=text, repo=None, found=(), error=error)
        return site.page("submit.html", text=text, repo=repo, found=found, error=None)

    @site.post("/submit", include_in_schema=False)
    def submit() -> Response[str]:
        form = site.form()
        repo = RepoUrl.parse((form.get("repo") or [""])[0])
        paths = list(dict.fromkeys(skill_path(path) for path in form.get("path", ())))
        if not paths or len(paths) > _MOST:
            raise InvalidInput(f"Choose between one and {_MOST} skills.")
        site.charge(Kind.SUBMISSIONS if len(paths) == 1 else Kind.BULK)
        caller = context.current().principal
        by = caller.account_id if caller else None
        answers = create_submissions_batch(
            backend, [Request(repo, path, source="web", submitted_by=by) for path in paths]
        )
        if len(answers) == 1 and answers[0].submission:
            return site.see(f"/submissions/{answers[0].submission.id}")
        return site.see(f"/queue?q={repo.owner}/{repo.repo}")


def find(backend: Backend, repo: RepoUrl, wanted: str | None) -> Sequence[FoundSkill]:
    """Every skill of the repository. Raises PermanentFailure where there is none."""
    tokens = backend.settings.github_tokens
    paths = backend.source.find_skills(repo.url, tokens[0].get_secret_value() if tokens else None)
    paths = [path for path in paths if _acceptable(path)][:_MOST]
    if not paths:
        raise PermanentFailure("No SKILL.md was found in this repository.", code="no_skill_md")
    keys = [(repo.key, path) for path in paths]
    screened = backend.store.screen(keys)
    page = queue_view.list_submissions(backend, ListQuery(repo_key=repo.key, limit=_MOST)).page
    newest = {row.skill_path: row for row in reversed(page.rows)}
    found = []
    for key, path in zip(keys, paths, strict=True):
        known, last = screened.get(key), newest.get(path)
        standing = _standing(bool(known and known.blocked_reason), known.skill_id if known else None, last)
        chosen = standing in ("new", "rejected") and (wanted is None or wanted == path)
        found.append(
            FoundSkill(path, skill_slug(repo, path), standing, last, known.skill_id if known else None, chosen)
        )
    return found


def _standing(is_blocked: bool, skill_id: str | None, last: Submission | None) -> str:
    if is_blocked or (last and last.state is State.BLOCKED):
        return "blocked"
    if last and not last.terminal:
        return "pending"
    if skill_id:
        return "verified"
    return "rejected" if last and last.state in (State.REJECTED, State.TIER1_FAILED) else "new"


def _address(text: str) -> str:
    """People paste `owner/repo`, or an address without its scheme."""
    if text.startswith(("https://", "http://")):
        return text.replace("http://", "https://", 1)
    if text.startswith(("github.com/", "www.github.com/")):
        return "https://" + text.removeprefix("www.")
    return f"https://github.com/{text}"


def _acceptable(path: str) -> bool:
    try:
        return skill_path(path) == path
    except InvalidInput:
        return False
