"""Parses Word files: headings by style, lists with their numbers, tables, text boxes, notes, comments, page headers. Pages are counted by
Word's marks of rendered page starts and by manual page breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.docx import forms
from footnote.ingest.parse.docx.comments import read_threads
from footnote.ingest.parse.docx.styles import Look, Style, Styles, numbering_of, outline_level, read_numbering
from footnote.ingest.parse.drawing import alt_text, read_chart, read_diagram
from footnote.ingest.parse.embedded import embedded
from footnote.ingest.parse.notes import comment
from footnote.ingest.parse.omml import read_equation
from footnote.ingest.parse.package import Element, Package, attr, child, count, damaged, local
from footnote.ingest.parse.page_headers import said_once
from footnote.ingest.parse.runs import Formula, joined, run_of
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.symbol_font import symbol, with_symbols
from footnote.ingest.parse.table import blocks_of, divide, fill_spans
from footnote.types import Block, BlockKind, FileWithin, Parsed

# deletions, field instructions, the readings of ruby text, and elements without text
_UNREAD = frozenset("del moveFrom instrText delText delInstrText pPr rPr tblPr tcPr trPr sectPr sdtPr rt rubyPr fldData".split())
_GROUPS = frozenset("sdt ins moveTo customXml smartTag sdtContent txbxContent body".split())
_NOTE_REFERENCES = frozenset(("footnoteReference", "endnoteReference", "commentReference"))
_HEX = re.compile(r"[0-9A-Fa-f]{1,6}")
_MAX_SPAN = 100
_MAX_RANGES = 20
"""Maximum open ranges of comments whose text is collected."""
_LONGEST_RANGE = 80
"""Maximum characters of the text that a comment in a table or list names as what it is about."""
_LONGEST_PAGE = 6_000
"""Characters."""


def parse(data: bytes) -> Parsed:
    """Parses a Word file (.docx)."""
    package = Package(data)
    part = package.main_part("word/document.xml")
    body = child(package.xml(part), "body")
    if body is None:
        raise damaged()
    reader = _Reader(package, part)
    reader.flow(body)
    reader.add_unreferenced()
    blocks = reader.end()
    pages = reader.pages.page if reader.pages.are_known else None
    title = package.title() or html.first_heading(blocks)
    blocks = [*said_once(_headers(reader), blocks), *blocks]
    blocks = [block if pages else replace(block, page=None) for block in blocks]
    return reported(Parsed(tuple(blocks), title, pages, files=tuple(reader.files.values())), reader.struck)


def _headers(reader: _Reader) -> Iterator[Block]:
    """The text of all page headers and footers."""
    for relation in reader.relations.values():
        if relation.kind in ("header", "footer") and (root := reader.package.xml(relation.target)) is not None:
            reader.flow(root)
            yield from reader.end()


@dataclass
class _Inline:
    """The content of a paragraph."""

    style: Style = field(default_factory=Style)
    texts: list[str] = field(default_factory=list)
    page: int | None = None
    all_bold: bool = True
    boxes: list[Element] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    """Pictures, charts, diagrams."""


class _Reader:
    """Walks a document and collects blocks. The recursion depth is bounded by the XML parser's limit of 256."""

    def __init__(self, package: Package, part: str) -> None:
        self.package = package
        self.relations = package.related(part)
        self.pages = Pages()
        self.struck = 0  # characters
        self.files: dict[str, FileWithin] = {}  # part → the embedded file
        self._styles = Styles(self._of_kind("styles"))
        self._numbering = read_numbering(self._of_kind("numbering"))
        self._notes = {(local(note), attr(note, "id")): [note] for kind in ("footnotes", "endnotes") for note in self._notes_of(kind)}
        for name, thread in read_threads(self._of_kind("comments"), self._of_kind("commentsExtended")).items():
            self._notes["comment", name] = thread
        self._ranges: dict[str | None, list[str]] = {}  # open range of a comment → its text so far
        self._blocks: list[Block] = []
        self._lines: list[str] = []  # lines of the open list or code block
        self._open: tuple[BlockKind, int | None] = ("list", None)
        self._pending: list[tuple[list[Element], str]] = []  # notes that were referenced, and what comments are about
        self._tables = 0  # number of open tables

    def _of_kind(self, kind: str) -> Element | None:
        return next((self.package.xml(r.target) for r in self.relations.values() if r.kind == kind), None)

    def _notes_of(self, kind: str) -> list[Element]:
        root = self._of_kind(kind)
        return [note for note in root if not attr(note, "type")] if root is not None else []  # the others are separators

    def end(self) -> list[Block]:
        """Returns the blocks collected since the last call."""
        self._flush()
        blocks, self._blocks = self._blocks, []
        return blocks

    def flow(self, parent: Element) -> None:
        for node in parent:
            tag = local(node)
            if tag == "p":
                self._paragraph(node)
            elif tag == "tbl":
                self._table(node)
            elif tag in _GROUPS:
                if tag == "sdt":
                    forms.check(node)
                self.flow(node)
            elif tag == "AlternateContent" and len(node):
                self.flow(node[0])
            elif tag == "commentRangeStart":
                self._open_range(node)
            elif (
                tag == "altChunk" and (relation := self.relations.get(attr(node, "id") or "")) and relation.target.endswith(("htm", "html"))
            ):
                self._flush()
                self._blocks.extend(html.parse(self.package.read(relation.target)).blocks)
            elif tag == "altChunk":
                self._embed(node)

    # --- paragraphs

    def _paragraph(self, node: Element) -> None:
        properties = child(node, "pPr")
        if child(properties, "pageBreakBefore") is not None and attr(child(properties, "pageBreakBefore"), "val") not in ("0", "false"):
            self.pages.end(rendered=True)
        style = self._style(properties)
        inline = _Inline(style)
        self._read(node, inline, self._styles.look(None, style))
        text = spaced(joined(inline.texts))
        page = inline.page or self.pages.page
        if text:
            self._add_text(text, page, style, numbering_of(properties), inline.all_bold)
        for block in inline.blocks:
            self._flush()
            self._blocks.append(block)
        for box in inline.boxes:
            self._flush()
            self.flow(box)
        if not (self._tables or self._lines):
            self._add_notes(is_near=True)
        section = child(properties, "sectPr")
        if section is not None and attr(child(section, "type"), "val") != "continuous":
            self.pages.end()

    def _style(self, properties: Element | None) -> Style:
        style = self._styles.of(attr(child(properties, "pStyle"), "val") or "")
        level = outline_level(properties)
        return style if level is None else replace(style, level=level)

    def _add_text(self, text: str, page: int, style: Style, direct: tuple[str, int] | None, all_bold: bool) -> None:
        numbering = direct or style.num
        marker = self._numbering.marker(*numbering) if numbering and numbering[0] not in ("", "0") else ""
        if style.level and not self._tables:
            self._add("heading", f"{marker} {text}".lstrip("- ").replace("\n", " "), page, style.level)
        elif style.code:
            self._add_line("code", text, page)
        elif marker or style.toc:
            depth = numbering[1] if numbering else style.toc - 1
            indent = "  " * depth
            self._add_line("list", f"{indent}{marker or '-'} " + text.replace("\n", f"\n  {indent}"), page)
        elif style.caption:
            self._add("caption", text, page)
        elif all_bold and not self._tables and html.reads_like_heading(text) and "\n" not in text:
            self._add("heading", text, page, 6)  # how authors who do not use styles write headings
        else:
            for part in text.split("\n\n"):
                self._add("paragraph", part, page)

    def _add(self, kind: BlockKind, text: str, page: int, level: int = 0) -> None:
        self._flush()
        self._blocks.append(Block(kind, text, level, page))

    def _add_line(self, kind: BlockKind, line: str, page: int) -> None:
        if self._lines and self._open[0] != kind:
            self._flush()
        if not self._lines:
            self._open = (kind, page)
        self._lines.append(line)

    def _flush(self) -> None:
        if self._lines:
            kind, page = self._open
            self._blocks.append(Block(kind, "\n".join(self._lines), page=page))
            self._lines = []
            if not self._tables:
                self._add_notes()

    def _add_notes(self, *, is_near: bool = False) -> None:
        """Adds foot- and endnotes and comments after the block that refers to them. `is_near`: not after a whole list or table."""
        while self._pending:
            notes, about = self._pending.pop(0)
            if local(notes[0]) == "comment":
                remarks = ((attr(note, "author") or "", self._note(note, "\0")) for note in notes)
                self._blocks += comment(remarks, "" if is_near else about, self.pages.page)
            elif text := spaced(self._note(notes[0], " ")):
                self._blocks.append(Block("paragraph", text, page=self.pages.page))

    def _note(self, note: Element, between: str) -> str:
        """The paragraphs of a note as one text."""
        texts: list[str] = []
        for paragraph in note.iter("{*}p"):
            inline = _Inline(self._style(child(paragraph, "pPr")))
            self._read(paragraph, inline, self._styles.look(None, inline.style))
            texts.append(joined(inline.texts))
        return between.join(filter(None, texts))

    def add_unreferenced(self) -> None:
        """Adds the comments that the text has no reference to. Notes without one are not shown by Word either."""
        self._flush()
        for key in [key for key in self._notes if key[0] == "comment"]:
            self._pending.append((self._notes.pop(key), ""))
        self._add_notes(is_near=True)

    def _refer(self, tag: str, name: str | None) -> None:
        """Has a note added after this paragraph, list or table."""
        kind = tag.removesuffix("Reference")
        about = spaced("".join(self._ranges.pop(name, ()))) if kind == "comment" else ""
        if (note := self._notes.pop((kind, name), None)) is not None:
            self._pending.append((note, f"“{about}”" if 0 < len(about) <= _LONGEST_RANGE else ""))

    def _read(self, parent: Element, inline: _Inline, look: Look) -> None:
        for node in parent:
            tag = local(node)
            if tag == "t":
                self._text(with_symbols(node.text or "", look.font), inline, look)
            elif tag in _UNREAD:
                continue
            elif tag == "sym":
                code = attr(node, "char") or ""
                self._text(symbol(attr(node, "font") or "", int(code, 16)) if _HEX.fullmatch(code) else "", inline, look)
            elif tag == "r":
                shown = self._styles.look(child(node, "rPr"), inline.style)
                if not (shown.hidden or shown.struck):
                    self._read(node, inline, shown)
                else:
                    self._read_references(node)
                    self.struck += sum(len(text.text or "") for text in node if local(text) == "t") if shown.struck else 0
            elif tag in ("tab", "ptab"):
                inline.texts.append(" ")
            elif tag in ("br", "cr"):
                if attr(node, "type") == "page":
                    self.pages.end()
                inline.texts.append("\0" if attr(node, "type") in (None, "textWrapping") else " ")
            elif tag == "lastRenderedPageBreak":
                self.pages.end(rendered=True)
            elif tag == "noBreakHyphen":
                inline.texts.append("-")
            elif tag == "txbxContent":
                inline.boxes.append(node)
            elif tag in _NOTE_REFERENCES:
                self._refer(tag, attr(node, "id"))
                if attr(node, "customMarkFollows") in ("1", "true", "on"):
                    break  # the rest of the run is the marker
            elif tag == "commentRangeStart":
                self._open_range(node)
            elif tag == "AlternateContent":
                self._read(node[:1], inline, look)  # the rest repeats the content for older programs
            elif tag in ("oMath", "oMathPara"):
                self._text(Formula(read_equation(node)), inline, look)
            elif tag in ("docPr", "cNvPr", "chart", "relIds", "textpath"):
                self._graphic(tag, node, inline)
            elif tag == "OLEObject":
                self._embed(node)
            elif tag == "ffData":
                inline.texts.append(forms.field_value(node))
            else:
                if tag == "sdt":
                    forms.check(node)
                elif tag == "shape":
                    self._graphic(tag, node, inline)
                self._read(node, inline, look)

    def _open_range(self, start: Element) -> None:
        if len(self._ranges) < _MAX_RANGES:
            self._ranges[attr(start, "id")] = []

    def _read_references(self, run: Element) -> None:
        """Hidden text may be followed by comments that are shown."""
        for node in run:
            if local(node) == "commentReference":
                self._refer("commentReference", attr(node, "id"))

    def _text(self, text: str, inline: _Inline, look: Look) -> None:
        inline.texts.append(run_of(text, look.position))
        if text.strip():
            inline.all_bold = inline.all_bold and look.bold
            self.pages.add(text)
            inline.page = inline.page or self.pages.page
            for range_ in self._ranges.values():
                range_.append(text[: _LONGEST_RANGE + 1])

    def _embed(self, node: Element) -> None:
        relation = self.relations.get(attr(node, "id") or "")
        if relation and (file := embedded(self.package, relation, self.pages.page)):
            self.files.setdefault(relation.target, file)

    def _graphic(self, tag: str, node: Element, inline: _Inline) -> None:
        page = self.pages.page
        if tag == "textpath":
            inline.texts.append(f" {attr(node, 'string') or ''} ")
        elif tag in ("docPr", "cNvPr", "shape"):
            image = Block("image", alt_text(node, "alt" if tag == "shape" else "descr"), page=page)
            if image.text and image not in inline.blocks:  # a picture has the same text as the drawing that it is in
                inline.blocks.append(image)
        elif relation := self.relations.get(attr(node, "dm" if tag == "relIds" else "id") or ""):
            inline.blocks.extend((read_diagram if tag == "relIds" else read_chart)(self.package, relation.target, page))

    # --- tables

    def _table(self, node: Element) -> None:
        rows = [row for row in _within(node, "tr") if child(row, "trPr", "del") is None]
        cells = [list(_within(row, "tc")) for row in rows]
        if len(rows) == 1 or max(map(len, cells), default=0) < 2:  # a layout table
            for cell in (cell for row in cells for cell in row):
                self.flow(cell)
            return
        self._flush()
        page = self.pages.page
        texts, merged = fill_spans([self._row(row, cells[i]) for i, row in enumerate(rows)])
        if self._tables:  # a nested table becomes lines of its cell
            self._blocks.extend(Block("paragraph", ", ".join(filter(None, row)) + ";", page=page) for row in texts)
            return
        marked = sum(1 for _ in takewhile(_is_header_row, rows))
        self._blocks.extend(blocks_of(divide(texts, merged, is_sheet=False, marked=marked), page))
        self._add_notes()

    def _row(self, row: Element, cells: list[Element]) -> list[tuple[str | None, int]]:
        """(text, columns) of each cell; None = the cell continues the one above."""
        first, last = self.pages.page, self.pages.page
        found: list[tuple[str | None, int]] = [("", 1)] * count(child(row, "trPr", "gridBefore"), "val", _MAX_SPAN, 0)
        for cell in cells:
            merge = child(cell, "tcPr", "vMerge")
            self.pages.page = first  # a page that ends within a row ends in each of its cells
            text = self._cell(cell)
            last = max(last, self.pages.page)
            goes_on = merge is not None and attr(merge, "val") != "restart"
            found.append((None if goes_on else text, max(count(child(cell, "tcPr", "gridSpan"), "val", _MAX_SPAN), 1)))
        self.pages.page = last
        return found

    def _cell(self, cell: Element) -> str:
        outer, self._blocks, self._tables = self._blocks, [], self._tables + 1
        self.flow(cell)
        texts = [block.text for block in self.end()]
        self._blocks, self._tables = outer, self._tables - 1
        return " ".join(texts)


def _is_header_row(row: Element) -> bool:
    """Whether Word repeats the row at the top of each page."""
    mark = child(row, "trPr", "tblHeader")
    return mark is not None and attr(mark, "val") not in forms.OFF


def _within(parent: Element, name: str) -> Iterator[Element]:
    """Children with this name, including those in content controls and tracked insertions."""
    for node in parent:
        tag = local(node)
        if tag == name:
            yield node
        elif tag in ("sdt", "sdtContent", "ins", "customXml", "moveTo"):
            if tag == "sdt":
                forms.check(node)
            yield from _within(node, name)


class Pages:
    """Counts pages while the document is read."""

    def __init__(self) -> None:
        self.page = 1
        self._rendered = False
        self._on_page = 0  # characters since the last break
        self._longest = 0

    def add(self, text: str) -> None:
        """Adds text to the current page."""
        self._on_page += len(text.strip())

    def end(self, *, rendered: bool = False) -> None:
        """Ends a page. `rendered`: by Word's own mark, which also follows each manual break."""
        self._rendered = self._rendered or rendered
        self._longest = max(self._longest, self._on_page)
        if self._on_page or not rendered:
            self.page += 1
        self._on_page = 0

    @property
    def are_known(self) -> bool:
        """Whether page numbers can be trusted: without Word's marks only if no page is longer than a sheet of paper."""
        return self._rendered or (self.page > 1 and max(self._longest, self._on_page) <= _LONGEST_PAGE)
