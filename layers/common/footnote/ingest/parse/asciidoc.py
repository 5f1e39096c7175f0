"""Parses AsciiDoc: makes a web page of its main structure, which is read like any other.

Headings, lists, tables, code, notices, captions and links are read; attributes that the file sets are filled in. Comments, included files
and what only lays out are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import decode
from footnote.types import Parsed

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:\s+(.*))?")
_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)")
_ITEM = re.compile(r"\s*(\*{1,6}|-|\.{1,6}|\d{1,3}\.|[a-zA-Z]\.|<\d{1,2}>|<\.>)\s+(\S.*)")
_TERM = re.compile(r"\s*(\S.*?)(:{2,4}|;;)(?:\s+(.*))?")
_TITLE = re.compile(r"\.([^\s.].*)")
_LEFT_OUT = re.compile(r"//(?!/)|(?:include|ifdef|ifndef|ifeval|endif|toc)::|\[.*\]$|'{3}$|<{3}$|\+$")
"""Lines without text: comments, directives, attributes of blocks, rules, the sign that joins a block to an item."""
_TRANSPARENT = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)$")
"""Delimits a block that is read like any other text: an example, a sidebar, a quote."""
_VERBATIM = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|```.*)$")
_TABLE = re.compile(r"[|,:!]===$")
_CELL = re.compile(
    r"(?:(?:^|(?<=\s))(?=[^\s|]{1,20}\|)(?:\d{1,3}\*)?(?:(?:\d{1,3})?(?:\.\d{1,3})?\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?)?(?<!\\)\|",
    re.MULTILINE,
)
"""The beginning of a cell, with how it spans and looks."""
_COLUMNS = re.compile(r"\bcols=[\"']?(?:(\d{1,2})\*|([^\"'\]]*))")
_BLOCK_IMAGE = re.compile(r"(?:image|video|audio)::[^\[\s]*\[([^\]]*)\]\s*$")
_LINK = re.compile(r"(?:(?:(?:link|xref|mailto):|\{[\w-]{1,99}\})[^\s\[]{0,500}|\b(?:https?|ftp)://[^\s\[\]<>]{0,500})\[([^\]]{0,2000})\]")
_REFERENCE = re.compile(r"<<([^<>,]*)(?:,([^<>]*))?>>")
_MACRO = re.compile(
    r"\b(?:kbd|btn|footnote|pass|stem|latexmath|asciimath|indexterm2?|icon|image|menu|anchor):([^\s\[\]]{0,200})\[([^\]]{0,2000})\]"
)
_NAMED = re.compile(r"\{([\w-]+)\}")
_MARKS = re.compile(r"(?<![\w\\])(?:\[[^\[\]]*\])?([*_`#+])(?=\S)([^*_`#+\n]*[^\s*_`#+])\1(?!\w)")
_MARKS_IN_WORDS = re.compile(r"(\*\*|__|``|##|\+\+)([^*_`#+\n]+)\1")
_LONGEST_VALUE = 100
"""Characters of an attribute that is filled in."""
_NOTHING = re.compile(r"\[\[[^\[\]]*\]\]|(?<=\s)\+$|\\(?=[*_`#{<:\[])", re.MULTILINE)


def parse(data: bytes) -> Parsed:
    """Parses AsciiDoc."""
    page = "\n".join(_Reader(decode(data).split("\n")).page())
    parsed = html.parse_text(f"<!doctype html><body>{page}</body>")
    return replace(parsed, title=html.first_heading(parsed.blocks))


class _Reader:
    """Reads lines one after the other."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._named: dict[str, str] = {}
        self._attributes = ""
        """Those of the block that follows."""
        self._open: list[tuple[str, str]] = []
        """(marker, tag) of the lists that are open, the outer one first."""

    def page(self) -> Iterator[str]:
        """The HTML."""
        paragraph: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            made = self._block(line, is_first=not paragraph)
            if made is None:
                paragraph.append(line)
                continue
            if paragraph:
                yield self._paragraph(paragraph)
                paragraph = []
            yield made
        if paragraph:
            yield self._paragraph(paragraph)
        yield self._close(0)

    def _block(self, line: str, *, is_first: bool) -> str | None:
        """What a line begins or is; None = it is text of a paragraph."""
        if not line:
            return ""
        if attribute := _ATTRIBUTE.fullmatch(line):
            if len(attribute[2] or "") <= _LONGEST_VALUE:  # a small file may set a long one and name it often
                self._named[attribute[1].lower()] = attribute[2] or ""
            return ""
        if heading := _HEADING.fullmatch(line):
            level = len(heading[1])
            return f"{self._close(0)}<h{level}>{self._inline(heading[2])}</h{level}>"
        if _VERBATIM.fullmatch(line):
            lines = self._until("```" if line.startswith("```") else line)
            text = "\n".join(each for each in lines if not each.startswith("include::"))
            return "" if line.startswith("//") else f"<pre>{escape(text, quote=False)}</pre>"
        if _TABLE.fullmatch(line):
            return f"{self._close(0)}{self._table(self._until(line))}"
        if _TRANSPARENT.fullmatch(line) or _LEFT_OUT.match(line):
            self._attributes = line
            return ""
        if image := _BLOCK_IMAGE.fullmatch(line):
            words = image[1].split(",")[0].strip('" ')
            return f"<p>{self._inline(words)}</p>" if words and "=" not in words else ""
        if title := _TITLE.fullmatch(line):
            return f"{self._close(0)}<p>{self._inline(title[1])}</p>"
        if item := _ITEM.fullmatch(line):
            return f"{self._item(item[1], 'ul' if item[1][0] in '*-' else 'ol')}{self._inline(self._wrapped(item[2]))}"
        if is_first and (term := _TERM.fullmatch(line)):
            told = self._wrapped(term[3] or "").strip()
            return f"{self._item(term[2], 'ul')}<b>{self._inline(term[1])}</b>: {self._inline(told)}"
        return None

    def _until(self, end: str) -> list[str]:
        """The lines before the one that ends a block, or all that are left."""
        start = self._at
        while self._at < len(self._lines) and self._lines[self._at].rstrip() != end:
            self._at += 1
        self._at += 1
        return [line.rstrip() for line in self._lines[start : self._at - 1]]

    def _wrapped(self, text: str) -> str:
        """The text of an item with the lines in which it goes on."""
        lines = [text]
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()):
            is_block = _ITEM.match(line) or _TERM.fullmatch(line) or _HEADING.match(line) or _VERBATIM.match(line) or _TABLE.match(line)
            if is_block or _LEFT_OUT.match(line) or _TRANSPARENT.match(line) or _TITLE.match(line) or _BLOCK_IMAGE.match(line):
                break
            lines.append(line)
            self._at += 1
        return "\n".join(lines)

    def _item(self, marker: str, tag: str) -> str:
        """The end of what is before an item, and its beginning. A marker that no open list has begins one in the item before."""
        marker = "1." if marker[0].isalnum() else marker
        depth = next((at for at, (other, _) in enumerate(self._open) if other == marker), -1)
        if depth < 0:
            self._open.append((marker, tag))
            return f"<{tag}><li>"
        return f"{self._close(depth + 1)}</li><li>"

    def _close(self, depth: int) -> str:
        """Closes the lists below this depth."""
        closed = "".join(f"</li></{tag}>" for _, tag in reversed(self._open[depth:]))
        del self._open[depth:]
        return closed

    def _paragraph(self, lines: Sequence[str]) -> str:
        joins = self._at > len(lines) and self._lines[self._at - len(lines) - 2].strip() == "+"
        before = "" if joins else self._close(0)
        if all(line.startswith((" ", "\t")) for line in lines):
            return f"{before}<pre>{escape(chr(10).join(lines), quote=False)}</pre>"
        return f"{before}<p>{self._inline(chr(10).join(lines))}</p>"

    def _table(self, lines: Sequence[str]) -> str:
        """Rows of as many cells as there are columns: as its attributes say, else as its first line has."""
        lines = [line for line in lines if not line.startswith("//")]
        found = _COLUMNS.search(self._attributes)
        groups = [list(group) for is_text, group in groupby(lines, key=bool) if is_text]
        first = groups[0] if groups else [""]
        columns = (int(found[1]) if found[1] else found[2].count(",") + 1) if found else len(_CELL.findall(first[0]))
        if columns == 1 and not found:
            columns = len(_CELL.findall("\n".join(first)))
        text = "\n".join(lines)
        starts = [match.span() for match in _CELL.finditer(text)]
        ends = [start for start, _ in starts[1:]] + [len(text)]
        cells = [text[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True)]
        rows = [cells[at : at + columns] for at in range(0, len(cells), columns or 1)]
        made = ["".join(f"<td>{self._inline(cell)}</td>" for cell in row) for row in rows]
        head, body = (made[0].replace("td>", "th>"), made[1:]) if made else ("", [])
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"

    def _inline(self, text: str) -> str:
        """The text without marks."""
        text = _NAMED.sub(lambda name: self._named.get(name[1].lower(), name[0]), text)
        text = _LINK.sub(lambda link: link[1].rstrip("^").strip('"') or link[0].partition("[")[0].partition(":")[2], text)
        text = _REFERENCE.sub(lambda reference: (reference[2] or reference[1].replace("_", " ").replace("-", " ")).strip(), text)
        text = _MACRO.sub(lambda macro: " ".join(filter(None, (macro[1] if macro[0].startswith("menu") else "", macro[2]))), text)
        for _ in range(2):  # marks in marks
            text = _MARKS.sub(r"\2", _MARKS_IN_WORDS.sub(r"\2", text))
        return escape(_NOTHING.sub("", text), quote=False)
