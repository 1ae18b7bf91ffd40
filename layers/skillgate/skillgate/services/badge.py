"""A badge for READMEs: what a skill was certified as."""

from __future__ import annotations

from html import escape

from skillgate.domain.listing import Listing

_COLOURS = {"CERTIFIED": "#1a7f37", "VERIFIED": "#0969da"}
_GREY, _RED = "#6e7781", "#cf222e"
_LABEL = "skillgate"


def badge(listing: Listing | None) -> str:
    """An SVG; for no listing, one that says so."""
    text, colour = _words(listing)
    left, right = 8 + 6.5 * len(_LABEL) + 4, 8 + 6.5 * len(text) + 4
    title = escape(f"{_LABEL}: {text}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:g}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{left:g}" height="20" fill="#24292f"/>'
        f'<rect x="{left:g}" width="{right:g}" height="20" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{_LABEL}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(text)}</text></g></svg>'
    )


def _words(listing: Listing | None) -> tuple[str, str]:
    if listing is None:
        return "unknown", _GREY
    if listing.status != "published":
        return listing.status, _RED
    if listing.cert_tier not in _COLOURS:
        return "not scanned", _GREY
    return f"{listing.cert_tier.lower()} {listing.cert_score}", _COLOURS[listing.cert_tier]
