"""What kind of message it is, told by its vector."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.adapters.e5.embedder import E5
from footnote.answer.small_talk import greet
from footnote.retrieve.about_collection import may_be_about_collection
from footnote.retrieve.search import wants_vector
from footnote.text.message_kinds import message_kind
from footnote.types import Exchange, MessageKind, Turn
from footnote.understand.last_answer import keep_last_answer
from footnote.understand.message_kind import tell_message_kind, will_be_embedded
from footnote.understand.rewrite import complete_by_words
from tests.deps import FakeDeps, call_step, run_step
from tests.fakes import FakeEmbedder
from tests.turns import make_turn, with_


@pytest.fixture(scope="module")
def model() -> E5:
    return E5()


def asked(text: str, lang: str, kind: MessageKind | None = None) -> Turn:
    turn = replace(make_turn(text, lang=lang), message_kind=kind)
    return replace(turn, conversation=replace(turn.conversation, exchanges=(Exchange("Combien de jours de congé ai-je ?", "28."),)))


@pytest.mark.parametrize(
    ("text", "lang", "kind"),
    [
        ("Hej, hur mår du?", "sv", "greeting"),
        ("Kiitos paljon", "fi", "thanks"),
        ("Och på helger?", "sv", "follow_up"),
        ("Και για τους φοιτητές;", "el", "follow_up"),
        ("Kan du sammanfatta det?", "sv", "about_answer"),
        ("Vad handlar de här dokumenten om?", "sv", "collection"),
        ("Kuinka monta lomapäivää minulla on?", "fi", "question"),
        ("Tôi có bao nhiêu ngày nghỉ phép?", "vi", "question"),
        ("Merci", "en", "thanks"),  # taken for English in an English collection
    ],
)
async def test_the_kind_of_a_message_is_told_in_languages_of_no_example(model: E5, text: str, lang: str, kind: MessageKind) -> None:
    turn = asked(text, lang)
    assert will_be_embedded(turn)
    told = await call_step(tell_message_kind, turn, FakeDeps(embedder=model))
    assert told.message_kind == kind
    assert not wants_vector(told)


async def test_where_no_vector_tells_the_words_do(model: E5) -> None:
    other = asked("Und am Sonntag?", "de")
    assert (await call_step(tell_message_kind, other, FakeDeps(embedder=FakeEmbedder()))) == other  # whose vectors say nothing here
    assert message_kind(other) == "follow_up"
    by_words = with_(other, retriever="bm25")
    assert not will_be_embedded(by_words)


async def test_a_follow_up_gets_words_of_the_question_before() -> None:
    (query,) = (await call_step(complete_by_words, asked("Et pour les stagiaires ?", "fr", "follow_up"), FakeDeps())).rewritten
    assert query == "Et pour les stagiaires ? Combien de jours congé ai-je"
    assert (await call_step(complete_by_words, asked("Où se garer ?", "fr", "question"), FakeDeps())).rewritten == ()
    assert (await call_step(complete_by_words, asked("And on Sundays?", "en", "thanks"), FakeDeps())).rewritten == ()
    assert (await call_step(complete_by_words, asked("And on Sundays?", "en"), FakeDeps())).rewritten != ()


async def test_a_message_about_the_answer_or_the_collection_is_taken_as_that() -> None:
    assert (await call_step(keep_last_answer, asked("Plus court", "fr", "about_answer"), FakeDeps())).conversation.is_asked_about
    assert not (await call_step(keep_last_answer, asked("Plus court", "fr", "question"), FakeDeps())).conversation.is_asked_about
    assert may_be_about_collection(asked("De quoi parlent ces documents ?", "fr", "collection"))
    assert not may_be_about_collection(asked("overview", "en", "question"))


@pytest.mark.parametrize(("kind", "begins"), [("greeting", "Hello!"), ("thanks", "You're welcome!")])
async def test_small_talk_in_other_languages_is_answered_in_english(kind: MessageKind, begins: str) -> None:
    turn = await run_step(greet, asked("Bonjour", "fr", kind), FakeDeps())
    assert turn.answer.text.startswith(begins)
