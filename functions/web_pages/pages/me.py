"""An author's own page: what they submitted, what is published of theirs, and the tokens of their command lines."""

from collections.abc import Callable

from aws_lambda_powertools.event_handler import Response
from skillgate.api import cursor as cursors
from skillgate.api.auth import current_principal
from skillgate.domain.errors import InvalidInput
from skillgate.domain.principal import signed_in
from skillgate.domain.submission import OPEN
from skillgate.ports import Backend
from skillgate.services import owners
from skillgate.services.accounts import api_tokens
from skillgate.services.limits import Kind
from skillgate.services.owners import Owner
from skillgate.services.submit import Answer

from web_pages.site import Site, first

_SHOWN = 50
_NO_STORE = {"Cache-Control": "no-store"}
_DONE = {
    "withdrawn": "It was withdrawn.",
    "revoked": "The token was revoked: it opens nothing any more.",
}


def register(site: Site, backend: Backend) -> None:
    def act(
        rescan: Callable[[Backend, Owner, str], Answer], withdraw: Callable[[Backend, Owner, str, str], object]
    ) -> Response[str]:
        form = site.form()
        owner, wanted = Owner.of(current_principal()), first(form, "id")
        match first(form, "action"):
            case "rescan":
                site.charge(Kind.SUBMISSIONS)
                answer = rescan(backend, owner, wanted)
                # To the new submission, or to the one that is open already; a blocked source has none.
                return site.see(f"/submissions/{answer.submission.id}" if answer.submission else "/blocklist")
            case "withdraw":
                withdraw(backend, owner, wanted, owners.NO_REASON_GIVEN)
                return site.see("/me?done=withdrawn")
        raise InvalidInput("Choose what is to be done.", code="nothing_chosen")

    @site.get("/me", include_in_schema=False, security=signed_in())
    def me() -> Response[str]:
        owner = Owner.of(current_principal())
        after = cursors.decode_with_id(site.query("submissions", limit=500))
        submissions = owners.submissions(backend, owner, after=after, limit=_SHOWN)
        skills, more_skills = owners.skills(backend, owner, after=site.query("skills") or "", limit=_SHOWN)
        return site.page(
            "me.html",
            headers=_NO_STORE,
            submissions=submissions.submissions,
            more_submissions=cursors.encode(submissions.next_after),
            skills=skills,
            more_skills=more_skills,
            tokens=api_tokens.of_account(backend, owner.account_id),
            open_states=OPEN,
            done=_DONE.get(site.query("done") or ""),
        )

    @site.post("/me/submissions", include_in_schema=False, security=signed_in())
    def act_on_submission() -> Response[str]:
        return act(owners.rescan_submission, owners.withdraw_submission)

    @site.post("/me/skills", include_in_schema=False, security=signed_in())
    def act_on_skill() -> Response[str]:
        return act(owners.rescan_skill, owners.withdraw_skill)

    @site.post("/me/tokens", include_in_schema=False, security=signed_in())
    def revoke_token() -> Response[str]:
        form = site.form()
        api_tokens.revoke(backend, Owner.of(current_principal()).account_id, first(form, "id"))
        return site.see("/me?done=revoked")
