"""Parts of RTF files that are read apart from their text: notes, form fields, equations."""

from __future__ import annotations

from dataclasses import dataclass, field

from footnote.ingest.parse.notes import check_mark
from footnote.ingest.parse.omml import read_equation
from footnote.ingest.parse.package import Element
from footnote.types import BlockKind

_DEFAULT = 25
"""The result of a form field that was not changed."""


@dataclass(frozen=True)
class Note:
    """A footnote, the alternative text of an image, or the comment of an author ("" if unknown). `about`: the cell that a comment is in."""

    author: str | None = None
    about: str = ""
    texts: list[str] = field(default_factory=list)
    kind: BlockKind = "paragraph"


@dataclass
class Field:
    """A form field. The value of a text field is in the text."""

    numbers: dict[str, int] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)

    def word(self, name: str, number: int | None) -> None:
        """A control word of the field's definition."""
        self.numbers[name] = number if number is not None else 1

    def text(self) -> str:
        """A check mark or the chosen entry; "" for any other field."""
        kind, result = self.numbers.get("fftype", 0), self.numbers.get("ffres", _DEFAULT)
        if result == _DEFAULT:
            result = self.numbers.get("ffdefres", 0)
        if kind == 1:
            return check_mark(checked=result == 1)
        return self.entries[result].strip() if kind == 2 and 0 <= result < len(self.entries) else ""


class Equation:
    """Builds the tree of an equation from groups, whose control words are the names of Office's elements with an `m` before them."""

    def __init__(self, depth: int) -> None:
        from lxml import etree

        self._root: Element = etree.Element("oMath")
        self._open: list[tuple[int, Element]] = [(depth, self._root)]
        """(number of open groups, element)."""
        self._half = ""  # the first half of a surrogate pair, which comes in two control words

    def word(self, name: str, depth: int, *, starts: bool) -> None:
        """A control word. `starts`: it is the first of its group, and names an element."""
        from lxml import etree

        if starts and name.startswith("m") and len(name) > 1 and len(self._open) < _MAX_DEPTH:
            self._open.append((depth, etree.SubElement(self._open[-1][1], name[1:])))
        elif name == "mnor":
            etree.SubElement(etree.SubElement(self._open[-1][1], "rPr"), "nor")

    def add(self, text: str) -> None:
        """Text of a run, or the value of a property."""
        from lxml import etree

        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        node = self._open[-1][1]
        if node.tag == "r":
            etree.SubElement(node, "t").text = _clean(text)
        elif text.strip():
            node.set("val", (node.get("val") or "") + _clean(text).strip())

    def close(self, depth: int) -> None:
        """The end of a group."""
        while len(self._open) > 1 and self._open[-1][0] >= depth:
            self._open.pop()

    def text(self) -> str:
        """The equation as a line."""
        return read_equation(self._root)


_MAX_DEPTH = 100
"""Elements within each other."""


def _clean(text: str) -> str:
    """Characters that XML allows."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
