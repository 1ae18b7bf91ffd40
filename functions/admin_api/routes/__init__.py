"""The routes of the admin API; every one of them is protected."""

from functools import partial

from skillgate.api.auth import internal_only
from skillgate.api.router import Api
from skillgate.ports import Backend

from admin_api.routes import dead_letters, enqueue, marketplace, queue


def build_api(backend: Backend) -> Api:
    api = Api(backend, guard=partial(internal_only, backend))
    enqueue.register(api, backend)
    queue.register(api, backend)
    dead_letters.register(api, backend)
    marketplace.register(api, backend)
    return api
