"""Parses Markdown by converting it to HTML, so that embedded HTML is read too."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import decode
from footnote.types import Parsed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE | re.IGNORECASE)


def parse(data: bytes) -> Parsed:
    """Parses Markdown."""
    text = decode(data)
    front = _FRONT_MATTER.match(text)
    title = _TITLE.search(front[2]) if front else None
    body = text[front.end() :] if front else text
    parsed = html.parse_text(_renderer().render(body))
    return replace(parsed, title=title[2]) if title else parsed


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")
