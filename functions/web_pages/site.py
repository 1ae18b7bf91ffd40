"""The router of the pages: HTML out, also for errors; forms in, only from our own pages; compressed on the way."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate.api.problems import CONTENT_TYPE as PROBLEM
from skillgate.api.router import Api
from skillgate.domain.errors import Forbidden, InvalidInput
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
        body = render(template, **self._common(self.current_event), **values)
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
        """The fields of a form that one of our own pages sent. Raises Forbidden for another site's."""
        _check_origin(self.current_event.headers)
        try:
            return parse_qs(self.current_event.decoded_body or "", max_num_fields=2_000)
        except ValueError:
            raise InvalidInput("The form has too many fields.") from None

    @property
    def public_url(self) -> str:
        return _public_url(self._backend.settings.public_url, self.current_event)

    def _common(self, event: Any) -> dict[str, Any]:
        return {
            "now": self._backend.now(),
            "public_url": _public_url(self._backend.settings.public_url, event),
            "path": event.get("rawPath") or "/",
        }

    def _as_page(self, event: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """The error page for a problem: the same status, code and request id, in words."""
        problem = json.loads(answer["body"])
        values = {**self._common(event), "problem": problem, "retry_after": answer["headers"].get("retry-after")}
        kept = {name: value for name, value in answer["headers"].items() if name != "content-length"}
        headers = kept | {"content-type": HTML, "content-security-policy": POLICY}
        return answer | {"headers": headers, "body": render("error.html", **values)}


def _public_url(configured: str, event: Mapping[str, Any]) -> str:
    if configured:
        return configured.rstrip("/")
    scheme = event.get("headers", {}).get("x-forwarded-proto", "https")
    return f"{'http' if scheme == 'http' else 'https'}://{event['requestContext']['domainName']}"


def _check_origin(headers: Mapping[str, str]) -> None:
    """Browsers say where a form comes from, and no page can forge it. A form that does not say is refused."""
    origin, host = headers.get("origin"), headers.get("host")
    from_here = origin is not None and urlsplit(origin).netloc == host
    if not from_here or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Forbidden("This form was sent from another site.", code="cross_site")


def _compressed(event: Mapping[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The gateway does not compress; a phone on a slow line is glad if we do. Nothing secret is in a page."""
    body, kind = answer.get("body") or "", answer["headers"].get("content-type", "")
    accepted = event.get("headers", {}).get("accept-encoding", "")
    if len(body) < _WORTH_COMPRESSING or "gzip" not in accepted or not kind.startswith(_COMPRESSED):
        return answer
    packed = gzip.compress(body.encode(), compresslevel=5, mtime=0)
    headers = answer["headers"] | {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return answer | {"headers": headers, "body": base64.b64encode(packed).decode(), "isBase64Encoded": True}
