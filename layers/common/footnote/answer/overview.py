"""The extractive answer to a question about all that attached files, or the documents of a collection, say: sentences that begin their
passages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from footnote.answer.calibration import Calibration
from footnote.answer.citation_styles import markers_of
from footnote.answer.extract import Writer, extract, read_sentences
from footnote.answer.messages import message
from footnote.answer.score_sentences import Scored
from footnote.events import Event, Quoted, Token
from footnote.ports import Embedder, Index
from footnote.steps import known_early
from footnote.text.captions import is_caption, names_place
from footnote.types import Answer, Turn, Verdict

PASSAGES, SENTENCES = 10, 6
"""How many passages are read, and sentences quoted."""
LABEL = re.compile(r"(?:^|\s)[A-Z가-힣][\w/ -]{1,24}: ")
"""“Version: 3.2 Effective Date: January 1”: two of them are a record of the document, not what it says."""
SURE = Verdict("answer", "sure", 0.0, 0.0, 0.0)
SILENT = Verdict("nothing", "no_sentence", 0.0, 0.0, 0.0)


@known_early
def is_quoted_first(turn: Turn) -> bool:
    """A language model answers, and the request asks for quotes until its answer comes."""
    return turn.profile.quotes_first and turn.plan.model is not None


async def quote_first(turn: Turn, *, index: Index, embedder: Embedder | None, calibration: Calibration) -> Turn:
    """Sets `turn.quoted` to what `quote` makes."""
    quoted = turn
    async for item in quote(turn, index=index, embedder=embedder, calibration=calibration):
        quoted = item if isinstance(item, Turn) else quoted
    return replace(turn, quoted=quoted)


def has_quotes(turn: Turn) -> bool:
    """Quotes answer the question, or passages are close."""
    return turn.shows_quotes


async def show_quotes(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Shows what is quoted."""
    if turn.quoted is not None:
        yield Quoted(turn.quoted)
    yield turn


async def quote(turn: Turn, *, index: Index, embedder: Embedder | None, calibration: Calibration) -> AsyncIterator[Event | Turn]:
    """Streams an overview, if that is asked for; else as `extract`. Of a collection whose documents say nothing in sentences there is
    none. What `quote_first` has made is not made again, nor is what it has shown."""
    if (made := turn.quoted) is not None:
        if made.answer is not None and not turn.shows_quotes:
            yield Token(made.answer.text)
        evidence = replace(turn.evidence, hits=made.evidence.hits)  # a prompt may have had no room for all that it cites
        yield replace(turn, answer=made.answer, outcome=made.outcome, evidence=evidence)
        return
    of_collection = "about_collection" in turn.record.notes
    wants_overview = of_collection or turn.record.notes.get("attached", {}).get("whole")
    picked = beginnings((await read_sentences(turn, index, passages=PASSAGES))[1]) if wants_overview else []
    if of_collection and not picked:
        yield Token(text := message("refused", turn.lang))
        yield replace(turn, outcome="refused", answer=Answer(text, extractive=True, verdict=SILENT))
        return
    if not picked:
        async for each in extract(turn, index=index, embedder=embedder, calibration=calibration):
            yield each
        return
    async for each in _overview(turn, picked):
        yield each


async def _overview(turn: Turn, picked: Sequence[Scored]) -> AsyncIterator[Event | Turn]:
    writer = Writer(turn, markers_of(turn))
    for piece in writer.quotes(picked):
        yield Token(piece)
    name = "overview_of_collection" if "about_collection" in turn.record.notes else "overview"
    yield Token(writer.say(message(name, turn.lang)))
    yield replace(turn, answer=writer.answer(SURE))


def beginnings(sentences: Sequence[Scored]) -> list[Scored]:
    """SENTENCES of these, the first ones of each passage, in reading order, without what introduces nothing: captions, paths, addresses."""
    of_passage: dict[str, list[Scored]] = {}
    for each in sentences:
        if each.quotable and not each.is_heading and _introduces(each):
            of_passage.setdefault(each.hit.chunk.chunk_id, []).append(each)
    in_turn = [each for each in chain.from_iterable(zip_longest(*of_passage.values())) if each is not None]
    return sorted(in_turn[:SENTENCES], key=lambda each: (each.hit.chunk.doc_id, each.hit.chunk.ordinal, each.number))


def _introduces(sentence: Scored) -> bool:
    text, passage = sentence.text, sentence.hit.chunk.text
    block = max(sentence.part, passage.rfind("\n\n", 0, sentence.start) + 2 if "\n\n" in passage[: sentence.start] else 0)
    is_record = len(LABEL.findall(text)) >= 2
    return not (is_record or names_place(text) or is_caption(passage[block : sentence.end]) or is_caption(text))
