"""Parses the source of man pages (roff with the macros of man(7)): sections, paragraphs, lists of options, code and tables.

Read without groff, which is not installed where the service runs. The requests are few because man pages are shown by many programs."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from footnote.ingest.parse.roff_signs import plain
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block, BlockKind, Parsed

_HEAD = re.compile(r"^\.[ \t]*TH[ \t]+\S", re.MULTILINE)
_SEARCHED = 20_000
"""Characters in which the title stands, below the comments about the licence."""
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]+)?[ \t]*(.*)")
_FONTS = frozenset(("B", "I", "SM", "SB", "R"))
_ALTERNATING = frozenset(("BR", "BI", "RB", "RI", "IB", "IR"))
_BREAKS = frozenset(("PP", "P", "LP", "HP", "sp", "br", "bp", "ti"))
_CODE, _TEXT = frozenset(("nf", "EX", "DS")), frozenset(("fi", "EE", "DE"))
_KNOWN = frozenset(("SH", "SS", "TH", "TP", "TQ", "IP", "RS", "RE", "UR", "UE", "MT", "ME", "SY", "YS", "OP", "TS", "TE", "EQ", "EN")) | (
    _FONTS | _ALTERNATING | _BREAKS | _CODE | _TEXT
)
"""Macros that are read as man(7) says, whatever the page defines them to be."""
_SIGN = re.compile(r"\W")
_START = re.compile(r"^[.'][ \t]*")
_COMMENT = re.compile(r'[ \t]*\\".*')
_TRUE = frozenset(("n", "!t", r"\n(.g", r"\n[.g]"))
"""Conditions that are true for a terminal, and for groff."""
_LONGEST_LINE = 10_000
"""Characters of lines that are joined into one at most."""
_MOST_EXPANDED = 20_000
"""Macros of its own that a page uses at most, because one may use itself."""
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')
_PART_OF_WORD = "\0"
"""Stands where a line goes on without a space."""


def is_man_page(text: str) -> bool:
    """Whether it is the source of a man page: roff, whose lines begin with a request, with a title."""
    return text.lstrip()[:1] in (".", "'", "\\") and _HEAD.search(text, 0, _SEARCHED) is not None


def parse_text(text: str) -> Parsed:
    """Parses the source of a man page, decoded."""
    page = _Page()
    for name, arguments in _requests(text, page):
        page.read(name, arguments)
    page.end()
    reason = f"Pages that are included by this one were not read: {', '.join(page.included)}." if page.included else None
    return Parsed(tuple(page.blocks), page.title, reason=reason, remedy="Add them too." if reason else None)


def _requests(text: str, page: _Page) -> Iterator[tuple[str, str]]:
    """(name, what follows it) of each request, "" for a line of text: with the lines of macros that the page defines in place of their
    names, and of alternatives what a terminal shows."""
    lines = deque(text.split("\n"))
    macros: dict[str, list[str]] = {}
    expanded = 0
    was_true = True
    depth = 0  # of a block of lines that are not shown
    while lines:
        line = lines.popleft()
        while line.endswith("\\") and not line.endswith("\\\\") and lines and len(line) < _LONGEST_LINE:
            line = line[:-1] + lines.popleft()
        if depth:
            depth += line.count("\\{") - line.count("\\}")
            continue
        if line[:1] not in (".", "'"):
            if not line.startswith('\\"'):
                yield "", line
            continue
        found = _REQUEST.match(line)
        name, rest = (found[1] or "", _COMMENT.sub("", found[2])) if found else ("", "")
        if name in ("de", "de1", "am", "ig"):
            words = rest.split()
            end = f".{words[-1] if len(words) > (name != 'ig') else '.'}"
            body: list[str] = []
            while lines and _START.sub(".", inner := lines.popleft()).strip() != end:
                body.append(inner.replace("\\\\", "\\"))
            if name.startswith("de") and words and words[0] not in _KNOWN:
                macros[words[0]] = body
        elif name in ("if", "ie", "el"):
            condition, body_of_it = ("", rest) if name == "el" else _condition(rest)
            is_true = not was_true if name == "el" else condition in _TRUE
            was_true = is_true
            if is_true:
                lines.appendleft(body_of_it.replace("\\{", "").lstrip())
            else:
                depth = body_of_it.count("\\{") - body_of_it.count("\\}")
        elif name == "als":
            new, _, old = rest.partition(" ")
            macros[new] = macros.get(old.strip(), [])
        elif name == "ds":
            key, _, value = rest.partition(" ")
            page.strings[key] = plain(value.strip().removeprefix('"'), page.strings)
        elif name == "tr":
            signs = plain(rest, page.strings)
            page.translated.update({ord(sign): other for sign, other in zip(signs[::2], f"{signs[1::2]} ", strict=False)})
        elif name in macros and expanded < _MOST_EXPANDED:
            expanded += 1
            arguments = page.arguments(rest)
            lines.extendleft(reversed([_filled(inner, arguments) for inner in macros[name]]))
        elif name and not _SIGN.match(name):
            yield name, rest


def _condition(text: str) -> tuple[str, str]:
    """A condition, and what is read if it is true."""
    found = re.match(r"(\S+?)(?:[ \t]+|(?=\\\{))(.*)", text)
    return (found[1], found[2]) if found else (text, "")


def _filled(line: str, arguments: Sequence[str]) -> str:
    """A line of a macro with its arguments."""

    def argument(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1] else 0
        return " ".join(arguments[number - 1 : number] if number else arguments)

    return re.sub(r"\\\$(?:([1-9])|[*@])", argument, line)


@dataclass(slots=True)
class _Page:
    """Collects the blocks of a page."""

    blocks: list[Block] = field(default_factory=list)
    title: str = ""
    strings: dict[str, str] = field(default_factory=lambda: {"lq": "“", "rq": "”", "R": "®", "Tm": "™", "q": '"'})
    translated: dict[int, str] = field(default_factory=dict)
    """Sign → the one that is shown in its place."""
    included: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """Of the paragraph that is open."""
    item: str | None = None
    """The label of the item that is open; its text stands in `words`."""
    waits_for: str = ""
    """The request whose label or heading is the next line of text."""
    depth: int = 0
    is_code: bool = False
    table: list[str] | None = None
    link: str = ""

    def read(self, name: str, arguments: str) -> None:
        """Reads one request, or a line of text."""
        if self.table is not None and name != "TE":
            if not name:
                self.table.append(arguments)
            return
        if name == "" or name in _FONTS or name in _ALTERNATING:
            self._text(name, arguments)
        elif name in ("SH", "SS"):
            self._end_paragraph()
            self.depth, self.item = 0, None
            if arguments.strip():
                self._heading(name, self._joined(arguments))
            else:
                self.waits_for = name
        elif name == "TQ" and self.item is not None and not self.words:
            self.waits_for = name
        elif name in ("TP", "TQ"):
            self._end_paragraph()
            self.waits_for, self.item = "TP", None
        elif name == "IP":
            self._end_paragraph()
            label = self.arguments(arguments)
            self.item = label[0] if label else None
        elif name in _BREAKS or name in _CODE or name in _TEXT:
            self._end_paragraph(keeps_item=name in ("sp", "br", "ti"))
            self.is_code = name in _CODE or (self.is_code and name not in _TEXT)
        elif name in ("RS", "RE"):
            self._end_paragraph()
            self.depth = max(0, self.depth + (1 if name == "RS" else -1))
        elif name in ("UR", "MT", "UE", "ME"):
            self._link(name, arguments)
        elif name == "SY":
            self._end_paragraph()
            self._text("B", arguments)
        elif name == "OP":
            self._text("", f"[{self._joined(arguments)}]")
        else:
            self._about(name, arguments)

    def end(self) -> None:
        """Ends what is open."""
        self._end_table()
        self._end_paragraph()

    def _about(self, name: str, arguments: str) -> None:
        """What the page is, and what is set in another way."""
        if name == "TH":
            page, section, *more = (*self.arguments(arguments), "", "")[:5]
            self.title = f"{page}({section})" if section else page
            if about := [each for each in more if each]:
                self.blocks.append(Block("metadata", ", ".join(about)))
        elif name == "TS":
            self._end_paragraph()
            self.table = []
        elif name == "TE":
            self._end_table()
        elif name == "so":
            self.included.append(arguments.strip())

    def _text(self, name: str, written: str) -> None:
        if name in _FONTS and not written.strip():
            return
        line = self._joined(written, "" if name in _ALTERNATING else " ") if name else self._plain(written)
        if self.waits_for in ("SH", "SS"):
            self._heading(self.waits_for, line)
        elif self.waits_for:
            self.item = f"{self.item}, {line}" if self.waits_for == "TQ" and self.item else line.strip()
        elif self.is_code:
            self.words.append(line)
        elif not line.strip():
            self._end_paragraph(keeps_item=True)
        else:
            self.words.append(line)
        self.waits_for = ""

    def _heading(self, name: str, text: str) -> None:
        self.blocks.append(Block("heading", " ".join(text.split()), 1 if name == "SH" else 2))
        self.waits_for = ""

    def _link(self, name: str, arguments: str) -> None:
        """The target of a link stands after its words."""
        if name in ("UR", "MT"):
            self.link = self._joined(arguments)
        elif self.link:
            self._text("", f"<{self.link}>{(self.arguments(arguments) or [''])[0]}")
            self.link = ""

    def _end_paragraph(self, *, keeps_item: bool = False) -> None:
        words, self.words = self.words, []
        if self.is_code:
            code = "\n".join(line.replace(_PART_OF_WORD, "") for line in words).strip("\n")
            if code.strip():
                self._add("code", code)
            return
        text = " ".join(" ".join(words).replace(f"{_PART_OF_WORD} ", "").replace(_PART_OF_WORD, "").split())
        if self.item is not None and (text or not keeps_item):
            label, self.item = " ".join(self.item.replace(_PART_OF_WORD, "").split()), None
            self._add("list", f"{'  ' * self.depth}{_item(label, text)}")
        elif text:
            self._add("paragraph", text)

    def _add(self, kind: BlockKind, text: str) -> None:
        if kind == "list" and self.blocks and self.blocks[-1].kind == "list":
            text = f"{self.blocks.pop().text}\n{text}"
        self.blocks.append(Block(kind, text))

    def _end_table(self) -> None:
        lines, self.table = self.table, None
        rows = [[" ".join(self._plain(cell).split()) for cell in row] for row in _rows(lines or [])]
        if rows:
            width = max(map(len, rows))
            self.blocks.append(Block("table", to_markdown([[*row, *[""] * (width - len(row))] for row in rows])))

    def _plain(self, text: str) -> str:
        text = f"{text[:-2]}{_PART_OF_WORD}" if text.endswith("\\c") else text
        return plain(text, self.strings).translate(self.translated)

    def arguments(self, text: str) -> list[str]:
        """The arguments of a request, without quotation marks."""
        found = ((quoted or word).replace('""', '"') for quoted, word in _ARGUMENT.findall(re.sub(r'\\".*', "", text).replace("\\ ", "\1")))
        return [self._plain(each).replace("\1", " ") for each in found]

    def _joined(self, text: str, between: str = " ") -> str:
        return between.join(self.arguments(text))


def _item(label: str, text: str) -> str:
    """An item of a list: `- label: text`, or with its number or bullet only."""
    if any(c.isalpha() for c in label) or len(label) > 3:
        return f"- {label}: {text}" if text else f"- {label}"
    return f"{label} {text}" if any(c.isdigit() for c in label) else f"- {text}"


def _rows(lines: list[str]) -> Iterator[list[str]]:
    """The rows of a table as tbl reads it: options, the formats of columns up to a full stop, then data, with cells of several lines."""
    separator = "\t"
    written = iter(lines)
    for line in written:
        if line.rstrip().endswith(";"):
            found = re.search(r"tab\s*\((.)\)", line)
            separator = found[1] if found else "\t"
        if line.rstrip().endswith("."):
            break
    for line in written:
        if not line.strip() or line.strip() in ("_", "="):
            continue
        while line.endswith("T{"):
            cell = []
            rest = ""
            for inner in written:
                if inner.startswith("T}"):
                    rest = inner[2:]
                    break
                cell.append(inner)
            line = f"{line[:-2]}{' '.join(cell)}{rest}"
        yield line.split(separator)
