"""Style, scripts and pictures."""

from aws_lambda_powertools.event_handler import Response
from skillgate.domain.errors import NotFound
from skillgate.ports import Backend
from skillgate.web.assets import Asset, asset_at, assets

from web_pages.site import Site

_FOR_EVER = "public, max-age=31536000, immutable"


def register(site: Site, _: Backend) -> None:
    @site.get("/static/<name>", include_in_schema=False)
    def static(name: str) -> Response[str | bytes]:
        found = asset_at(name)
        if found is None:
            raise NotFound("There is no such file.")
        asset, is_current = found
        # A page from before a deployment asks for the file as it was; today's is better than none, but not for long.
        return _answer(asset, _FOR_EVER if is_current else "public, max-age=60")

    @site.get("/favicon.ico", include_in_schema=False)
    def icon() -> Response[str | bytes]:
        return _answer(assets()["mark.svg"], "public, max-age=86400")


def _answer(asset: Asset, cache: str) -> Response[str | bytes]:
    is_text = not asset.content_type.startswith("image/png")
    return Response(
        200, asset.content_type, asset.content.decode() if is_text else asset.content, headers={"Cache-Control": cache}
    )
