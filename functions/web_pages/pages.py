"""The pages, rendered on the server."""

from importlib.resources import files

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from jinja2 import Environment, PackageLoader, select_autoescape
from skillgate.api.models import StatisticsOut
from skillgate.api.router import Api
from skillgate.domain.errors import NotFound, StoreUnavailable
from skillgate.domain.ids import is_id
from skillgate.ports import Backend, ListQuery
from skillgate.services import marketplace, queue_view
from skillgate.services.marketplace import SkillQuery

_HTML = "text/html; charset=utf-8"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SHOWN = 50


def build_pages(backend: Backend) -> Api:
    api = Api(backend)
    templates = Environment(
        loader=PackageLoader("skillgate.web", "templates"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def page(name: str, status: int = 200, **values: object) -> Response[str]:
        body = templates.get_template(f"{name}.html").render(**values)
        return Response(status, _HTML, body, headers={"Content-Security-Policy": _POLICY})

    @api.get("/", include_in_schema=False)
    def home() -> Response[str]:
        try:
            skills = marketplace.get_skills(backend, SkillQuery(sort="updated", limit=_SHOWN))
            listing = queue_view.list_submissions(backend, ListQuery(limit=_SHOWN))
            numbers = StatisticsOut.of(queue_view.queue_statistics(backend))
        except StoreUnavailable:
            return page("unavailable", 503)
        return page("home", skills=skills, listing=listing, numbers=numbers)

    @api.get("/submissions/<submission_id>", include_in_schema=False)
    def submission(submission_id: str) -> Response[str]:
        try:
            if not is_id(submission_id):
                return page("not_found", 404)
            story = queue_view.submission_story(backend, submission_id)
        except NotFound:
            return page("not_found", 404)
        except StoreUnavailable:
            return page("unavailable", 503)
        return page("submission", story=story)

    @api.get("/static/style.css", include_in_schema=False)
    def style() -> Response[str]:
        body = (files("skillgate.web") / "static" / "style.css").read_text()
        return Response(200, "text/css; charset=utf-8", body, headers={"Cache-Control": "public, max-age=300"})

    api.exception_handler(NotFoundError)(lambda _: page("not_found", 404))
    return api
