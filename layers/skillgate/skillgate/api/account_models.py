"""What goes over the wire about accounts, owners and disputes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from skillgate.api.models import ReasonIn, SubmissionOut, Wire
from skillgate.domain.principal import Principal, Role, Scope
from skillgate.ports import ApiToken, Dispute, OverturnRate, OwnSkill
from skillgate.services.owners import NO_REASON_GIVEN


class MeOut(Wire):
    account_id: str | None
    login: str | None
    role: Role
    scopes: list[str] = Field(description="What an API token may do; empty for a session.")

    @classmethod
    def of(cls, principal: Principal) -> MeOut:
        return cls(
            account_id=principal.account_id,
            login=principal.login,
            role=principal.role,
            scopes=sorted(principal.scopes),
        )


class SessionOut(Wire):
    """The tokens themselves are in cookies that no script can read."""

    login: str
    role: Role
    expires_in: int = Field(description="Seconds until the access token has to be refreshed.")


class SignedOutOut(Wire):
    ok: bool = True
    sessions_ended: int


class ApiTokenIn(Wire):
    """`githubToken` is one that GitHub gave to our own app; without it, the caller has to be signed in."""

    github_token: str | None = Field(None, min_length=1, max_length=255)
    name: str = Field(min_length=1, max_length=80)
    scopes: list[Scope] = Field(default_factory=lambda: [Scope.SUBMIT, Scope.READ], min_length=1, max_length=10)
    expires_in_days: int = Field(90, ge=1, le=365)


class ApiTokenOut(Wire):
    id: str
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None

    @classmethod
    def of(cls, token: ApiToken) -> ApiTokenOut:
        return cls.model_validate(vars(token) | {"scopes": list(token.scopes)})


class NewApiTokenOut(ApiTokenOut):
    token: str = Field(description="Shown this once.")


class ApiTokenList(Wire):
    tokens: list[ApiTokenOut]


class OwnSubmissionList(Wire):
    submissions: list[SubmissionOut]
    next_cursor: str | None


class OwnSkillOut(Wire):
    id: str
    name: str
    repo_url: str
    skill_path: str
    current_version: str
    content_hash: str
    cert_score: int
    status: str
    status_reason: str | None
    updated_at: datetime

    @classmethod
    def of(cls, skill: OwnSkill) -> OwnSkillOut:
        return cls.model_validate(vars(skill))


class OwnSkillList(Wire):
    skills: list[OwnSkillOut]
    next_cursor: str | None


class WithdrawIn(Wire):
    reason: str = Field(NO_REASON_GIVEN, min_length=3, max_length=500)


class DisputeIn(Wire):
    """A finding: what a rule said about one content."""

    rule_id: str = Field(min_length=1, max_length=100)
    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    note: str = Field(min_length=10, max_length=2000)


class DisputeOut(Wire):
    id: str
    repository: str
    skill_path: str
    rule_id: str
    content_hash: str
    note: str
    opened_by: str
    created_at: datetime
    status: Literal["open", "overturned", "upheld"]
    reason: str | None
    decided_at: datetime | None

    @classmethod
    def of(cls, dispute: Dispute) -> DisputeOut:
        """Who decided is in the audit log, and not public."""
        shown = {name: getattr(dispute, name) for name in cls.model_fields if hasattr(dispute, name)}
        return cls.model_validate(shown | {"repository": dispute.repo_key, "opened_by": dispute.login})


class DisputeList(Wire):
    disputes: list[DisputeOut]
    next_cursor: str | None


class DecideDisputeIn(ReasonIn):
    decision: Literal["overturn", "uphold"]


class OverturnRateOut(Wire):
    rule_id: str
    disputes: int
    overturned: int
    upheld: int
    rate: float | None = Field(description="Overturned of those decided; null while none is.")

    @classmethod
    def of(cls, rate: OverturnRate) -> OverturnRateOut:
        decided = rate.overturned + rate.upheld
        return cls.model_validate(vars(rate) | {"rate": rate.overturned / decided if decided else None})


class OverturnRateList(Wire):
    rules: list[OverturnRateOut]
