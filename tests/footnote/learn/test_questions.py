"""Suggested questions."""

from __future__ import annotations

from typing import Any

from footnote.learn.candidates import make_candidates
from footnote.learn.questions import COUNT, TRIED, answers, in_language, suggest_questions
from footnote.types import Caller, Chunk, Part
from tests.fakes import make_chunk, make_document
from tests.turns import ME


class Sampled:
    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = list(chunks)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        assert (caller, collection) == (ME, "default")
        return self._chunks[:limit]


QUOTED = "Press the bin beside it in the list of documents on the page, then confirm that it is to be deleted."


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
        return [("other|1|0", 0, 9) if elsewhere in question else (of.chunk.chunk_id, of.start, of.end)]

    index: Any = Sampled(*chunks)
    return [question for _, question in await suggest_questions(ME, "default", index=index, quotes=quotes)]


async def test_own_questions_tasks_and_facts_precede_definitions_topics_and_headings() -> None:
    asked, task = section("faq", "Who may ask?"), section("help", "Delete a document")
    fact, definition = document("prices", "A bike costs 300 euros."), document("terms", "A hub is a part of a wheel.")
    history = section("history", "Early years")
    everything = [history, *definition, *fact, task, asked]
    assert await suggested(*everything) == ["Who may ask?", "How do I delete a document?", "How much does a bike cost?"]
    assert await suggested(*everything, fails="Who") == ["How do I delete a document?", "How much does a bike cost?", "What is a hub?"]
    assert await suggested(history, *definition) == ["What is a hub?", "What should I know about Early years?"]


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
    assert await suggested(*chunks, fails="share") == ["How do I delete documents?", "How do I export conversations?"]
    assert await suggested(*chunks, elsewhere="delete") == ["How do I share answers?", "How do I export conversations?"]


def test_an_answer_begins_with_the_place_that_the_question_was_made_from() -> None:
    (task,) = make_candidates([section("a", "Delete documents")])
    assert answers([("a|1|0", 0, len(QUOTED))], task)
    assert answers([("a|1|0", 0, len(QUOTED)), ("other|1|0", 0, 9)], task) is True
    assert answers([("other|1|0", 0, 9), ("a|1|0", 0, len(QUOTED))], task) is False
    assert answers([], task) is False


def below(heading: str, text: str, lang: str = "en") -> bool:
    """Whether the first sentence of the text answers the question for its heading."""
    (made,) = make_candidates([make_chunk(make_document("a"), text + " " + "and so on, as we said. " * 5, lang=lang, headings=(heading,))])
    return answers([("a|1|0", 0, len(text))], made)


def test_what_a_document_says_below_a_heading_is_understood_alone() -> None:
    assert below("Sick leave", "Call your manager before nine.")
    assert below("Sick leave", "- Call your manager before nine")
    assert not below("Sick leave", "But he may then call somebody else.")
    assert not below("Sick leave", "297 Standalone 380")
    assert not below("Sick leave", "See the handbook.")
    assert not below("Delete documents", "Official skill to write code with")
    assert below("Hinweise zu Passwörtern", "Wählen Sie kein Wort, das in einem Wörterbuch steht.", "de")
    assert not below("Hinweise zu Passwörtern", "The security of a password depends upon its length.", "de")


def test_a_command_answers_how_to_do_something() -> None:
    command = make_chunk(
        make_document("a"), "footnote delete handbook", headings=("Delete documents",), parts=(Part(0, None, 0, 0, "code"),)
    )
    (task,) = make_candidates([command])
    assert answers([("a|1|0", 0, 24)], task)


async def test_a_collection_that_answers_nothing_is_not_asked_for_ever() -> None:
    tried: list[str] = []
    assert await suggested(*(section(f"d{i}", f"Delete {'x' * i}document") for i in range(30)), fails="", tried=tried) == []
    assert len(tried) == TRIED > COUNT


async def test_each_language_has_its_questions_and_those_of_the_readers_come_first() -> None:
    chunks = [*document("v", "Ein Vertrag ist eine Vereinbarung.", lang="de"), *document("s", "서울은 대한민국의 수도이다.", lang="ko")]
    chunks += [*document("a", "A hub is a part of a wheel."), *document("b", "A rim is a part of a wheel.")]
    made = {candidate.question: candidate for candidate in make_candidates(chunks)}

    async def quotes(question: str) -> list[tuple[str, int, int]]:
        return [(made[question].chunk.chunk_id, made[question].start, made[question].end)]

    index: Any = Sampled(*chunks)
    found = await suggest_questions(ME, "default", index=index, quotes=quotes)
    assert [lang for lang, _ in found] == ["en", "en", "de", "ko"]
    assert in_language(found, "ko") == ["서울이란 무엇인가요?", "What is a hub?", "What is a rim?"]
    assert in_language(found, "de")[0] == "Was ist ein Vertrag?"
    assert in_language(found, "fr") == in_language(found, None) == in_language(found, "en") == [question for _, question in found[:3]]
