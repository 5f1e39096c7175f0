"""Writes a MathML element as a line of text, by `equation`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from footnote.ingest.parse import equation

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LONGEST = 20_000
"""Characters of an equation; a longer one is no equation, and each level of its tree is copied for each one above it."""
_LEAVES = frozenset(("mi", "mn", "mtext", "ms"))
_UNREAD = frozenset(("annotation", "annotation-xml", "mphantom", "mspace", "none", "maligngroup", "malignmark", "mprescripts"))
_ALIGNED = 2
"""Columns of a table whose cells are the sides of equations rather than the entries of a matrix."""


def written(math: LexborNode) -> str:
    """The equation; if it has no readable elements, its TeX or its text."""
    text = math.text()
    line = _line(math) if len(text) <= _LONGEST else ""
    if line:
        return line
    source = next((node for node in math.css("annotation") if "tex" in (node.attributes.get("encoding") or "").lower()), None)
    return " ".join((source.text() if source is not None else math.attributes.get("alttext") or text).split())


def _line(math: LexborNode) -> str:
    """Walks the tree from its leaves up, with its own stack because a page may nest deeper than Python's recursion limit."""
    done: dict[int, str] = {}
    stack: list[tuple[LexborNode, bool]] = [(math, False)]
    while stack:
        node, leaving = stack.pop()
        tag = (node.tag or "").rpartition(":")[2]
        if tag in _UNREAD:
            done[node.mem_id] = ""
        elif tag == "-text":
            done[node.mem_id] = equation.text(node.text_content or "")
        elif not leaving:
            stack.append((node, True))
            stack += [(child, False) for child in _children(node)]
        else:
            own = [(child, done.pop(child.mem_id, "")) for child in _children(node)]
            done[node.mem_id] = _element(node, tag, own)
    return done.get(math.mem_id, "")


def _element(node: LexborNode, tag: str, own: Sequence[tuple[LexborNode, str]]) -> str:
    """An element whose children are written."""
    parts = [text for child, text in own if child.tag != "-text"]
    if tag in _LEAVES or tag == "mo":
        return " ".join("".join(text for _, text in own).split())
    if tag == "mtable":
        return _table(parts)
    if tag in ("mtr", "mlabeledtr"):
        return _CELLS.join(parts)
    if tag == "mfenced":
        separators = (node.attributes.get("separators") or ",").strip()[:1] or ","
        return equation.fenced(parts, node.attributes.get("open") or "(", node.attributes.get("close") or ")", separators)
    if tag == "mmultiscripts":
        return _multiscripts([(child, text) for child, text in own if child.tag != "-text"])
    if tag == "mfrac" and (node.attributes.get("linethickness") or "1")[:1] == "0" and len(parts) > 1:
        return equation.binomial(*parts[:2])
    write = _WRITERS.get(tag)
    least = 1 if tag in ("msqrt", "menclose") else 3 if tag in _THREE else 2
    if write and len(parts) >= least:
        return write(parts)
    return equation.row(text for child, text in own if child.tag != "-text" or text)


_CELLS = "\x1f"
"""Divides the cells of a row until its table is written."""
_THREE = frozenset(("msubsup", "munderover"))
_WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": lambda parts: equation.fraction(parts[0], parts[1]),
    "msqrt": lambda parts: equation.radical(equation.row(parts)),
    "mroot": lambda parts: equation.radical(parts[0], parts[1]),
    "msub": lambda parts: equation.script(parts[0], parts[1]),
    "msup": lambda parts: equation.script(parts[0], "", parts[1]),
    "msubsup": lambda parts: equation.script(parts[0], parts[1], parts[2]),
    "munder": lambda parts: equation.stacked(parts[0], parts[1]),
    "mover": lambda parts: equation.stacked(parts[0], "", parts[1]),
    "munderover": lambda parts: equation.stacked(parts[0], parts[1], parts[2]),
}


def _table(rows: Sequence[str]) -> str:
    """A matrix, or lines of equations whose sides are aligned in columns."""
    cells = [row.split(_CELLS) for row in rows]
    if all(len(row) <= _ALIGNED and any("=" in cell for cell in row) for row in cells):
        return "; ".join(" ".join(" ".join(row).split()) for row in cells)
    return equation.matrix(cells)


def _multiscripts(own: Sequence[tuple[LexborNode, str]]) -> str:
    """A base with scripts at its right and, after <mprescripts>, at its left."""
    if not own:
        return ""
    at = next((i for i, (child, _) in enumerate(own) if child.tag == "mprescripts"), len(own))
    texts = [text for _, text in own]
    right, left = texts[1:at], texts[at + 1 :]
    before = equation.script("", *left[:2]) if left else ""
    return before + equation.script(texts[0], *right[:2])


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next
