"""What every scanner said about a published skill."""

from skillgate.api.external_scans import ProviderAnswer, SecurityOut
from skillgate.api.router import Api
from skillgate.ports import Backend
from skillgate.services.security_view import provider_report, skill_security


def register(api: Api, backend: Backend) -> None:
    @api.get(
        "/api/v1/skills/<owner>/<repo>/<skill>/security",
        tags=["security"],
        summary="Every scanner's report on the skill's current version",
    )
    def security(owner: str, repo: str, skill: str) -> SecurityOut:
        return SecurityOut.of(skill_security(backend, f"{owner}/{repo}/{skill}"))

    @api.get(
        "/api/v1/skills/<owner>/<repo>/<skill>/security/<provider>",
        tags=["security"],
        summary="One scanner's report: tier1, tier2, semgrep, njsscan or trufflehog",
    )
    def provider_security(owner: str, repo: str, skill: str, provider: str) -> ProviderAnswer:
        found = skill_security(backend, f"{owner}/{repo}/{skill}")
        return ProviderAnswer.answer(found, provider_report(found, provider))
