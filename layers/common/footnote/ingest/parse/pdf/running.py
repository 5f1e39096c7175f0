"""Removes running headers, footers and page numbers. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from footnote.ingest.parse.pdf.lines import Line

_EDGE = 0.25
"""The share of a page at its top and bottom in which headers and footers are searched."""
_EDGE_ROWS = 3
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|쪽|페이지)?\s*[-–|·]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–|·]?\s*(?:(?:of|von|/)\s*\d{1,4}|쪽|페이지)?", re.IGNORECASE
)
_FRAME_ROWS = 3
"""A ruled table of at most this many rows may be a framed header; a longer one is content."""


def without_running_lines(lines: Sequence[Line], pages: int) -> list[Line]:
    """Drops page numbers, and lines that repeat at the same edge of most pages or of many successive pages."""
    if pages < 2:
        return list(lines)
    edges = _edges(lines)
    seen: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for line in lines:
        if edge := edges.get(line):
            seen[edge, *_running_key(line)].add(line.page)
    running = {key for key, on in seen.items() if len(on) >= 3 and len(on) >= 0.45 * (max(on) - min(on) + 1)}

    def runs(line: Line) -> bool:
        edge = edges.get(line)
        return bool(edge) and ((edge, *_running_key(line)) in running or bool(_PAGE_NUMBER.fullmatch(line.text)))

    return [line for line in lines if not runs(line)]


def _edges(lines: Sequence[Line]) -> dict[Line, str]:
    """Line → "top" or "bottom", for the outermost rows of each page within its edges."""
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if line.page_height:
            by_page[line.page].append(line)
    edges: dict[Line, str] = {}
    for on_page in by_page.values():
        upper = sorted({round(line.y1) for line in on_page})[:_EDGE_ROWS][-1]
        lower = sorted({round(line.y1) for line in on_page})[-_EDGE_ROWS:][0]
        rows = Counter(line.table for line in on_page)
        for line in on_page:
            if line.table and rows[line.table] > _FRAME_ROWS:
                continue
            if round(line.y1) <= upper and line.y1 < _EDGE * line.page_height:
                edges[line] = "top"
            elif round(line.y1) >= lower and line.y0 > (1 - _EDGE) * line.page_height:
                edges[line] = "bottom"
    return edges


def _running_key(line: Line) -> tuple[str, int]:
    """A key that is equal for repetitions: digits beside letters count as equal ("Report 2024, page 7").

    The font size distinguishes a title from the running header that repeats it."""
    text = re.sub(r"\d+", "#", line.text) if any(c.isalpha() for c in line.text) else line.text
    return " ".join(text.split()), round(line.size)
