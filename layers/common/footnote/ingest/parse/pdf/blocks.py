"""Turns the lines of pages into headings, paragraphs, lists, tables and captions, each line with its place. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from footnote.ingest.parse.pdf.groups import group_lines, is_bold
from footnote.ingest.parse.pdf.lines import BULLET, Line, is_item, join_rows
from footnote.ingest.parse.pdf.running import without_running_lines
from footnote.ingest.parse.plain import join_with_offsets
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


def to_blocks(lines: Sequence[Line], pages: int) -> list[Block]:
    """Blocks in the order of the lines, each with the page on which it starts. Boxes are those of the lines."""
    rows = join_rows(lines)
    kept = without_running_lines(rows, pages) or rows
    body = _body_size(kept)
    mostly_bold = sum(len(line.text) for line in kept if line.bold) > 0.5 * sum(len(line.text) for line in kept)
    groups = group_lines(kept)
    sizes = sorted({round(g[0].size) for g in groups if _is_large(g, body)}, reverse=True)[:4]
    blocks: list[Block] = []
    for group in groups:
        if _is_table(group):
            blocks.append(_table(group))
        elif _is_caption(group):
            blocks.append(_block("caption", group, *_join(group)))
        elif level := _heading_level(group, body, sizes, mostly_bold):
            blocks.append(_block("heading", group, *join_with_offsets([line.text for line in group]), level))
        elif is_item(group[0].text):
            item = _item(group)
            if blocks and blocks[-1].kind == "list":
                blocks[-1] = _appended(blocks[-1], item)
            else:
                blocks.append(item)
        else:
            blocks.append(_block("paragraph", group, *_join(group)))
    return blocks


def _block(kind: BlockKind, group: Sequence[Line], text: str, offsets: Sequence[int], level: int = 0) -> Block:
    """`offsets`: the start of each line of the group in the text."""
    places = tuple(
        Place(offset, line.page, line.x0, line.y0, line.x1, line.y1)
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
        weights[round(line.size * 2) / 2] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def _is_large(group: Sequence[Line], body: float) -> bool:
    return bool(body) and group[0].size > 1.13 * body and _reads_like_heading(group)


def _reads_like_heading(group: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in group)
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
    if mostly_bold or not is_bold(group) or len(group) > 2 or not _reads_like_heading(group) or text.endswith((",", ";", ".", ":")):
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
