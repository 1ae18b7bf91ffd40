"""The routes of the public API."""

from public_api.routes import documents, skills, submissions

from skillgate.api.router import Api
from skillgate.ports import Backend


def build_api(backend: Backend) -> Api:
    api = Api(backend)
    submissions.register(api, backend)
    skills.register(api, backend)
    documents.register(api)
    return api
