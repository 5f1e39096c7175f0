"""Reads the alternative texts of the figures of a tagged PDF page."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any, NamedTuple

from footnote.ingest.parse.pdf.annotations import text_of
from footnote.ingest.parse.pdf.lines import Box

_MOST = 2_000
"""Elements of a page's structure that are looked through."""


class Figure(NamedTuple):
    """A figure's alternative text, and its box in points, x from the left, y upwards; None if it is not known."""

    text: str
    box: Box | None


def read_figures(page: Any) -> list[Figure]:
    """The figures of a page that have an alternative text of several words: a single one is the name of a file or "Figure"."""
    import pypdfium2.raw as pdfium

    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    get_alternative, get_child = pdfium.FPDF_StructElement_GetAltText, pdfium.FPDF_StructElement_GetChildAtIndex
    count_children = pdfium.FPDF_StructElement_CountChildren
    found: list[tuple[str, int]] = []
    waiting = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, i) for i in reversed(range(pdfium.FPDF_StructTree_CountChildren(tree)))]
    for _ in range(_MOST):
        if not waiting:
            break
        if not (element := waiting.pop()):
            continue
        if get_alternative(element, None, 0) > 2:  # bytes; asked first, since most elements have none
            text = " ".join(text_of(partial(get_alternative, element)).replace("\0", " ").split())
        else:
            text = ""
        if " " in text and text_of(partial(pdfium.FPDF_StructElement_GetType, element)) == "Figure":
            found.append((text, pdfium.FPDF_StructElement_GetMarkedContentID(element)))
        children = min(count_children(element), _MOST)
        waiting += [get_child(element, i) for i in reversed(range(children))]
    pdfium.FPDF_StructTree_Close(tree)
    boxes = _boxes(page) if found else {}
    return [Figure(text, boxes.get(number)) for text, number in found]


def _boxes(page: Any) -> dict[int, Box]:
    """Number of marked content on the page → the box of the first thing in it."""
    import pypdfium2.raw as pdfium

    boxes: dict[int, Box] = {}
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for i in range(min(pdfium.FPDFPage_CountObjects(page), _MOST)):
        shown = pdfium.FPDFPage_GetObject(page, i)
        number = pdfium.FPDFPageObj_GetMarkedContentID(shown)
        if number >= 0 and number not in boxes and pdfium.FPDFPageObj_GetBounds(shown, left, bottom, right, top):
            boxes[number] = Box(left.value, bottom.value, right.value, top.value)
    return boxes
