"""Inserts blocks that have a place but no line of the page's text, such as comments, after the text they stand at. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from footnote.ingest.parse.pdf.lines import Box
from footnote.types import Block, Place


def at(block: Block, page: int, box: Box | None) -> Block:
    """The block with its place; without a box it belongs to the end of its page."""
    first = (Place(0, page, *box),) if box and box != (0, 0, 0, 0) else ()
    return Block(block.kind, block.text, block.level, page, first)


def inserted(blocks: Sequence[Block], added: Sequence[Block]) -> list[Block]:
    """The blocks with each added one after the block that is nearest on its page: first from top to bottom, then from left to right."""
    if not added:
        return list(blocks)
    on_page: dict[int, list[tuple[int, Place]]] = defaultdict(list)
    last: dict[int, int] = {}
    for index, block in enumerate(blocks):
        for place in block.places:
            on_page[place.page].append((index, place))
        if block.page is not None:
            last[block.page] = index
    after: dict[int, list[Block]] = defaultdict(list)
    for block in added:
        page = block.page or 1
        if block.places and page in on_page:
            index = min(on_page[page], key=lambda each: _distance(block.places[0], each[1]))[0]
        else:
            index = last[max((each for each in last if each <= page), default=min(last))] if last and min(last) <= page else -1
        after[index].append(block)
    return [*after[-1], *(each for index, block in enumerate(blocks) for each in (block, *after[index]))]


def _distance(box: Place, line: Place) -> tuple[float, float]:
    """How far the middle of a box is above or below a line, and how far it is beside it."""
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return max(line.y0 - y, y - line.y1, 0.0), max(line.x0 - x, x - line.x1, 0.0)
