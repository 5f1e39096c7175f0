"""Criticises an answer and revises it, before it is shown.

Critique finds the sentences that the passages do not support, by the check of `support` and, where RAG__CRITIC asks for it, by the model.
`guard.answer_policy` finds what breaks the policy. Doubted sentences are searched for again, and the model corrects them or leaves them
out. Sentences against the policy are left out, too. Where the documents lack the answer, the missing information is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, Field

from footnote.answer.citation_styles import STYLES, markers_of
from footnote.answer.context import fenced
from footnote.answer.flaws import find_flaw, lacks_information
from footnote.answer.generate import generate
from footnote.answer.support import check_claims
from footnote.answer.toolbox import Search
from footnote.errors import FootnoteError
from footnote.model_calls import ask
from footnote.ports import Embedder, Index, Models, Verifier
from footnote.prompts import Prompts
from footnote.settings import LLM, Rag
from footnote.text.sentences import split_sentences
from footnote.text.untrusted import untrusted
from footnote.types import LONGEST_QUERY, Answer, Conversation, Hit, Message, Reading, Revision, Turn
from footnote.types.copies import replace

ROUNDS, ROUNDS_AT_MAXIMUM = 1, 2
SEARCHED = 2
"""Statements, or queries for missing information, that are searched for in a round."""
FOUND = 3
"""Further passages that the model is shown in a round."""
LIMIT_S = 15
REPLY_TOKENS = 1000


class Criticism(BaseModel, defer_build=True):
    """The model's reply."""

    unsupported: list[int] = Field(description="a list of the numbers of the sentences that no document supports")


async def critique(
    turn: Turn, *, index: Index, embedder: Embedder | None, verifier: Verifier | None, models: Models, prompts: Prompts, rag: Rag
) -> Turn:
    """Sets `answer.claims` and `review.doubted`, the unsupported sentences, and notes these. If the model cannot decide, none are doubted;
    nor in an answer that only says that the documents lack it."""
    answer = turn.answer
    if answer is None or lacks_information(answer, turn.lang):
        return turn
    turn, claims = await check_claims(turn, answer, index, embedder, verifier)
    answer = replace(answer, claims=claims)
    turn, doubted = replace(turn, answer=answer), doubted_of(answer)
    if rag.critic == "model":
        doubted += [sentence for sentence in await _ask_model(turn, answer, models, prompts) if sentence not in doubted]
    if not doubted:
        return turn
    review = replace(turn.trace.review, doubted=tuple(doubted))
    return replace(turn, trace=replace(turn.trace, review=review)).with_notes(doubted=doubted)


def critique_shown(turn: Turn) -> dict[str, Any]:
    """The number of doubted sentences."""
    return {"doubted": len(turn.trace.review.doubted)}


def doubted_of(answer: Answer) -> list[str]:
    """The sentences that no passage supports."""
    text = answer.unmarked
    return [text[claim.start : claim.end] for claim in answer.claims if claim.is_doubted]


async def _ask_model(turn: Turn, answer: Answer, models: Models, prompts: Prompts) -> list[str]:
    """The sentences that the model takes for unsupported; none if it fails."""
    text = answer.unmarked
    sentences = [text[start:end] for start, end in split_sentences(text, turn.lang)]
    values = {
        "question": untrusted(turn.asked),
        "documents": [fenced(hit) for hit in turn.evidence.citable],
        "sentences": [untrusted(sentence) for sentence in sentences],
    }
    request = Message("user", prompts.render("critique", turn.lang, values, turn.plan.prompts))
    try:
        said = await ask(models, turn.plan.model, [request], Criticism, max_tokens=REPLY_TOKENS, timeout_s=LIMIT_S)
    except FootnoteError:
        return []
    return [sentences[number - 1] for number in dict.fromkeys(said.unsupported) if 0 < number <= len(sentences)]


class Missing(BaseModel, defer_build=True):
    """The model's queries for missing information."""

    queries: list[str] = Field(description="a list of texts, each of them a query")


async def revise(
    turn: Turn,
    *,
    models: Models,
    llm: LLM,
    index: Index,
    embedder: Embedder | None,
    verifier: Verifier | None,
    searcher: Search,
    prompts: Prompts,
    rag: Rag,
) -> Turn:
    """Has the answer revised once, at level maximum twice, while some of its sentences are doubted or break the policy. At that level, or
    if a model criticises, an answer that says that the documents lack it is revised, too. A revision that is no better is dropped, and ends
    it. Sets `review.revisions` to the rounds, and notes them as `revision`."""
    thorough = turn.plan.level == "maximum"
    seeks = thorough or rag.critic == "model"
    doubted: Sequence[str] = turn.trace.review.doubted
    forbidden: Sequence[str] = turn.trace.review.violations
    rounds: list[Revision] = []
    while len(rounds) < (ROUNDS_AT_MAXIMUM if thorough else ROUNDS):
        lacks = seeks and _lacks(turn)
        if not (lacks or doubted or forbidden):
            break
        queries = (
            await _ask_what_is_missing(turn, models, prompts) if lacks else [sentence for sentence in doubted if sentence not in forbidden]
        )
        hits = await _find(turn, queries, searcher)
        rounds.append(Revision(_because(turn, lacks, doubted), len(doubted), len(hits)))
        if lacks and not hits:
            break
        written = await _write(_with_request(turn, doubted, forbidden, hits, prompts), models, llm)
        written = await _checked(written, index, embedder, verifier)
        doubted_then, forbidden_then = doubted_of(written.answer or Answer("")), _still_in(written, forbidden)
        if not _is_better(written, turn, len(doubted) + len(forbidden), len(doubted_then) + len(forbidden_then)):
            break
        rounds[-1] = replace(rounds[-1], kept=True)
        turn, doubted, forbidden = written, doubted_then, forbidden_then
    if not rounds:
        return turn
    review = replace(turn.trace.review, revisions=tuple(rounds))
    return replace(turn, trace=replace(turn.trace, review=review)).with_notes(revision=[asdict(revision) for revision in rounds])


async def _checked(turn: Turn, index: Index, embedder: Embedder | None, verifier: Verifier | None) -> Turn:
    """The turn with the claims of its answer, except one that only says that the documents lack it."""
    if turn.answer is None or lacks_information(turn.answer, turn.lang):
        return turn
    answer = turn.answer
    turn, claims = await check_claims(turn, answer, index, embedder, verifier)
    return replace(turn, answer=replace(answer, claims=claims))


def is_revisable(turn: Turn) -> bool:
    """A model wrote an answer from passages that is not shown yet. One with another flaw than missing citations is left to `check`."""
    answer = turn.answer
    if answer is None or turn.outcome is not None or answer.extractive or turn.profile.live:
        return False
    return find_flaw(turn, answer) in (None, "uncited")


def _because(turn: Turn, lacks: bool, doubted: Sequence[str]) -> Literal["insufficient", "policy", "unsupported", "uncited"]:
    if lacks:
        return "insufficient"
    if not doubted:
        return "policy"
    return "unsupported" if turn.answer and turn.answer.citations else "uncited"


def revision_shown(turn: Turn) -> dict[str, Any]:
    """How many rounds there were, what they were for, and how many were kept."""
    rounds = turn.trace.review.revisions
    kept = sum(revision.kept for revision in rounds)
    return {"rounds": len(rounds), "kept": kept, "because": ", ".join(dict.fromkeys(revision.because for revision in rounds))}


def _lacks(turn: Turn) -> bool:
    return turn.answer is not None and lacks_information(turn.answer, turn.lang)


def _still_in(turn: Turn, sentences: Sequence[str]) -> list[str]:
    return [sentence for sentence in sentences if turn.answer and sentence.strip() in turn.answer.unmarked]


def _is_better(written: Turn, before: Turn, faults: int, faults_then: int) -> bool:
    """Whether fewer sentences have faults. An answer of which a part was supported is not given up, nor any for a truncated one."""
    if written.answer is None or written.answer.cut:
        return False
    if _lacks(written):
        return not _lacks(before) and before.answer is not None and not before.answer.citations
    return _lacks(before) or faults_then < faults


async def _ask_what_is_missing(turn: Turn, models: Models, prompts: Prompts) -> list[str]:
    """Queries for missing information; none if the model names none."""
    request = Message("user", prompts.render("missing", turn.lang, {}, turn.plan.prompts))
    messages = [*turn.messages, Message("assistant", _as_written(turn)), request]
    try:
        reply = await ask(models, turn.plan.model, messages, Missing, timeout_s=LIMIT_S)
    except FootnoteError:
        return []
    return [query for query in (" ".join(text.split()) for text in reply.queries) if 0 < len(query) <= LONGEST_QUERY]


async def _find(turn: Turn, queries: Sequence[str], searcher: Search) -> list[Hit]:
    """Further passages for the first of these queries. They are searched for like queries of an agent, by the same checks."""
    shown = {hit.chunk.chunk_id for hit in turn.evidence.citable}
    new: dict[str, Hit] = {}
    for query in queries[:SEARCHED]:
        trace = replace(turn.trace, calls=(), spans=())
        sub_turn = replace(
            turn.ask(query), reading=Reading(scope=turn.reading.scope), conversation=Conversation(), trace=trace, answer=None
        )
        try:
            searched = await searcher(sub_turn)
        except FootnoteError:  # it may not be searched for, or the search is down
            continue
        hits = searched.evidence.hits if searched.outcome is None else ()
        new |= {hit.chunk.chunk_id: hit for hit in hits if hit.chunk.chunk_id not in shown}
    return list(new.values())[:FOUND]


def _with_request(turn: Turn, claims: Sequence[str], forbidden: Sequence[str], hits: Sequence[Hit], prompts: Prompts) -> Turn:
    """The turn with the request to revise its answer. What was found follows the passages that the model has seen."""
    seen = turn.evidence.citable
    evidence = replace(turn.evidence, added=(*turn.evidence.added, *hits), shown=(*seen, *hits))
    documents = [{**fenced(hit), "number": number} for number, hit in enumerate(hits, start=len(seen) + 1)]
    by_id = STYLES[turn.profile.citation_style].by_id
    values = {
        "claims": [untrusted(claim) for claim in claims],
        "forbidden": [untrusted(sentence) for sentence in forbidden],
        "documents": documents,
        "by_id": by_id,
    }
    request = Message("user", prompts.render("revise", turn.lang, values, turn.plan.prompts))
    return replace(turn, evidence=evidence, messages=(*turn.messages, Message("assistant", _as_written(turn)), request))


def _as_written(turn: Turn) -> str:
    """The answer with the markers that the model knows: numbers by the order of the passages in its prompt."""
    answer = turn.answer or Answer("")
    places = {hit.chunk.chunk_id: number for number, hit in enumerate(turn.evidence.citable, start=1)}
    markers, text = markers_of(turn), answer.text
    marks = [(span, citation) for citation in answer.citations for span in citation.spans]
    for (start, end), citation in sorted(marks, key=lambda mark: mark[0], reverse=True):
        text = text[:start] + markers.style.write(places[citation.hit.chunk.chunk_id], citation.hit) + text[end:]
    if markers.style.at_end and answer.citations:
        text += f"\nSOURCES_USED: {', '.join(str(places[citation.hit.chunk.chunk_id]) for citation in answer.citations)}"
    return text


async def _write(turn: Turn, models: Models, llm: LLM) -> Turn:
    """The turn with the revised answer. Warnings, and questions if the model did not write them again, stay."""
    before = turn
    async for item in generate(turn, models=models, llm=llm):
        turn = item if isinstance(item, Turn) else turn
    questions = turn.trace.suggested_questions or before.trace.suggested_questions
    warnings = before.answer.warnings if before.answer else ()
    answer = replace(turn.answer, warnings=warnings) if turn.answer else None
    return replace(turn, answer=answer, trace=replace(turn.trace, suggested_questions=questions))
