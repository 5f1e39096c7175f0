"""Leaves out the struck words of a page: those that an annotation strikes, and those through whose middle a line is drawn. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from footnote.ingest.parse.pdf.lines import Box
from footnote.ingest.parse.pdf.words import Word

_MOST = 1_000
"""Bars of a page; one with more is a drawing or a table."""
_THINNEST, _THICKEST = 0.01, 0.2
"""Font heights of a drawn line; a thinner one is not painted, and what is thicker is a background."""
_LOWEST, _HIGHEST = 0.2, 0.75
"""The share of the font height, from below, between which the middle of a bar may strike the text."""
_RISE = 0.1
"""Font heights by which a drawn line is above the baseline, at least; what is lower underlines the text."""
_ENDS = 0.25
"""Font heights by which a drawn line and the text that it strikes may differ at each end; rules of tables and fractions differ by more."""

Row = tuple[str, list[Word]]


def without_struck(
    rows: Sequence[Row], marked: Sequence[Box], rules: Sequence[Box], baseline: Callable[[int], float]
) -> tuple[list[Row], int]:
    """The rows without their struck words, and the number of characters that were left out. `marked`: by annotations. `baseline`: of a
    character."""
    bars = [(_middle(box), box, is_drawn) for boxes, is_drawn in ((marked, False), (_level(rules), True)) for box in boxes[:_MOST]]
    if not bars:
        return list(rows), 0
    bars.sort()
    middles = [middle for middle, _, _ in bars]
    kept: list[Row] = []
    count = 0
    for raw, words in rows:
        struck = set(_struck(words, bars, middles, baseline)) if words else set()
        rest = [word for i, word in enumerate(words) if i not in struck]
        count += sum(len(words[i].text) for i in struck)
        if rest or not words:
            kept.append((raw, rest))
    return kept, count


def _level(rules: Sequence[Box]) -> list[Box]:
    level = [rule for rule in rules if rule.x1 - rule.x0 > rule.y1 - rule.y0]
    return level if len(level) <= _MOST else []


def _middle(box: Box) -> float:
    return (box.y0 + box.y1) / 2


def _struck(
    words: Sequence[Word], bars: Sequence[tuple[float, Box, bool]], middles: Sequence[float], baseline: Callable[[int], float]
) -> Iterator[int]:
    """The positions of the struck words of a row."""
    head = words[0].head
    height = head.y1 - head.y0
    for middle, bar, is_drawn in bars[
        bisect_left(middles, head.y1 - _HIGHEST * height) : bisect_right(middles, head.y1 - _LOWEST * height)
    ]:
        if not is_drawn:
            yield from (i for i, word in enumerate(words) if _covered(word, bar) > 0.5 * (word.tail.x1 - word.head.x0))
        elif _THINNEST * height <= bar.y1 - bar.y0 <= _THICKEST * height:
            inside = [i for i, word in enumerate(words) if _covered(word, bar) > 0]
            if not (inside and _begins(words[inside[0]], bar.x0, _ENDS * height) and _ends(words[inside[-1]], bar.x1, _ENDS * height)):
                continue
            if baseline(words[inside[0]].first) - middle >= _RISE * height:
                yield from inside


def _covered(word: Word, bar: Box) -> float:
    return min(bar.x1, word.tail.x1) - max(bar.x0, word.head.x0)


def _begins(word: Word, x: float, slack: float) -> bool:
    """Whether a line begins where the word does, or after a bracket or quotation mark."""
    return abs(x - word.head.x0) < slack or (not word.text[0].isalnum() and abs(x - word.head.x1) < slack)


def _ends(word: Word, x: float, slack: float) -> bool:
    return abs(x - word.tail.x1) < slack or (not word.text[-1].isalnum() and abs(x - word.tail.x0) < slack)
