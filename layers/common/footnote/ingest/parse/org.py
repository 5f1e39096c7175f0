"""Parses Org files: they are written as Markdown, which is read as always. Drawers, comments and settings are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from footnote.ingest.parse import markdown
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.title import usable_title
from footnote.types import Parsed

_HEADING = re.compile(r"(\*{1,20})\s+(?:(TODO|DONE)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+(:[\w@#%:]+:))?\s*$")
_BEGIN = re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE)
_KEYWORD = re.compile(r"\s*#\+(\w+)(?:\[.*\])?:\s*(.*)")
_DRAWER = re.compile(r"\s*:[\w-]+:\s*$")
_FIXED_WIDTH = re.compile(r"^\s*: (.*)")
_RULE = re.compile(r"\s*\|[-+|]+\|?\s*$")
_LINK = re.compile(r"\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,2000})\])?\]")
_TERM = re.compile(r"(\s*[-+]\s+.*?)\s+::(?=\s|$)")
_MARKS = re.compile(r"(?<![\w/])([=~/+])(?=\S)([^=~/+\n]*[^\s=~/+])\1(?![\w/])")
_AS_MARKDOWN = {"=": "`", "~": "`", "/": "", "+": "~~"}
_VERBATIM = frozenset(("src", "example", "export"))


def parse(data: bytes) -> Parsed:
    """Parses an Org file."""
    lines = decode(data).split("\n")
    titles = (found[2] for line in lines[:100] if (found := _KEYWORD.match(line)) and found[1].lower() == "title")
    parsed = markdown.parse("\n".join(_as_markdown(lines)).encode())
    return replace(parsed, title=usable_title(next(titles, "")) or parsed.title)


def _as_markdown(lines: list[str]) -> Iterator[str]:
    end, is_drawer = "", False
    in_table = False
    for line in lines:
        if end:
            if line.strip().lower() == end:
                end = ""
                yield "" if is_drawer else "~~~~"
            elif not is_drawer:
                yield line
            continue
        is_row = line.lstrip().startswith("|")
        if is_row and _RULE.match(line):
            continue
        if begin := _BEGIN.match(line):
            if begin[1].lower() in _VERBATIM:
                end, is_drawer = f"#+end_{begin[1].lower()}", False
                yield "\n~~~~"
        elif _DRAWER.match(line):
            end, is_drawer = ":end:", True
        elif heading := _HEADING.match(line):
            tags = f" ({', '.join(heading[4].strip(':').split(':'))})" if heading[4] else ""
            state = f"{heading[2]}: " if heading[2] else ""
            yield f"\n{'#' * min(6, len(heading[1]))} {state}{_inline(heading[3])}{tags}\n"
        elif keyword := _KEYWORD.match(line):
            if keyword[1].lower() in ("title", "subtitle", "caption", "author", "date"):
                yield f"\n{'# ' if keyword[1].lower() == 'title' else ''}{_inline(keyword[2])}\n"
        elif is_row:
            yield ("" if in_table else "\n") + _inline(line.strip())
            if not in_table:
                yield "|" + "---|" * (line.strip().rstrip("|").count("|"))
        elif not line.lstrip().startswith(("# ", "#+")) and line.strip() != "#":
            yield _TERM.sub(r"\1:", _inline(_FIXED_WIDTH.sub(r"    \1", line)))
        in_table = is_row


def _inline(text: str) -> str:
    """The text with the marks of Markdown."""
    text = _LINK.sub(lambda link: link[2] or link[1], text)
    return _MARKS.sub(lambda mark: f"{_AS_MARKDOWN[mark[1]]}{mark[2]}{_AS_MARKDOWN[mark[1]]}", text)
