"""The extractive answer, without a language model: sentences of the documents with citations, the closest passages, or neither.

`score_sentences` scores the sentences of the first PASSAGES hits, `pick_sentences` chooses those that answer together, `tiers` decides
whether they are an answer. The sentences of a passage stand below its title and section, so that they are understood.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from footnote.answer.calibration import Calibration
from footnote.answer.citation_styles import Markers, markers_of
from footnote.answer.messages import message
from footnote.answer.pick_sentences import pick
from footnote.answer.score_sentences import Question, Scored, score_passage
from footnote.answer.show_sentence import between, escaped, in_quotes, item_mark, readable, source_name
from footnote.answer.sub_questions import decisive, shown_question, turns_of
from footnote.answer.tiers import judge, score_evidence
from footnote.errors import ModelUnavailable
from footnote.events import Event, Token
from footnote.ports import Embedder, Index, speaks
from footnote.text.code_spans import followed_by
from footnote.text.embedded_texts import passage_of, passage_vectors, quantise
from footnote.text.grounding import UNSEEN
from footnote.text.language_names import language_name
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import EXTERNAL_IDS, Answer, Chunk, ChunkSentences, Citation, Turn, Verdict

PASSAGES = 5
CLOSEST = 3
EMBED_S = 3.0
"""Longest wait for vectors of passages that have none yet; the shortest limit of a step that waits is five seconds."""


class Part(NamedTuple):
    """One of a turn's questions: its sentences, those that would be quoted, and whether they answer it."""

    question: str
    sentences: list[Scored]
    picked: list[Scored]
    verdict: Verdict


async def extract(turn: Turn, *, index: Index, embedder: Embedder | None, calibration: Calibration) -> AsyncIterator[Event | Turn]:
    """Streams the answer of the tier that `tiers.judge` chooses. Without an answer the turn's outcome is `closest` or `refused`. Of several
    questions each is answered by itself; those that are not are named at the end."""
    parts = await read_parts(turn, index=index, embedder=embedder, calibration=calibration)
    verdict = decisive([part.verdict for part in parts])
    if verdict.tier == "nothing":
        yield Token(text := message("refused", turn.lang))
        yield replace(turn, outcome="refused", answer=Answer(text, extractive=True, verdict=verdict))
        return
    writer = Writer(turn, markers_of(turn))
    for piece in writer.closest(closest_of(parts)) if verdict.tier == "closest" else writer.quotes(quotes_of(parts)):
        yield Token(piece)
    if verdict.tier == "answer":
        for part in parts:
            if part.verdict.tier != "answer":
                yield Token(writer.say(message("part_unanswered", turn.lang, question=shown_question(part.question))))
    yield replace(turn, outcome="closest" if verdict.tier == "closest" else None, answer=writer.answer(verdict))


async def read_parts(turn: Turn, *, index: Index, embedder: Embedder | None = None, calibration: Calibration) -> list[Part]:
    """The questions of the turn, mostly one, each with its sentences and verdict."""
    hits = {hit.chunk.chunk_id: hit for hit in turn.evidence.hits}
    parts: list[Part] = []
    for one in turns_of(turn):
        question, sentences = await read_sentences(one, index, embedder)
        picked = pick_quotes(question, sentences)
        verdict = judge(question, sentences, picked, await calibration.median(one, by_vectors=question.by_vectors))
        if one is not turn:  # citations are of the turn's own hits
            sentences, picked = ([replace(each, hit=hits[each.hit.chunk.chunk_id]) for each in some] for some in (sentences, picked))
        parts.append(Part(one.asked, sentences, picked, verdict))
    return parts


def quotes_of(parts: Sequence[Part]) -> list[Scored]:
    """The sentences that answer, of all questions, each once."""
    picked = {(each.hit.chunk.chunk_id, each.number): each for part in parts if part.verdict.tier == "answer" for each in part.picked}
    return list(picked.values())


def closest_of(parts: Sequence[Part]) -> list[Scored]:
    """The best sentences of the CLOSEST passages, those of several questions in turn."""
    near = [closest(part.sentences) for part in parts if part.verdict.tier == "closest"]
    return list({each.hit.chunk.chunk_id: each for each in filter(None, chain.from_iterable(zip_longest(*near)))}.values())[:CLOSEST]


async def read_sentences(
    turn: Turn, index: Index, embedder: Embedder | None = None, *, passages: int = PASSAGES
) -> tuple[Question, list[Scored]]:
    """The question and the scored sentences of the first hits, in the order of the hits. `embedder`: embeds passages whose
    vectors are still missing, which takes some 100 ms. If none has vectors, or it fails or is late, words alone count."""
    hits = turn.evidence.hits[:passages]
    terms = content_terms(turn.asked, turn.lang)
    weights = await index.term_weights(turn.caller, turn.request.collection, [*terms, UNSEEN])
    known = await index.sentences(turn.caller, [hit.chunk.chunk_id for hit in hits], turn.embedder)
    vector = turn.vectors[0] if turn.vectors else None
    if vector is not None and embedder is not None:
        try:
            async with asyncio.timeout(EMBED_S):
                known |= await _embedded([hit.chunk for hit in hits], known, embedder)
        except (TimeoutError, ModelUnavailable):
            vector = None
    if all(found.vectors is None for found in known.values()):
        vector = None
    question = Question(turn.reading, weights, vector, turn.languages)
    scorable = {**known, **_outside([hit.chunk for hit in hits])}
    return question, [
        sentence
        for hit in hits
        if hit.chunk.chunk_id in scorable
        for sentence in score_passage(question, hit, scorable[hit.chunk.chunk_id])
    ]


async def _embedded(chunks: Sequence[Chunk], known: Mapping[str, ChunkSentences], embedder: Embedder) -> dict[str, ChunkSentences]:
    """The known passages without vectors, with vectors."""
    missing = [
        (chunk, passage)
        for chunk in chunks
        if (passage := known.get(chunk.chunk_id)) is not None and passage.vectors is None and speaks(embedder, chunk.lang)
    ]
    if not missing:
        return {}
    made = await passage_vectors(embedder, [passage_of(c.title, c.headings, c.text, passage.bounds) for c, passage in missing])
    return {
        chunk.chunk_id: replace(passage, passage=rows[0], vectors=quantise(rows[1:]))
        for (chunk, passage), rows in zip(missing, made, strict=True)
    }


def _outside(chunks: Sequence[Chunk]) -> dict[str, ChunkSentences]:
    """Sentences of passages from other systems, which the index does not contain; without vectors."""
    found = {}
    for chunk in chunks:
        if chunk.chunk_id.startswith(EXTERNAL_IDS):
            bounds = tuple(split_sentences(chunk.text, chunk.lang))
            terms = tuple(" ".join(content_terms(chunk.text[start:end], chunk.lang)) for start, end in bounds)
            found[chunk.chunk_id] = ChunkSentences(bounds, terms=terms, heading_terms=" ".join(content_terms(chunk.title, chunk.lang)))
    return found


def pick_quotes(question: Question, sentences: Sequence[Scored]) -> list[Scored]:
    """The sentences that would answer. Where some define what is asked for, others that only use the word do not answer."""
    if any(each.tells for each in sentences):
        sentences = [each for each in sentences if each.tells or each.features.defines]
    return pick(sentences, question.shape)


def closest(sentences: Sequence[Scored]) -> list[Scored]:
    """The best sentence of each of the CLOSEST passages. What several of them say alike is shown once."""
    best: dict[str, Scored] = {}
    for each in sorted(sentences, key=lambda each: (not each.quotable, -each.score)):
        best.setdefault(each.hit.chunk.chunk_id, each)
    said: dict[str, Scored] = {}
    for each in best.values():
        said.setdefault(each.text, each)
    return list(said.values())[:CLOSEST]


async def certain_quotes(turn: Turn, *, index: Index, embedder: Embedder | None = None, calibration: Calibration) -> list[Scored]:
    """The sentences with which `extract` would answer from these hits; [] = it would not answer."""
    return quotes_of(await read_parts(turn, index=index, embedder=embedder, calibration=calibration))


async def score_turn(turn: Turn, *, index: Index) -> float:
    """`tiers.score_evidence` of a turn's hits."""
    return score_evidence(*await read_sentences(turn, index))


def verdict_shown(turn: Turn) -> dict[str, Any]:
    """The tier of an extractive answer, and why, for explanations; {} if a language model wrote it."""
    verdict = turn.answer.verdict if turn.answer else None
    return {"tier": verdict.tier, "because": verdict.because, "score": round(verdict.score, 2)} if verdict else {}


class Writer:
    """Writes sentences with their markers, and collects the citations."""

    def __init__(self, turn: Turn, markers: Markers) -> None:
        self._turn = turn
        self._markers = markers
        self._asked = frozenset(content_terms(turn.asked, turn.lang))
        self._text = ""
        self._numbers: dict[Hashable, int] = {}
        self._spans: dict[Hashable, list[tuple[int, int]]] = {}
        self._cited: dict[Hashable, list[Scored]] = {}

    def quotes(self, picked: Sequence[Scored]) -> list[str]:
        """The pieces of an answer; each ends with a citation."""
        pieces: list[str] = []
        name, before = "", None
        for sentence in picked:
            lead = between(before, sentence)
            if (here := self._source(sentence)) != name:
                name, lead = here, ("\n\n" if pieces else "") + f"{here}\n\n{item_mark(sentence)}"
            pieces.append(self._cite(lead + readable(sentence, self._asked), sentence))
            before = sentence
        return pieces

    def say(self, sentence: str) -> str:
        """The piece of a sentence of our own, which cites nothing."""
        self._text += (piece := f"\n\n{sentence}")
        return piece

    def closest(self, best: Sequence[Scored]) -> list[str]:
        """The pieces that show the closest passages."""
        self._text = message("closest", self._turn.lang)
        shown = [self._cite(f"\n\n{self._source(each)}:{in_quotes(readable(each, self._asked))}", each) for each in best]
        return [message("closest", self._turn.lang), *shown]

    def answer(self, verdict: Verdict) -> Answer:
        """The whole answer."""
        citations = tuple(
            Citation(number, first.hit, first.text, first.page, tuple(_bounds(c, first) for c in cited), tuple(self._spans[source]))
            for (source, cited), number in zip(self._cited.items(), self._numbers.values(), strict=True)
            for first in cited[:1]
        )
        return Answer(self._text, citations, extractive=True, verdict=verdict)

    def _source(self, sentence: Scored) -> str:
        """The name above what is quoted, with its language if the reader asked in another."""
        said, asked = sentence.hit.chunk.lang, self._turn.lang
        language = language_name(said, asked) if said != asked else None
        return f"**{escaped(source_name(sentence))}**" + (f" ({language})" if language else "")

    def _cite(self, text: str, sentence: Scored) -> str:
        chunk, style = sentence.hit.chunk, self._markers.style
        source: Hashable = (chunk.shown_title, sentence.page) if style.merges else chunk.chunk_id
        of_passage = style.at_end or style.keeps_numbers
        place = self._turn.evidence.hits.index(sentence.hit) if of_passage else len(self._numbers)
        number = self._numbers.setdefault(source, place + self._markers.first)
        self._cited.setdefault(source, []).append(sentence)
        marker = self._markers.write(number, sentence.hit)
        piece = followed_by(text, marker)
        self._text += piece
        spans = self._spans.setdefault(source, [])
        if marker:
            spans.append((len(self._text) - len(marker), len(self._text)))
        return piece


def _bounds(sentence: Scored, first: Scored) -> tuple[int, int]:
    """The sentence's place in the passage that is cited; of another passage of the same page, the place of the first sentence."""
    return (sentence.start, sentence.end) if sentence.hit.chunk.chunk_id == first.hit.chunk.chunk_id else (first.start, first.end)
