"""Parses Markdown by converting it to HTML, so that embedded HTML is read too.

CommonMark, with GitHub's tables, task lists and alerts, footnotes, lists of definitions, and the notices of site generators: `!!! note`
(MkDocs) and `:::note` (Docusaurus, VuePress, Pandoc).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from footnote.errors import UnreadableFile
from footnote.ingest.parse import html
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.markdown_tags import untagged
from footnote.types import Parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE | re.IGNORECASE)
_KIND_AS_TITLE = re.compile(
    r'(?<=<div class="admonition )(\w+)([^>]*>\n)<p class="admonition-title">(?i:\1)</p>\n|<p class="markdown-alert-title">\w+</p>\n'
)
"""The title that a notice without one gets: what kind it is, which is no text of the document."""
_NOTICE = re.compile(r"\s*(?:\w[\w-]*|\{[^}]*\})\s*(?:\[(?P<bracketed>[^\]]*)\]|(?P<plain>[^{:]*))")


def parse(data: bytes) -> Parsed:
    """Parses Markdown."""
    text = decode(data)
    front = _FRONT_MATTER.match(text)
    title = _TITLE.search(front[2]) if front else None
    body = text[front.end() :] if front else text
    if front and not body.strip():
        raise UnreadableFile(
            "This file contains no text below its front matter.", "If it only redirects, leave it out; otherwise add its text."
        )
    parsed = html.parse_text(_KIND_AS_TITLE.sub(r"\1\2", _renderer().render(untagged(body))))
    return replace(parsed, title=unescape(title[2])) if title else parsed


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.container import container_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    markdown = MarkdownIt("commonmark", {"alerts": True}).enable(["table", "strikethrough"])
    markdown.use(admon_plugin).use(deflist_plugin).use(footnote_plugin, inline=False)
    markdown.use(container_plugin, name="notice", validate=lambda info, _: _NOTICE.match(info) is not None, render=_notice)
    markdown.add_render_rule("footnote_ref", _nothing)
    markdown.add_render_rule("footnote_anchor", _nothing)
    return markdown


def _notice(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """The begin of a notice, with its title as a paragraph, or its end."""
    if tokens[at].nesting < 0:
        return "</div>\n"
    info = _NOTICE.match(tokens[at].info)
    title = ((info["bracketed"] or info["plain"]) if info else "").strip()
    return f"<div>\n<p>{escape(title)}</p>\n" if title else "<div>\n"


def _nothing(*_: Any) -> str:
    """A footnote's number says nothing below the text, and in an answer it looks like a citation."""
    return ""
