"""Parses RTF: paragraphs, headings by outline level or style, tables, lists, footnotes, comments, equations, page headers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.docx.styles import style_of_name
from footnote.ingest.parse.drawing import worded
from footnote.ingest.parse.notes import comment
from footnote.ingest.parse.package import damaged
from footnote.ingest.parse.page_headers import said_once
from footnote.ingest.parse.rtf_parts import Equation, Field, Note
from footnote.ingest.parse.runs import Formula, joined, run_of
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.symbol_font import symbol_font, with_symbols
from footnote.ingest.parse.table import blocks_of, divide, fill_spans
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL)
# fmt: off
_SKIPPED = frozenset(
    "colortbl pict objdata fldinst listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore "
    "latentstyles xmlnstbl pntxta pntxtb pntxtc bkmkstart bkmkend atnid atndate atnref nonshppict shprslt ftnsep ftnsepc "
    "aftnsep aftnsepc filetbl mmathPr mmathPict xe tc info template datafield objclass objname private userprops docvar falt panose "
    "fontemb leveltext levelnumbers listname".split()
)
_TARGETS = {
    "listtext": "marker", "pntext": "marker", "fonttbl": "font", "stylesheet": "style", "title": "title", "footnote": "footnote",
    "shptxt": "text", "dptxbxtext": "text", "annotation": "comment", "atnauthor": "author", "formfield": "field", "ffl": "entry",
    "moMathPara": "equations", "moMath": "equation", "sn": "property", "sv": "value",
    **dict.fromkeys("header headerl headerr headerf footer footerl footerr footerf".split(), "header"),
}
_POSITIONS = {"super": "super", "sub": "sub", "nosupersub": "", "up": "super", "dn": "sub"}
_WITHIN_TEXT = frozenset("marker footnote comment author equations equation header".split())
"""Destinations that are only read where text is."""
_NOTES = ("footnote", "comment")
_ALTERNATIVE_TEXT = "wzDescription"
_SIGNS = {
    "tab": " ", "line": "\0", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "~": " ", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\",
}
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}
# fmt: on
_MAX_DEPTH = 10_000
_Row = Sequence[tuple[str | None, int]]
"""(text, columns) of each cell; None = the cell continues the one above."""


@dataclass(frozen=True)
class _Group:
    """The state that lasts until the end of a group."""

    target: str = "text"
    """Destination of its text: text, skip, marker (of a list item), font, style, title, footnote, comment, author (of a comment), field,
    entry (of a field), equation, property and value (of a shape)."""
    skip_after_u: int = 1
    """Fallback characters after a `\\u`, for readers that do not support it."""
    codec: str = ""
    symbols: str = ""
    """The symbol font of its text; "" for any other."""
    hidden: bool = False
    struck: bool = False
    bold: bool = False
    position: str = ""


@dataclass
class _Paragraph:
    texts: list[str] = field(default_factory=list)
    marker: str = ""
    level: int = 0
    style: int = 0
    depth: int = 0
    in_table: bool = False
    all_bold: bool = True


def parse(data: bytes) -> Parsed:
    """Parses an RTF file."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise damaged()
    reader = _Reader()
    reader.run(data)
    blocks = reader.blocks
    title = usable_title(reader.title) or html.first_heading(blocks)
    headers = (replace(block, page=None) for block in said_once(reader.headers, blocks))  # the pages of RTF are not known
    return reported(Parsed((*headers, *blocks), title), reader.struck)


@dataclass
class _Flow:
    """Text that is read into blocks of its own: the document's, or a page header's."""

    blocks: list[Block] = field(default_factory=list)
    paragraph: _Paragraph = field(default_factory=_Paragraph)
    lines: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    edges: list[list[int]] = field(default_factory=list)
    """Where the cells of the rows end."""
    notes: list[Note] = field(default_factory=list)
    """Notes of the open paragraph or cell."""
    table_notes: list[Note] = field(default_factory=list)


class _Reader:
    def __init__(self) -> None:
        self.headers: list[Block] = []
        self.title = ""
        self.struck = 0
        self._body = _Flow()
        self._flow = self._body
        self._header_depth = 0  # of groups, at the start of the open page header
        self._author = ""  # of the next comment
        self._field = Field()
        self._property = ""  # name of a shape's property
        self._equation: Equation | None = None
        self._equation_depth = 0
        self._is_first = False  # whether a group has just been opened
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font_names: dict[int, str] = {}
        self._font = 0  # the font whose table entry is being read
        self._styles: dict[int, str] = {}
        self._style = 0
        self._group = _Group()
        self._stack: list[_Group] = []
        self._bytes = bytearray()  # not decoded yet, because a character may span several tokens
        self._skip = 0  # characters left to skip after `\u`
        self._merges: list[str] = []  # for each cell of the row: "" or how it continues a neighbour
        self._merge = ""
        self._edges: list[int] = []  # where the cells of the row end

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the document's text."""
        return self._body.blocks

    def run(self, data: bytes) -> None:
        at, end = 0, len(data)
        while at < end:
            match = _TOKEN.match(data, at)
            if match is None:  # a backslash at the end of the file
                break
            at = match.end()
            word, number, hexa, sign, brace, text = match.groups()
            if text is not None:
                self._raw(text)
            elif hexa is not None:
                self._raw(bytes([int(hexa, 16)]))
            elif word is not None:
                name = word.decode("ascii")
                if name == "bin":
                    at += max(int(number or 0), 0)
                else:
                    self._word(name, int(number) if number else None)
            elif sign is not None:
                self._sign(sign.decode("latin-1"))
            elif brace == b"{":
                self._decode()
                if len(self._stack) > _MAX_DEPTH:
                    raise damaged()
                self._stack.append(self._group)
                self._skip = 0
                self._is_first = True
            elif brace == b"}":
                self._close()
        self._decode()
        self._end_header()
        self._end_flow()

    def _end_flow(self) -> None:
        self._end_paragraph()
        self._end_table()
        self._end_list()

    def _raw(self, text: bytes) -> None:
        self._is_first = False
        if self._skip:
            skipped = min(self._skip, len(text))
            self._skip -= skipped
            text = text[skipped:]
        self._bytes += text

    def _decode(self) -> None:
        if self._bytes:
            symbols = self._group.symbols
            text = self._bytes.decode("latin-1" if symbols else self._group.codec or self._codec, "replace")
            self._bytes.clear()
            self._put(with_symbols(text, symbols))

    def _put(self, text: str) -> None:
        group = self._group
        target = group.target
        if target == "title":
            self.title += text
        elif target == "font":
            self._font_names[self._font] = self._font_names.get(self._font, "") + text
        elif target == "style":
            self._styles[self._style] = self._styles.get(self._style, "") + text
        elif target == "marker":
            self._flow.paragraph.marker += text
        elif target == "author":
            self._author += text
        elif target == "entry" and self._field.entries:
            self._field.entries[-1] += text
        elif target == "property":
            self._property += text
        elif target == "value" and self._property.strip() == _ALTERNATIVE_TEXT and self._flow.notes:
            self._flow.notes[-1].texts.append(text)
        elif target == "equation" and self._equation is not None:
            self._equation.add(text)
        elif group.hidden or group.struck:
            self.struck += len(text) if group.struck else 0
        elif target in _NOTES and self._flow.notes:
            self._flow.notes[-1].texts.append(run_of(text, group.position))
        elif target in ("text", "equations"):
            paragraph = self._flow.paragraph
            paragraph.texts.append(run_of(text, group.position))
            paragraph.all_bold = paragraph.all_bold and (group.bold or not text.strip())

    def _sign(self, sign: str) -> None:
        self._decode()
        if sign == "*":
            self._group = replace(self._group, target="skip")  # unless the next control word is known
        elif sign in "\r\n":
            self._word("par", None)
        elif sign in _SIGNS:
            self._put(_SIGNS[sign])

    def _word(self, name: str, number: int | None) -> None:
        self._decode()
        on = number != 0
        if name == "u":
            code = (number or 0) % 0x10000
            self._put(with_symbols(chr(code), self._group.symbols))
            self._skip = self._group.skip_after_u
            return
        self._skip = 0
        is_first, self._is_first = self._is_first, False
        if name in _SIGNS:
            self._put(_SIGNS[name])
        elif name in _TARGETS or name in _SKIPPED:
            self._enter(name)
        elif self._group.target == "equation" and self._equation is not None:
            self._equation.word(name, len(self._stack), starts=is_first)
        elif name == "b":
            self._group = replace(self._group, bold=on)
        elif name in ("v", "deleted"):
            self._group = replace(self._group, hidden=on)
        elif name in ("strike", "striked"):
            self._group = replace(self._group, struck=on)
        elif name in _POSITIONS:
            self._group = replace(self._group, position=_POSITIONS[name] if on else "")
        elif name == "plain":
            self._group = replace(self._group, hidden=False, struck=False, bold=False, position="", codec="", symbols="")
        elif name == "uc":
            self._group = replace(self._group, skip_after_u=max(number or 0, 0))
        elif name == "f":
            self._font = number or 0
            if self._group.target != "font":
                symbols = symbol_font(self._font_names.get(self._font, ""))
                self._group = replace(self._group, codec=self._fonts.get(self._font, ""), symbols=symbols)
        elif name == "fcharset":
            self._fonts[self._font] = _CHARSETS.get(number or 0, "")
        elif name in ("ansicpg", "mac"):
            self._codec = _codec(f"cp{number}" if name == "ansicpg" else "mac_roman", self._codec)
        elif self._group.target == "field":
            self._field.word(name, number)
        elif self._group.target in _NOTES and name == "par":
            self._put("\0" if self._group.target == "comment" else " ")
        elif self._group.target in ("text", "style", "marker"):
            self._layout(name, number)

    def _enter(self, name: str) -> None:
        target = _TARGETS.get(name, "skip")
        around = self._stack[-1].target if self._stack else "text"
        if target in _WITHIN_TEXT and around not in ("text", "equations") and (target != "equation" or around not in _NOTES):
            return
        if target == "footnote":
            self._flow.notes.append(Note())
        elif target == "comment":
            self._flow.notes.append(Note(self._author))
            self._author = ""
        elif target == "author":
            self._author = ""
        elif target == "field":
            self._field = Field()
        elif target == "entry":
            self._field.entries.append("")
        elif target == "property":
            self._property = ""
        elif target == "value" and self._property.strip() == _ALTERNATIVE_TEXT:
            self._flow.notes.append(Note(kind="image"))
        elif target == "equation":
            self._equation, self._equation_depth = Equation(len(self._stack)), len(self._stack)
        elif target == "header":
            if self._flow is self._body:
                self._flow, self._header_depth = _Flow(), len(self._stack)
            target = "text"
        self._group = replace(self._group, target=target)

    def _close(self) -> None:
        self._decode()
        self._skip = 0
        self._is_first = False
        if not self._stack:
            return
        left, depth = self._group.target, len(self._stack)
        self._group = self._stack.pop()
        if left == "field" and self._group.target != "field":
            self._flow.paragraph.texts.append(self._field.text())
        elif self._equation is not None:
            self._equation.close(depth)
            if depth <= self._equation_depth:
                formula, self._equation = Formula(self._equation.text()), None
                self._put(formula)
        elif self._flow is not self._body and depth <= self._header_depth:
            self._end_header()

    def _end_header(self) -> None:
        if self._flow is not self._body:
            self._end_flow()
            self.headers += self._flow.blocks
            self._flow = self._body

    # --- paragraphs and tables

    def _layout(self, name: str, number: int | None) -> None:
        paragraph = self._flow.paragraph
        if name == "s":
            self._style = paragraph.style = number or 0
        elif self._group.target != "text":
            return
        elif name in ("par", "sect", "page"):
            if paragraph.in_table:
                paragraph.texts.append("\0")
            else:
                self._end_paragraph()
        elif name == "pard":
            paragraph.level = paragraph.style = paragraph.depth = 0
            paragraph.in_table = False
        elif name == "outlinelevel" and number is not None and number < 9:
            paragraph.level = number + 1
        elif name == "ilvl":
            paragraph.depth = min(number or 0, 8)
        elif name == "intbl":
            paragraph.in_table = True
        elif name == "trowd":
            self._merges, self._merge, self._edges = [], "", []
        elif name in ("clmrg", "clvmrg"):
            self._merge = name
        elif name == "cellx":
            self._merges.append(self._merge)
            self._edges.append(number or 0)
            self._merge = ""
        elif name in ("cell", "nestcell", "nestrow"):
            if name == "cell":
                text = spaced(_joined(paragraph.texts))
                self._flow.cells.append(text)
                paragraph.texts = []
                self._flow.table_notes += [replace(note, about=text) for note in self._flow.notes]
                self._flow.notes = []
            else:
                paragraph.texts.append(", " if name == "nestcell" else "; ")
        elif name == "row":
            self._end_row()

    def _end_row(self) -> None:
        flow = self._flow
        merges = [*self._merges, *[""] * len(flow.cells)]
        row: list[tuple[str | None, int]] = []
        edges: list[int] = []
        for text, merge, edge in zip(flow.cells, merges, [*self._edges, *[0] * len(flow.cells)], strict=False):
            if row and merge == "clmrg" and not text:
                edges[-1] = edge
                row[-1] = row[-1][0], row[-1][1] + 1
            else:
                edges.append(edge)
                row.append((None if merge == "clvmrg" and not text else text, 1))
        flow.rows.append(row)
        flow.edges.append(edges)
        flow.cells = []

    def _end_table(self) -> None:
        flow = self._flow
        if flow.cells:
            self._end_row()
        rows, merged = fill_spans(_spanned(flow.rows, flow.edges))
        flow.rows, flow.edges = [], []
        if rows and max(map(len, rows)) > 1 and len(rows) > 1:
            flow.blocks.extend(blocks_of(divide(rows, merged, is_sheet=False)))
        else:
            flow.blocks.extend(Block("paragraph", text) for row in rows for text in row if text)
        notes, flow.table_notes = flow.table_notes, []
        self._add_notes(notes)

    def _end_list(self) -> None:
        if self._flow.lines:
            self._flow.blocks.append(Block("list", "\n".join(self._flow.lines)))
            self._flow.lines = []

    def _end_paragraph(self) -> None:
        flow = self._flow
        paragraph = flow.paragraph
        text = spaced(_joined(paragraph.texts))
        style = style_of_name(self._styles.get(paragraph.style, "").strip().rstrip(";"))
        level, marker = paragraph.level or style.level, spaced(paragraph.marker)
        # the next paragraph keeps these properties until `\pard`
        flow.paragraph = _Paragraph(level=paragraph.level, style=paragraph.style, depth=paragraph.depth, in_table=paragraph.in_table)
        if text:
            self._end_table()
            if marker and not level:
                marker = marker if any(sign.isalnum() for sign in marker) else "-"
                flow.lines.append("  " * paragraph.depth + f"{marker} {text}")
            else:
                self._end_list()
                if not level and paragraph.all_bold and html.reads_like_heading(text):
                    level = 6  # how authors who do not use styles write headings
                flow.blocks.append(Block("heading", f"{marker} {text}".strip(), level) if level else Block("paragraph", text))
        notes, flow.notes = flow.notes, []
        self._add_notes(notes)

    def _add_notes(self, notes: Sequence[Note]) -> None:
        if notes:
            self._end_list()
        for note in notes:
            text = spaced(_joined(note.texts))
            if note.author is not None:
                self._flow.blocks += comment([(note.author, text.replace("\n", "\0"))], f"“{note.about}”" if note.about else "")
            elif text := worded(text) if note.kind == "image" else text:
                self._flow.blocks.append(Block(note.kind, text))


def _spanned(rows: Sequence[_Row], edges: Sequence[list[int]]) -> Sequence[_Row]:
    """The rows with cells over as many columns as they reach over: a merged cell may be just a wider one."""
    widest = max(edges, key=len, default=[])
    columns = {edge: i for i, edge in enumerate(widest)}
    spanned: list[_Row] = []
    for row, ends in zip(rows, edges, strict=True):
        places = [columns.get(edge, -1) for edge in ends]
        spans = [right - left for left, right in pairwise([-1, *places])]
        is_fit = len(row) < len(columns) and all(edge in columns for edge in ends) and min(spans, default=0) > 0
        spanned.append([(text, span) for (text, _), span in zip(row, spans, strict=True)] if is_fit else row)
    return spanned


def _joined(texts: Sequence[str]) -> str:
    """The text of runs. Joins surrogate pairs: a character beyond U+FFFF is written as two `\\u`."""
    return joined(texts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _codec(name: str, fallback: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return fallback
