"""Chooses the excerpts that answer, by the scores of their sentences.

The score of an excerpt is that of its best sentence, its lead included. One excerpt answers; another is shown beside it if a passage of
another document says the same with another number, or if it is nearly as good (NEARLY) and says something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice, takewhile

from footnote.answer.assess import numbers_in
from footnote.answer.conflicts import conflicting
from footnote.answer.excerpts import Blocks, blocks_of, cut
from footnote.answer.score_sentences import Scored
from footnote.types import Excerpt, Hit, Shape

MOST = 3
NEARLY = 0.08
"""How much below the best one another excerpt may score to be shown beside it."""
AS_GOOD = 0.05
"""The same of items and rows of one block."""
LOOKED_AT = 0.3
"""How much below the best one an excerpt may score to be compared with it."""
SAME = 0.8
"""Share of the words of the shorter one of two excerpts from which they say the same."""
SEVERAL: frozenset[Shape] = frozenset(("list", "how_to", "topic"))
"""Shapes of questions that several items answer."""


@dataclass(frozen=True)
class Quote:
    """An excerpt of a hit, and what of it answers."""

    hit: Hit
    excerpt: Excerpt
    blocks: Blocks
    marked: tuple[Scored, ...]
    """The sentences that answer: the best one, then the others in their order."""
    whole: bool
    """Several items or steps are asked for."""

    @property
    def block(self) -> Excerpt:
        """The whole block that it is taken from."""
        return self.blocks.blocks[self.excerpt.block]

    @property
    def best(self) -> Scored:
        """The sentence that answers best."""
        return self.marked[0]

    @cached_property
    def text(self) -> str:
        """The sentences of the excerpt, as they are in the passage."""
        return "\n".join(self.blocks.text(number) for number in self.excerpt.every)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the excerpt."""
        return frozenset(self.text.lower().split())

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers in the excerpt."""
        return numbers_in(self.text, self.hit.chunk.lang)


def quotes_in_order(sentences: Sequence[Scored], shape: Shape, among: Sequence[Scored]) -> Iterator[Quote]:
    """The excerpts around some sentences, each of which is in none before, best first. `sentences`: those of all passages, in their order;
    `among`: those that may answer."""
    passages = {chunk_id: list(group) for chunk_id, group in groupby(sentences, key=lambda each: each.hit.chunk.chunk_id)}
    known: dict[str, Blocks] = {}
    shown: set[tuple[str, int]] = set()
    for best in sorted(among, key=lambda each: -each.score):
        chunk_id = best.hit.chunk.chunk_id
        if (chunk_id, best.number) in shown:
            continue
        same = passages[chunk_id]
        blocks = known.get(chunk_id) or known.setdefault(chunk_id, _blocks(same))
        if quote := quote_of(best, same, blocks, shape):
            shown |= {(chunk_id, number) for number in quote.excerpt.every}
            yield quote


def quote_of(best: Scored, same: Sequence[Scored], blocks: Blocks | None = None, shape: Shape = "other") -> Quote | None:
    """The excerpt around a sentence; None if it stands in none. `same`: all sentences of its passage; `blocks`: theirs, if known."""
    answering = {each.number for each in same if _answers_too(each, best)}
    blocks = blocks or _blocks(same)
    whole = best.introduces or shape in SEVERAL
    excerpt = cut(blocks, best.number, answering, whole=whole)
    if excerpt is None or (best.introduces and not excerpt.lead):
        return None
    marked = (each for each in same if each.number in answering and each.number in excerpt.numbers and each is not best)
    return Quote(best.hit, excerpt, blocks, (best, *marked), whole)


def _blocks(same: Sequence[Scored]) -> Blocks:
    return blocks_of(same[0].hit.chunk, [(each.start, each.end) for each in same])


def _answers_too(sentence: Scored, best: Scored) -> bool:
    """Whether a sentence of the same passage answers as well as the best one: of a table the rows that have as much of the question."""
    if best.is_row:
        return sentence.is_row and sentence.quotable and sentence.features.own >= best.features.own and best.features.own > 0
    return sentence.quotable and best.score - sentence.score <= AS_GOOD


def answering(sentences: Sequence[Scored], shape: Shape, lang: str) -> list[Quote]:
    """The excerpts that would answer. Where some sentences define what is asked for, others that only use the word do not answer."""
    told = [each for each in sentences if each.tells or each.features.defines] if any(each.tells for each in sentences) else sentences
    chosen: list[Quote] = []
    quotes = quotes_in_order(sentences, shape, _quotable(told))
    near = takewhile(lambda each: not chosen or chosen[0].best.score - each.best.score <= LOOKED_AT, quotes)
    for each in islice((each for each in near if not chosen or _adds(each, chosen, lang)), MOST):
        _add(each, chosen)
    return chosen


def _quotable(sentences: Sequence[Scored]) -> list[Scored]:
    return [each for each in sentences if each.quotable or each.introduces]


def _adds(quote: Quote, chosen: Sequence[Quote], lang: str) -> bool:
    best = chosen[0].best
    is_near = best.score - quote.best.score <= NEARLY
    return (is_near or conflicting(best, quote.best, lang)) and not any(is_same(quote, other) for other in chosen)


def _add(quote: Quote, chosen: list[Quote]) -> None:
    """Adds a quote to those that were chosen. Two that overlap are one, so that no sentence is shown twice."""
    for at, other in enumerate(chosen):
        if other.blocks is quote.blocks and other.block is quote.block and not set(other.excerpt.every).isdisjoint(quote.excerpt.every):
            chosen[at] = _joined(other, quote)
            return
    chosen.append(quote)


def _joined(better: Quote, other: Quote) -> Quote:
    """The excerpt of both, which are of one block."""
    numbers = {*better.excerpt.numbers, *other.excerpt.numbers}
    blocks = better.blocks
    items = blocks.items(better.block)
    there = [item for item in items if not numbers.isdisjoint(item)]
    before = blocks.count(items[: items.index(there[0])])
    excerpt = replace(
        min(better.excerpt, other.excerpt, key=lambda excerpt: excerpt.start),
        numbers=tuple(sorted(numbers)),
        end=max(better.excerpt.end, other.excerpt.end),
        more_before=before,
        more_after=blocks.count(items) - before - blocks.count(there),
    )
    marked = {each.number: each for each in (*better.marked, *other.marked)}
    return replace(better, excerpt=excerpt, marked=tuple(marked.values()))


def is_same(one: Quote, other: Quote) -> bool:
    """Whether one of them says hardly anything that the other does not, and no other number."""
    shorter, longer = sorted((one, other), key=lambda quote: len(quote.words))
    return len(shorter.words & longer.words) >= SAME * len(shorter.words) and shorter.numbers <= longer.numbers


def closest(sentences: Sequence[Scored], shape: Shape) -> list[Quote]:
    """The MOST best excerpts, around headings and questions only where there is nothing else. What several say alike is shown once."""
    chosen: list[Quote] = []
    quotes = quotes_in_order(sentences, shape, _quotable(sentences) or sentences)
    different = (each for each in quotes if not any(is_same(each, other) for other in chosen))
    for each in islice(different, MOST):
        _add(each, chosen)
    return chosen
