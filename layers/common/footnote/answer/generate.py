"""Generates the answer with a language model, and streams it; again with a smaller prompt if that turns out to exceed the model's context
window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar

from footnote.answer.budget import budget_of
from footnote.answer.citation_styles import cite, drops_markers
from footnote.answer.context import assemble_context
from footnote.answer.converse import assemble_conversation
from footnote.answer.messages import message
from footnote.answer.model_source import no_model
from footnote.answer.repetition import RepetitionGuard
from footnote.answer.stream_filters import NO_MORE, AnswerFilter, ThinkFilter, filter_for
from footnote.answer.unread import look, reading_said, with_unread
from footnote.errors import ModelUnavailable, NoModel, PromptTooLong, StoreUnavailable
from footnote.events import Event, Think, Token
from footnote.model_calls import WITHHELD, pick, read_reply
from footnote.ports import Index, Ledger, Models, ModelServer, Records
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.steps import known_early, was_stopped
from footnote.turn_records.make import is_without_its_model
from footnote.types import CUT_WARNINGS, Answer, ModelLimits, Turn, Unread
from footnote.types.copies import replace

T = TypeVar("T")

PREFERENCE_S = 1.0
"""Longest wait for the user's preference: a question does not wait for a store that falls silent."""
STAND_IN = "model_failed"
"""The warning that quotes stand in for a model's answer. Not shown if the budget is the reason, which has a warning of its own."""


async def pick_model(turn: Turn, *, models: Models, model_server: ModelServer | None, llm: LLM, records: Records) -> Turn:
    """Sets `turn.plan.model` to the name of the model that will answer, and `turn.plan.window` to the window known from its server; None if
    there is no model or the budget is used up.

    Precedence: request, the user's preference, configuration (which an admin may have changed at runtime). If the endpoint is down, the
    reason is in `turn.trace.model_problem` and the turn continues without a model."""
    if turn.plan.allowance == "search":
        return replace(turn, plan=replace(turn.plan, model=None))
    name = turn.plan.model or await _preferred(turn.caller.user_id, llm, records) or llm.model
    if turn.plan.allowance == "cheaper":
        name = llm.cheaper_model or name
    try:
        model = await models.pick(name)
    except ModelUnavailable as exc:
        trace = replace(turn.trace, model_address=models.address, model_source=models.source, model_problem=exc.detail, degraded=True)
        return replace(turn, plan=replace(turn.plan, model=None), trace=trace)
    limits = ModelLimits() if model is None or model_server is None else await model_server.limits(model.name)
    plan = replace(turn.plan, model=model.name if model else None, window=limits.window)
    return replace(turn, plan=plan, trace=replace(turn.trace, model_address=models.address, model_source=models.source))


async def _preferred(user_id: str, llm: LLM, records: Records) -> str | None:
    """The user's preferred model; None if it is no longer allowed, or while the store is down or silent."""
    try:
        async with asyncio.timeout(PREFERENCE_S):
            preference = await records.get("preference", user_id)
    except (StoreUnavailable, TimeoutError):
        return None
    name = preference.value.get("model_id") if preference else None
    return name if name and llm.allows(name) else None


async def need_model(turn: Turn) -> AsyncIterator[Event | Turn]:
    """For modes that need a model: ends the turn if the user's budget is used up.

    Raises NoModel if none is configured, ModelUnavailable if it cannot be reached.
    """
    if turn.plan.model is None and turn.plan.allowance == "search":
        text = message("spent", turn.lang)
        yield Token(text)
        turn = replace(turn, outcome="refused", answer=Answer(text))
    elif turn.plan.model is None and turn.trace.model_problem is not None:
        raise ModelUnavailable(turn.trace.model_problem)
    elif turn.plan.model is None:
        source = turn.trace.model_source if turn.caller.role == "admin" else None
        raise NoModel(f"{message('needs_model', turn.lang)} {no_model(source, turn.lang)}")
    yield turn


@known_early
def has_model(turn: Turn) -> bool:
    """A language model answers."""
    return turn.plan.model is not None


@known_early
def has_no_model(turn: Turn) -> bool:
    """No language model answers."""
    return turn.plan.model is None


async def generate(turn: Turn, *, models: Models, llm: LLM) -> AsyncIterator[Event | Turn]:
    """Streams the model's reply with checked citations; sets `turn.answer` to the whole reply without its thinking.

    Text before the answer is left out, and so are the questions after it, which become suggested questions. A reply in a loop is ended. The
    text of a stopped reply is the answer."""
    model = await pick(models, turn.plan.model)
    profile, written, cut = turn.profile, "", None
    markers: dict[str, Any] = {"first": turn.request.first_number, "origin": turn.request.link_origin}
    thoughts, answered, repetition = ThinkFilter(), AnswerFilter(turn.request.question), RepetitionGuard()
    said, shown = "", filter_for(profile.citation_style, turn.evidence.citable, **markers)
    stream = read_reply(
        model,
        turn.messages,
        temperature=chosen(turn.request.temperature, llm, "temperature", profile.temperature),
        max_tokens=chosen(turn.request.max_tokens, llm, "max_completion_tokens", budget_of(turn, llm).answer),
        first_token_s=llm.first_token_s(profile.first_token_s),
        total_s=llm.total_timeout_s,
        **({"effort": "high"} if turn.plan.wants("extended_thinking") else {}),
    )
    try:
        async with aclosing(stream):
            async for delta in stream:
                thought, text = thoughts.feed(delta.text)
                written, text = written + delta.text, answered.feed(text)
                said += text
                if thought := delta.thinking + thought:
                    yield Think(thought)
                if text and (ready := shown.feed(text)):
                    yield Token(ready)
                cut = delta.cut or cut
                if repetition.feed(delta.thinking + delta.text):
                    cut = "repetition"
                    break
    except asyncio.CancelledError:
        if not (written.strip() and was_stopped()):
            raise
        cut = "stopped"
    thought, text = thoughts.flush()
    text = answered.feed(text) + answered.flush()
    said += text
    if thought:
        yield Think(thought)
    if rest := shown.feed(text) + shown.flush():
        yield Token(rest)
    if thoughts.unopened and not profile.live:
        answered = AnswerFilter(turn.request.question)
        said = answered.feed(written.rpartition(NO_MORE)[2]) + answered.flush()
    cited, citations = cite(said.strip(), turn.evidence.citable, profile.citation_style, turn.lang, question=turn.asked, **markers)
    if not cited.strip() and cut == "stopped":
        raise asyncio.CancelledError
    if not cited.strip():
        raise ModelUnavailable(WITHHELD[cut])
    instead = turn.plan.model is not None and model.name != turn.plan.model  # a fallback answered
    warnings = ("marker_dropped",) if drops_markers(said, turn.evidence.citable, profile.citation_style) else ()
    answer = Answer(cited.rstrip(), citations, model=model.name, warnings=warnings, cut=cut)
    trace = replace(turn.trace, degraded=turn.trace.degraded or instead, suggested_questions=answered.questions)
    yield replace(turn, answer=answer, trace=trace)


def chosen(requested: T | None, llm: LLM, setting: str, usual: T | None) -> T | None:
    """The request's value, else the configured one, else the profile's; None = the model's default."""
    if requested is not None:
        return requested
    return getattr(llm, setting) if setting in llm.model_fields_set else usual


async def answer_no_hits(turn: Turn, *, index: Index, ledger: Ledger) -> AsyncIterator[Event | Turn]:
    """Ends a turn without hits: with a notice that documents are still being read, a suggestion to rephrase, or a notice that the caller
    may not read any document.

    Only callers who may read everything learn that the collection is empty."""
    turn = await look(turn, ledger)
    reading, key = reading_said(turn), turn.profile.nothing_found
    if key is None or reading:
        visible = await index.sample(turn.caller, turn.request.collection, 1)
        key = (key or "no_hits") if visible else "" if reading else "empty" if turn.caller.sees_all else "no_access"
    said = [message(key, turn.lang)] if key else []
    if reading:
        said += [reading, message("ask_again", turn.lang)]
        turn = with_unread(turn, replace(turn.evidence.unread or Unread(), is_said=True))
    text = " ".join(said)
    yield Token(text)
    yield replace(turn, outcome="no_hits", answer=Answer(text))


async def answer_without_search(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Ends a turn because the search failed, without revealing the documents' content."""
    text = message("search_failed", turn.lang)
    yield Token(text)
    yield replace(turn, outcome="refused", answer=Answer(text))


def has_nothing_to_answer_from(turn: Turn) -> bool:
    """Nothing was found, and no file came with the question."""
    return not turn.evidence.hits and not (turn.request.attached and turn.plan.model)


def stands_in(turn: Turn) -> bool:
    """The documents are quoted because the language model did not answer."""
    said = any(warning.startswith("budget_") for warning in turn.answer.warnings) if turn.answer else True
    return not said and turn.outcome in (None, "closest", "refused") and is_without_its_model(turn)


async def warn_of_stand_in(turn: Turn) -> Turn:
    """Adds the warning STAND_IN."""
    return replace(turn, answer=replace(turn.answer, warnings=(*turn.answer.warnings, STAND_IN))) if turn.answer else turn


def is_truncated(turn: Turn) -> bool:
    """The model could not finish its answer."""
    return turn.answer is not None and turn.answer.cut is not None


async def warn_of_truncation(turn: Turn) -> Turn:
    """Adds the warning `cut_length`, `cut_content_filter`, `repetition` or `stopped`."""
    answer = turn.answer
    if answer is None or answer.cut is None or CUT_WARNINGS[answer.cut] in answer.warnings:
        return turn
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, CUT_WARNINGS[answer.cut])))


def answer_fitting(turn: Turn, *, models: Models, prompts: Prompts, llm: LLM, conversation: Conversation) -> AsyncIterator[Event | Turn]:
    """`generate` from the passages, or from fewer if the model's context window is smaller than was known."""
    return _fitting(turn, models, llm, lambda llm: assemble_context(turn, prompts=prompts, llm=llm, conversation=conversation))


def converse_fitting(turn: Turn, *, models: Models, prompts: Prompts, llm: LLM, conversation: Conversation) -> AsyncIterator[Event | Turn]:
    """`generate` from the conversation, or from less of it if the model's context window is smaller than was known."""
    return _fitting(turn, models, llm, lambda llm: assemble_conversation(turn, prompts=prompts, llm=llm, conversation=conversation))


async def _fitting(turn: Turn, models: Models, llm: LLM, assemble: Callable[[LLM], Awaitable[Turn]]) -> AsyncIterator[Event | Turn]:
    """Nothing has been sent when PromptTooLong is raised."""
    try:
        async for item in generate(turn, models=models, llm=llm):
            yield item
        return
    except PromptTooLong as exc:
        smaller = llm.model_copy(update={"context_window": exc.window})
    async for item in generate(await assemble(smaller), models=models, llm=smaller):
        yield item
