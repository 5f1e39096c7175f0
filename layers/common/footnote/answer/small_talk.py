"""Answers what no document is searched for where no language model answers: a packaged greeting, a reply to thanks, or that this needs a
model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from footnote.answer.messages import message
from footnote.events import Event, Token
from footnote.steps import known_early
from footnote.text.search_need import needs_search
from footnote.text.small_talk import is_small_talk, is_thanks, language_of
from footnote.types import SMALL_TALK, Answer, Profile, Request, Turn


def without_search(request: Request, profile: Profile) -> tuple[Request, Profile]:
    """A request in mode rag, and the profile for it: small talk is answered without a search, by the model or by a greeting. It stays a
    turn of mode rag in the conversation."""
    if request.mode != "rag" or request.attached or not is_small_talk(request.question):
        return request, profile
    plain = replace(profile, prompt="system", citation_style="plain", question_prompt=None)
    return replace(request, mode="gpt", asked_mode="rag", options={**request.options, "greet": True}), plain


@known_early
def may_greet(turn: Turn) -> bool:
    """The question is small talk or asks for nothing of the documents, and no language model answers."""
    return turn.plan.model is None and turn.plan.wants("greet") and not needs_search(turn.request.question)


def is_small_talk_by_meaning(turn: Turn) -> bool:
    """The question is small talk in a language without patterns: nothing is searched for, and there is a packaged answer."""
    return turn.request.mode == "rag" and turn.message_kind in SMALL_TALK


def is_greeted(turn: Turn) -> bool:
    """The question is small talk, for which there is a packaged answer."""
    return turn.plan.wants("greet") and is_small_talk(turn.request.question)


async def greet(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Says what can be asked here."""
    said = turn.request.question
    if turn.message_kind in SMALL_TALK:
        text = message("welcome" if turn.message_kind == "thanks" else "greeting", turn.lang)
    elif is_small_talk(said):
        text = message("welcome" if is_thanks(said) else "greeting", language_of(said, turn.lang))
    else:
        text = message("task_needs_model", turn.lang)
    yield Token(text)
    yield replace(turn, answer=Answer(text))
