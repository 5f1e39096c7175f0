"""Parses OpenDocument texts and presentations (.odt, .odp): their text, tables, charts, equations, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.notes import check_mark, comment
from footnote.ingest.parse.odf.forms import field_value, read_controls
from footnote.ingest.parse.odf.objects import Objects
from footnote.ingest.parse.odf.styles import Style, Styles, read_styles
from footnote.ingest.parse.package import Element, Package, attr, child, count, damaged, local, needs_password
from footnote.ingest.parse.page_headers import said_once
from footnote.ingest.parse.runs import Formula, joined, run_of
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.symbol_font import with_symbols
from footnote.ingest.parse.table import blocks_of, divide, fill_spans
from footnote.types import Block, BlockKind, Parsed

_UNREAD = frozenset(
    "annotation tracked-changes ruby-text forms settings sequence-decls variable-decls user-field-decls event-listeners".split()
)
_GROUPS = frozenset(
    "section index-body index-title table-of-content alphabetical-index illustration-index bibliography g a numbered-paragraph".split()
)
_SHAPES = frozenset(
    "custom-shape rect circle ellipse line polyline polygon regular-polygon path connector caption measure text-box note-body".split()
)
_MAX_SPAN = 100
_MAX_ROWS = 1_048_576
_LONGEST_ABOUT = 80
"""Maximum characters of the cell that a comment names as what it is about."""


def parse(data: bytes) -> Parsed:
    """Parses an OpenDocument text or presentation (.odt, .odp)."""
    package, content, body = _open(data)
    common = package.xml("styles.xml")
    styles, title = read_styles(common, content), package.title("meta.xml")
    objects = Objects(package)
    reader = _Reader(styles, objects, read_controls(body))
    if local(body) in ("presentation", "drawing"):
        blocks = [block for number, page in enumerate(body.iterfind("{*}page"), 1) for block in reader.slide(page, number)]
        title = title or html.first_heading(blocks)
        return reported(Parsed(tuple(blocks), title, reader.page, files=tuple(objects.files.values())), reader.struck)
    reader.flow(body)
    blocks = reader.end()
    title = title or html.first_heading(blocks)
    blocks = [*said_once(_headers(styles, common), blocks), *blocks]
    pages = reader.page if reader.page > 1 else None
    blocks = [block if pages else replace(block, page=None) for block in blocks]
    return reported(Parsed(tuple(blocks), title, pages, files=tuple(objects.files.values())), reader.struck)


def open_document(data: bytes) -> tuple[Element, Styles, str, Objects]:
    """The content, styles, title and objects of an OpenDocument file."""
    package, content, body = _open(data)
    return body, read_styles(package.xml("styles.xml"), content), package.title("meta.xml"), Objects(package)


def _open(data: bytes) -> tuple[Package, Element, Element]:
    """The file, the root of its content, and the text, presentation or spreadsheet in it."""
    package = Package(data)
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter("{*}encryption-data"), None) is not None:
        raise needs_password()
    content = package.xml("content.xml")
    body = child(content, "body")
    if content is None or body is None or not len(body):
        raise damaged()
    return package, content, body[0]


def _headers(styles: Styles, common: Element | None) -> Iterator[Block]:
    """The text of all page headers and footers. Automatic styles of the same names as in the text are others."""
    reader = _Reader(read_styles(common))
    for header in styles.headers:
        reader.flow(header)
        yield from reader.end()


class _Reader:
    """Walks a text or a slide and collects blocks."""

    def __init__(self, styles: Styles, objects: Objects | None = None, controls: Mapping[str, str] | None = None) -> None:
        self.page = 1
        self.struck = 0  # characters
        self._styles = styles
        self._objects = objects
        self._controls = controls or {}
        self._blocks: list[Block] = []
        self._lines: list[str] = []
        self._kind: BlockKind = "list"
        self._after: list[Element] = []  # text boxes, notes and comments in the current paragraph
        self._remarks: list[Block] = []  # comments of the open table
        self._tables = 0

    def end(self) -> list[Block]:
        self._flush()
        blocks, self._blocks = self._blocks, []
        return blocks

    def slide(self, page: Element, number: int) -> list[Block]:
        self.page = number
        titles: list[str] = []
        for node in page:
            if local(node) == "notes":
                for frame in node.iterfind("{*}frame"):
                    if attr(frame, "class") == "notes":
                        self._frame(frame)
            elif attr(node, "class") == "title":
                titles.append(" ".join(self._text(p) for p in node.iter("{*}p")))
            else:
                self._shape(node)
        blocks = self.end()
        title = spaced(" ".join(titles))
        if not title and blocks and blocks[0].kind == "paragraph" and html.reads_like_heading(blocks[0].text):
            title = blocks.pop(0).text
        return [Block("heading", title or f"{number}", 1, number), *blocks] if title or blocks else []

    def flow(self, parent: Element) -> None:
        for node in parent:
            tag = local(node)
            if tag in ("p", "h"):
                self._paragraph(node, tag)
            elif tag == "list":
                self._list(node, 0, "")
                if not self._tables:
                    self._flush()
            elif tag == "table":
                self._table(node)
            elif tag == "soft-page-break":
                self.page += 1
            elif tag in _GROUPS:
                self.flow(node)
            elif tag not in _UNREAD:
                self._shape(node)

    def _shape(self, node: Element) -> None:
        """Reads a frame, a drawn shape with text, a control or a comment."""
        tag = local(node)
        if tag == "frame":
            self._frame(node)
        elif tag == "g":
            for inner in node:
                self._shape(inner)
            self._describe(node)
        elif tag == "control":
            if text := self._control(node):
                self._add("paragraph", text)
        elif tag == "annotation":
            self._comment([node], "")
        elif tag in _SHAPES:
            self.flow(node)
            self._describe(node)

    def _frame(self, node: Element) -> None:
        for inner in node:
            tag = local(inner)
            if tag == "object" and self._objects and (blocks := self._objects.blocks(inner)):
                for block in blocks:
                    self._add(block.kind, block.text)
            elif tag in ("text-box", "table", "object"):
                self.flow(inner if tag != "table" else [inner])
            if tag in ("object", "object-ole") and self._objects:
                self._objects.embed(inner, self.page)
        self._describe(node)

    def _describe(self, node: Element) -> None:
        """Adds the title and alternative text of a shape."""
        texts = [
            spaced("".join(inner.itertext()))
            for inner in node
            if inner.tag.endswith(("svg-compatible:1.0}title", "svg-compatible:1.0}desc"))
        ]
        if text := " ".join(dict.fromkeys(filter(None, texts))):
            self._add("image", text)

    def _control(self, node: Element) -> str:
        return self._controls.get(attr(node, "control") or "", "")

    def _comment(self, remarks: Sequence[Element], about: str) -> None:
        """Adds a comment and its replies: after the table if it is in one, with what it is about."""
        texts = ((_author(node), self._remark(node)) for node in remarks)
        blocks = comment(texts, f"“{about}”" if self._tables and 0 < len(about) <= _LONGEST_ABOUT else "", self.page)
        if self._tables:
            self._remarks += blocks
        else:
            self._flush()
            self._blocks += blocks

    def _remark(self, node: Element) -> str:
        return "\0".join(filter(None, (self._text(each) for each in node.iter("{*}p"))))

    # --- paragraphs

    def _paragraph(self, node: Element, tag: str) -> None:
        style = self._styles.of(attr(node, "style-name"))
        if style.breaks and self._blocks:
            self.page += 1
        begins_page = len(node) > 0 and local(node[0]) == "soft-page-break" and not (node.text or "").strip()
        page = self.page + begins_page
        text = self._text(node)
        level = (count(node, "outline-level", _MAX_ROWS) if tag == "h" else 0) or style.level
        if text and level and not self._tables:
            self._add("heading", text.replace("\n", " "), level, page)
        elif text and style.code:
            self._add_line("code", text)
        elif text and style.caption:
            self._add("caption", text, 0, page)
        elif text and style.bold and not self._tables and html.reads_like_heading(text) and "\n" not in text:
            self._add("heading", text, 6, page)
        elif text:
            for part in text.split("\n\n"):
                self._add("paragraph", part, 0, page)
        self._read_after(text)

    def _read_after(self, text: str) -> None:
        """Reads what belongs to a paragraph and follows it. `text`: of the paragraph."""
        after, self._after = self._after, []
        for is_reply, group in groupby(after, lambda node: local(node) == "annotation"):
            if not is_reply:
                for node in group:
                    self._shape(node)
                continue
            threads: list[list[Element]] = []
            for node in group:
                if threads and attr(node, "parent-name"):
                    threads[-1].append(node)
                else:
                    threads.append([node])
            for thread in threads:
                self._comment(thread, text)

    def _text(self, node: Element) -> str:
        texts: list[str] = []
        self._inline(node, self._styles.of(attr(node, "style-name")), texts)
        return spaced(joined(texts))

    def _inline(self, node: Element, style: Style, texts: list[str]) -> None:
        """Collects text. `style`: of the element; what it does not specify is that of the text around it."""

        def add(text: str | None) -> None:
            if text and style.struck:
                self.struck += len(text)
            elif text:
                texts.append(run_of(" ".join(with_symbols(text, style.font or "").split("\n")), style.position or ""))

        add(node.text)
        for inner in node:
            tag = local(inner)
            if tag in ("s", "tab"):
                texts.append(" ")
            elif tag == "line-break":
                texts.append("\0")
            elif tag == "soft-page-break":
                self.page += 1
            elif tag == "note":
                if (body := child(inner, "note-body")) is not None:
                    self._after.append(body)
            elif tag == "control":
                texts.append(f" {self._control(inner)} ")
            elif tag == "frame" and self._objects and (formula := self._objects.formula(child(inner, "object"))):
                texts.append(Formula(formula))
            elif tag in ("frame", "g", "annotation") or tag in _SHAPES:
                self._after.append(inner)
            elif tag == "content-control" and attr(inner, "checkbox") == "true":
                texts.append(check_mark(checked=attr(inner, "checked") == "true"))
            elif tag in ("fieldmark", "fieldmark-start"):
                texts.append(field_value(inner))
            elif tag not in _UNREAD:
                own = self._styles.of(attr(inner, "style-name"))
                if not own.hidden:
                    self._inline(inner, own.within(style), texts)
            add(inner.tail)

    def _list(self, node: Element, depth: int, outer_style: str) -> None:
        style = attr(node, "style-name") or outer_style
        number = 0
        for item in node:
            number += local(item) == "list-item"
            marker = self._styles.marker(style, depth, number)
            for inner in item:
                tag = local(inner)
                if tag == "list":
                    self._list(inner, depth + 1, style)
                elif tag == "h" or (tag == "p" and self._styles.of(attr(inner, "style-name")).level):
                    self._paragraph(inner, tag)
                elif tag == "p" and (text := self._text(inner)):
                    indent = "  " * depth
                    self._add_line("list", f"{indent}{marker} " + text.replace("\n", f"\n  {indent}"))
                    marker = " "
                    if self._after:
                        self._flush()
                        self._read_after(text)

    def _add(self, kind: BlockKind, text: str, level: int = 0, page: int | None = None) -> None:
        self._flush()
        self._blocks.append(Block(kind, text, level, page or self.page))

    def _add_line(self, kind: BlockKind, line: str) -> None:
        if self._kind != kind:
            self._flush()
        self._kind = kind
        self._lines.append(line)

    def _flush(self) -> None:
        if self._lines:
            self._blocks.append(Block(self._kind, "\n".join(self._lines), page=self.page))
            self._lines = []

    # --- tables

    def _table(self, node: Element) -> None:
        self._flush()
        outer, self._blocks, self._tables = self._blocks, [], self._tables + 1
        page = self.page
        spans: list[int] = []  # for each column, how many more rows the cell above covers
        rows = [self._row(row, spans) for row in rows_of(node)]
        self._blocks, self._tables = outer, self._tables - 1
        texts, merged = fill_spans(rows)
        if texts and max(map(len, texts)) > 1 and not self._tables:
            self._blocks.extend(blocks_of(divide(texts, merged, is_sheet=False), page))
        else:
            for row in texts:
                self._add("paragraph", ", ".join(filter(None, row)) + (";" if self._tables else ""), 0, page)
        if not self._tables:
            self._blocks += self._remarks
            self._remarks = []

    def _row(self, row: Element, spans: list[int]) -> list[tuple[str | None, int]]:
        found: list[tuple[str | None, int]] = []
        column = merged = 0  # the columns read, and how many more of them belong to the last cell
        for cell in row:
            tag = local(cell)
            if tag not in ("table-cell", "covered-table-cell"):
                continue
            repeat = count(cell, "number-columns-repeated", _MAX_SPAN)
            self.flow(cell)
            text = " ".join(block.text for block in self.end())
            for _ in range(repeat):
                spans.extend([0] * (column + 1 - len(spans)))
                below = tag == "covered-table-cell" and spans[column] > 0
                spans[column] = spans[column] - 1 if below else count(cell, "number-rows-spanned", _MAX_ROWS) - 1
                column += 1
                if tag == "covered-table-cell" and merged and not below:
                    merged -= 1
                    continue
                merged = 0 if below else count(cell, "number-columns-spanned", _MAX_SPAN) - 1
                found.append((None if below else text, 1 + merged))
        return found


def _author(annotation: Element) -> str:
    return "".join(text for node in annotation if local(node) == "creator" for text in node.itertext())


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, including those in header rows and row groups."""
    for node in table:
        tag = local(node)
        if tag == "table-row":
            yield node
        elif tag in ("table-header-rows", "table-row-group", "table-rows"):
            yield from rows_of(node)
