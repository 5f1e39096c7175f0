"""Passages of blocks, and the excerpts of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from footnote.answer.choose import Quote
from footnote.answer.excerpts import Blocks, blocks_of, cut
from footnote.answer.score_sentences import Features, Scored
from footnote.text.sentences import split_chunk
from footnote.types import BlockKind, Excerpt, Hit, Part
from tests.fakes import make_hit

NONE = Features(*[0.0] * len(Features._fields))


def passage(*blocks: tuple[BlockKind, str], doc_id: str = "plan", **changes: Any) -> Hit:
    """A passage of these blocks of its file."""
    offsets = [sum(len(text) + 2 for _, text in blocks[:at]) for at in range(len(blocks))]
    parts = tuple(Part(offset, None, at, 0, kind) for at, (offset, (kind, _)) in enumerate(zip(offsets, blocks, strict=True)))
    return make_hit("\n\n".join(text for _, text in blocks), doc_id, parts=parts, **changes)


def split(hit: Hit) -> Blocks:
    return blocks_of(hit.chunk, split_chunk(hit.chunk))


def numbered(blocks: Blocks, *held: str) -> list[int]:
    """The numbers of the sentences that contain one of the texts."""
    return [number for number in range(len(blocks.bounds)) if any(each in blocks.text(number) for each in held)]


def scored(hit: Hit, scores: dict[str, float], **changes: Any) -> list[Scored]:
    """The sentences of a passage: what one contains → its score, else 0. One that ends with a colon introduces."""
    found = []
    for number, (start, end) in enumerate(split_chunk(hit.chunk)):
        text = hit.chunk.text[start:end]
        score = next((value for held, value in scores.items() if held in text), 0.0)
        introduces = text.endswith(":")
        found.append(Scored(hit, number, start, end, score, NONE, "", quotable=not introduces, introduces=introduces, **changes))
    return found


def excerpt(hit: Hit, best: str, *answering: str, whole: bool = False) -> Excerpt:
    """The excerpt around the sentence that contains `best`."""
    blocks = split(hit)
    found = cut(blocks, numbered(blocks, best)[0], numbered(blocks, best, *answering), whole=whole)
    assert found is not None
    return found


def quote(hit: Hit, best: str, *answering: str, whole: bool = False) -> Quote:
    """The same, as it is shown."""
    return Quote(hit, excerpt(hit, best, *answering, whole=whole), split(hit), tuple(scored(hit, {})))


def texts(hit: Hit, numbers: Iterable[int]) -> list[str]:
    blocks = split(hit)
    return [blocks.text(number) for number in numbers]
