"""Parses OpenDocument texts and presentations (.odt, .odp)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.docx.styles import style_of_name
from footnote.ingest.parse.package import Element, Package, attr, child, count, damaged, local, needs_password
from footnote.ingest.parse.table import fill_spans, to_markdown, with_header
from footnote.types import Block, BlockKind, Parsed

_UNREAD = frozenset(
    "annotation tracked-changes ruby-text forms settings sequence-decls variable-decls user-field-decls event-listeners".split()
)
_GROUPS = frozenset(
    "section index-body index-title table-of-content alphabetical-index illustration-index bibliography g a numbered-paragraph".split()
)
_MAX_SPAN = 100
_MAX_ROWS = 1_048_576
_CODE = frozenset(("Preformatted_20_Text", "Preformatted Text"))


def parse(data: bytes) -> Parsed:
    """Parses an OpenDocument text or presentation (.odt, .odp)."""
    body, styles, title = open_document(data)
    reader = _Reader(styles)
    if local(body) in ("presentation", "drawing"):
        blocks = [block for number, page in enumerate(body.iterfind("{*}page"), 1) for block in reader.slide(page, number)]
        return Parsed(tuple(blocks), title or html.first_heading(blocks), reader.page)
    reader.flow(body)
    blocks = reader.end()
    title = title or html.first_heading(blocks)
    seen = "\n".join(block.text for block in blocks)
    blocks = [*(Block("paragraph", text, page=1) for text in styles.headers if text not in seen), *blocks]
    if reader.page == 1:
        return Parsed(tuple(replace(block, page=None) for block in blocks), title)
    return Parsed(tuple(blocks), title, reader.page)


def open_document(data: bytes) -> tuple[Element, Styles, str]:
    """The content, styles and title of an OpenDocument file."""
    package = Package(data)
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter("{*}encryption-data"), None) is not None:
        raise needs_password()
    content = package.xml("content.xml")
    body = child(content, "body")
    if content is None or body is None or not len(body):
        raise damaged()
    return body[0], read_styles(package.xml("styles.xml"), content), package.title("meta.xml")


class _Reader:
    """Walks a text or a slide and collects blocks."""

    def __init__(self, styles: Styles) -> None:
        self.page = 1
        self._styles = styles
        self._blocks: list[Block] = []
        self._lines: list[str] = []
        self._kind: BlockKind = "list"
        self._after: list[Element] = []  # text boxes and notes in the current paragraph
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
        """Reads a frame, or a drawn shape with text."""
        tag = local(node)
        if tag == "frame":
            self._frame(node)
        elif tag == "g":
            for inner in node:
                self._shape(inner)
        elif tag in ("custom-shape", "rect", "ellipse", "line", "polygon", "path", "connector", "text-box", "note-body", "object"):
            self.flow(node)

    def _frame(self, node: Element) -> None:
        for inner in node:
            if local(inner) in ("text-box", "table", "object"):
                self.flow(inner if local(inner) != "table" else [inner])
        texts = [
            spaced("".join(inner.itertext()))
            for inner in node
            if inner.tag.endswith(("svg-compatible:1.0}title", "svg-compatible:1.0}desc"))
        ]
        if text := " ".join(dict.fromkeys(filter(None, texts))):
            self._add("image", text)

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
        self._read_after()

    def _read_after(self) -> None:
        after, self._after = self._after, []
        for node in after:
            self._shape(node)

    def _text(self, node: Element) -> str:
        texts: list[str] = []
        self._inline(node, texts)
        return spaced("".join(texts))

    def _inline(self, node: Element, texts: list[str]) -> None:
        texts.append(" ".join((node.text or "").split("\n")))
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
            elif tag in ("frame", "custom-shape", "g", "rect", "ellipse"):
                self._after.append(inner)
            elif tag not in _UNREAD and not self._styles.of(attr(inner, "style-name")).hidden:
                self._inline(inner, texts)
            texts.append(inner.tail or "")

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
                        self._read_after()

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
        texts = fill_spans(rows)
        if texts and max(map(len, texts)) > 1 and not self._tables:
            self._add("table", to_markdown(with_header(texts)), 0, page)
        else:
            for row in texts:
                self._add("paragraph", ", ".join(filter(None, row)) + (";" if self._tables else ""), 0, page)

    def _row(self, row: Element, spans: list[int]) -> list[tuple[str | None, int]]:
        found: list[tuple[str | None, int]] = []
        for cell in row:
            tag = local(cell)
            if tag not in ("table-cell", "covered-table-cell"):
                continue
            repeat = count(cell, "number-columns-repeated", _MAX_SPAN)
            self.flow(cell)
            text = " ".join(block.text for block in self.end())
            for _ in range(repeat):
                column = len(found)
                spans.extend([0] * (column + 1 - len(spans)))
                below = tag == "covered-table-cell" and spans[column] > 0
                spans[column] = spans[column] - 1 if below else count(cell, "number-rows-spanned", _MAX_ROWS) - 1
                found.append((None if below else text, 1))
        return found


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, including those in header rows and row groups."""
    for node in table:
        tag = local(node)
        if tag == "table-row":
            yield node
        elif tag in ("table-header-rows", "table-row-group", "table-rows"):
            yield from rows_of(node)


@dataclass(frozen=True)
class Style:
    """A paragraph or text style with its inherited properties."""

    level: int = 0
    """A heading's level, from 1."""
    code: bool = False
    caption: bool = False
    bold: bool = False
    hidden: bool = False
    breaks: bool = False
    """Whether a page break precedes it."""


@dataclass
class Styles:
    """The styles of a file by name."""

    found: dict[str, Style] = field(default_factory=dict)
    numbered: set[tuple[str, int]] = field(default_factory=set)
    """(list style, depth from 0) of numbered lists."""
    headers: list[str] = field(default_factory=list)
    """The lines of page headers and footers."""

    def of(self, name: str | None) -> Style:
        """A style by name; the default style if it is unknown."""
        return self.found.get(name or "", _NONE)

    def marker(self, style: str, depth: int, number: int) -> str:
        """A list item's marker: its number, or `-` if the list has none."""
        return f"{number}." if (style, depth) in self.numbered else "-"


_NONE = Style()


def read_styles(*roots: Element | None) -> Styles:
    """Reads the styles. `roots`: of styles.xml and content.xml."""
    styles = Styles()
    nodes: dict[str, Element] = {}
    for root in roots:
        for node in root.iter("{*}style", "{*}list-style", "{*}master-page") if root is not None else ():
            tag, name = local(node), attr(node, "name") or ""
            if tag == "style":
                nodes[name] = node
            elif tag == "list-style":
                levels = (level for level in node if local(level) == "list-level-style-number" and attr(level, "num-format"))
                styles.numbered.update((name, count(level, "level", 10) - 1) for level in levels)
            else:
                lines = (
                    spaced("".join(p.itertext())) for part in node if local(part) in ("header", "footer") for p in part.iter("{*}p", "{*}h")
                )
                styles.headers += [line for line in lines if sum(sign.isalpha() for sign in line) > 3 and line not in styles.headers]
    for name in nodes:
        chain: list[Element] = []
        at: str | None = name
        while at in nodes and nodes[at] not in chain:
            chain.append(nodes[at])
            at = attr(nodes[at], "parent-style-name")
        styles.found[name] = _style(chain, at or "")
    return styles


def _style(chain: list[Element], last: str) -> Style:
    """`chain`: from the style itself to its root. `last`: the root's name, which may be all that is known of it."""
    names = [*(attr(node, "display-name") or attr(node, "name") or "" for node in chain), last]
    weight = next((value for node in chain if (value := attr(child(node, "text-properties"), "font-weight"))), "")
    return Style(
        level=next((level for name in names if (level := style_of_name(name.replace("_20_", " ")).level)), 0),
        code=not _CODE.isdisjoint(names),
        caption="Caption" in names,
        bold=weight == "bold",
        hidden=any(attr(child(node, "text-properties"), "display") == "none" for node in chain)
        or attr(child(chain[0], "table-properties"), "display") == "false",
        breaks=any(attr(child(node, "paragraph-properties"), "break-before") == "page" for node in chain[:1]),
    )
