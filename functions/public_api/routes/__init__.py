"""The routes of the public API."""

from skillgate.api.caching import answer_not_modified
from skillgate.api.router import Api
from skillgate.ports import Backend

from public_api.routes import (
    auth,
    disputes,
    documents,
    owners,
    registry,
    security,
    skill_reports,
    skill_search,
    skill_versions,
    skills,
    submissions,
)


def build_api(backend: Backend) -> Api:
    api = Api(backend)
    answer_not_modified(api)
    submissions.register(api, backend)
    skill_search.register(api, backend)
    skills.register(api, backend)
    security.register(api, backend)
    skill_versions.register(api, backend)
    skill_reports.register(api, backend)
    registry.register(api, backend)
    documents.register(api)
    auth.register(api, backend)
    owners.register(api, backend)
    disputes.register(api, backend)
    return api
