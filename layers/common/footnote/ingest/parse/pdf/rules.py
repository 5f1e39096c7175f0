"""Reads the drawings of a PDF page with pdfium: straight lines, dots, and whether there is an image."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from footnote.ingest.parse.pdf.lines import Box

_THIN = 3.0
"""Points; a path that is no thicker is a line."""
_SHORTEST = 5.0
_MOST_PATHS = 3000
_MOST_SEGMENTS = 400
"""Limits above which a path or a page is a drawing rather than a table."""
_SMALLEST_DOT, _LARGEST_DOT, _UNEVEN = 1.5, 8.0, 0.3
"""Points; and the share of its width by which the height of a dot may differ."""
_DEEPEST = 4
_WHOLE = 0.95
"""The share of a page's width and height from which a filled area is its background."""

Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Drawn(NamedTuple):
    """Boxes in points, x from the left, y upwards (y0 is the lower edge). Rules are thin in one direction; dots may be bullets."""

    rules: list[Box]
    dots: list[Box]
    has_image: bool


def read_drawn(page: Any) -> Drawn:
    """Reads the rules and dots of a page, and whether it shows an image."""
    import pypdfium2.raw as pdfium

    objects = (pdfium.FPDFPage_GetObject(page, i) for i in range(pdfium.FPDFPage_CountObjects(page)))
    paths: list[tuple[Any, Matrix]] = []
    has_image = _collect(objects, _IDENTITY, _DEEPEST, paths)
    if len(paths) > _MOST_PATHS:
        return Drawn([], [], has_image)
    bounded = [(item, matrix, box) for item, matrix in paths if (box := _bounds(item, matrix))]
    area = Box(*page.get_bbox())
    lines = (line for item, matrix, box in bounded if not _is_background(item, box, area) for line in _straight_lines(item, matrix, box))
    rules = [line for line in lines if max(line.x1 - line.x0, line.y1 - line.y0) >= _SHORTEST]
    return Drawn(rules, [box for _, _, box in bounded if _is_dot(box)], has_image)


def _collect(objects: Iterable[Any], matrix: Matrix, depth: int, paths: list[tuple[Any, Matrix]]) -> bool:
    """Adds each path of the objects and their forms, with its matrix to page coordinates. Returns whether there is an image."""
    import pypdfium2.raw as pdfium

    has_image = False
    for item in objects:
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            paths.append((item, matrix))
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            has_image = True
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            inside = (pdfium.FPDFFormObj_GetObject(item, i) for i in range(pdfium.FPDFFormObj_CountObjects(item)))
            has_image |= _collect(inside, _times(_matrix_of(item), matrix), depth - 1, paths)
    return has_image


def _is_background(path: Any, box: Box, area: Box) -> bool:
    """Whether the path only paints the whole page in one colour: its edges enclose everything and are no rules."""
    import pypdfium2.raw as pdfium

    if box.x1 - box.x0 < _WHOLE * (area.x1 - area.x0) or box.y1 - box.y0 < _WHOLE * (area.y1 - area.y0):
        return False
    fills, strokes = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fills, strokes)
    return not strokes.value


def _is_dot(box: Box) -> bool:
    width, height = box.x1 - box.x0, box.y1 - box.y0
    return _SMALLEST_DOT <= width <= _LARGEST_DOT and abs(width - height) <= _UNEVEN * width


def _straight_lines(path: Any, matrix: Matrix, box: Box) -> Iterator[Box]:
    """The box of the path if it is thin, else its vertical and horizontal segments."""
    import pypdfium2.raw as pdfium

    if min(box.x1 - box.x0, box.y1 - box.y0) <= _THIN:
        yield box
        return
    if max(box.x1 - box.x0, box.y1 - box.y0) < 2 * _SHORTEST:
        return
    segments = pdfium.FPDFPath_CountSegments(path)
    if segments > _MOST_SEGMENTS:
        return
    to_page = _times(_matrix_of(path), matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = before = (0.0, 0.0)
    for i in range(segments):
        segment = pdfium.FPDFPath_GetPathSegment(path, i)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        point = _map(to_page, x.value, y.value)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO and _is_straight(before, point):
            yield _box(before, point)
        if pdfium.FPDFPathSegment_GetClose(segment) and _is_straight(point, start):
            yield _box(point, start)
        before = point


def _bounds(path: Any, matrix: Matrix) -> Box | None:
    import pypdfium2.raw as pdfium

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(path, left, bottom, right, top):
        return None
    return _box(_map(matrix, left.value, bottom.value), _map(matrix, right.value, top.value))


def _is_straight(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(abs(a[0] - b[0]), abs(a[1] - b[1])) < 0.5


def _box(a: tuple[float, float], b: tuple[float, float]) -> Box:
    return Box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))


def _matrix_of(item: Any) -> Matrix:
    import pypdfium2.raw as pdfium

    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, found):
        return _IDENTITY
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(first: Matrix, second: Matrix) -> Matrix:
    """The matrix product: applies the first, then the second."""
    a, b, c, d, e, f = first
    x, y = _map(second, e, f)
    p, q, r, s, _, _ = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, x, y


def _map(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
