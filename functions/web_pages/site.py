"""The router of the pages: HTML out, also for errors; forms in, only from our own pages; compressed on the way."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import context
from skillgate.api import auth
from skillgate.api.event import ApiEvent
from skillgate.api.problems import CONTENT_TYPE as PROBLEM
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput, SkillgateError
from skillgate.domain.principal import Principal
from skillgate.services.limits import Kind
from skillgate.web.rendering import render

HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_COMPRESSED = ("text/", "application/rss+xml", "application/xml", "image/svg+xml")
_WORTH_COMPRESSING = 1_000


class Site(Api):
    """Routes of the pages. An unknown parameter in the address (a campaign's, say) changes nothing here."""

    only_known_parameters = False

    def handle(self, event: dict[str, Any], lambda_context: LambdaContext) -> dict[str, Any]:
        answer = super().handle(event, lambda_context)
        if answer["headers"].get("content-type") == PROBLEM:
            answer = self._as_page(event, answer)
        return _compressed(event, answer)

    def page(
        self, template: str, status: int = 200, *, headers: Mapping[str, str] | None = None, **values: object
    ) -> Response[str]:
        """A page for whoever asks. Browsers may keep it to go back to, but ask again before they show it anew."""
        body = render(template, **self._common(self._event), **values)
        common = {"Content-Security-Policy": POLICY, "Cache-Control": "private, no-cache"}
        return Response(status, HTML, body, headers=common | dict(headers or {}))

    def see(self, location: str) -> Response[str]:
        """After a form: look there. A reload does not send the form again."""
        return Response(303, HTML, "", headers={"Location": location})

    def query(self, name: str, limit: int = 200) -> str | None:
        """One parameter of the address, without blanks around it; None where there is nothing in it."""
        values = self.current_event.resolved_query_string_parameters.get(name) or [""]
        return values[-1].strip().replace("\0", "")[:limit] or None

    def number(self, name: str, *, default: int, most: int) -> int:
        text = self.query(name) or ""
        return min(most, max(1, int(text))) if text.isascii() and text.isdigit() and len(text) < 10 else default

    def form(self) -> Mapping[str, Sequence[str]]:
        """The fields of a form that one of our own pages sent. Raises Forbidden for another site's, cookie or not."""
        auth.require_same_site(self._event, self._backend.settings.public_url)
        try:
            return parse_qs(self.current_event.decoded_body or "", max_num_fields=2_000)
        except ValueError:
            raise InvalidInput("The form has too many fields.") from None

    def charge(self, kind: Kind) -> None:
        """Counts a form as what it does, beside the one call that it is. Raises RateLimited."""
        self._limiter.charge(kind, context.current().principal, self._event.source_address)

    @property
    def public_url(self) -> str:
        return self._event.origin(self._backend.settings.public_url)

    @property
    def _event(self) -> ApiEvent:
        event = self.current_event
        assert isinstance(event, ApiEvent)  # the router makes no other
        return event

    def _common(self, event: ApiEvent) -> dict[str, Any]:
        return {
            "now": self._backend.now(),
            "public_url": event.origin(self._backend.settings.public_url),
            "path": event.get("rawPath") or "/",
            "viewer": self._viewer(event),
            "can_sign_in": bool(self._backend.settings.github_oauth_client_id),
        }

    def _viewer(self, event: ApiEvent) -> Principal | None:
        """Who looks; outside of a route (an error's page) it is worked out again."""
        if (environment := context.current_or_none()) is not None:
            return environment.principal
        try:
            return auth.identify(self._backend, event)
        except SkillgateError:
            return None

    def _as_page(self, event: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """The error page for a problem: the same status, code and request id, in words."""
        problem = json.loads(answer["body"])
        values = {
            **self._common(ApiEvent(event)),
            "problem": problem,
            "retry_after": answer["headers"].get("retry-after"),
        }
        kept = {name: value for name, value in answer["headers"].items() if name != "content-length"}
        headers = kept | {"content-type": HTML, "content-security-policy": POLICY}
        return answer | {"headers": headers, "body": render("error.html", **values)}


def first(form: Mapping[str, Sequence[str]], name: str) -> str:
    """A form's field without blanks around it; empty where there is none."""
    return (form.get(name) or [""])[0].strip()


def _compressed(event: Mapping[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The gateway does not compress; a phone on a slow line is glad if we do. Nothing secret is in a page."""
    body, kind = answer.get("body") or "", answer["headers"].get("content-type", "")
    accepted = event.get("headers", {}).get("accept-encoding", "")
    if len(body) < _WORTH_COMPRESSING or "gzip" not in accepted or not kind.startswith(_COMPRESSED):
        return answer
    packed = gzip.compress(body.encode(), compresslevel=5, mtime=0)
    headers = answer["headers"] | {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return answer | {"headers": headers, "body": base64.b64encode(packed).decode(), "isBase64Encoded": True}
