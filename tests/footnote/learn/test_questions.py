"""Suggested questions."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.learn.candidates import make_candidates
from footnote.learn.questions import COUNT, TRIED, in_language, suggest_follow_ups, suggest_questions
from footnote.types import Answer, Caller, Chunk, Citation, Hit
from tests.fakes import make_chunk, make_document
from tests.turns import ME, make_turn, with_


def chunk(doc_id: str, heading: str, ordinal: int = 0, lang: str = "en") -> Chunk:
    return make_chunk(make_document(doc_id), "text", ordinal, lang=lang, headings=(heading,) if heading else ())


class Sampled:
    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = list(chunks)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        assert (caller, collection) == (ME, "default")
        return self._chunks[:limit]


QUOTED = "Press the bin beside it in the list of documents on the page."


def document(doc_id: str, *texts: str, lang: str = "en", file_name: str = "") -> list[Chunk]:
    """Chunks of one paragraph each."""
    return [make_chunk(make_document(doc_id), text, n, lang=lang, metadata={"file_name": file_name}) for n, text in enumerate(texts)]


def section(doc_id: str, heading: str, ordinal: int = 0, **changes: Any) -> Chunk:
    return make_chunk(make_document(doc_id), QUOTED, ordinal, headings=(heading,), **changes)


async def suggested(*chunks: Chunk, fails: str = "never", elsewhere: str = "never", tried: list[str] | None = None) -> list[str]:
    """The questions suggested, of all languages. `fails`: a word of questions without an answer; `elsewhere`: of those that another
    passage answers."""
    made = {candidate.question: candidate for candidate in make_candidates(chunks)}

    async def quotes(question: str) -> list[tuple[str, int, int]]:
        if tried is not None:
            tried.append(question)
        of = made[question]
        if fails in question:
            return []
        return [("other|1|0", 0, 9) if elsewhere in question else (of.chunk.chunk_id, of.start, of.start + 1)]

    index: Any = Sampled(*chunks)
    return [question for _, question in await suggest_questions(ME, "default", index=index, quotes=quotes)]


async def test_own_questions_and_tasks_and_facts_come_first_then_definitions_then_headings_then_titles() -> None:
    asked, task = section("faq", "Who may ask?"), section("help", "Delete a document")
    fact, definition = document("prices", "A bike costs 300 euros."), document("terms", "A hub is a part of a wheel.")
    history = section("history", "Early years")
    title = document("letter", "Dear friends.")
    everything = [*title, history, *definition, *fact, task, asked]
    assert await suggested(*everything) == ["Who may ask?", "How do I delete a document?", "How much does a bike cost?"]
    assert await suggested(*everything, fails="Who") == ["How do I delete a document?", "How much does a bike cost?", "What is a hub?"]
    assert await suggested(*title, history, *definition) == [
        "What is a hub?",
        "What does “History” say about “Early years”?",
        "What is “Letter” about?",
    ]


async def test_questions_are_of_several_kinds_and_do_not_repeat_one_another() -> None:
    asked = [section(f"faq{n}", f"{what}?") for n, what in enumerate(["Who may ask", "Where is our office", "When is lunch"])]
    prices = [
        *document("a", "A bike costs 300 euros."),
        *document("b", "A small bike costs 200 euros."),
        *document("c", "The check takes a day."),
    ]
    assert await suggested(*asked, *prices) == ["Who may ask?", "How much does a bike cost?", "Where is our office?"]
    assert await suggested(*prices) == ["How much does a bike cost?", "How long does the check take?", "How much does a small bike cost?"]


async def test_documents_for_newcomers_and_beginnings_of_documents_come_first() -> None:
    late, early = document("help", "Hello.", "A room is a conversation."), document("more", "A source is a place.")
    internal = document("inside", "A turn is a value.", file_name="architecture.md")
    first = document("start", "Hello.", "Hello.", "A citation is a link.", file_name="README.md")
    assert await suggested(*internal, *late, *early, *first) == ["What is a citation?", "What is a source?", "What is a room?"]


async def test_a_document_gives_one_question_or_two_where_few_documents_give_any() -> None:
    one = [section("a", f"Delete {what}", n) for n, what in enumerate(["documents", "sessions", "prompts"])]
    others = [section("b", "Share answers"), section("c", "Export conversations")]
    assert await suggested(*one, *others) == ["How do I delete documents?", "How do I share answers?", "How do I export conversations?"]
    assert await suggested(*one, others[0]) == ["How do I delete documents?", "How do I share answers?", "How do I delete sessions?"]
    assert await suggested(*one) == ["How do I delete documents?", "How do I delete sessions?"]


async def test_a_question_without_an_answer_or_that_another_passage_answers_is_left_out() -> None:
    chunks = [section("a", "Delete documents"), section("b", "Share answers"), section("c", "Export conversations")]
    assert await suggested(*chunks, fails="share") == ["How do I delete documents?", "How do I export conversations?", "What is “B” about?"]
    assert await suggested(*chunks, elsewhere="delete") == [
        "How do I share answers?",
        "How do I export conversations?",
        "What is “A” about?",
    ]


async def test_a_collection_that_answers_nothing_is_not_asked_for_ever() -> None:
    tried: list[str] = []
    assert await suggested(*(section(f"d{i}", f"Topic {i}") for i in range(50)), fails="", tried=tried) == []
    assert len(tried) == TRIED > COUNT


async def test_each_language_has_its_questions_and_those_in_the_readers_language_come_first() -> None:
    chunks = [*document("v", "Ein Vertrag ist eine Vereinbarung.", lang="de"), *document("s", "서울은 대한민국의 수도이다.", lang="ko")]
    chunks += [*document("a", "A hub is a part of a wheel."), *document("b", "A rim is a part of a wheel.")]
    made = {candidate.question: candidate for candidate in make_candidates(chunks)}

    async def quotes(question: str) -> list[tuple[str, int, int]]:
        return [(made[question].chunk.chunk_id, made[question].start, made[question].end)]

    index: Any = Sampled(*chunks)
    found = await suggest_questions(ME, "default", index=index, quotes=quotes)
    assert [lang for lang, _ in found] == ["en", "en", "en", "de", "de", "ko", "ko"]
    assert in_language(found, "ko") == ["서울이란 무엇인가요?", "“S”은 무엇에 대한 문서인가요?", "What is a hub?"]
    assert in_language(found, "de")[0] == "Was ist ein Vertrag?"
    assert in_language(found, "fr") == in_language(found, None) == in_language(found, "en") == [question for _, question in found[:3]]


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


async def test_what_the_answering_model_wrote_stays_unless_its_answer_was_withheld() -> None:
    hits = [hit("handbook", "Holidays"), hit("plan", "Costs", 1)]
    turn = make_turn("How many?", hits=hits, answer=Answer("It says so.", (Citation(1, hits[0], "text"),)), suggested_questions=("Why?",))
    assert (await suggest_follow_ups(turn)).record.suggested_questions == ("Why?",)
    assert (await suggest_follow_ups(with_(turn, outcome="cached"))).record.suggested_questions == ("Why?",)
    assert (await suggest_follow_ups(with_(turn, outcome="refused"))).record.suggested_questions != ("Why?",)


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
