"""The routes of the admin API; every one of them is protected."""

from skillgate.api.router import Api
from skillgate.domain.principal import operators
from skillgate.ports import Backend

from admin_api.routes import dead_letters, discovery, disputes, enqueue, external_scans, marketplace, queue


def build_api(backend: Backend) -> Api:
    api = Api(backend, security=operators())
    enqueue.register(api, backend)
    queue.register(api, backend)
    dead_letters.register(api, backend)
    discovery.register(api, backend)
    external_scans.register(api, backend)
    disputes.register(api, backend)
    marketplace.register(api, backend)
    return api
