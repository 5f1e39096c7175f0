"""Chooses the excerpts that answer, by the scores of their sentences.

The score of an excerpt is that of its best sentence, its lead included. `verdict` estimates how likely each answers. Beside a certain one
another is shown if a passage of another document gives another number for the same, or if it is not much less likely and differs in
content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice

from footnote.answer.excerpts import Blocks, blocks_of, cut
from footnote.answer.score_sentences import Scored
from footnote.text.similarity import REPEATED
from footnote.text.tokens import content_terms
from footnote.text.values import values_in
from footnote.types import Excerpt, Hit
from footnote.types.copies import replace

MOST = 3
BESIDE = 0.2
"""The share of the best excerpt's probability from which another is shown beside it."""
SAME, LEAST_TERMS = 0.75, 2
"""Share of common terms, and number of them, from which two sentences are about the same."""


@dataclass(frozen=True)
class Quote:
    """An excerpt of a hit, and what of it answers."""

    hit: Hit
    excerpt: Excerpt
    blocks: Blocks
    marked: tuple[Scored, ...]
    """The sentences that answer: the best one, then the others in their order."""
    sentences: Sequence[Scored] = ()
    """All sentences of its passage."""

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
    def placed(self) -> str:
        """The excerpt below the title and the headings of its subject."""
        return " ".join((self.hit.chunk.title, *self.hit.chunk.headings, self.best.heading, self.text))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the excerpt."""
        return frozenset(self.text.lower().split())

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers in the excerpt."""
        return values_in(self.text, self.hit.chunk.lang)


def quotes_in_order(sentences: Sequence[Scored], among: Sequence[Scored]) -> Iterator[Quote]:
    """The excerpts around some sentences, best first; no sentence is in two of them. `sentences`: those of all passages, in their order;
    `among`: those that may answer."""
    passages = {chunk_id: list(group) for chunk_id, group in groupby(sentences, key=lambda sentence: sentence.hit.chunk.chunk_id)}
    blocks_of_passage: dict[str, Blocks] = {}
    shown: set[tuple[str, int]] = set()
    for best in sorted(among, key=lambda sentence: -sentence.score):
        chunk_id = best.hit.chunk.chunk_id
        if (chunk_id, best.number) in shown:
            continue
        same = passages[chunk_id]
        blocks = blocks_of_passage.get(chunk_id) or blocks_of_passage.setdefault(chunk_id, _blocks(same))
        if quote := quote_of(best, same, blocks):
            shown |= {(chunk_id, number) for number in quote.excerpt.every}
            yield quote


def quote_of(best: Scored, same: Sequence[Scored], blocks: Blocks | None = None) -> Quote | None:
    """The excerpt around a sentence; None if it stands in none. `same`: all sentences of its passage; `blocks`: theirs, if known."""
    answering = {sentence.number for sentence in same if _answers_too(sentence, best)}
    blocks = blocks or _blocks(same)
    excerpt = cut(blocks, best.number, answering, whole=best.introduces)
    if excerpt is None or (best.introduces and not excerpt.lead):
        return None
    marked = (sentence for sentence in same if sentence.number in answering and sentence.number in excerpt.numbers and sentence is not best)
    return Quote(best.hit, excerpt, blocks, (best, *marked), same)


def alone(sentence: Scored) -> Quote:
    """A sentence as an excerpt, for a passage that has no other: an outline, headings."""
    excerpt = Excerpt(sentence.hit.chunk.chunk_id, 0, "paragraph", (), (0,), sentence.start, sentence.end)
    blocks = Blocks(sentence.hit.chunk, [(sentence.start, sentence.end)], (excerpt,), {0: 0})
    return Quote(sentence.hit, excerpt, blocks, (sentence,), (sentence,))


def _blocks(same: Sequence[Scored]) -> Blocks:
    return blocks_of(same[0].hit.chunk, [(sentence.start, sentence.end) for sentence in same])


def _answers_too(sentence: Scored, best: Scored) -> bool:
    """Whether a sentence of the same passage answers as well as the best one: it has as much of the question. All rows of a table do
    where none has a word of it."""
    if sentence is best:
        return not best.is_row or best.features.own > 0
    return sentence.quotable and sentence.features.own >= best.features.own > 0 and sentence.is_row == best.is_row


def candidates(sentences: Sequence[Scored]) -> Iterator[Quote]:
    """The excerpts that may answer, best first by their sentences; around headings and questions only where there is nothing else."""
    return quotes_in_order(sentences, [sentence for sentence in sentences if sentence.quotable or sentence.introduces] or sentences)


def shown_beside(ordered: Sequence[Quote], probabilities: Sequence[float], lang: str, *, is_certain: bool) -> list[Quote]:
    """The excerpts to show, at most MOST, without repetitions. `ordered`: best first, with the probability that each answers. Beside the
    best one, only others that are not much less likely, or that contradict a certain one."""
    chosen: list[Quote] = []

    def adds(quote: Quote, probability: float) -> bool:
        if not chosen:
            return True
        is_close = probability >= BESIDE * probabilities[0] or (is_certain and conflicting(chosen[0].best, quote.best, lang))
        return is_close and not any(is_same(quote, other) or _is_of_same_table(quote, other) for other in chosen)

    for quote in islice((quote for quote, likely in zip(ordered, probabilities, strict=True) if adds(quote, likely)), MOST):
        _add(quote, chosen)
    return chosen


def _is_of_same_table(one: Quote, other: Quote) -> bool:
    """Whether both are rows of one table: those with as much of the question stand in one excerpt."""
    return one.excerpt.kind == "table" and one.blocks is other.blocks and one.excerpt.block == other.excerpt.block


def _add(quote: Quote, chosen: list[Quote]) -> None:
    """Adds a quote to the chosen ones. Two that overlap become one, so that no sentence is shown twice."""
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
    marked = {sentence.number: sentence for sentence in (*better.marked, *other.marked)}
    return replace(better, excerpt=excerpt, marked=tuple(marked.values()))


def is_same(one: Quote, other: Quote) -> bool:
    """Whether one of them adds hardly anything to the other, and no other number."""
    shorter, longer = sorted((one, other), key=lambda quote: len(quote.words))
    return len(shorter.words & longer.words) >= REPEATED * len(shorter.words) and shorter.numbers <= longer.numbers


def conflicting(one: Scored, other: Scored, lang: str) -> bool:
    """Whether two sentences of different documents are about the same, but have no number in common. `lang`: of the question."""
    if one.hit.chunk.doc_id == other.hit.chunk.doc_id:
        return False
    numbers, others = values_in(one.text, lang), values_in(other.text, lang)
    if not numbers or not others or not numbers.isdisjoint(others):
        return False
    a, b = _said(one.text, lang), _said(other.text, lang)
    return len(a & b) >= max(LEAST_TERMS, SAME * len(a | b))


def _said(text: str, lang: str) -> frozenset[str]:
    return frozenset(term for term in content_terms(text, lang) if not term.isdigit())
