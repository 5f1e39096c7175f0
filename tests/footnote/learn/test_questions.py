"""Suggested questions."""

from __future__ import annotations

from typing import Any

from footnote.learn.candidates import make_candidates
from footnote.learn.questions import COUNT, TRIED, answers, in_language, suggest_questions
from footnote.types import Caller, Chunk
from tests.fakes import make_chunk, make_document
from tests.turns import ME


class Sampled:
    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = list(chunks)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        assert (caller, collection) == (ME, "default")
        return self._chunks[:limit]


QUOTED = "Press the bin beside it in the list of documents on the page, then confirm that it is to be deleted."


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
        return [("other|1|0", 0, 9) if elsewhere in question else (of.chunk.chunk_id, of.start, of.end)]

    index: Any = Sampled(*chunks)
    return [question for _, question in await suggest_questions(ME, "default", index=index, quotes=quotes)]


async def test_a_documents_own_questions_precede_its_headings() -> None:
    asked, history, places = section("faq", "Who may ask?"), section("history", "Early years"), section("places", "Quiet rooms")
    assert await suggested(history, places, asked) == [
        "Who may ask?",
        "What is there on “Early years”?",
        "What is there on “Quiet rooms”?",
    ]
    assert await suggested(history, places, asked, fails="Who") == [
        "What is there on “Early years”?",
        "What is there on “Quiet rooms”?",
    ]


async def test_questions_do_not_repeat_one_another() -> None:
    likes = [section("a", "Small red bikes"), section("b", "Small blue bikes"), section("c", "Opening hours"), section("d", "Late returns")]
    assert await suggested(*likes) == [
        "What is there on “Small red bikes”?",
        "What is there on “Opening hours”?",
        "What is there on “Late returns”?",
    ]


async def test_documents_for_newcomers_and_beginnings_of_documents_come_first() -> None:
    late, early = section("help", "Rooms and doors", 1), section("more", "Places to sit")
    internal = section("inside", "Values and turns", metadata={"file_name": "architecture.md"})
    first = section("start", "Links and citations", 2, metadata={"file_name": "README.md"})
    assert await suggested(late, early, first) == [
        "What is there on “Links and citations”?",
        "What is there on “Places to sit”?",
        "What is there on “Rooms and doors”?",
    ]
    assert await suggested(internal, late, early) == [
        "What is there on “Places to sit”?",
        "What is there on “Rooms and doors”?",
        "What is there on “Values and turns”?",
    ]


async def test_a_document_gives_one_question_or_two_where_few_documents_give_any() -> None:
    one = [section("a", f"Delete {what}", n) for n, what in enumerate(["documents", "sessions", "prompts"])]
    others = [section("b", "Share answers"), section("c", "Export conversations")]
    assert await suggested(*one, *others) == [
        "What is there on “Delete documents”?",
        "What is there on “Share answers”?",
        "What is there on “Export conversations”?",
    ]
    assert await suggested(*one, others[0]) == [
        "What is there on “Delete documents”?",
        "What is there on “Share answers”?",
        "What is there on “Delete sessions”?",
    ]
    assert await suggested(*one) == ["What is there on “Delete documents”?", "What is there on “Delete sessions”?"]


async def test_a_question_without_an_answer_or_that_another_passage_answers_is_left_out() -> None:
    chunks = [section("a", "Delete documents"), section("b", "Share answers"), section("c", "Export conversations")]
    assert await suggested(*chunks, fails="Share") == [
        "What is there on “Delete documents”?",
        "What is there on “Export conversations”?",
    ]
    assert await suggested(*chunks, elsewhere="Delete") == [
        "What is there on “Share answers”?",
        "What is there on “Export conversations”?",
    ]


def test_an_answer_begins_with_the_place_that_the_question_was_made_from() -> None:
    (task,) = make_candidates([section("a", "Delete documents")])
    assert answers([("a|1|0", 0, len(QUOTED))], task)
    assert answers([("a|1|0", 0, len(QUOTED)), ("other|1|0", 0, 9)], task) is True
    assert answers([("other|1|0", 0, 9), ("a|1|0", 0, len(QUOTED))], task) is False
    assert answers([], task) is False


async def test_a_collection_that_answers_nothing_is_not_asked_for_ever() -> None:
    tried: list[str] = []
    assert await suggested(*(section(f"d{i}", f"Delete {'x' * i}document") for i in range(30)), fails="", tried=tried) == []
    assert len(tried) == TRIED > COUNT


async def test_each_language_has_its_questions_and_those_of_the_readers_come_first() -> None:
    chunks = [
        section("v", "Kündigung von Verträgen", lang="de"),
        section("s", "대한민국의 수도", lang="ko"),
        section("c", "Envoyer un colis", lang="fr"),
    ]
    chunks += [section("a", "Parts of a wheel"), section("b", "Colours and sizes")]
    made = {candidate.question: candidate for candidate in make_candidates(chunks)}

    async def quotes(question: str) -> list[tuple[str, int, int]]:
        return [(made[question].chunk.chunk_id, made[question].start, made[question].end)]

    index: Any = Sampled(*chunks)
    found = await suggest_questions(ME, "default", index=index, quotes=quotes)
    assert [lang for lang, _ in found] == ["en", "en", "de", "ko", "fr"]
    assert in_language(found, "ko") == [
        "대한민국의 수도",
        "What is there on “Parts of a wheel”?",
        "What is there on “Colours and sizes”?",
    ]
    assert [in_language(found, lang)[0] for lang in ("de", "fr")] == [
        "Was gibt es zu „Kündigung von Verträgen“?",
        "Envoyer un colis",
    ]
    assert in_language(found, "es") == in_language(found, None) == in_language(found, "en") == [question for _, question in found[:3]]
