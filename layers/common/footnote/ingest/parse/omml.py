"""Reads equations in Office's own markup (OMML), which Word and PowerPoint files contain, into a line of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from footnote.ingest.parse import equation
from footnote.ingest.parse.package import Element, attr, child, local

_NO_TEXT = ("del", "moveFrom", "delText", "instrText")


def read_equation(node: Element) -> str:
    """An element `oMath` or `oMathPara` as text; the equations of the latter are lines, separated by `\\0`."""
    if local(node) == "oMathPara":
        return "\0".join(filter(None, (read_equation(each) for each in node if local(each) == "oMath")))
    return _row(node)


def _row(node: Element | None) -> str:
    return equation.row(_parts(node)) if node is not None else ""


def _parts(node: Element) -> Iterator[str]:
    """The parts of an element, as `equation.row` joins them. Word may divide a name among runs."""
    run = ""
    for each, is_text in _pieces(node):
        if is_text:
            run += each
        else:
            yield from equation.tokens(run)
            run = ""
            yield each
    yield from equation.tokens(run)


def _pieces(node: Element) -> Iterator[tuple[str, bool]]:
    """(text, whether it is to be divided into operands and operators)."""
    for each in node:
        tag = local(each)
        if tag == "r":
            text = "".join(_ordinary(part.text or "") for part in each.iter("{*}t"))
            is_prose = child(each, "rPr", "nor") is not None
            yield (equation.text(text), False) if is_prose else (text.replace("&", ""), True)  # `&` aligns lines
        elif tag in _CONSTRUCTS:
            yield _CONSTRUCTS[tag](each), False
        elif not tag.endswith("Pr") and tag not in _NO_TEXT:
            yield from _pieces(each)


def _ordinary(text: str) -> str:
    """Letters of mathematical alphabets as ordinary ones, so that they are found: `𝑥` → `x`."""
    return "".join(unicodedata.normalize("NFKC", sign) if "\U0001d400" <= sign <= "\U0001d7ff" or sign == "ℎ" else sign for sign in text)


def _of(node: Element, *path: str) -> str:
    return _row(child(node, *path))


def _option(node: Element, name: str, default: str) -> str:
    """A property of a construct. A property without a value is an empty one."""
    found = child(node, f"{local(node)}Pr", name)
    return default if found is None else attr(found, "val") or ""


def _fraction(node: Element) -> str:
    write = equation.binomial if _option(node, "type", "bar") == "noBar" else equation.fraction
    return write(_of(node, "num"), _of(node, "den"))


def _radical(node: Element) -> str:
    return equation.radical(_of(node, "e"), _of(node, "deg"))


def _script(node: Element) -> str:
    return equation.script(_of(node, "e"), _of(node, "sub"), _of(node, "sup"))


def _scripts_before(node: Element) -> str:
    return equation.script("", _of(node, "sub"), _of(node, "sup")) + _of(node, "e")


def _sum(node: Element) -> str:
    sign = equation.script(_option(node, "chr", "∫"), _of(node, "sub"), _of(node, "sup"))
    return f"{sign} {_of(node, 'e')}"


def _below(node: Element) -> str:
    return equation.script(_of(node, "e"), _of(node, "lim"))


def _above(node: Element) -> str:
    return equation.script(_of(node, "e"), "", _of(node, "lim"))


def _function(node: Element) -> str:
    return f"{_of(node, 'fName')} {equation.grouped(_of(node, 'e'))}"


def _accent(node: Element) -> str:
    return equation.stacked(_of(node, "e"), "", _option(node, "chr", "\u0302"))


def _bar(node: Element) -> str:
    return equation.stacked(_of(node, "e"), "", "‾") if _option(node, "pos", "bot") == "top" else _of(node, "e")


def _delimited(node: Element) -> str:
    parts = [_row(each) for each in node if local(each) == "e"]
    opening, closing = _option(node, "begChr", "("), _option(node, "endChr", ")")
    if opening + closing == "()" and len(parts) == 1 and parts[0].startswith("(") and equation.grouped(parts[0]) == parts[0]:
        return parts[0]  # a binomial coefficient has its brackets
    return equation.fenced(parts, opening, closing, _option(node, "sepChr", "|"))


def _matrix(node: Element) -> str:
    return equation.matrix([_row(cell) for cell in row if local(cell) == "e"] for row in node if local(row) == "mr")


def _lines(node: Element) -> str:
    return equation.matrix([_row(line)] for line in node if local(line) == "e")


_CONSTRUCTS = {
    "f": _fraction, "rad": _radical, "sSub": _script, "sSup": _script, "sSubSup": _script, "sPre": _scripts_before, "nary": _sum,
    "limLow": _below, "limUpp": _above, "func": _function, "acc": _accent, "bar": _bar, "d": _delimited, "m": _matrix, "eqArr": _lines,
}  # fmt: skip
