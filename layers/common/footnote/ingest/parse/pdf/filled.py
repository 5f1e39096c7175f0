"""Places what was filled in on a page among its words: values beside their labels, marks before them, typed text where it stands. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from footnote.ingest.parse.pdf.annotations import Entry
from footnote.ingest.parse.pdf.lines import Box
from footnote.ingest.parse.pdf.tables import Piece
from footnote.ingest.parse.pdf.words import GAP, GAP_IN_TABLE, Word

_MOST = 2_000_000
"""Entries times words and entries of a page; a larger form is read without its labels."""
_SLACK = 3.0
"""Points by which a field may overlap its label."""
_SPACE = 0.3
"""Font heights between a label and its value."""
_CLOSE = 2.0
"""Font heights; a label so close at the left of a field is its own, whatever is above."""
_ABOVE = 1.0
"""Font heights between a field and the label above or below it."""
_MARK = 3.0
"""Font heights between a mark and its label."""
_FAR = 0.5
"""The share of the page's width that may lie between a field and its label."""
_SURE = 4
"""Letters of a text that is hardly part of another one by chance."""
_USUAL_SIZE = 10.0
"""Points, for a page without text."""
_TALL = 2.5
"""Font heights from which a field is of several lines."""

_NAMED = 0.5
"""The share of a label's words above which the field's name says that it is the field's."""
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_CAPITAL_WITHIN = re.compile(r"(?<=[a-z])(?=[A-Z])")

Row = tuple[str, list[Word]]


class _At(NamedTuple):
    """A word in a row, and its distance from a field."""

    row: list[Word]
    position: int
    gap: float

    @property
    def word(self) -> Word:
        return self.row[self.position]

    def label(self, starts: Collection[int]) -> str:
        """The text of the label that ends with this word."""
        first = self.position
        while first and not _begins(self.row, first, starts):
            first -= 1
        return " ".join(word.text for word in self.row[first : self.position + 1] if word.first >= 0)


def in_table(entry: Entry) -> Piece:
    """The entry as a piece of a ruled table, at the height of one line."""
    x0, y0, x1, y1 = entry.box
    middle, half = (y0 + y1) / 2, min(entry.size, y1 - y0) / 2
    return Piece(" ".join(entry.text.split()), Box(x0, middle - half, x1, middle + half))


def with_entries(rows: Sequence[Row], entries: Sequence[Entry], width: float) -> list[Row]:
    """The rows of words of a page of this width, with the entries in them or in rows of their own."""
    placed = [(text, list(words)) for text, words in rows]
    words = [words for _, words in placed if words]
    many = len(entries) * (len(entries) + sum(map(len, words))) > _MOST
    marks = [entry.box for entry in entries if entry.kind == "mark"]
    size = median(_height(word) for row in words for word in row) if words else _USUAL_SIZE
    starts = set() if many else _starts(entries, words)
    are_below = not many and _are_labels_below(entries, words, starts)
    for entry in sorted(entries, key=lambda entry: (entry.box.y0, entry.box.x0)):
        if not many and _is_drawn(entry, words):
            continue
        if many or not _is_beside_label(entry, words, marks, width, starts, are_below=are_below):
            row = _row_of(entry, min(size, entry.size))
            if row:
                placed.insert(len(placed) if many else _place(entry.box, placed), (entry.text, row))
                words.append(row)
    return placed


def _is_drawn(entry: Entry, rows: Sequence[list[Word]]) -> bool:
    """Whether the page's content has the same text at the same place."""
    x0, y0, x1, y1 = entry.box
    inside = "".join(
        word.text
        for row in rows
        for word in row
        if word.first >= 0 and y0 <= (word.head.y0 + word.head.y1) / 2 <= y1 and word.head.x0 < x1 and x0 < word.tail.x1
    )
    text = "".join(entry.text.split())
    return text in inside if len(text) >= _SURE else text == inside


def _is_beside_label(
    entry: Entry, rows: Sequence[list[Word]], marks: Sequence[Box], width: float, starts: Collection[int], *, are_below: bool
) -> bool:
    """Puts the entry into the row of its label, if there is one. `starts`, `are_below`: see the functions of these names."""
    box = entry.box
    left, right = _beside(box, rows)
    if entry.kind == "mark":
        return _mark(entry, left, right, marks, width)
    if entry.kind == "typed":
        if left is None or left.gap > _MARK * _height(left.word) or box.y1 - box.y0 > _TALL * _height(left.word):
            return False
        _insert(entry, left, is_label=False)
        return True
    beside = left if left and left.gap <= _FAR * width else None
    is_close = beside and beside.gap <= _CLOSE * _height(beside.word)
    stacked = list(_stacked(box, rows, starts))
    label = _named(entry, [beside, *stacked] if beside and is_close else [*stacked, beside] if beside else stacked, starts)
    if label is None:
        above, below = (_aligned(box, rows, starts, above=each) for each in (True, False))
        label = beside if is_close else (below if are_below else None) or above or beside or (None if entry.label else below)
    if label is None:
        return False
    _insert(entry, label, is_label=True)
    return True


def _named(entry: Entry, labels: Sequence[_At], starts: Collection[int]) -> _At | None:
    """The label of which a field has most words in its name for readers, or else in that for programs: “Last name” of `txtLastName`."""
    for name in (entry.label, entry.name.rpartition(".")[2]):
        words = _words(name)
        share, place = max(((_share(_words(at.label(starts)), words), -i) for i, at in enumerate(labels)), default=(0.0, 0))
        if share > _NAMED:
            return labels[-place]
    return None


def _share(label: Sequence[str], name: Sequence[str]) -> float:
    """The share of a label's words that are in a name; 0 if they are only numbers."""
    common = label if "".join(label) == "".join(name) else [word for word in label if word in name]
    return len(common) / len(label) if any(map(str.isalpha, common)) else 0.0


def _words(text: str) -> list[str]:
    """The words and numbers of a text, in small letters without accents."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", _CAPITAL_WITHIN.sub(" ", text)) if not unicodedata.combining(char))
    return _WORDS.findall(plain.casefold())


def _are_labels_below(entries: Sequence[Entry], rows: Sequence[list[Word]], starts: Collection[int]) -> bool:
    """Whether the labels of a page stand below its fields, as the names of most fields say."""
    fields = [entry for entry in entries if entry.kind == "value"]
    named = [(entry, _named(entry, list(_stacked(entry.box, rows, starts)), starts)) for entry in fields]
    return 2 * sum(label is not None and label.word.head.y0 > entry.box.y0 for entry, label in named) > len(fields)


def _starts(entries: Sequence[Entry], rows: Sequence[list[Word]]) -> set[int]:
    """The first characters of the words that begin a label because they are aligned with a field directly above or below, however close
    to each other the labels of narrow fields are."""
    lefts = [entry.box for entry in entries if entry.kind == "value"]
    return {
        word.first
        for row in rows
        for before, word in pairwise(row)
        for box in lefts
        if abs(word.head.x0 - box.x0) <= _SLACK
        and word.head.x0 - before.tail.x1 > GAP_IN_TABLE * _height(word)
        and max(box.y0 - word.head.y1, word.head.y0 - box.y1) <= _ABOVE * _height(word)
    }


def _begins(row: Sequence[Word], index: int, starts: Collection[int]) -> bool:
    """Whether a label begins with a word of a row."""
    return not index or row[index - 1].first < 0 or _is_apart(row[index - 1], row[index], starts)


def _is_apart(before: Word, word: Word, starts: Collection[int]) -> bool:
    return word.first in starts or word.head.x0 - before.tail.x1 > GAP * _height(word)


def _mark(entry: Entry, left: _At | None, right: _At | None, marks: Sequence[Box], width: float) -> bool:
    """Puts a mark before the first word of its label, which stands at its right, or else at its left."""
    near = [at for at in (left, right) if at and at.gap <= _MARK * _height(at.word)]
    if left and left in near and right in near and right and 2 * left.gap < right.gap:
        near = [left]
    at = near[-1] if near else left if left and left.gap <= _FAR * width and not entry.label else None
    if at is None:
        return False
    row, index = at.row, at.position
    if at is left:
        while index and _is_same_label(row[index - 1], row[index], marks):
            index -= 1
    label = row[index]
    y0, y1 = label.head.y0, label.head.y1
    space = _SPACE * _height(label)
    x0 = entry.box.x0 if at is right else label.head.x0 - 2 * space
    head = Box(min(x0, label.head.x0 - 2 * space), y0, label.head.x0 - space, y1)
    row.insert(index, Word(entry.text, -1, -1, head, head))
    return True


def _is_same_label(before: Word, word: Word, marks: Sequence[Box]) -> bool:
    """Whether two words are of one label: close to each other, without a mark in between."""
    if before.first < 0 or word.head.x0 - before.tail.x1 > GAP * _height(word):
        return False
    y = (word.head.y0 + word.head.y1) / 2
    return not any(before.tail.x0 < (box.x0 + box.x1) / 2 < word.head.x1 and box.y0 < y < box.y1 for box in marks)


def _beside(box: Box, rows: Sequence[list[Word]]) -> tuple[_At | None, _At | None]:
    """The next words at the left and at the right of a field."""
    left: _At | None = None
    right: _At | None = None
    middle = (box.x0 + box.x1) / 2
    for row in rows:
        for index, word in enumerate(row):
            if not box.y0 - _SLACK <= (word.head.y0 + word.head.y1) / 2 <= box.y1 + _SLACK:
                continue
            x0, x1 = word.head.x0, word.tail.x1
            if x1 <= box.x0 + _SLACK or (x0 < middle and _is_blank(word)):
                gap = max(box.x0 - x1, 0.0)
                if left is None or gap <= left.gap:
                    left = _At(row, index, gap)
            elif x0 >= box.x1 - _SLACK and (right is None or x0 - box.x1 < right.gap):
                right = _At(row, index, x0 - box.x1)
    return left, right


def _aligned(box: Box, rows: Sequence[list[Word]], starts: Collection[int], *, above: bool) -> _At | None:
    """The last word of the label that begins directly above or below the left edge of a field."""
    best: tuple[tuple[float, float], _At] | None = None
    for at in _stacked(box, rows, starts):
        index = at.position
        while index and not _begins(at.row, index, starts):
            index -= 1
        x0 = at.row[index].head.x0
        if (at.word.head.y0 < box.y0) == above and x0 >= box.x0 - 2 * _SLACK and (best is None or (x0, at.gap) < best[0]):
            best = ((x0, at.gap), at)
    return best[1] if best else None


def _stacked(box: Box, rows: Sequence[list[Word]], starts: Collection[int]) -> Iterator[_At]:
    """The last word of each label that is directly above or below a field: first those above, then from left to right."""
    found: list[tuple[bool, float, float, _At]] = []
    for row in rows:
        for index, word in enumerate(row):
            is_below = word.head.y0 - box.y0 > box.y1 - word.head.y1
            gap = word.head.y0 - box.y1 if is_below else box.y0 - word.head.y1
            if word.first < 0 or not -_SLACK <= gap <= _ABOVE * _height(word) or word.head.x0 >= box.x1:
                continue
            if not _begins(row, index, starts):
                continue
            last = index
            while last + 1 < len(row) and not _is_apart(row[last], row[last + 1], starts):
                last += 1
            if row[last].tail.x1 > box.x0:
                found.append((is_below, word.head.x0, gap, _At(row, last, gap)))
    yield from (each[-1] for each in sorted(found, key=itemgetter(0, 1, 2)))


def _insert(entry: Entry, at: _At, *, is_label: bool) -> None:
    """Puts the entry after a word. `is_label`: the word names it."""
    row, index, _ = at
    word, box = row[index], entry.box
    is_stacked = not box.y0 - _SLACK <= (word.tail.y0 + word.tail.y1) / 2 <= box.y1 + _SLACK
    following = row[index + 1] if index + 1 < len(row) else None
    if is_label:
        if _is_blank(word):
            text = word.text.rstrip("_.… ")
            row[index] = word._replace(text=text) if text else word
        in_sentence = following is not None and following.text[:1].islower() and not is_stacked
        last = row[index].text[-1:]
        if word.first >= 0 and not in_sentence and (last.isalnum() or last in ")%"):
            row[index] = row[index]._replace(text=f"{row[index].text}:")
    size = _height(word)
    x0 = word.tail.x1 + _SPACE * size if is_label else max(box.x0, word.tail.x1 + _SPACE * size)
    x1 = max(box.x1, x0)
    if following is not None and following.head.x0 < x1:
        x1 = max(x0, following.head.x0 - _SPACE * size)
    if is_stacked:
        x1 = x0
    y0, y1 = word.tail.y0, word.tail.y1
    if is_stacked or box.y1 - box.y0 > _TALL * size:
        y0, y1 = min(y0, box.y0), max(y1, box.y1)
    new = Word(entry.text, -1, -1, Box(x0, word.tail.y0, x0, word.tail.y1), Box(x0, y0, x1, y1))
    if is_label and _is_blank(word) and not word.text.strip("_.… "):
        row[index] = new._replace(head=word.head)
    else:
        row.insert(index + 1, new)


def _is_blank(word: Word) -> bool:
    """Whether the word ends with a line on which something is filled in."""
    return word.text.endswith(("___", "...", "……"))


def _row_of(entry: Entry, size: float) -> list[Word]:
    """The entry by itself; nothing for a mark of which nobody says what it is about."""
    x0, y0, x1, y1 = entry.box
    middle, half = (y0 + y1) / 2, min(size, y1 - y0) / 2
    head = Box(x0, middle - half, x0, middle + half)
    if entry.kind == "mark":
        return [Word(f"{entry.text} {entry.label}", -1, -1, head, Box(*entry.box))] if entry.label else []
    text = f"{entry.label.rstrip(':')}: {entry.text}" if entry.label else entry.text
    return [Word(text, -1, -1, head, Box(x0, y0, x1, y1))]


def _place(box: Box, rows: Sequence[Row]) -> int:
    """Where a row of its own belongs: after the nearest row above it in its column, else before the nearest one below."""
    above, below = (float("inf"), -1), (float("inf"), len(rows))
    middle = (box.y0 + box.y1) / 2
    for i, (_, words) in enumerate(rows):
        if not words or words[0].head.x0 > box.x1 or words[-1].tail.x1 < box.x0:
            continue
        distance = middle - (words[0].head.y0 + words[0].head.y1) / 2
        if distance >= 0:
            above = min(above, (distance, i))
        else:
            below = min(below, (-distance, i))
    if above[1] < 0:
        before = below[1]
        while before and before < len(rows) and _in_line(rows[before], rows[before - 1]):
            before -= 1
        return before
    after = above[1] + 1
    while after < len(rows) and _in_line(rows[after], rows[after - 1]):
        after += 1
    return after


def _in_line(row: Row, before: Row) -> bool:
    """Whether two rows are parts of one line."""
    if not row[1] or not before[1]:
        return False
    word, last = row[1][0], before[1][-1]
    return last.head.y0 < (word.head.y0 + word.head.y1) / 2 < last.head.y1


def _height(word: Word) -> float:
    return word.head.y1 - word.head.y0
