"""An author's Markdown: whatever it holds, nothing of it acts on the reader."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.web.markdown import MAX_CHARACTERS, render, safe_url

BASE = "https://github.com/acme/tools/blob/0123abc/skills/pdf/"
# What the parser itself writes. Anything else in the output came from the author.
_TAGS = {
    *("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "em", "strong", "s", "a", "code", "pre", "blockquote", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "div"),
}
_ATTRIBUTES = {"href", "rel", "class", "tabindex", "start"}


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


def seen(markdown: str) -> _Seen:
    parser = _Seen()
    parser.feed(str(render(markdown, BASE)))
    return parser


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java\nscript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:msgbox)",
        "![x](javascript:alert(1))",
        "<javascript:alert(1)>",
        '[x](https://a.example "onmouseover=alert(1)")',
        "[x]: javascript:alert(1)\n\n[x]",
        "`<script>`\n```html\n<script>alert(1)</script>\n```",
        '```"><script>alert(1)</script>\nx\n```',
        "| a |\n|:--|\n| <svg onload=alert(1)> |",
        "<style>*{display:none}</style>",
        "<iframe src=//evil.example></iframe>",
    ],
)
def test_nothing_hostile_becomes_a_tag_an_attribute_or_a_link(hostile: str) -> None:
    found = seen(hostile)
    assert found.tags <= _TAGS
    for name, value in found.attributes:
        assert name in _ATTRIBUTES
        assert name != "href" or (value or "").startswith(("https://", "http://", "mailto:"))


@given(st.text(max_size=400))
def test_random_text_brings_no_tag_of_its_own(text: str) -> None:
    found = seen(text)
    assert found.tags <= _TAGS and {name for name, _ in found.attributes} <= _ATTRIBUTES


def test_a_relative_link_leads_to_the_file_at_the_commit_that_was_scanned() -> None:
    assert f'href="{BASE}forms.md"' in render("[forms](forms.md)", BASE)
    assert 'href="https://github.com/acme/tools/blob/0123abc/other.md"' in render("[o](../../other.md)", BASE)


def test_an_image_is_a_link_so_that_looking_tells_nobody() -> None:
    html = render("![a chart](https://tracker.example/pixel.png)", BASE)
    assert "<img" not in html and "Image: a chart" in html and "nofollow" in html


def test_headings_go_below_the_pages_own() -> None:
    assert render("# One\n###### Six", BASE) == "<h3>One</h3>\n<h6>Six</h6>\n"


def test_what_is_too_long_is_cut_before_it_is_parsed() -> None:
    assert len(render("a " * MAX_CHARACTERS, BASE)) < MAX_CHARACTERS + 100


@pytest.mark.parametrize("target", ["javascript:x", "data:x", "file:///etc/passwd", "http://", "http://[x"])
def test_no_other_scheme_and_no_broken_address_is_linked(target: str) -> None:
    assert safe_url(target, BASE) is None
