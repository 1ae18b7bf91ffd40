"""Every page, one module for each group of them."""

from skillgate.ports import Backend

from web_pages.pages import admin, api_reference, feeds, marketplace, me, queue, skills, static, submit
from web_pages.site import Site


def build_pages(backend: Backend) -> Site:
    site = Site(backend)
    for group in (marketplace, skills, queue, submit, me, admin, feeds, api_reference, static):
        group.register(site, backend)
    return site
