"""Questions that a newcomer could ask."""

from __future__ import annotations

from typing import Any

from footnote.learn.questions import COUNT, TRIED, candidates, suggest_questions
from footnote.types import Caller, Chunk
from tests.fakes import ME, make_chunk, make_document


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
        ("bridge", "What does “Bridge” say about History?"),
        ("gesetz", "Was steht in „Gesetz“ über Fristen?"),
        ("bridge", "What does “Bridge” say about Repairs?"),
        ("bridge", "What is “Bridge” about?"),
        ("tower", "What is “Tower” about?"),
        ("gesetz", "Worum geht es in „Gesetz“?"),
        ("x", "What is “X” about?"),
    ]


async def test_only_questions_that_get_an_answer_are_shown_and_different_documents_come_first() -> None:
    async def answerable(question: str) -> bool:
        return "Two" not in question

    index: Any = Sampled(chunk("a", "One"), chunk("a", "Two", 1), chunk("a", "Three", 2), chunk("b", "Four"))
    assert await suggest_questions(ME, "default", index=index, answerable=answerable) == [
        "What does “A” say about One?",
        "What does “B” say about Four?",
        "What does “A” say about Three?",
    ]


async def test_a_collection_that_answers_nothing_is_not_asked_for_ever() -> None:
    tried = []

    async def answerable(question: str) -> bool:
        tried.append(question)
        return False

    index: Any = Sampled(*(chunk(f"d{i}", f"Topic {i}") for i in range(50)))
    assert await suggest_questions(ME, "default", index=index, answerable=answerable) == []
    assert len(tried) == TRIED > COUNT
