"""Answers what no document is searched for where no language model answers: a packaged greeting, a reply to thanks, or that this needs a
model."""

from __future__ import annotations

from collections.abc import AsyncIterator

from footnote.answer.messages import message
from footnote.events import Event, Token
from footnote.text.language import LANGUAGES, detect_language
from footnote.text.message_kinds import is_small_talk, message_kind, needs_search
from footnote.types import SMALL_TALK, WORDED_LANGUAGES, Answer, Profile, Request, Turn
from footnote.types.copies import replace


def without_search(request: Request, profile: Profile) -> tuple[Request, Profile]:
    """A request in mode rag, and the profile for it: small talk is answered without a search, by the model or by a greeting. It stays a
    turn of mode rag in the conversation."""
    if request.mode != "rag" or request.attached or not is_small_talk(request.question):
        return request, profile
    plain = replace(profile, prompt="system", citation_style="plain", question_prompt=None)
    return replace(request, mode="gpt", asked_mode="rag", options={**request.options, "greet": True}), plain


def may_greet(turn: Turn) -> bool:
    """There is a packaged answer, and no language model to reply to small talk or a message that asks nothing of the documents; or the
    vector alone identifies small talk in a language without patterns."""
    if turn.request.mode == "rag" and turn.message_kind in SMALL_TALK and _may_be_another_language(turn):
        return True
    return turn.plan.model is None and turn.plan.wants("greet") and not needs_search(turn.request.question)


def _may_be_another_language(turn: Turn) -> bool:
    """“Merci” is taken for English."""
    return turn.lang not in WORDED_LANGUAGES or detect_language(turn.request.question, LANGUAGES) not in WORDED_LANGUAGES


def is_greeted(turn: Turn) -> bool:
    """The question is small talk, for which there is a packaged answer."""
    return turn.plan.wants("greet") and is_small_talk(turn.request.question)


async def greet(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Says what can be asked here."""
    kind = message_kind(turn)
    name = "welcome" if kind == "thanks" else "greeting" if kind == "greeting" else "task_needs_model"
    text = message(name, detect_language(turn.request.question, {**dict.fromkeys(WORDED_LANGUAGES, 1), turn.lang: 2}))
    yield Token(text)
    yield replace(turn, answer=Answer(text))
