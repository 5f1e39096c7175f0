"""The extractive answer, without a language model: up to three sentences with citations, or a refusal.

Each sentence of the best passages is scored by the question's terms it contains (weighted by rarity), its cosine similarity
and whether it contains the type of answer that is asked for:

    with vectors     .3 covt + .2 covn + .4 cos(q, s) + .4 cos(q, passage) + .1 type + .25 covp
    without          .5 covt + .3 covn + .3 covp + .1 type

covt = share of the terms in the sentence, title and headings; covn = in the sentence and its neighbours; covp = in the passage
and title. Each is computed as if one more term of the highest rarity had been asked for and not found, because a question may
have few terms: of “How does it work?” only “work” is left. In covt, two neighbouring terms of the question that are also
adjacent in the sentence count as one more term. Sentences whose score falls off are dropped; below a threshold, calibrated per
language, the question is refused.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from footnote.answer.citation_styles import markers_of
from footnote.answer.messages import message
from footnote.events import Event, Token
from footnote.ports import Index
from footnote.text.answer_types import answer_type_score
from footnote.text.grounding import covered_share
from footnote.text.sentence_terms import read_terms, sentence_terms
from footnote.text.sentences import looks_like_heading, split_sentences
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.types import EXTERNAL_IDS, Answer, Chunk, ChunkSentences, Citation, Hit, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PASSAGES = 5
MOST_SENTENCES = 3
FALL_OFF = 0.22
RULE = frozenset("-: ")
"""Characters of the line between a table's header and its rows."""
TABLE_HEAD = re.compile(r"\|.*\|\n\|(?: ?:?-+:? ?\|)+")
LEAD_IN = re.compile(r"[^.!?。！？]*[:：]")
LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
UNSEEN = ""
"""A term that occurs nowhere: it has the highest weight in a collection."""

VECTOR_THRESHOLD = 0.66
"""Refuse below this score if sentence vectors were compared (English, MiniLM)."""
SURE_BY_WORDS = 0.66
"""Answer from this word score on, regardless of the vectors."""
WORD_THRESHOLDS = {"en": 0.4, "de": 0.288, "ko": 0.38}
"""Refuse below this score if only words were compared."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence of a hit and its scores. `words`: without vectors. `score`: with vectors if there are any, else `words`."""

    hit: Hit
    start: int
    end: int
    score: float
    words: float
    by_vector: bool

    @property
    def text(self) -> str:
        """The sentence as it is in the passage."""
        return self.hit.chunk.text[self.start : self.end]

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.text.startswith("|")

    @property
    def page(self) -> int | None:
        """Page of its beginning, from 1; None if unknown."""
        return self.hit.chunk.page_at(self.start)


async def extract(turn: Turn, *, index: Index) -> AsyncIterator[Event | Turn]:
    """Streams the best sentences with their citations; ends the turn as refused if none is good enough."""
    ranked = await rank_sentences(turn, index)
    if not is_answer(ranked, turn.lang):
        text = message("refused", turn.lang)
        yield Token(text)
        yield replace(turn, outcome="refused", answer=Answer(text, extractive=True))
        return
    markers = markers_of(turn)
    numbers: dict[str, int] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    cited: dict[str, list[Scored]] = {}
    text = ""
    for sentence in pick(ranked):
        chunk_id = sentence.hit.chunk.chunk_id
        number = numbers.setdefault(
            chunk_id, turn.evidence.hits.index(sentence.hit) + 1 if markers.style.at_end else len(numbers) + markers.first
        )
        cited.setdefault(chunk_id, []).append(sentence)
        marker = markers.write(number, sentence.hit)
        piece = ("\n\n" if text else "") + f"{readable(sentence)} {marker}".rstrip()
        places = spans.setdefault(chunk_id, [])
        if marker:
            places.append((len(text) + len(piece) - len(marker), len(text) + len(piece)))
        text += piece
        yield Token(piece)
    citations = tuple(
        Citation(number, quoted[0].hit, quoted[0].text, quoted[0].page, tuple((q.start, q.end) for q in quoted), tuple(spans[chunk_id]))
        for (chunk_id, quoted), number in zip(cited.items(), numbers.values(), strict=True)
    )
    yield replace(turn, answer=Answer(text, citations, extractive=True))


async def rank_sentences(turn: Turn, index: Index) -> list[Scored]:
    """Scores the sentences of the first PASSAGES hits; best first."""
    hits = turn.evidence.hits[:PASSAGES]
    terms = content_terms(turn.asked, turn.lang)
    weights = await index.term_weights(turn.caller, turn.request.collection, [*terms, UNSEEN])
    known = await index.sentences(turn.caller, [hit.chunk.chunk_id for hit in hits], turn.embedder)
    stored = {**known, **_sentences_outside([hit.chunk for hit in hits])}
    scored = [
        sentence
        for hit in hits
        if hit.chunk.chunk_id in stored
        for sentence in _score_hit(turn, hit, stored[hit.chunk.chunk_id], terms, weights)
    ]
    return sorted(scored, key=lambda sentence: -sentence.score)


def _sentences_outside(chunks: Sequence[Chunk]) -> dict[str, ChunkSentences]:
    """Sentences of passages from other systems, which the index does not contain; without vectors."""
    outside = [(chunk, tuple(split_sentences(chunk.text, chunk.lang))) for chunk in chunks if chunk.chunk_id.startswith(EXTERNAL_IDS)]
    return {chunk.chunk_id: ChunkSentences(bounds, None, None, *read_terms(sentence_terms(chunk, bounds))) for chunk, bounds in outside}


def pick(ranked: Sequence[Scored]) -> list[Scored]:
    """The best sentence and up to two more whose score is at most FALL_OFF lower.

    Duplicates are dropped. Rows of a table are used only if the best sentence is one: beside prose they rarely add anything.
    """
    picked: dict[str, Scored] = {}
    for sentence in ranked:
        if len(picked) == MOST_SENTENCES or ranked[0].score - sentence.score > FALL_OFF:
            break
        if sentence.is_row and not ranked[0].is_row:
            continue
        picked.setdefault(readable(sentence).casefold(), sentence)
    return list(picked.values())


def is_answer(ranked: Sequence[Scored], lang: str) -> bool:
    """Whether the best sentence is good enough to be an answer: by its vector score, or by containing nearly all words of the
    question, since vectors represent rows of tables poorly."""
    if not ranked:
        return False
    best = ranked[0]
    if best.by_vector:
        return best.score >= VECTOR_THRESHOLD or best.words >= SURE_BY_WORDS
    return best.words >= WORD_THRESHOLDS.get(lang, WORD_THRESHOLDS["en"])


def readable(sentence: Scored) -> str:
    """The sentence for display: on one line, without list markers; cells of a table's row with their column names."""
    text = sentence.text
    if not sentence.is_row:
        return LIST_MARK.sub("", " ".join(text.split()))
    table = sentence.hit.chunk.text[: sentence.end].rsplit("\n\n", 1)[-1]
    header, rows = _cells(table.split("\n", 1)[0]), [_cells(line) for line in text.splitlines()]
    shown = [_named(header, row) for row in rows if row != header and not RULE.issuperset("".join(row))]
    return "; ".join(shown) or " · ".join(cell for cell in header if cell)


def _named(header: Sequence[str], row: Sequence[str]) -> str:
    if len(header) != len(row):
        return " · ".join(cell for cell in row if cell)
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, row, strict=True) if cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _score_hit(turn: Turn, hit: Hit, stored: ChunkSentences, terms: Sequence[str], weights: dict[str, float]) -> list[Scored]:
    chunk, lang = hit.chunk, turn.lang
    title = set(content_terms(" ".join((chunk.title, *chunk.headings)), lang))
    missing = weights.get(UNSEEN, 0.0)
    said = [content_terms(chunk.text[start:end], lang) for start, end in stored.bounds]
    held = [set(one) for one in said]
    pairs = _pairs(terms, lang, weights)
    weights = {**weights, **pairs}
    covp = covered_share(terms, title.union(*held), weights, missing=missing)
    cosines = _cosines(turn.vectors[0] if turn.vectors else None, stored)
    scored = []
    for i, (start, end) in enumerate(stored.bounds):
        sentence = chunk.text[start:end]
        if _names_only(chunk, start, end) or _asks(sentence, turn.asked):
            continue
        together = pairs.keys() & _pairs(said[i], lang)
        covt = covered_share([*terms, *together], held[i] | title | together, weights, missing=missing)
        covn = covered_share(terms, set().union(*held[max(0, i - 1) : i + 2]), weights, missing=missing)
        kind = answer_type_score(turn.asked, sentence)
        score = words = 0.5 * covt + 0.3 * covn + 0.3 * covp + 0.1 * kind
        if cosines is not None:
            score = 0.3 * covt + 0.2 * covn + 0.4 * cosines[i + 1] + 0.4 * cosines[0] + 0.1 * kind + 0.25 * covp
        scored.append(Scored(hit, start, end, score, words, cosines is not None))
    return scored


def _pairs(terms: Sequence[str], lang: str, weights: Mapping[str, float] | None = None) -> dict[str, float]:
    """Pairs of neighbouring terms, in either order → their mean weight. None for bigrams, which overlap anyway."""
    if lang in BIGRAM_LANGUAGES:
        return {}
    weights = weights or {}
    return {" ".join(sorted(pair)): sum(weights.get(term, 1.0) for term in pair) / 2 for pair in pairwise(terms) if pair[0] != pair[1]}


def _names_only(chunk: Chunk, start: int, end: int) -> bool:
    """Whether it is a heading, caption, table header or the lead-in of a list: these answer nothing by themselves."""
    named = chunk.kind_at(start) in ("heading", "caption") or LEAD_IN.fullmatch(chunk.text, start, end)
    if named or looks_like_heading(chunk.text, start, end):
        return True
    paragraph = start - len(chunk.text[:start].rsplit("\n\n", 1)[-1])
    head = TABLE_HEAD.match(chunk.text, paragraph)
    return head is not None and end <= head.end()


def _asks(sentence: str, question: str) -> bool:
    """Whether the sentence is itself a question, or repeats the question asked."""
    words, asked = " ".join(sentence.lower().split()), question.rstrip("?？ .").lower()
    return words.rstrip("\"'”’» ").endswith(("?", "？")) or f"{asked}?" in words or f"{asked}？" in words


def _cosines(question: npt.NDArray[np.float32] | None, stored: ChunkSentences) -> list[float] | None:
    """Cosine of the question with the passage, then with each sentence; None without vectors."""
    if question is None or stored.vectors is None or stored.passage is None:
        return None
    return [float(stored.passage @ question), *((stored.vectors @ question) / 127.0).tolist()]


async def is_answerable(turn: Turn, *, index: Index) -> bool:
    """Whether `extract` would answer from these hits."""
    return is_answer(await rank_sentences(turn, index), turn.lang)
