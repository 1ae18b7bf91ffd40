"""An author's Markdown as HTML that cannot hurt a reader.

No HTML of the author passes through: tags are shown as text. Links lead to http(s) and mailto only; relative ones lead
to the file on GitHub at the commit that was scanned. Images are links, so that looking at a page tells nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup

MAX_CHARACTERS = 100_000
_SCHEMES = frozenset({"http", "https", "mailto"})
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return True  # checked at rendering, where they are resolved


@lru_cache(maxsize=128)
def render(text: str, base_url: str) -> Markup:
    """`base_url` is the folder that relative links start from; headings move below the page's own."""
    tokens = _parser().parse(text[:MAX_CHARACTERS])
    html = _parser().renderer.render(tokens, _parser().options, {"base_url": base_url})
    return Markup(html)  # noqa: S704 - the parser escapes all that it is given, and links are checked


@cache
def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    parser.add_render_rule("th_open", lambda *_: "<th>")  # a style attribute is what the page's policy refuses
    parser.add_render_rule("td_open", lambda *_: "<td>")
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    return parser


def safe_url(target: str, base_url: str) -> str | None:
    """Where a link leads, or None if it must lead nowhere."""
    cleaned = _UNPRINTABLE.sub("", target)
    try:
        absolute = urljoin(base_url, cleaned)
        parts = urlsplit(absolute)
    except ValueError:
        return None
    if parts.scheme.lower() not in _SCHEMES or (parts.scheme.lower() != "mailto" and not parts.hostname):
        return None
    return absolute


def _heading(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _: Mapping[str, Any]
) -> str:
    token = tokens[index]
    level = min(6, int(token.tag[1]) + 2)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Mapping[str, Any]
) -> str:
    url = safe_url(str(tokens[index].attrs.get("href", "")), env["base_url"])
    return "<a>" if url is None else f'<a href="{_escaped(url)}" rel="nofollow noopener noreferrer ugc">'


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Mapping[str, Any]
) -> str:
    url = safe_url(str(tokens[index].attrs.get("src", "")), env["base_url"])
    label = f"Image: {tokens[index].content or 'no description'}"
    if url is None:
        return _escaped(label)
    return f'<a href="{_escaped(url)}" rel="nofollow noopener noreferrer ugc">{_escaped(label)}</a>'


def _code(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _: Mapping[str, Any]
) -> str:
    return f'<pre tabindex="0"><code>{_escaped(tokens[index].content)}</code></pre>\n'


def _escaped(text: str) -> str:
    return str(Markup.escape(text))
