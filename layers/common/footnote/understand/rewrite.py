"""Rewrites a follow-up into a self-contained question; other questions are left unchanged. Announces the queries that are searched instead
of the question.

Without a model, the form of a question suggests whether it refers back, and may mislead: “Parking?” may be a new topic, and “Do I need a
signature for photos?” may be a follow-up. So both readings are noted, and the surer one is answered (`answer.other_reading`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from pydantic import BaseModel, Field

from footnote.events import Event, Rewritten
from footnote.model_calls import ask
from footnote.ports import Embedder, Models
from footnote.prompts import Prompts
from footnote.text.message_kinds import may_go_on, message_kind
from footnote.text.untrusted import untrusted
from footnote.types import LONGEST_QUERY, SMALL_TALK, Exchange, Message, Turn, has_thinking_mode, tier_of_model
from footnote.types.copies import replace
from footnote.understand.complete import add_words, complete, earlier
from footnote.understand.same_question import Asked, asks_the_same, set_aside, shares_words

SEARCHING = frozenset({"rag", "pa"})
"""Modes in which the model is called. The others do not search, and the answering model sees the conversation."""
ANSWER_CHARACTERS = 500
"""Characters of an earlier answer in the prompt: enough to see its topic."""
MOST_QUERIES = 4
LIMIT_S = 15
THINKERS_TEMPERATURE = 0.7
"""For models with a thinking mode: at 0 they repeat themselves. Thinking is switched off, because it could use up all tokens of the
reply."""


class Queries(BaseModel, defer_build=True):
    """The model's reply."""

    queries: list[str] = Field(description="a list of texts, each of them a query")


def may_rewrite(turn: Turn) -> bool:
    """The conversation has earlier exchanges, and the question is not about the last answer."""
    return bool(turn.conversation.exchanges) and not turn.conversation.is_asked_about


async def rewrite(turn: Turn, *, models: Models, prompts: Prompts, embedder: Embedder | None) -> Turn:
    """Sets `turn.queries` if the question refers back to the conversation. Without a model, it is completed by the question before. Salient
    words of earlier questions are appended for a small one, if the plan wants `rewrite_by_size`, and where the model writes about
    something else."""
    if message_kind(turn) in SMALL_TALK:
        return turn
    goes_on = message_kind(turn) == "follow_up"
    if not _has_model_to_rewrite(turn):
        return await (complete_without_model(turn, embedder=embedder) if turn.plan.model is None else complete_by_words(turn))
    if not (goes_on or turn.plan.wants("rewrite_always") or may_go_on(turn.request.question)):
        return turn
    exchanges = [_shown(exchange) for exchange in earlier(turn)]
    prompt = prompts.render(
        "rewrite_query", turn.lang, {"exchanges": exchanges, "question": untrusted(turn.request.question)}, turn.plan.prompts
    )
    how: dict[str, Any] = {"effort": "none", "temperature": THINKERS_TEMPERATURE} if has_thinking_mode(turn.plan.model or "") else {}
    reply = await ask(models, turn.plan.model, [Message("user", prompt)], Queries, timeout_s=LIMIT_S, **how)
    return await _checked(turn, clean_queries(reply.queries), embedder, goes_on=goes_on)


async def complete_without_model(turn: Turn, *, embedder: Embedder | None) -> Turn:
    """The question may go on or begin something new. One way to read it is searched for, and `conversation.other_reading` is the other:
    as it was asked, or completed by the question before."""
    question, completed = turn.request.question, await complete(turn, embedder)
    goes_on = message_kind(turn) == "follow_up"
    conversation = replace(turn.conversation, other_reading=question if goes_on else completed)
    return replace(turn.rewrite(completed) if goes_on else turn, conversation=conversation)


async def complete_by_words(turn: Turn) -> Turn:
    """What `rewrite` does where the model fails or is late, or is small: it is shown all that the words find."""
    return turn.rewrite(add_words(turn.request.question, earlier(turn), turn.lang)) if message_kind(turn) == "follow_up" else turn


async def _checked(turn: Turn, queries: tuple[str, ...], embedder: Embedder | None, *, goes_on: bool) -> Turn:
    """The turn with the queries, if they ask the original question. Otherwise they are only searched for, beside the question."""
    if not queries:
        return await complete_by_words(turn) if goes_on else turn
    exchanges = earlier(turn)
    said = " ".join(text for exchange in exchanges for text in (exchange.question, exchange.answer[:ANSWER_CHARACTERS]))
    original = Asked(turn.request.question, add_words(turn.request.question, exchanges, turn.lang), said, turn.lang)
    if not await asks_the_same(" ".join(queries), original, embedder):
        return set_aside(await complete_by_words(turn) if goes_on else turn, queries)
    if len(queries) == 1:
        return turn.rewrite(*queries)
    kept = [query for query in queries if shares_words(query, original)]
    return set_aside(turn.rewrite(*kept), [query for query in queries if query not in kept]) if kept else turn.rewrite(*queries)


def _has_model_to_rewrite(turn: Turn) -> bool:
    model = turn.plan.model
    if model is None or turn.request.mode not in SEARCHING:
        return False
    return tier_of_model(model).rewrites or not turn.plan.wants("rewrite_by_size")


def clean_queries(written: Iterable[str]) -> tuple[str, ...]:
    """The usable queries without duplicates; () if there are none."""
    queries = (" ".join(query.split()) for query in written)
    return tuple(dict.fromkeys(query for query in queries if 0 < len(query) <= LONGEST_QUERY))[:MOST_QUERIES]


def _shown(exchange: Exchange) -> dict[str, str]:
    return {"question": untrusted(exchange.question), "answer": untrusted(exchange.answer[:ANSWER_CHARACTERS])}


async def announce_queries(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Sends the rewritten queries as an event."""
    yield Rewritten(turn.rewritten)
    yield turn


def was_rewritten(turn: Turn) -> bool:
    """The question was rewritten."""
    return bool(turn.rewritten)
