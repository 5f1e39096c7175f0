"""Passages of a fixed number of characters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from footnote.ingest.chunk import chunk_document
from footnote.ingest.fixed_size import FixedSize, cut_pieces, fixed_bounds
from footnote.ingest.pieces import Piece
from footnote.types import Block, Parsed
from tests.fakes import make_document


def cut(text: str, size: int, overlap: int = 0, separator: str = " ") -> list[str]:
    return [text[start:end] for start, end in fixed_bounds(text, FixedSize(size, overlap, separator))]


@pytest.mark.parametrize(
    ("text", "given", "passages"),
    [
        pytest.param("one two", (20,), ["one two"], id="a short text is one passage"),
        pytest.param("one two three four", (8,), ["one two", "three", "four"], id="a passage ends before a separator"),
        pytest.param("aaaa bbbb cccc", (9,), ["aaaa bbbb", "cccc"], id="a separator right after the last character is not counted"),
        pytest.param("aa bb cc dd ee ff gg", (11, 5), ["aa bb cc dd", "cc dd ee ff", "ee ff gg"], id="whole words are repeated"),
        pytest.param("ab " + "x" * 20, (8,), ["ab", "x" * 8, "x" * 8, "x" * 4], id="a word that is too long is cut"),
        pytest.param("abcdefghij", (4, 2, ""), ["abcd", "cdef", "efgh", "ghij"], id="without a separator it is cut anywhere"),
        pytest.param("가나다라마바사", (3,), ["가나다", "라마바", "사"], id="characters count, not bytes"),
        pytest.param("ä🙂b", (2,), ["ä🙂", "b"], id="an emoji is one character"),
        pytest.param("one. two. three", (9, 0, ". "), ["one. two", "three"], id="a separator may be longer"),
    ],
)
def test_a_text_is_cut_by_size_overlap_and_separator(text: str, given: tuple[Any, ...], passages: list[str]) -> None:
    assert cut(text, *given) == passages


@pytest.mark.parametrize("separator", [" ", "", "\n\n", "e"])
@pytest.mark.parametrize(("size", "overlap"), [(64, 0), (64, 32), (70, 10), (1000, 500)])
def test_passages_cover_the_text_and_keep_the_limits(size: int, overlap: int, separator: str) -> None:
    text = "".join(f"{'w' * (i * 7 % 90)}{' ' if i % 3 else chr(10) * 2}{i}" for i in range(150)).strip()
    bounds = list(fixed_bounds(text, FixedSize(size, overlap, separator)))
    assert all(0 < end - start <= size for start, end in bounds)
    covered = {at for start, end in bounds for at in range(start, end)}
    left_out = {text[at] for at in range(len(text)) if at not in covered}
    assert "".join(sorted(left_out)).strip() in ("", separator.strip())
    for (start, end), (following, its_end) in pairwise(bounds):
        assert start < following
        assert end < its_end
        assert end - following <= overlap


def test_passages_of_a_document_know_their_blocks() -> None:
    blocks = (Block("paragraph", "one two three"), Block("paragraph", "four five six"))
    chunks = chunk_document(make_document("d"), Parsed(blocks), max_tokens=100, lang="en", fixed=FixedSize(20, 0, " "))
    passages = [chunk for chunk in chunks if chunk.level == 2]
    assert [chunk.text for chunk in passages] == ["one two three\n\nfour", "five six"]
    assert [[(part.offset, part.block, part.start) for part in chunk.parts] for chunk in passages] == [[(0, 0, 0), (15, 1, 0)], [(0, 1, 5)]]


class Counted(list[Piece]):
    """Counts the pieces that are read."""

    read = 0

    def __iter__(self) -> Iterator[Piece]:
        for piece in super().__iter__():
            self.read += 1
            yield piece

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.read += len(found) if isinstance(at, slice) else 1
        return found


def test_the_pieces_of_a_passage_are_read_and_no_others() -> None:
    pieces = Counted(Piece(at, "paragraph", "word") for at in range(2000))
    passages = list(cut_pieces(pieces, FixedSize(64, 32, " ")))
    assert len(passages) > 300
    assert pieces.read < 10 * len(pieces)
