"""The routes of the public API."""

from skillgate.api.router import Api
from skillgate.ports import Backend

from public_api.routes import auth, disputes, documents, owners, skills, submissions


def build_api(backend: Backend) -> Api:
    api = Api(backend)
    submissions.register(api, backend)
    skills.register(api, backend)
    documents.register(api)
    auth.register(api, backend)
    owners.register(api, backend)
    disputes.register(api, backend)
    return api
