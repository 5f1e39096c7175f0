"""Suggested questions."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.learn.questions import COUNT, TRIED, about, candidates, suggest_follow_ups, suggest_questions
from footnote.types import Answer, Caller, Chunk, Citation, Hit
from tests.fakes import make_chunk, make_document
from tests.turns import ME, make_turn


def chunk(doc_id: str, heading: str, ordinal: int = 0, lang: str = "en") -> Chunk:
    return make_chunk(make_document(doc_id), "text", ordinal, lang=lang, headings=(heading,) if heading else ())


class Sampled:
    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = list(chunks)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        assert (caller, collection) == (ME, "default")
        return self._chunks[:limit]


def test_headings_that_ask_come_first_then_topics_by_turns_then_titles() -> None:
    chunks = [
        chunk("bridge", "1. History"), chunk("bridge", "2.1 Repairs", 1), chunk("tower", "Who built the tower?"),
        chunk("tower", "History", 1), chunk("gesetz", "IV) Fristen", lang="de"), chunk("bridge", "Bridge", 2), chunk("x", ""),
    ]  # fmt: skip
    assert list(candidates(chunks)) == [
        ("tower", "Who built the tower?"),
        ("bridge", "What does “Bridge” say about “History”?"),
        ("gesetz", "Was steht in „Gesetz“ über „Fristen“?"),
        ("bridge", "What does “Bridge” say about “Repairs”?"),
        ("bridge", "What is “Bridge” about?"),
        ("tower", "What is “Tower” about?"),
        ("gesetz", "Worum geht es in „Gesetz“?"),
        ("x", "What is “X” about?"),
    ]


@pytest.mark.parametrize(
    ("lang", "text", "question"),
    [
        ("en", "A collection is a set of documents. It has a name.", "What is a collection?"),
        ("en", "Read this first. The drop bucket is a folder in S3.", "What is the drop bucket?"),
        ("de", "Ein Vertrag ist eine Vereinbarung.", "Was ist ein Vertrag?"),
        ("ko", "서울은 대한민국의 수도이다.", "서울이란 무엇인가요?"),
        ("ko", "경제는 사람들의 활동입니다.", "경제란 무엇인가요?"),
    ],
)
def test_a_definition_is_asked_for(lang: str, text: str, question: str) -> None:
    made = make_chunk(make_document("a"), text, lang=lang)
    assert next(candidates([made])) == ("a", question)


def test_a_definition_within_a_sentence_is_not_asked_for() -> None:
    made = make_chunk(make_document("a"), "We say that the core is the part that matters.")
    assert list(candidates([made])) == [("a", "What is “A” about?")]


@pytest.mark.parametrize(
    ("lang", "heading", "question"),
    [
        ("en", "Delete a document", "How do I delete a document?"),
        ("en", "Start it with your documents", "What does “A” say about “Start it with your documents”?"),
        ("de", "Dokumente löschen", "Wie kann ich Dokumente löschen?"),
        ("ko", "문서 삭제하기", "문서 삭제하기는 어떻게 하나요?"),
    ],
)
def test_a_heading_that_names_a_task_becomes_a_how_to(lang: str, heading: str, question: str) -> None:
    assert next(candidates([chunk("a", heading, lang=lang)])) == ("a", question)


@pytest.mark.parametrize(
    ("title", "question"), [("보고서", "“보고서”는 무엇에 대한 문서인가요?"), ("계획", "“계획”은 무엇에 대한 문서인가요?")]
)
def test_a_korean_particle_depends_on_the_last_letter(title: str, question: str) -> None:
    assert about(title, "ko") == question


async def test_only_questions_that_get_an_answer_are_shown_and_different_documents_come_first() -> None:
    async def answerable(question: str) -> bool:
        return "Two" not in question

    index: Any = Sampled(chunk("a", "One"), chunk("a", "Two", 1), chunk("a", "Three", 2), chunk("b", "Four"))
    assert await suggest_questions(ME, "default", index=index, answerable=answerable) == [
        "What does “A” say about “One”?",
        "What does “B” say about “Four”?",
        "What does “A” say about “Three”?",
    ]


async def test_a_collection_that_answers_nothing_is_not_asked_for_ever() -> None:
    tried = []

    async def answerable(question: str) -> bool:
        tried.append(question)
        return False

    index: Any = Sampled(*(chunk(f"d{i}", f"Topic {i}") for i in range(50)))
    assert await suggest_questions(ME, "default", index=index, answerable=answerable) == []
    assert len(tried) == TRIED > COUNT


# --- after an answer ---------------------------------------------------------------------------


def hit(doc_id: str, heading: str, ordinal: int = 0, lang: str = "en", score: float = 1.0) -> Hit:
    return Hit(chunk(doc_id, heading, ordinal, lang), score)


async def follow_ups(question: str, *hits: Hit, cited: int = 1, said: str = "It says so.", lang: str = "en") -> tuple[str, ...]:
    """The first `cited` hits are in the answer; 0 = there was none."""
    citations = tuple(Citation(number, each, "text") for number, each in enumerate(hits[:cited], start=1))
    turn = make_turn(question, hits=hits, answer=Answer(said, citations), lang=lang)
    return (await suggest_follow_ups(turn)).record.suggested_questions


async def test_what_was_found_but_not_cited_can_be_asked_next_the_best_first() -> None:
    hits = [
        hit("handbook", "Holidays"),
        hit("handbook", "3.2 Sick leave:", 1),
        hit("plan", "Who pays for travel?"),
        hit("plan", "Costs", 1),
    ]
    assert await follow_ups("How many holidays are there?", *hits, hit("plan", "Dates", 2)) == (
        "What does “Handbook” say about “Sick leave”?",
        "Who pays for travel?",
        "What does “Plan” say about “Costs”?",
    )


@pytest.mark.parametrize(
    ("lang", "doc_id", "question"),
    [
        ("de", "handbuch", "Was steht in „Handbuch“ über „Krankheit“?"),
        ("ko", "규정", "“규정”에서 “Krankheit”에 대해 뭐라고 하나요?"),
    ],
)
async def test_they_are_in_the_language_of_the_question(lang: str, doc_id: str, question: str) -> None:
    hits = [hit(doc_id, "휴가", lang=lang), hit(doc_id, "Sick leave", 1, "en"), hit(doc_id, "Krankheit", 2, lang)]
    assert await follow_ups("Wie viel Urlaub?", *hits, lang=lang) == (question,)


async def test_no_questions_are_suggested_in_a_language_without_templates() -> None:
    assert await follow_ups("Combien ?", hit("plan", "Congés", lang="fr"), hit("plan", "Voyages", 1, "fr"), lang="fr") == ()


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("", "has no heading"),
        ("Holidays", "stands under the heading that was cited"),
        ("Days and holidays", "says no more than the question"),
        ("Notice", "was said in the answer"),
        ("The handbook", "says no more than the title"),
        ("Introduction", "is in every document"),
        ("Sheet1", "is what a program called it"),
        ("슬라이드 12", "is what a program called it"),
        ("ANHANG", "shouts"),
        ("GET /documents/{doc_id}", "is code"),
        ("llm_model", "is a field's name"),
        ("A", "is too short"),
        ("x" * 81, "is too long"),
    ],
)
async def test_a_heading_that_leads_nowhere_is_not_asked_for(heading: str, why: str) -> None:
    hits = [hit("handbook", "Holidays"), hit("handbook", heading, 1)]
    assert await follow_ups("How many days of holidays?", *hits, said="30, with a week's notice.") == (), why
    assert len(await follow_ups("How many days of holidays?", *hits, hit("handbook", "Travel", 2))) >= 1


async def test_a_heading_that_repeats_a_suggestion_is_left_out() -> None:
    hits = [hit("handbook", "Holidays"), hit("handbook", "Sick leave", 1), hit("plan", "Leave when sick")]
    assert await follow_ups("How many holidays?", *hits) == ("What does “Handbook” say about “Sick leave”?",)


async def test_a_hit_far_behind_the_best_one_suggests_nothing() -> None:
    hits = [hit("handbook", "Holidays", score=0.8), hit("plan", "Costs", score=0.4), hit("plan", "Dates", 1, score=0.39)]
    assert await follow_ups("How many holidays?", *hits) == ("What does “Plan” say about “Costs”?",)


async def test_where_nothing_was_answered_the_nearest_headings_help_and_may_use_the_questions_words() -> None:
    hits = [hit("handbook", "Rules for holidays"), hit("handbook", "Many holidays?", 1), hit("plan", "Travel")]
    assert await follow_ups("How many holidays?", *hits, cited=0, said="The documents do not answer this: rules, travel.") == (
        "What does “Handbook” say about “Rules for holidays”?",
        "What does “Plan” say about “Travel”?",
    )


async def test_without_hits_nothing_is_suggested_and_without_an_answer_something_may_be() -> None:
    assert await follow_ups("How many holidays?", cited=0) == ()
    assert (await suggest_follow_ups(make_turn(hits=(hit("plan", "Travel"),)))).record.suggested_questions == (
        "What does “Plan” say about “Travel”?",
    )
