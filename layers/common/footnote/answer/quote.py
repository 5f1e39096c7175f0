"""The answer in quotes of the documents: that of `extract`; an overview, if the question is about all of the attached files or of a
collection: excerpts that begin their passages and sections; or the sources of the last answer, if a task about it needs a model."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from itertools import chain, islice, zip_longest

from footnote.answer.choose import Quote, quote_of
from footnote.answer.citation_styles import markers_of
from footnote.answer.extract import Writer, extract, read_sentences
from footnote.answer.messages import message
from footnote.answer.score_sentences import Scored
from footnote.answer.sub_questions import shown_question
from footnote.events import Event, Quoted, Token
from footnote.ports import Embedder, Index
from footnote.steps import known_early
from footnote.text.language import detect_language
from footnote.types import Answer, Citation, Turn, Verdict
from footnote.types.copies import replace

PASSAGES, EXCERPTS, QUESTIONS = 10, 4, 5
"""How many passages are read, excerpts quoted, and earlier questions named."""
LABEL = re.compile(r"(?:^|\s)[A-Z가-힣][\w/ -]{1,24}: ")
"""“Version: 3.2 Effective Date: January 1”: two of them are a record of the document, not its content."""
SURE = Verdict("answer", "sure")
SILENT = Verdict("nothing", "unrelated")


@known_early
def is_quoted_first(turn: Turn) -> bool:
    """A language model answers, and the request asks for quotes until its answer comes."""
    return turn.profile.quotes_first and turn.plan.model is not None


async def quote_first(turn: Turn, *, index: Index, embedder: Embedder | None) -> Turn:
    """Sets `turn.quoted` to the result of `quote`."""
    quoted = turn
    async for item in quote(turn, index=index, embedder=embedder):
        quoted = item if isinstance(item, Turn) else quoted
    return replace(turn, quoted=quoted)


def has_quotes(turn: Turn) -> bool:
    """Quotes answer the question, or passages are close."""
    return turn.shows_quotes


async def show_quotes(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Shows the quotes."""
    if turn.quoted is not None:
        yield Quoted(turn.quoted)
    yield turn


async def quote(turn: Turn, *, index: Index, embedder: Embedder | None) -> AsyncIterator[Event | Turn]:
    """Streams an overview, if one is asked for; else as `extract`. Documents without sentences give none. The sources of the last answer
    follow a notice about tasks for a model. The result of `quote_first` is neither made nor shown again."""
    if (quoted := turn.quoted) is not None:
        answer = quoted.answer or Answer(message("refused", turn.lang), extractive=True, verdict=SILENT)  # what may not be shown
        if not turn.shows_quotes:
            yield Token(answer.text)
        evidence = replace(turn.evidence, hits=quoted.evidence.hits)  # a prompt may have had no room for all that it cites
        yield replace(turn, answer=answer, outcome=quoted.outcome, evidence=evidence)
        return
    if turn.conversation.is_asked_about and turn.answer is None:
        turn = await _last_answer(turn, extract(turn, index=index, embedder=embedder))
        yield Token(turn.answer.text if turn.answer else "")
        yield turn
        return
    scope = turn.reading.scope
    of_collection = scope.collection
    wants_overview = of_collection or (scope.attached is not None and scope.attached.whole)
    picked = beginnings((await read_sentences(turn, index, passages=PASSAGES))[1]) if wants_overview else []
    if of_collection and not picked:
        yield Token(text := message("refused", turn.lang))
        yield replace(turn, outcome="refused", answer=Answer(text, extractive=True, verdict=SILENT))
        return
    if not picked:
        async for item in extract(turn, index=index, embedder=embedder):
            yield item
        return
    async for item in _overview(turn, picked):
        yield item


async def _last_answer(turn: Turn, quoted: AsyncIterator[Event | Turn]) -> Turn:
    """The turn with the earlier question, and quotes of the last answer's sources."""
    questions = ", ".join(f"“{shown_question(exchange.question)}”" for exchange in turn.conversation.exchanges[-QUESTIONS:])
    lang = detect_language(turn.request.question, [turn.lang])  # the turn has that of the earlier question
    text = message("last_answer_needs_model", lang, questions=questions)
    turns = [item async for item in quoted if isinstance(item, Turn) and item.answer] if turn.evidence.hits else []
    if not turns or not (answer := turns[-1].answer) or not answer.citations:
        return replace(turn, answer=Answer(text, extractive=True, verdict=SURE))
    text = f"{text}\n\n{message('its_passages', lang)}\n\n"
    citations = tuple(moved(citation, len(text)) for citation in answer.citations)
    return replace(turns[-1], outcome=None, answer=replace(answer, text=text + answer.text, citations=citations, verdict=SURE))


def moved(citation: Citation, by: int, numbers: int = 0) -> Citation:
    """The citation in an answer that so many characters and citations were put before."""
    spans = tuple((start + by, end + by) for start, end in citation.spans)
    return replace(citation, number=citation.number + numbers, spans=spans)


async def _overview(turn: Turn, picked: Sequence[Quote]) -> AsyncIterator[Event | Turn]:
    writer = Writer(turn, markers_of(turn))
    for quote in picked:
        yield Token(writer.quote(quote))
    name = "overview_of_collection" if turn.reading.scope.collection else "overview"
    yield Token(writer.say(message(name, turn.lang)))
    yield replace(turn, answer=writer.answer(SURE))


def beginnings(sentences: Sequence[Scored]) -> list[Quote]:
    """EXCERPTS of these in reading order: around the first sentences of the passages, then of their further sections, without records,
    which introduce nothing."""
    sections: dict[str, dict[str, Scored]] = {}
    for sentence in sentences:
        if sentence.quotable and not sentence.is_heading and len(LABEL.findall(sentence.text)) < 2:
            sections.setdefault(sentence.hit.chunk.chunk_id, {}).setdefault(sentence.heading, sentence)
    in_turn = filter(None, chain.from_iterable(zip_longest(*(firsts.values() for firsts in sections.values()))))
    first = sorted(islice(in_turn, EXCERPTS), key=lambda sentence: (sentence.hit.chunk.doc_id, sentence.hit.chunk.ordinal, sentence.number))
    return [quote for sentence in first if (quote := quote_of(sentence, [other for other in sentences if other.hit is sentence.hit]))]
