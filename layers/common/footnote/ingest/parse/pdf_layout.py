"""Lines on pages → headings, paragraphs and lists: by gaps, sizes, boldness and repetition. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from footnote.ingest.parse.plain import ITEM, join_lines
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block

_EDGE = 0.25
"""The share of a page at its top and at its bottom where headers and footers may stand."""
_EDGE_ROWS = 3
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|쪽|페이지)?\s*[-–|·]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–|·]?\s*(?:(?:of|von|/)\s*\d{1,4}|쪽|페이지)?", re.IGNORECASE
)
_COLUMN_ROWS = 3
_CELL_GAP = 1.2
"""Font heights between two pieces of one row that are cells rather than words."""
_COLUMN_WIDTH = 8
"""Font heights; what is narrower is a cell of a table rather than a column's line."""
_BULLET = re.compile(r"[•·‣▪◦●○■□➢➤✓\uf0b7\uf0a7\uf0d8]\s*|[-–*]\s+|o\s+(?=[A-Z])")
_END = re.compile(r"[.!?:;。…][\"'”’)\]]*$")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-Z]\.)\s+\S")
_LONGEST_HEADING = 140


@dataclass(frozen=True, slots=True)
class Line:
    """One line: points from the left (`x`) and downwards from the top (`y`); `size` is its font's height.
    `page_height` 0 = nothing is known of its place."""

    text: str
    page: int
    x0: float = 0.0
    x1: float = 0.0
    y0: float = 0.0
    y1: float = 0.0
    size: float = 0.0
    bold: bool = False
    page_height: float = 0.0
    cells: tuple[str, ...] = ()
    """The pieces of the text between wide gaps, where there are several."""


def unweave(rows: Sequence[Sequence[Line]]) -> list[Line]:
    """One page's rows, each the pieces between its wide gaps → its lines in reading order.

    Where several rows in a row part at the same place into two pieces of running text, they are columns:
    the left one is read first. Other pieces (cells of a table, say) stay one line.
    """
    lines: list[Line] = []
    start = 0
    while start < len(rows):
        end, gutter = _columns(rows, start)
        if end - start >= _COLUMN_ROWS:
            pieces = [piece for row in rows[start:end] for piece in row]
            lines += [piece for piece in pieces if piece.x0 < gutter]
            lines += [piece for piece in pieces if piece.x0 >= gutter]
            start = end
        else:
            row = rows[start]
            cells = tuple(piece.text for piece in row)
            lines.append(replace(row[0], text=" ".join(cells), x1=row[-1].x1, cells=cells if len(cells) > 1 else ()))
            start += 1
    return lines


def _columns(rows: Sequence[Sequence[Line]], start: int) -> tuple[int, float]:
    """(the end of the run of rows that part at one place, that place); an end at the start = no columns."""
    left, right = 0.0, float("inf")
    pairs: list[Sequence[Line]] = []
    end = start
    for row in rows[start:]:
        if len(row) == 2:
            left, right = max(left, row[0].x1), min(right, row[1].x0)
            pairs.append(row)
        elif not pairs or len(row) != 1 or row[0].x0 < left < right < row[0].x1:
            break
        if left >= right:
            break
        end += 1
    if len(pairs) < _COLUMN_ROWS:
        return start, 0.0
    narrowest = min(median((row[i].x1 - row[i].x0) / max(row[i].size, 1.0) for row in pairs) for i in (0, 1))
    return (end, right) if narrowest > _COLUMN_WIDTH else (start, 0.0)


def to_blocks(lines: Sequence[Line], pages: int) -> list[Block]:
    """Blocks in the order of the lines, each with the page where it begins."""
    rows = _join_rows(lines)
    kept = _without_running_lines(rows, pages) or rows
    body = _body_size(kept)
    mostly_bold = sum(len(line.text) for line in kept if line.bold) > 0.5 * sum(len(line.text) for line in kept)
    groups = _group(kept)
    sizes = sorted({round(g[0].size) for g in groups if _is_large(g, body)}, reverse=True)[:4]
    blocks: list[Block] = []
    for group in groups:
        level = _heading_level(group, body, sizes, mostly_bold)
        if level:
            blocks.append(Block("heading", join_lines([line.text for line in group]), level, group[0].page))
        elif _is_item(group[0].text):
            text = _BULLET.sub("- ", join_lines([line.text for line in group]), count=1)
            if blocks and blocks[-1].kind == "list":
                blocks[-1] = Block("list", f"{blocks[-1].text}\n{text}", 0, blocks[-1].page)
            else:
                blocks.append(Block("list", text, 0, group[0].page))
        elif len(group) > 2 and len(widths := {len(line.cells) for line in group}) == 1 and widths != {0}:
            blocks.append(Block("table", to_markdown([line.cells for line in group]), 0, group[0].page))
        else:
            blocks.append(Block("paragraph", _join(group), 0, group[0].page))
    return blocks


def _join_rows(lines: Sequence[Line]) -> list[Line]:
    """Puts raised and lowered signs, and other pieces of one line, back into it."""
    rows: list[Line] = []
    for line in lines:
        before = rows[-1] if rows else None
        if before is None or not _beside(before, line):
            rows.append(line)
            continue
        main = before if len(before.text) >= len(line.text) else line
        gap = (line.x0 - before.x1) / main.size
        space = " " if gap > 0.15 else ""
        left, right = before.cells or (before.text,), line.cells or (line.text,)
        cells = (*left, *right) if gap > _CELL_GAP else (*left[:-1], left[-1] + space + right[0], *right[1:])
        text = before.text + space + line.text
        rows[-1] = replace(main, text=text, x0=before.x0, x1=line.x1, cells=cells if len(cells) > 1 else ())
    return rows


def _beside(before: Line, line: Line) -> bool:
    if before.page != line.page or not before.page_height or not line.page_height:
        return False
    overlap = min(before.y1, line.y1) - max(before.y0, line.y0)
    size = max(before.size, line.size)
    return size > 0 and overlap > 0.4 * min(before.y1 - before.y0, line.y1 - line.y0) and line.x0 - before.x1 > -0.3 * size


def _without_running_lines(lines: Sequence[Line], pages: int) -> list[Line]:
    """Drops page numbers, and what stands at the same edge of most pages or of many pages in a row."""
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
    """Line → "top" or "bottom": the outermost two rows of each page, if they lie in its outer parts."""
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if line.page_height:
            by_page[line.page].append(line)
    edges: dict[Line, str] = {}
    for on_page in by_page.values():
        upper = sorted({round(line.y1) for line in on_page})[:_EDGE_ROWS][-1]
        lower = sorted({round(line.y1) for line in on_page})[-_EDGE_ROWS:][0]
        for line in on_page:
            if round(line.y1) <= upper and line.y1 < _EDGE * line.page_height:
                edges[line] = "top"
            elif round(line.y1) >= lower and line.y0 > (1 - _EDGE) * line.page_height:
                edges[line] = "bottom"
    return edges


def _running_key(line: Line) -> tuple[str, int]:
    """Digits count as equal where letters stand beside them: "Report 2024, page 7". The size tells a
    title from the running header that repeats it."""
    text = re.sub(r"\d+", "#", line.text) if any(c.isalpha() for c in line.text) else line.text
    return " ".join(text.split()), round(line.size)


def _body_size(lines: Sequence[Line]) -> float:
    """The font height that most characters have."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def _group(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that belong to one paragraph, heading or list item."""
    groups: list[list[Line]] = []
    pitches = _pitches(lines)
    margins = _right_margins(lines)
    for line in lines:
        if groups and _continues(groups[-1], line, pitches.get(round(line.size), 0.0), margins.get(groups[-1][-1].page, 0.0)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """Font height → the distance between the lower edges of two lines that most text of it has."""
    steps: dict[int, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        step = line.y1 - before.y1
        if before.page == line.page and 0.7 * line.size < step < 2.2 * line.size and abs(line.size - before.size) < 0.1 * line.size:
            steps[round(line.size)][round(step * 2) / 2] += min(len(before.text), len(line.text))
    return {size: found.most_common(1)[0][0] for size, found in steps.items()}


def _right_margins(lines: Sequence[Line]) -> dict[int, float]:
    """Page → the usual width of a full line, so that a short one can be told."""
    widths: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        widths[line.page].append(line.x1 - line.x0)
    return {page: median(sorted(found)[len(found) // 2 :]) for page, found in widths.items()}


def _continues(group: list[Line], line: Line, pitch: float, width: float) -> bool:
    before = group[-1]
    if not line.page_height or not before.page_height:
        return line.page == before.page and not _END.search(before.text)
    if len(line.cells) == len(before.cells) > 1 and line.page == before.page and 0 < line.y1 - before.y1 < 2.5 * line.size:
        return True  # rows of one table, whose header may be bold
    if abs(line.size - before.size) > 0.12 * max(line.size, before.size) or (line.bold != before.bold and (_alone(group) or line.bold)):
        return False
    if _is_item(line.text) or (max(len(line.cells), len(before.cells)) > 2 and bool(line.cells) != bool(before.cells)):
        return False
    size = max(line.size, before.size)
    if line.page != before.page or line.y1 < before.y0 - size:  # the next page, or up into the next column
        return _runs_on(before, line, width)
    step = line.y1 - before.y1
    usual = pitch or 1.3 * size
    if step > max(1.28 * usual, usual + 0.25 * size):
        return False
    if step < 0.3 * size:  # beside it, not below
        return True
    if line.x0 > before.x1 or line.x1 < before.x0:
        return False
    indented = 0.8 * size < line.x0 - before.x0 < 6 * size
    hanging = _is_item(group[0].text) and len(group) == 1
    ended = bool(_END.search(before.text)) and before.x1 - before.x0 < 0.85 * width
    return not ((indented and not hanging and _END.search(before.text)) or ended)


def _alone(group: list[Line]) -> bool:
    """True while all of a group is bold, as a heading is."""
    return all(line.bold for line in group)


def _runs_on(before: Line, line: Line, width: float) -> bool:
    """Across pages and columns only a sentence that is visibly cut goes on."""
    full = before.x1 - before.x0 > 0.6 * width
    return full and not before.bold and not _END.search(before.text) and (line.text[:1].islower() or before.text.endswith(("-", ",")))


def _is_item(text: str) -> bool:
    return bool(_BULLET.match(text) or (text[:1] in "(0123456789" and ITEM.match(text)))


def _is_large(group: list[Line], body: float) -> bool:
    return bool(body) and group[0].size > 1.13 * body and _reads_like_heading(group)


def _reads_like_heading(group: list[Line]) -> bool:
    text = " ".join(line.text for line in group)
    width = sum(2.5 if c >= "\u1100" else 1 for c in text)
    letters = sum(c.isalpha() for c in text)
    begins = text[0].isalnum() or text[0] in "“\"'([«§"
    return begins and len(group) <= 3 and 2 <= width <= _LONGEST_HEADING and letters >= 0.4 * len(text.replace(" ", ""))


def _heading_level(group: list[Line], body: float, sizes: list[int], mostly_bold: bool) -> int:
    """1.. by font size, then one more for bold lines of the body's size; 0 = no heading."""
    first = group[0]
    text = group[-1].text
    if _is_large(group, body) and not _BULLET.match(first.text) and not text.endswith((".", ",", ";")):
        size = round(first.size)
        return sizes.index(size) + 1 if size in sizes else len(sizes)
    if mostly_bold or not _alone(group) or len(group) > 2 or not _reads_like_heading(group) or text.endswith((",", ";", ".", ":")):
        return 0
    if len(first.text) < 4 or first.size < 0.85 * body or _BULLET.match(first.text):
        return 0
    depth = match[0].rstrip(". ").count(".") if (match := re.match(r"\d[\d.]*", first.text)) and _NUMBERED.match(first.text) else 0
    return len(sizes) + 1 + depth


def _join(group: list[Line]) -> str:
    """Lines become running text; those far shorter than the page's (addresses, rows of a table) stay lines."""
    if 2 * sum(bool(line.cells) for line in group) > len(group) > 1:
        return "\n".join(line.text for line in group)
    if len(group) > 2 and len({round(line.y1) for line in group}) > 2:
        longest = max(line.x1 - line.x0 for line in group)
        ragged = sum(line.x1 - line.x0 < 0.7 * longest for line in group[:-1])
        if ragged > 0.4 * len(group):
            return "\n".join(line.text for line in group)
    return join_lines([line.text for line in group])
