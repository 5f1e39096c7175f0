"""Blocks questions about forbidden terms.

Mode qdrant: every match blocks. Mode llm: a model judges each matching question twice, for the matching terms and then for
sensitive personal data. Without a model, exact and synonym matches block; if the question asks for a method, such as
“급여 신청 방법” (how to apply for pay), only the similarity of the whole question counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Literal, Self

from pydantic import BaseModel, Field, ValidationInfo, model_validator

from footnote.errors import UnusableReply
from footnote.events import Event, Token
from footnote.guard.term_hits import TermHit, asks_for_a_method, match_of, match_terms
from footnote.guard.terms import TermCopy, Terms
from footnote.model_calls import ask
from footnote.ports import Embedder, Models, speaks
from footnote.prompts import Prompts
from footnote.settings import Rag
from footnote.text.untrusted import untrusted
from footnote.types import ASKED, Answer, Message, Turn, Vector
from footnote.types.copies import replace

SHOWN = 5
"""Number of matching terms in the prompt: the best ones."""
MODEL_S = 12.0
"""Time limit of one judgement, so that two fit into the step's timeout."""
BLOCKING = ("exact", "synonym")
"""Matches that block if there is no model to judge."""


class Verdict(BaseModel, defer_build=True):
    """The model's reply."""

    decision: Literal["allow", "block"] = Field(description='a text, "allow" or "block"')

    @model_validator(mode="after")
    def check_that_nothing_blocks(self, info: ValidationInfo) -> Self:
        """Rejects a reply that also contains "block": the object that allows may have been quoted from the question."""
        if self.decision == "allow" and '"block"' in str(info.context):
            raise ValueError("It says both allow and block")
        return self


async def check_forbidden(
    turn: Turn, *, terms: Terms, embedder: Embedder | None, models: Models, prompts: Prompts, rag: Rag
) -> AsyncIterator[Event | Turn]:
    """Ends a turn that asks for something forbidden with a notice. Raises if the check is not possible."""
    copy = await terms.current()
    if copy is None or not copy.terms:
        yield turn
        return
    questions = tuple(dict.fromkeys((*turn.query_texts, turn.request.question)))
    turn, vectors = await _with_vectors(turn, questions, terms.embedder if copy.vectors else None, searched_by=embedder)
    met = await _match_all(questions, vectors, turn.lang, copy, terms, rag)
    turn = _without_derived(turn, met)
    settling = {query.text for query in turn.answered} | {turn.request.question}
    met = {question: hits for question, hits in met.items() if question in settling}
    model = await models.pick(turn.plan.model) if met and rag.forbidden_check_mode == "llm" and turn.plan.allowance != "search" else None
    if rag.forbidden_check_mode == "qdrant":
        blocked = list(met.values())
    elif model is None:
        blocked = [hits for question, hits in met.items() if _is_plain(question, hits)]
    else:
        judged = await _judge_all(turn, met, model.name, models, prompts)
        blocked = [hits for hits, blocks in zip(met.values(), judged, strict=True) if blocks]
    if not blocked:
        yield turn
        return
    best = max((hit for hits in blocked for hit in hits), key=lambda hit: hit.similarity)
    guidance = prompts.render("forbidden_guidance", turn.lang, {"topic": best.term.topic}).strip()
    yield Token(guidance)
    yield replace(turn.with_notes(forbidden={"topic": best.term.topic}), outcome="forbidden", answer=Answer(guidance))


async def drop_forbidden(turn: Turn, *, terms: Terms, rag: Rag) -> Turn:
    """Silently drops derived queries that match a term, without a model: the user did not ask them."""
    copy = await terms.current()
    if copy is None or not copy.terms:
        return turn
    texts = [query.text for query in turn.queries if query.kind not in ASKED]
    _, vectors = await _with_vectors(turn, texts, terms.embedder if copy.vectors else None, searched_by=None)
    return _without_derived(turn, await _match_all(texts, vectors, turn.lang, copy, terms, rag))


async def drop_derived(turn: Turn) -> Turn:
    """Drops all derived queries that have not been searched for; used when they cannot be checked."""
    return _without_derived(turn, [query.text for query in turn.queries if not turn.evidence.lists_for(query.text)])


async def _match_all(
    texts: Sequence[str], vectors: Sequence[Vector], lang: str, copy: TermCopy, terms: Terms, rag: Rag
) -> dict[str, list[TermHit]]:
    """The texts that match terms, with these. `vectors`: one for each text; () = none."""
    centre = await terms.centre(lang) if vectors else 0.0
    hits_by_text = {
        text: match_terms(text, vectors[place] if vectors else None, copy, rag.forbidden_check_threshold, centre)
        for place, text in enumerate(texts)
    }
    return {text: hits for text, hits in hits_by_text.items() if hits}


def _without_derived(turn: Turn, met: Collection[str]) -> Turn:
    kept = tuple(query for query in turn.queries if query.kind in ASKED or query.text not in met)
    return replace(turn, queries=kept) if len(kept) < len(turn.queries) else turn


def _is_plain(question: str, hits: Sequence[TermHit]) -> bool:
    by_method = asks_for_a_method(question)
    return any(match_of(hit.of_question if by_method else hit.similarity) in BLOCKING for hit in hits)


async def _judge_all(turn: Turn, met: Mapping[str, Sequence[TermHit]], model: str, models: Models, prompts: Prompts) -> list[bool]:
    """Judges all questions concurrently. If one call fails, the others are cancelled."""
    tasks = [asyncio.create_task(_judge(turn, question, hits, model, models, prompts)) for question, hits in met.items()]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _judge(turn: Turn, question: str, hits: Sequence[TermHit], model: str, models: Models, prompts: Prompts) -> bool:
    """Whether the question is blocked. An unusable reply blocks."""
    shown = [hit.term.text for hit in hits[:SHOWN]]
    for name, values in (("forbidden_check", {"terms": shown}), ("forbidden_personal", {})):
        system = Message("system", prompts.render(name, turn.lang, values))
        messages = (system, Message("user", untrusted(question)))
        try:
            said = await ask(models, model, messages, Verdict, timeout_s=MODEL_S)
        except UnusableReply:
            return True
        if said.decision == "block":
            return True
    return False


async def _with_vectors(
    turn: Turn, questions: Sequence[str], embedder: Embedder | None, *, searched_by: Embedder | None
) -> tuple[Turn, Sequence[Vector]]:
    """Embeds all questions, if the embedder supports the language. `searched_by`: the collection's embedder; if it is the same, the
    queries keep their vectors for the search. None = they don't."""
    if not speaks(embedder, turn.lang):
        return turn, ()
    vectors = tuple(await embedder.embed(questions, query=True))
    if searched_by is not None and searched_by.name == embedder.name and turn.plan.retriever != "bm25":
        turn = turn.with_vectors(vectors[: len(turn.queries)], embedder.name)
    return turn, vectors
