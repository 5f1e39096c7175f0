"""Parses Hangul files of zipped XML (.hwpx, OWPML): headings by outline, lists, tables, text boxes, notes, page headers."""

from __future__ import annotations

import re

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.hangul.story import MAX_COLUMNS, MAX_ROWS, OUTLINE, Cell, Numbering, Paragraph, Table, headers_first, to_blocks
from footnote.ingest.parse.package import Element, Package, attr, child, count, damaged, local, needs_password
from footnote.ingest.parse.title import usable_title
from footnote.types import Parsed

_BREAKS = {"lineBreak": "\0", "tab": " ", "nbSpace": " ", "fwSpace": " ", "hyphen": "-"}
_UNREAD = frozenset(("hiddenComment", "secPr", "linesegarray", "parameters", "shapeComment", "metaTag"))


def parse(data: bytes) -> Parsed:
    """Parses a Hangul file (.hwpx)."""
    package = Package(data)
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and manifest.find(".//{*}encryption-data") is not None:
        raise needs_password()
    book = package.xml("Contents/content.hpf")
    reader = _Reader(package.xml("Contents/header.xml"))
    story = [paragraph for name in _sections(package, book) for paragraph in reader.story(package.xml(name))]
    if not story:
        raise damaged()
    blocks = list(to_blocks(story))
    found = book.find(".//{*}metadata/{*}title") if book is not None else None
    title = usable_title("".join(found.itertext())) if found is not None else ""
    return Parsed(tuple(headers_first(reader.headers, blocks)), title or html.first_heading(blocks))


def _sections(package: Package, book: Element | None) -> list[str]:
    """The names of the sections' parts in reading order."""
    items = {node.get("id"): node.get("href") or "" for node in book.iterfind("{*}manifest/{*}item")} if book is not None else {}
    order = [items.get(node.get("idref"), "") for node in book.iterfind("{*}spine/{*}itemref")] if book is not None else []
    listed = [name for name in order if re.search(r"section\d+\.xml$", name) and name in package]
    by_number = re.compile(r"contents/section(\d+)\.xml")
    found = {int(match[1]): name for name in package.names("Contents/") if (match := by_number.fullmatch(name))}
    return listed or [found[number] for number in sorted(found)]


class _Reader:
    """Walks sections. The recursion depth is bounded by the XML parser's limit of 256."""

    def __init__(self, head: Element | None) -> None:
        self.headers: list[Paragraph] = []
        self._levels: dict[str, int] = {}  # id of a style → level of a heading
        self._kinds: dict[str, tuple[str, int]] = {}  # id of paragraph properties → (NONE, OUTLINE, NUMBER or BULLET, level)
        self._numbering = Numbering()
        self._deleted = False
        for node in head.iter("{*}style", "{*}paraPr") if head is not None else ():
            if local(node) == "style":
                match = OUTLINE.fullmatch((attr(node, "engName") or attr(node, "name") or "").strip())
                self._levels[attr(node, "id") or ""] = int(match[1]) if match else 0
            elif (heading := node.find(".//{*}heading")) is not None:
                self._kinds[attr(node, "id") or ""] = (attr(heading, "type") or "NONE", count(heading, "level", 9, 0))

    def story(self, parent: Element | None) -> list[Paragraph]:
        return [self._paragraph(node) for node in parent if local(node) == "p"] if parent is not None else []

    def _paragraph(self, node: Element) -> Paragraph:
        texts: list[str] = []
        inside: list[Table | list[Paragraph]] = []
        for run in node:
            for part in run if local(run) == "run" else ():
                if local(part) == "t":
                    self._text(part, texts)
                else:
                    self._object(part, texts, inside)
        found = Paragraph(spaced("".join(texts)), inside=inside)
        kind, depth = self._kinds.get(attr(node, "paraPrIDRef") or "", ("NONE", 0))
        level = self._levels.get(attr(node, "styleIDRef") or "", 0)
        self._numbering.mark(found, kind, depth, level)
        return found

    def _text(self, node: Element, texts: list[str]) -> None:
        self._say(node.text, texts)
        for mark in node:
            if local(mark) in ("deleteBegin", "deleteEnd"):
                self._deleted = local(mark) == "deleteBegin"
            self._say(_BREAKS.get(local(mark)), texts)
            self._say(mark.tail, texts)

    def _say(self, text: str | None, texts: list[str]) -> None:
        if text and not self._deleted:
            texts.append(text)

    def _object(self, node: Element, texts: list[str], inside: list[Table | list[Paragraph]]) -> None:
        """Reads what is anchored in a paragraph: a table, a drawing, a note, an equation, a field of a form."""
        tag = local(node)
        if tag == "tbl":
            cells = [cell for row in node if local(row) == "tr" for cell in map(self._cell, row)]
            inside.append(Table(cells, self.story(child(node, "caption", "subList"))))
        elif tag in ("header", "footer"):
            self.headers += self.story(child(node, "subList"))
        elif tag in ("script", "mainText", "text"):  # of an equation, of text with a gloss, of a text field
            self._say(f" {''.join(node.itertext())} ", texts)
        elif tag == "subList":
            inside.append(self.story(node))
        elif tag == "listItem":
            self._say(f" {attr(node, 'displayText') or ''} ", texts)
        elif tag not in _UNREAD:
            for name in ("text", "composeText", "caption") if tag in ("textart", "compose", "btn", "radioBtn", "checkBtn") else ():
                self._say(f" {attr(node, name) or ''} ", texts)
            for part in node:
                self._object(part, texts, inside)

    def _cell(self, node: Element) -> Cell:
        at, span = child(node, "cellAddr"), child(node, "cellSpan")
        row, column = count(at, "rowAddr", MAX_ROWS, 0), count(at, "colAddr", MAX_COLUMNS, 0)
        rows, columns = count(span, "rowSpan", MAX_ROWS), count(span, "colSpan", MAX_COLUMNS)
        return Cell(row, column, rows, columns, self.story(child(node, "subList")))
