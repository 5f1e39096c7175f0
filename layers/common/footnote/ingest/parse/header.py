"""Tells by their form which rows at the start of a table are its header.

A table of labels and values has none, nor has a list whose first row is a record like those below. What the cells say is not looked at:
only what kinds of values they are, how long they are, and how far the first row differs from the others. The weights are fitted to
tables of web pages, where the cells of headers are marked (`python -m bench.header_fit`).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse, islice, pairwise
from typing import NamedTuple

from footnote.ingest.parse import header_weights

_SAMPLE = 50
"""Rows that the first one is compared with."""
_WIDEST = 100
"""Columns that are looked at."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,:\s-]*(?:e[+-]?\d+)?\s?(?:%|[^\w\s]{1,3}|[A-Z]{3})?", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}([./])\d{1,2}\1(?:\d{4})?|(?:19|20)\d\d[./]\d\d?(?:[./]\d\d?)?")
_LONG = 50
"""Characters of a cell that is longer than the name of a column."""

_LEAST_OF_TWO, _LEAST_FIRST, _LEAST_SECOND = -2.0, -3.3, 1.0
"""Scores above which a row is of the header. Names that are taken for data are still in the table, while a first record that is taken for
names, or a second one that is joined to them, puts every row below in a wrong light; but most tables have a header of one row, and those
of two columns, which are labels and values as often, lose least without it."""

Row = Sequence[str]


def is_number(text: str) -> bool:
    """Whether a cell is a number, an amount, a share or a date in digits."""
    return bool(_NUMBER.fullmatch(text))


def is_year(text: str) -> bool:
    """Whether a cell is a year, which may be the name of a column."""
    return bool(_YEAR.fullmatch(text))


@lru_cache(1 << 12)
def kind_of(text: str) -> str:
    """`year`, `date` (in digits), `number`, `mixed` (a text with digits), `text` or `symbol` (such as a checkbox); "" for an empty cell or
    a dash."""
    if not any(map(str.isalnum, text)):
        return "symbol" if text and unicodedata.category(text[0]) == "So" else ""
    if is_year(text):
        return "year"
    if _DATE.fullmatch(text):
        return "date"
    if is_number(text):
        return "number"
    return "mixed" if any(map(str.isdigit, text)) else "text"


class _Column(NamedTuple):
    """A column's first cell and those below it that say something, with their kinds."""

    first: str
    kind: str
    below: list[str]
    kinds: Counter[str]
    lengths: list[float]
    """The logarithms of their lengths."""

    @property
    def mixture(self) -> float:
        """The share of the cells below that are not of the most frequent kind."""
        numbers = self.kinds["number"] + self.kinds["year"]
        return 1 - max(numbers, *self.kinds.values()) / len(self.below)

    @property
    def spread(self) -> float:
        """The standard deviation of `lengths`."""
        mean = _mean(self.lengths)
        return math.sqrt(_mean([(length - mean) ** 2 for length in self.lengths]))


def is_header(rows: Sequence[Row], merged: Mapping[int, int] | None = None) -> bool:
    """Whether the first row of a table, of two rows or more, names its columns, or the second one does together with it. `merged`: as of
    `goes_on`."""
    columns = list(_columns(rows, min(len(rows[0]), _WIDEST)))
    if any(column.kind == "symbol" and column.kinds["symbol"] for column in columns):
        return False  # a checkbox above others is a value
    if all(column.kind == "number" and column.mixture < 0.5 for column in columns if column.below) and not _is_scale(rows[0]):
        return False  # numbers above numbers
    least = _LEAST_OF_TWO if len(rows[0]) == 2 else _LEAST_FIRST
    if _score(rows) > least:
        return True
    return len(rows) > 3 and _score(rows[1:]) > least and goes_on(rows, merged or {})


def goes_on(rows: Sequence[Row], merged: Mapping[int, int]) -> bool:
    """Whether the second row of a table belongs to its header, as the first one does. `merged`: column of a cell of the first one that is
    merged over several → the last of these."""
    return _sum(of_pair(rows, merged), header_weights.SECOND) > _LEAST_SECOND


def _score(rows: Sequence[Row]) -> float:
    return _sum(features(rows), header_weights.FIRST)


def _sum(found: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return weights[""] + sum(weight * found[name] for name, weight in weights.items() if name in found)


def features(rows: Sequence[Row]) -> dict[str, float]:
    """How the first row of a table differs from the others, and what these have in common: a number for each feature."""
    width = min(len(rows[0]), _WIDEST)
    columns = list(_columns(rows, width))
    told = [column for column in columns if column.kind and column.below]
    found = {"rows": math.log(min(len(rows), 20)), "columns": math.log(min(width, 8))}
    found["empty corner"] = float(not rows[0][0])
    found["long"] = sum(len(text) > _LONG for text in rows[0][:width]) / width
    others = [column for column in columns[1:] if column.below]
    found["mixture"] = _mean([column.mixture for column in others])
    found["spread"] = _mean([column.spread for column in others])
    if columns[0].below:
        left = columns[0]
        found["labels"] = left.kinds["text"] / len(left.below)
        found["mixture of labels"], found["spread of labels"] = left.mixture, left.spread
        found["length of labels"] = min(_mean(left.lengths), 4)
    if width > 2:
        found["likeness of the row"] = _likeness(rows[0][1:width])
        found["likeness of rows"] = _mean([_likeness(row[1:width]) for row in islice(rows, 1, _SAMPLE)])
    found.update(_against(told))
    return {**found, **{f"{name} of two": value for name, value in found.items()}, "of two": 1.0} if width == 2 else found


def _against(columns: Sequence[_Column]) -> dict[str, float]:
    """The features of the first cells against those below them."""
    pairs = Counter[str]()
    rarity, unlike, words, capitals = [], [], [], []
    for column in columns:
        usual = max(column.kinds, key=lambda kind: column.kinds[kind])
        pairs[f"{column.kind} above {usual}"] += 1
        rarity.append(-math.log((column.kinds[column.kind] + 0.3) / (len(column.below) + 1.2)))
        unlike.append(abs(math.log(1 + len(column.first)) - _mean(column.lengths)) / (column.spread + 0.25))
        texts = [text for text in column.below if kind_of(text) in ("text", "mixed")]
        if texts and column.kind in ("text", "mixed"):
            words.append(math.log(len(column.first.split())) - _mean([math.log(len(text.split())) for text in texts]))
            capitals.append(abs(_is_capital(column.first) - _mean([_is_capital(text) for text in texts])))
        if column.kind == usual == "number":
            signs = Counter(map(_signs, column.below))
            pairs["unlike signs"] += 2 * signs[_signs(column.first)] <= len(column.below)
        if column.first in column.below:
            pairs["again"] += 1
        if len(set(column.below)) <= 0.7 * len(column.below):
            pairs["repeated"] += 1
            pairs["new among repeated"] += column.first not in column.below
    found = {name: count / len(columns) for name, count in pairs.items()}
    numbers = [column for column in columns if 5 * (column.kinds["number"] + column.kinds["year"]) >= 3 * len(column.below)]
    found["names of numbers"] = float(bool(numbers) and all(map(_is_named, numbers)))
    is_scale = _is_scale([column.first for column in columns if column.kind in ("number", "year")])
    found["scale"] = float(is_scale)
    found["numbers of numbers"] = float(bool(numbers) and all(column.kind == "number" for column in numbers) and not is_scale)
    found["rarity"], found["greatest rarity"] = _mean(rarity), max(rarity, default=0.0)
    found["unlike length"] = min(_mean(unlike), 3)
    found["more words"], found["unlike capitals"] = _mean(words), _mean(capitals)
    return found


def _columns(rows: Sequence[Row], width: int) -> Iterator[_Column]:
    sample = rows[1:_SAMPLE]
    for number in range(width):
        first = rows[0][number]
        below = [(kind, row[number]) for row in sample if number < len(row) and (kind := kind_of(row[number]))]
        texts = [text for _, text in below]
        yield _Column(first, kind_of(first), texts, Counter(kind for kind, _ in below), [math.log(1 + len(text)) for text in texts])


def _is_named(column: _Column) -> bool:
    """Whether a text stands above a column of numbers, or a year or date above other ones."""
    return column.kind in ("text", "mixed") or (column.kind in ("year", "date") and 2 * column.kinds[column.kind] < len(column.below))


def _signs(text: str) -> str:
    """What stands around and between the digits of a number, each sign once; the marks of thousands and of decimals are no difference."""
    return "".join(sorted(set(filterfalse(str.isdigit, text)) - {".", ","}))


def _is_scale(cells: Row) -> bool:
    """Whether whole numbers, two or more, count upwards or downwards, as the years above columns do."""
    numbers = [int(text[:20]) for text in cells if text.isdecimal()]
    steps = [after > before for before, after in pairwise(numbers) if after != before]
    return len(numbers) == len(cells) == len(steps) + 1 > 1 and len(set(steps)) == 1


def _likeness(cells: Row) -> float:
    """The share of a row's cells that are of its most frequent kind."""
    kinds = Counter(filter(None, map(kind_of, cells)))
    return max(kinds.values()) / kinds.total() if kinds else 1.0


def _is_capital(text: str) -> bool:
    return next((sign.isupper() for sign in text if sign.isalpha()), False)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def of_pair(rows: Sequence[Row], merged: Mapping[int, int]) -> dict[str, float]:
    """The features of the first two rows of a table, both of which may be its header. `merged`: as of `goes_on`."""
    upper, lower = rows[0][:_WIDEST], rows[1][:_WIDEST]
    pairs = list(zip(upper, lower, strict=False))
    width = len(pairs)
    under = {column for first, last in merged.items() for column in range(first, last + 1)}
    under.update(i for i in range(1, width) if not upper[i] or upper[i] == upper[i - 1])
    under.update(i - 1 for i in range(2, width) if i in under)
    filled = [text for text in lower if text]
    below, columns = features(rows[1:]), list(_columns(rows[1:], width))
    return {
        "score": max(-4.0, min(4.0, _sum(below, header_weights.FIRST))),
        "names of numbers": below["names of numbers"],
        "gaps": sum(not above and bool(below) for above, below in pairs[1:]) / width,
        "only gap in the corner": float(not upper[0] and bool(lower[0]) and all(upper[1:])),
        "gaps below": sum(bool(above) and not below for above, below in pairs) / width,
        "same": sum(above == below != "" for above, below in pairs) / width,
        "different": sum("" != above != below != "" for i, (above, below) in enumerate(pairs) if i not in under) / width,
        "names below a name": sum(kind_of(text) in ("text", "mixed") for i, text in enumerate(lower) if i in under) / width,
        "repeated above": sum(upper[i] == upper[i - 1] != "" and lower[i] != lower[i - 1] for i in range(1, width)) / width,
        "repeated below": 1 - len(set(filled)) / max(len(filled), 1),
        "numbers below": sum(kind_of(text) == "number" for text in lower) / width,
        "years above years": sum(column.kind == "year" and not _is_named(column) for column in columns) / width,
        "only corner below": float(not lower[0]) * _mean([float(bool(row[0])) for row in islice(rows, 2, _SAMPLE)]),
        "numbers above": sum(kind_of(text) == "number" for text in upper) / width,
        "rows": math.log(min(len(rows), 20)),
    }
