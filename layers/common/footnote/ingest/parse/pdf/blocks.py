"""Turns the lines of pages into headings, paragraphs, lists, tables and captions, each line with its place. Pure.

Running headers, footers and page numbers are removed. Lines are grouped by gaps, font sizes, boldness and indents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise
from statistics import median

from footnote.ingest.parse.pdf.lines import BULLET, Line, is_item, join_rows
from footnote.ingest.parse.plain import join_with_offsets
from footnote.ingest.parse.section_lines import section_levels
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block, BlockKind, Place

_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-Z]\.)\s+\S")
_LONGEST_HEADING = 140
_CAPTION = re.compile(
    r"[<\[(【]?\s*(?:table|tab\.|figure|fig\.|chart|exhibit|listing|algorithm|tabelle|abbildung|abb\.|schaubild|그림|표|도표)"
    r"\s*(?:[A-Z]\.?)?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?(?P<mark>\s*[.:|—–>\])】]|\s*$|\s+(?-i:(?=[A-Z가-힣])))",
    re.IGNORECASE,
)
"""`Table 3: …`, `Fig. 2. …`, `Table 1 Results of …`, but not `Table 3 shows …`."""
_LONGEST_CAPTION = 800
_SENTENCE = re.compile(r"다\.$")
"""The end of a Korean sentence: `표 1 …` may start a sentence as well as a caption."""
_END = re.compile(r"[.!?:;。…][\"'”’)\]]*$")
_SAME_EDGE = 4.0
"""Tolerance in points between the edges of two parts of a table."""
_EDGE = 0.25
"""The share of a page at its top and bottom in which headers and footers are searched."""
_EDGE_ROWS = 3
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|쪽|페이지)?\s*[-–|·]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–|·]?\s*(?:(?:of|von|/)\s*\d{1,4}|쪽|페이지)?", re.IGNORECASE
)
_ROMAN = re.compile(r"[ivxl]{1,6}")
_LONE_LETTERS = 3
_FRAME_ROWS = 3
"""A ruled table of at most this many rows may be a framed header; a longer one is content."""


def to_blocks(lines: Sequence[Line], pages: int) -> list[Block]:
    """Blocks in the order of the lines, each with the page on which it starts. Boxes are those of the lines."""
    rows = join_rows(lines)
    kept = _without_running_lines(rows, pages) or rows
    body = _body_size(kept)
    mostly_bold = sum(len(line.text) for line in kept if line.bold) > 0.5 * sum(len(line.text) for line in kept)
    groups = _group_lines(kept)
    sizes = sorted({round(g[0].size) for g in groups if _is_large(g, body)}, reverse=True)[:4]
    blocks: list[Block] = []
    for group, section_level in _with_sections(groups, body):
        if section_level is None:
            blocks.append(_block("paragraph", group, *_join(group)))
        elif _is_table(group):
            blocks.append(_table(group))
        elif _is_caption(group):
            blocks.append(_block("caption", group, *_join(group)))
        elif level := _heading_level(group, body, sizes, mostly_bold):
            blocks.append(_block("heading", group, *join_with_offsets([line.text for line in group]), level))
        elif section_level:
            blocks.append(_block("heading", group, *_join(group), len(sizes) + section_level))
        elif is_item(group[0].text):
            item = _item(group)
            if blocks and blocks[-1].kind == "list":
                blocks[-1] = _appended(blocks[-1], item)
            else:
                blocks.append(item)
        else:
            blocks.append(_block("paragraph", group, *_join(group)))
    return blocks


def _with_sections(groups: Sequence[list[Line]], body: float) -> Iterator[tuple[list[Line], int | None]]:
    """Each group with its level, if it is the heading of a section by its number: parted from text directly below it; 0 = it is none.
    Labels beside their texts are groups of one line, with None: no table, no heading and no item."""
    parts: list[tuple[list[Line], bool]] = []
    for group in groups:
        is_labels = _is_table(group) and not _names_columns(group)
        parts += [([line], True) for line in group] if is_labels else [(group, False)]
    levels = section_levels([[line.text for line in group] for group, _ in parts])
    for at, (group, is_label) in enumerate(parts):
        level = levels.get(at, 0)
        if level and len(group) > 1 and not (_is_table(group) or _is_bold(group) or _is_large(group, body)):
            yield group[:1], level
            yield group[1:], 0
        else:
            yield group, level or (None if is_label else 0)


def _block(kind: BlockKind, group: Sequence[Line], text: str, offsets: Sequence[int], level: int = 0) -> Block:
    """`offsets`: the start of each line of the group in the text."""
    places = tuple(
        Place(offset, line.page, line.x0, line.y0, line.x1, line.y1, line.confidence)
        for offset, line in zip(offsets, group, strict=True)
        if line.page_height
    )
    return Block(kind, text, level, group[0].page, places)


def _item(group: Sequence[Line]) -> Block:
    text, offsets = join_with_offsets([line.text for line in group])
    if bullet := BULLET.match(text):
        text = "- " + text[bullet.end() :]
        offsets = [0, *(offset + len("- ") - bullet.end() for offset in offsets[1:])]
    return _block("list", group, text, offsets)


def _appended(items: Block, item: Block) -> Block:
    start = len(items.text) + 1
    places = tuple(place._replace(offset=place.offset + start) for place in item.places)
    return replace(items, text=f"{items.text}\n{item.text}", places=items.places + places)


def _is_table(group: Sequence[Line]) -> bool:
    """Whether the group is ruled, or has several rows with the same number of cells."""
    return bool(group[0].table) or (len(group) > 2 and len(widths := {len(line.cells) for line in group}) == 1 and widths != {0})


def _table(group: Sequence[Line]) -> Block:
    text = to_markdown([line.cells for line in group])
    starts = list(accumulate((len(row) + 1 for row in text.split("\n")), initial=0))
    return _block("table", group, text, [starts[0], *starts[2 : len(group) + 1]])  # the second row is Markdown's delimiter row


def _names_columns(group: Sequence[Line]) -> bool:
    """Whether the first row names the columns. That of two cells without rules only does so if it alone is bold or above numbers; else
    the first cell of each row is a label of the second one."""
    first, *rows = group
    if first.table or len(first.cells) != 2:
        return True
    if first.bold and not any(row.bold for row in rows):
        return True
    return not _is_number(first.cells[1]) and all(_is_number(row.cells[1]) for row in rows)


def _is_number(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _is_caption(group: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in group)
    match = _CAPTION.match(text)
    if not match or len(text) > _LONGEST_CAPTION:
        return False
    return bool(match["mark"].strip()) or not _SENTENCE.search(text)


def _body_size(lines: Sequence[Line]) -> float:
    """The font height of most characters."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += 0 if line.filled else len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def _is_large(group: Sequence[Line], body: float) -> bool:
    return bool(body) and group[0].size > 1.13 * body and _reads_like_heading(group)


def _reads_like_heading(group: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in group)
    if any(line.filled for line in group):
        return False
    width = sum(2.5 if c >= "\u1100" else 1 for c in text)
    letters = sum(c.isalpha() for c in text)
    begins = text[0].isalnum() or text[0] in "“\"'([«§"
    return begins and len(group) <= 3 and 2 <= width <= _LONGEST_HEADING and letters >= 0.4 * len(text.replace(" ", ""))


def _heading_level(group: Sequence[Line], body: float, sizes: list[int], mostly_bold: bool) -> int:
    """1 and up by font size, then one more level for bold lines in body size; 0 = not a heading."""
    first = group[0]
    text = group[-1].text
    if _is_large(group, body) and not BULLET.match(first.text) and not text.endswith((".", ",", ";")):
        size = round(first.size)
        return sizes.index(size) + 1 if size in sizes else len(sizes)
    if mostly_bold or not _is_bold(group) or len(group) > 2 or not _reads_like_heading(group) or text.endswith((",", ";", ".", ":")):
        return 0
    if len(first.text) < 4 or first.size < 0.8 * body or BULLET.match(first.text):
        return 0
    depth = match[0].rstrip(". ").count(".") if (match := re.match(r"\d[\d.]*", first.text)) and _NUMBERED.match(first.text) else 0
    return len(sizes) + 1 + depth


def _join(group: Sequence[Line]) -> tuple[str, list[int]]:
    """Joins lines to running text; lines much shorter than the page's (addresses, table rows) are kept."""
    texts = [line.text for line in group]
    if _stay_lines(group):
        return "\n".join(texts), list(accumulate((len(text) + 1 for text in texts[:-1]), initial=0))
    return join_with_offsets(texts)


def _stay_lines(group: Sequence[Line]) -> bool:
    if 2 * sum(bool(line.cells) for line in group) > len(group) > 1:
        return True
    if len(group) < 3 or len({round(line.y1) for line in group}) < 3:
        return False
    longest = max(line.x1 - line.x0 for line in group)
    return sum(line.x1 - line.x0 < 0.7 * longest for line in group[:-1]) > 0.4 * len(group)


def _group_lines(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups lines, in reading order, that belong together."""
    groups: list[list[Line]] = []
    pitches = _pitches(lines)
    margins = _right_margins(lines)
    for line in lines:
        if groups and _continues(groups[-1], line, pitches.get(round(line.size), 0.0), margins.get(groups[-1][-1].page, 0.0)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_without_page_breaks(group) if group[0].table else group for group in groups]


def _is_bold(group: Sequence[Line]) -> bool:
    """Whether all lines of a group are bold, as in a heading."""
    return all(line.bold for line in group)


def _continues_table(group: Sequence[Line], line: Line) -> bool:
    """Whether a ruled table continues at the start of the next page."""
    before = group[-1]
    if not (before.table and line.table) or line.page != before.page + 1 or len(line.cells) != len(before.cells):
        return False
    return line.cells == group[0].cells or (abs(line.x0 - before.x0) < _SAME_EDGE and abs(line.x1 - before.x1) < _SAME_EDGE)


def _without_page_breaks(rows: Sequence[Line]) -> list[Line]:
    """The rows of a table without the header's repetitions, and with the cells together of a row that a page break parted."""
    whole = [rows[0]]
    for row in rows[1:]:
        before = whole[-1]
        if row.page == before.page:
            whole.append(row)
        elif row.cells != rows[0].cells:
            if _is_rest(before.cells, row.cells):
                cells = tuple(" ".join(filter(None, both)) for both in zip(whole.pop().cells, row.cells, strict=True))
                row = replace(row, cells=cells, text=" ".join(filter(None, cells)))
            whole.append(row)
    return whole


def _is_rest(cells: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether the second row is what the page break left of the first: it fills the empty cells, or continues a sentence without a name
    of its own."""
    if not any(map(all, zip(cells, rest, strict=True))):
        return not all(cells)
    return bool(cells[0]) and not rest[0] and any(a and b[:1].islower() and not _END.search(a) for a, b in zip(cells, rest, strict=True))


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """Font height → the most common line pitch of text in that height."""
    steps: dict[int, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        step = line.y1 - before.y1
        if before.page == line.page and 0.7 * line.size < step < 2.2 * line.size and abs(line.size - before.size) < 0.1 * line.size:
            steps[round(line.size)][round(step * 2) / 2] += min(len(before.text), len(line.text))
    return {size: found.most_common(1)[0][0] for size, found in steps.items()}


def _right_margins(lines: Sequence[Line]) -> dict[int, float]:
    """Page → the usual right edge of a full line, to recognise short ones."""
    widths: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        widths[line.page].append(line.x1 - line.x0)
    return {page: median(sorted(found)[len(found) // 2 :]) for page, found in widths.items()}


def _continues(group: Sequence[Line], line: Line, pitch: float, width: float) -> bool:
    before = group[-1]
    if before.table or line.table:
        return (before.table == line.table and before.page == line.page) or _continues_table(group, line)
    if not line.page_height or not before.page_height:
        return line.page == before.page and not _END.search(before.text)
    if len(line.cells) == len(before.cells) > 1 and line.page == before.page and 0 < line.y1 - before.y1 < 2.5 * line.size:
        return True  # rows of one table, whose header may be bold
    if (before.filled or line.filled) and not line.text[:1].islower():
        return False
    wraps = before.x1 - before.x0 > 0.7 * width and line.text[:1].islower() and not _END.search(before.text)
    tolerated = 0.35 if wraps else 0.12  # within a sentence, a line may be as high as an address in another font
    if all(abs(line.size - other.size) > tolerated * max(line.size, other.size) for other in (before, group[0])):
        return False
    if line.bold != before.bold and (_is_bold(group) or line.bold):
        return False
    if is_item(line.text) or (max(len(line.cells), len(before.cells)) > 2 and bool(line.cells) != bool(before.cells)):
        return False
    size = max(line.size, before.size)
    if line.page != before.page or line.y1 < before.y0 - size:  # on the next page, or at the top of the next column
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
    hanging = is_item(group[0].text) and len(group) == 1
    ended = bool(_END.search(before.text)) and before.x1 - before.x0 < 0.85 * width
    return not ((indented and not hanging and _END.search(before.text)) or ended)


def _runs_on(before: Line, line: Line, width: float) -> bool:
    """Whether a paragraph continues across a page or column: only if its sentence is visibly cut."""
    full = before.x1 - before.x0 > 0.6 * width
    return full and not before.bold and not _END.search(before.text) and (line.text[:1].islower() or before.text.endswith(("-", ",")))


def _without_running_lines(lines: Sequence[Line], pages: int) -> list[Line]:
    """Drops page numbers, and lines that repeat at the same edge of most pages or of many successive pages."""
    if pages < 2:
        return list(lines)
    edges = _edges(lines)
    seen: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    keys = {line: [(edge, key, round(line.size)) for key in _running_keys(line.text)] for line, edge in edges.items()}
    for line, of_line in keys.items():
        for key in of_line:
            seen[key].add(line.page)
    running = {key for key, on in seen.items() if len(on) >= 3 and len(on) >= 0.45 * (max(on) - min(on) + 1)}

    def runs(line: Line) -> bool:
        return line in keys and (not running.isdisjoint(keys[line]) or bool(_PAGE_NUMBER.fullmatch(line.text)))

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


def _running_keys(text: str) -> set[str]:
    """Keys of which repetitions share one: digits beside letters count as equal ("Report 2024, page 7"), and so does a small Roman number
    at either end. Spaces and signs do not count, which differ where letters are spaced; in the second key, nor do several lone letters,
    which are what is left of a word in a broken font.

    The font size distinguishes a title from the running header that repeats it."""
    if not any(c.isalpha() for c in text):
        return {" ".join(text.split())}
    words = re.sub(r"\d+", "#", text).split()
    for end in (0, -1) if len(words) > 1 else ():
        words[end] = "#" if _ROMAN.fullmatch(words[end]) else words[end]
    groups = [(lone, [*group]) for lone, group in groupby(words, _is_lone)]
    whole = [word for lone, group in groups if not (lone and _are_letters(group)) for word in group]
    return {_signless(words), _signless(whole) or _signless(words)}


def _is_lone(word: str) -> bool:
    return sum(map(str.isalpha, word)) < 2


def _are_letters(words: Sequence[str]) -> bool:
    """Whether several letters stand apart from each other."""
    return sum(any(map(str.isalpha, word)) for word in words) >= _LONE_LETTERS


def _signless(words: Sequence[str]) -> str:
    return "".join(c for word in words for c in word if c.isalnum() or c == "#")
