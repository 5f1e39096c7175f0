"""The extractive answer, without a language model: sentences of the documents with citations, the closest passages, or neither.

`score_sentences` scores the sentences of the first PASSAGES hits, `choose` takes the excerpts around the best ones, `verdict` decides
whether they are an answer. An excerpt is shown below its title and section, for context.

An excerpt that the end of a passage cuts off is completed from the adjacent passages: a long list, table or paragraph is stored in several
passages. The part of its block in the passage before or after is joined to the passage's text, as if it had been cut elsewhere, and the
excerpt is taken again. Citations stay those of the passage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from footnote.answer.choose import MOST, Quote, is_same
from footnote.answer.citation_styles import Markers, markers_of
from footnote.answer.excerpts import blocks_of, cut
from footnote.answer.messages import language_name, message
from footnote.answer.score_sentences import Question, Scored, score_passage
from footnote.answer.show_excerpt import escaped, shown, source_name
from footnote.answer.sub_questions import decisive, shown_question, turns_of
from footnote.answer.verdict import decide_tier
from footnote.errors import ModelUnavailable
from footnote.events import Event, Token
from footnote.ports import Embedder, Index, speaks
from footnote.text.code_spans import followed_by
from footnote.text.embedded_texts import passage_of, passage_vectors, quantise
from footnote.text.grounding import UNSEEN
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import EXTERNAL_IDS, Answer, Chunk, ChunkSentences, Citation, Part, Turn, Verdict, make_chunk_id
from footnote.types.copies import replace

PASSAGES = 5
EMBED_S = 3.0
"""Longest wait for vectors of passages that have none yet; the shortest limit of a step that waits is five seconds."""
GLUE = {"paragraph": " ", "caption": " "}
"""Between the parts of a block; a line end for others."""


class PartAnswer(NamedTuple):
    """One of a turn's questions, the excerpts that answer it or are closest, and which of both they are."""

    question: str
    quotes: list[Quote]
    verdict: Verdict


async def extract(turn: Turn, *, index: Index, embedder: Embedder | None) -> AsyncIterator[Event | Turn]:
    """Streams the answer of the tier from `decide_tier`. Without an answer the outcome is `closest` or `refused`. Several
    questions are answered one by one; unanswered ones are named at the end."""
    parts = await read_parts(turn, index=index, embedder=embedder)
    verdict = decisive([part.verdict for part in parts])
    quotes = await _complete(closest_of(parts) if verdict.tier == "closest" else quotes_of(parts), turn, index)
    if not quotes and verdict.tier != "nothing":  # they may no longer be read
        verdict = replace(verdict, tier="nothing", because="unrelated")
    if verdict.tier == "nothing":
        yield Token(text := message("refused", turn.lang))
        yield replace(turn, outcome="refused", answer=Answer(text, extractive=True, verdict=verdict))
        return
    writer = Writer(turn, markers_of(turn))
    if verdict.tier == "closest":
        yield Token(writer.say(message("likely" if verdict.because == "likely" else "closest", turn.lang)))
    for quote in quotes:
        yield Token(writer.quote(quote))
    if verdict.tier == "answer":
        for part in parts:
            if part.verdict.tier != "answer":
                yield Token(writer.say(message("part_unanswered", turn.lang, question=shown_question(part.question))))
    yield replace(turn, outcome="closest" if verdict.tier == "closest" else None, answer=writer.answer(verdict))


async def read_parts(turn: Turn, *, index: Index, embedder: Embedder | None = None) -> list[PartAnswer]:
    """The questions of the turn, mostly one, each with its excerpts and verdict."""
    hits = {hit.chunk.chunk_id: hit for hit in turn.evidence.hits}
    parts: list[PartAnswer] = []
    for one in turns_of(turn):
        question, sentences = await read_sentences(one, index, embedder)
        decision = decide_tier(question, sentences, one.evidence.hits[:PASSAGES], turn.embedder)
        quotes = decision.quotes
        if one is not turn:  # citations are of the turn's own hits
            quotes = [replace(quote, hit=hits[quote.hit.chunk.chunk_id]) for quote in quotes]
        parts.append(PartAnswer(one.asked, quotes, decision.verdict))
    return parts


def quotes_of(parts: Sequence[PartAnswer]) -> list[Quote]:
    """The excerpts that answer, of all questions, each once."""
    return _each_once(quote for part in parts if part.verdict.tier == "answer" for quote in part.quotes)


def closest_of(parts: Sequence[PartAnswer]) -> list[Quote]:
    """The closest excerpts, alternating between several questions."""
    near = [part.quotes for part in parts if part.verdict.tier == "closest"]
    return _each_once(filter(None, chain.from_iterable(zip_longest(*near))))[:MOST]


def _each_once(quotes: Iterable[Quote]) -> list[Quote]:
    return list({(quote.hit.chunk.chunk_id, quote.excerpt.start): quote for quote in quotes}.values())


async def read_sentences(
    turn: Turn, index: Index, embedder: Embedder | None = None, *, passages: int = PASSAGES
) -> tuple[Question, list[Scored]]:
    """The question and the scored sentences of the first hits, in the order of the hits. `embedder`: embeds passages whose
    vectors are still missing, which takes some 100 ms. If none has vectors, or it fails or is late, words alone count."""
    hits = turn.evidence.hits[:passages]
    terms = content_terms(turn.asked, turn.lang)
    weights = await index.term_weights(turn.caller, turn.request.collection, [*terms, UNSEEN])
    passage_sentences = await index.sentences(turn.caller, [hit.chunk.chunk_id for hit in hits], turn.embedder)
    vector = turn.vectors[0] if turn.vectors else None
    if vector is not None and embedder is not None:
        try:
            async with asyncio.timeout(EMBED_S):
                passage_sentences |= await _embedded([hit.chunk for hit in hits], passage_sentences, embedder)
        except (TimeoutError, ModelUnavailable):
            vector = None
    if all(passage.vectors is None for passage in passage_sentences.values()):
        vector = None
    question = Question(turn.reading, weights, vector, turn.languages)
    scorable = {**passage_sentences, **_outside([hit.chunk for hit in hits])}
    return question, [
        sentence
        for hit in hits
        if hit.chunk.chunk_id in scorable
        for sentence in score_passage(question, hit, scorable[hit.chunk.chunk_id])
    ]


async def _embedded(chunks: Sequence[Chunk], passages: Mapping[str, ChunkSentences], embedder: Embedder) -> dict[str, ChunkSentences]:
    """The known passages without vectors, with vectors."""
    missing = [
        (chunk, passage)
        for chunk in chunks
        if (passage := passages.get(chunk.chunk_id)) is not None and passage.vectors is None and speaks(embedder, chunk.lang)
    ]
    if not missing:
        return {}
    vectors = await passage_vectors(embedder, [passage_of(c.title, c.headings, c.text, passage.bounds) for c, passage in missing])
    return {
        chunk.chunk_id: replace(passage, passage=rows[0], vectors=quantise(rows[1:]))
        for (chunk, passage), rows in zip(missing, vectors, strict=True)
    }


def _outside(chunks: Sequence[Chunk]) -> dict[str, ChunkSentences]:
    """Sentences of passages from other systems, which the index does not contain; without vectors."""
    sentences = {}
    for chunk in chunks:
        if chunk.chunk_id.startswith(EXTERNAL_IDS):
            bounds = tuple(split_sentences(chunk.text, chunk.lang))
            terms = tuple(" ".join(content_terms(chunk.text[start:end], chunk.lang)) for start, end in bounds)
            sentences[chunk.chunk_id] = ChunkSentences(bounds, terms=terms, heading_terms=" ".join(content_terms(chunk.title, chunk.lang)))
    return sentences


async def certain_quotes(turn: Turn, *, index: Index, embedder: Embedder | None = None) -> list[Quote]:
    """The excerpts with which `extract` would answer from these hits; [] = it would not."""
    return quotes_of(await read_parts(turn, index=index, embedder=embedder))


def verdict_shown(turn: Turn) -> dict[str, Any]:
    """The tier of an extractive answer, and why, for explanations; {} if a language model wrote it."""
    verdict = turn.answer.verdict if turn.answer else None
    if verdict is None:
        return {}
    return {
        "tier": verdict.tier,
        "because": verdict.because,
        "score": verdict.score,
        "related": verdict.related,
        "reasons": [*verdict.reasons],
    }


class Writer:
    """Writes excerpts with their markers, and collects the citations."""

    def __init__(self, turn: Turn, markers: Markers) -> None:
        self._turn = turn
        self._markers = markers
        self._asked = frozenset(content_terms(turn.asked, turn.lang))
        self._text = self._above = ""
        self._numbers: dict[Hashable, int] = {}
        self._spans: dict[Hashable, list[tuple[int, int]]] = {}
        self._cited: dict[Hashable, list[Quote]] = {}

    def quote(self, quote: Quote) -> str:
        """The piece of an excerpt, below its source where that is not the one before; it ends with a citation."""
        here = self._source(quote)
        lead, self._above = ("" if here == self._above else f"{here}\n\n"), here
        return self._cite(f"{self._gap}{lead}{shown(quote, self._asked, self._turn.lang)}", quote)

    def say(self, sentence: str) -> str:
        """The piece of a sentence of our own, which cites nothing."""
        piece = f"{self._gap}{sentence}"
        self._text += piece
        return piece

    @property
    def _gap(self) -> str:
        return "\n\n" if self._text else ""

    def answer(self, verdict: Verdict) -> Answer:
        """The whole answer."""
        citations = tuple(
            Citation(number, cited[0].hit, cited[0].best.text, cited[0].best.page, _bounds(cited), tuple(self._spans[source]))
            for (source, cited), number in zip(self._cited.items(), self._numbers.values(), strict=True)
        )
        return Answer(self._text, citations, extractive=True, verdict=verdict)

    def _source(self, quote: Quote) -> str:
        """The name above an excerpt, with its language if the reader asked in another."""
        said, wanted_lang = quote.hit.chunk.lang, self._turn.lang
        language = language_name(said, wanted_lang) if said != wanted_lang else None
        return f"**{escaped(source_name(quote))}**" + (f" ({language})" if language else "")

    def _cite(self, text: str, quote: Quote) -> str:
        chunk, style = quote.hit.chunk, self._markers.style
        source: Hashable = (chunk.shown_title, quote.best.page) if style.merges else chunk.chunk_id
        of_passage = style.at_end or style.keeps_numbers
        place = self._turn.evidence.hits.index(quote.hit) if of_passage else len(self._numbers)
        number = self._numbers.setdefault(source, place + self._markers.first)
        self._cited.setdefault(source, []).append(quote)
        marker = self._markers.write(number, quote.hit)
        piece = followed_by(text, marker)
        self._text += piece
        spans = self._spans.setdefault(source, [])
        if marker:
            spans.append((len(self._text) - len(marker), len(self._text)))
        return piece


def _bounds(quotes: Sequence[Quote]) -> tuple[tuple[int, int], ...]:
    """The places of the sentences that answer, in the passage of the first one."""
    chunk_id = quotes[0].hit.chunk.chunk_id
    marked = (sentence for quote in quotes if quote.hit.chunk.chunk_id == chunk_id for sentence in quote.marked)
    return tuple((sentence.start, sentence.end) for sentence in marked)


async def _complete(quotes: Sequence[Quote], turn: Turn, index: Index) -> list[Quote]:
    """The quotes whose passages their reader may read now, each completed as far as the reader may read the adjacent passages. Passages of
    external systems are kept: their permissions are unknown."""
    beside = [_beside(quote) for quote in quotes]
    own = {quote.hit.chunk.chunk_id for quote in quotes if not quote.hit.chunk.chunk_id.startswith(EXTERNAL_IDS)}
    chunk_ids = sorted(own.union(filter(None, chain.from_iterable(beside))))
    read = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, chunk_ids)} if chunk_ids else {}
    gone = own - read.keys()
    completed: list[Quote] = []
    for quote, ids in zip(quotes, beside, strict=True):
        if quote.hit.chunk.chunk_id in gone:
            continue
        before, after = (read.get(chunk_id or "") for chunk_id in ids)
        whole = _completed(quote, before, after)
        if not any(is_same(whole, other) for other in completed):
            completed.append(whole)
    return completed


def _beside(quote: Quote) -> tuple[str | None, str | None]:
    """The ids of the passages before and after in which the block may go on."""
    chunk, block = quote.hit.chunk, quote.block
    if chunk.chunk_id.startswith(EXTERNAL_IDS) or not chunk.parts:
        return None, None
    before, after = (make_chunk_id(chunk.doc_id, chunk.generation, chunk.ordinal + by) for by in (-1, 1))
    is_last = block.numbers[-1] == len(quote.blocks.bounds) - 1
    return before if _is_cut(quote) and chunk.ordinal else None, after if is_last else None


def _is_cut(quote: Quote) -> bool:
    """Whether the block begins in the passage before."""
    first = _first_part(quote)
    return first.block >= 0 and first.start > 0 and first == next(part for part in quote.hit.chunk.parts if part.block == first.block)


def _first_part(quote: Quote) -> Part:
    at = quote.blocks.bounds[quote.block.numbers[0]][0]
    return next(part for part in reversed(quote.hit.chunk.parts) if part.offset <= at)


def _completed(quote: Quote, before: Chunk | None, after: Chunk | None) -> Quote:
    if before is None and after is None:
        return quote
    chunk, first, bounds = quote.hit.chunk, _first_part(quote), quote.blocks.bounds
    glue = GLUE.get(quote.block.kind, "\n")
    head, tail = _of_block(before, first.block, at_end=True), _of_block(after, first.block, at_end=False)
    if not head and not tail:
        return quote
    head, tail = head and head + glue, tail and glue + tail
    at, by, behind = first.offset, len(head), len(chunk.text) + len(head)
    added = [(start + at, end + at) for start, end in _split(head, quote)]
    bounds = [
        *((start, end) for start, end in bounds if start < at),
        *added,
        *((start + by, end + by) for start, end in bounds if start >= at),
        *((start + behind, end + behind) for start, end in _split(tail, quote)),
    ]
    parts = [part if part.offset < at else part._replace(offset=part.offset + by) for part in chunk.parts]
    if head:
        parts.insert(chunk.parts.index(first), first._replace(start=0))
    whole = replace(chunk, text=f"{chunk.text[:at]}{head}{chunk.text[at:]}{tail}", parts=tuple(parts))
    blocks = blocks_of(whole, bounds)
    excerpt = cut(
        blocks, quote.best.number + len(added), {sentence.number + len(added) for sentence in quote.marked}, whole=quote.best.introduces
    )
    return replace(quote, blocks=blocks, excerpt=excerpt) if excerpt else quote


def _of_block(chunk: Chunk | None, block: int, *, at_end: bool) -> str:
    """The part of the block at the end or the beginning of a passage; "" = none, or the passage may not be read."""
    if chunk is None:
        return ""
    ends = [*(part.offset for part in chunk.parts[1:]), len(chunk.text)]
    own = [(part.offset, end) for part, end in zip(chunk.parts, ends, strict=True) if part.block == block and (at_end or part.start > 0)]
    return chunk.text[own[0][0] : own[-1][1]].strip() if own else ""


def _split(text: str, quote: Quote) -> list[tuple[int, int]]:
    if quote.block.kind == "code":
        return [(len(text) - len(text.lstrip()), len(text.rstrip()))] if text.strip() else []
    return split_sentences(text, quote.hit.chunk.lang)
