"""Parses Markdown by converting it to HTML, so that embedded HTML is read too.

CommonMark, with GitHub's tables, task lists, footnotes, lists of definitions, and the notices of site generators: `!!! note`
(MkDocs) and `:::note` (Docusaurus, VuePress, Pandoc). What else site generators and note-taking programs add (Jekyll, Hugo, Eleventy, MDX,
Obsidian) is made plain outside code only, where the same characters are what the document is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from footnote.errors import UnreadableFile
from footnote.ingest.parse import front_matter, html
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.front_matter import FrontMatter
from footnote.ingest.parse.markdown_marks import plain
from footnote.types import Block, Pair, Parsed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_KIND_AS_TITLE = re.compile(r'(?<=<div class="admonition )(\w+)([^>]*>\n)<p class="admonition-title">(?i:\1)</p>\n')
"""The title that a notice without one gets: what kind it is, which is no text of the document."""
_NOTICE = re.compile(r"\s*(?:\w[\w-]*|\{[^}]*\})\s*(?:\[(?P<bracketed>[^\]]*)\]|(?P<plain>[^{:]*))")


def parse(data: bytes) -> Parsed:
    """Parses Markdown."""
    text = decode(data)
    front = front_matter.read(text)
    body = text[front.end :] if front else text
    if front and not body.strip():
        raise UnreadableFile(
            "This file contains no text below its front matter.", "If it only redirects, leave it out; otherwise add its text."
        )
    written, is_mdx = plain(body)
    parsed = html.parse_text(_KIND_AS_TITLE.sub(r"\1\2", _renderer(indented_code=not is_mdx).render(written)))
    return _with_front_matter(parsed, front) if front else parsed


def _with_front_matter(parsed: Parsed, front: FrontMatter) -> Parsed:
    """The parsed text with the lines of the front matter below its title."""
    title = unescape(front.title) or parsed.title
    parsed = replace(parsed, title=title, fields=front.fields)
    if not front.lines:
        return parsed
    first = parsed.blocks[0] if parsed.blocks else None
    at = 1 if first is not None and first.kind == "heading" and first.level == 1 else 0
    blocks = (*parsed.blocks[:at], *(Block("metadata", line) for line in front.lines), *parsed.blocks[at:])
    more = len(front.lines)
    pairs = tuple(pair if pair.end <= at else Pair(pair.first + more, pair.end + more) for pair in parsed.pairs)
    return replace(parsed, blocks=blocks, pairs=pairs)


@cache
def _renderer(*, indented_code: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.container import container_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.superscript import superscript_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    if not indented_code:
        markdown.disable("code")
    markdown.use(admon_plugin).use(deflist_plugin).use(footnote_plugin, inline=False).use(tasklists_plugin).use(superscript_plugin)
    markdown.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    markdown.use(container_plugin, name="notice", validate=lambda info, _: _NOTICE.match(info) is not None, render=_notice)
    for kind in ("math_inline", "math_inline_double", "math_block"):
        markdown.add_render_rule(kind, _equation)
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


def _equation(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """TeX as it is written."""
    token = tokens[at]
    text = f"{token.markup}{escape(token.content)}{token.markup}"
    return f"<p>{text}</p>\n" if token.block else text


def _nothing(*_: Any) -> str:
    """A footnote's number says nothing below the text, and in an answer it looks like a citation."""
    return ""
