"""A question that asks several things is searched for and answered part by part."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.answer.confidence import confidence_of
from footnote.bootstrap import Core
from footnote.memory.answer_cache import may_use_answer_cache
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Conversation, Exchange, Request, Turn
from footnote.understand.split import asks_several, split_question
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.turns import HELD, make_turn

LOCAL, BOB = Caller("local", sees_all=True), Caller("bob", frozenset({"blue"}))
TEXTS = {
    "en": ("The novel Emil was written by Erich Kestner in Berlin.", "The harbour museum was built in 1894 by the city."),
    "de": ("Den Roman Emil schrieb Erich Kestner in Berlin.", "Das Hafenmuseum wurde 1894 von der Stadt gebaut."),
    "ko": ("소설 에밀은 에리히 케스트너가 베를린에서 썼다.", "항구 박물관은 1894년에 지어졌다."),
}
ASKED = {
    "en": "Who wrote the novel Emil? When was the harbour museum built?",
    "de": "Wer schrieb den Roman Emil? Wann wurde das Hafenmuseum gebaut?",
    "ko": "소설 에밀은 누가 썼나요? 항구 박물관은 언제 지어졌나요?",
}
PARTS = {
    "en": ("Who wrote the novel Emil?", "When was the harbour museum built?"),
    "de": ("Wer schrieb den Roman Emil?", "Wann wurde das Hafenmuseum gebaut?"),
    "ko": ("소설 에밀은 누가 썼나요?", "항구 박물관은 언제 지어졌나요?"),
}
FILLING = {
    "en": "Ships of class {0} unload gravel at quay {0}.",
    "de": "Schiffe der Klasse {0} entladen Kies an Kai {0}.",
    "ko": "{0}급 배는 {0}번 부두에서 자갈을 내린다.",
}


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    yield made
    await made.close()


async def fill(core: Core, lang: str) -> None:
    for name, text, groups in (("book", TEXTS[lang][0], ["red"]), ("museum", TEXTS[lang][1], ["red", "blue"])):
        await put_document(core.generations, make_document(name, title=name, groups=groups), [text], lang=lang)
    for number in range(12):
        document = make_document(f"quay{number}", title="quay", groups=["red", "blue"])
        await put_document(core.generations, document, [FILLING[lang].format(number)], lang=lang)


async def ask(core: Core, question: str, caller: Caller = LOCAL, **request: Any) -> Turn:
    return await core.answer.finish(core.new_turn(Request(question, "default", **request), caller, HELD))


def cited(turn: Turn) -> list[str]:
    return [citation.hit.chunk.doc_id for citation in turn.answer.citations] if turn.answer else []


@pytest.mark.usefixtures("sure_of_little")
@pytest.mark.parametrize("lang", ["en", "de", "ko"])
async def test_both_parts_are_searched_for_and_quoted_for(core: Core, lang: str) -> None:
    await fill(core, lang)
    turn = await ask(core, ASKED[lang])
    assert (turn.query_texts, {query.kind for query in turn.queries}) == (PARTS[lang], {"sub_question"})
    assert {found.query for found in turn.evidence.lists} == set(PARTS[lang])
    assert cited(turn) == ["book", "museum"]
    assert turn.outcome is None
    assert (turn.answer.verdict.tier if turn.answer.verdict else None) == "answer"


async def test_trace_and_plan_tell_the_parts_and_the_question_as_it_was(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, ASKED["en"])
    assert turn.trace.notes["divided"] == turn.reading.divided == turn.request.question == ASKED["en"]
    assert tuple(part.question for part in turn.reading.parts) == PARTS["en"]
    assert [span.detail for span in turn.trace.spans if span.name == "split"] == [{"queries": 2}]
    assert (turn.plan.strategy, turn.plan.strategy_because) == ("FUSION", "several questions")
    assert turn.plan.choices["split"].because == "default"


async def test_a_single_question_skips_the_split(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, "Who wrote the novel Emil?")
    assert [query.kind for query in turn.queries] == ["original"]
    assert "split" not in {span.name for span in turn.trace.spans}


async def test_the_option_switches_it_off(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, ASKED["en"], options={"split": False})
    assert turn.query_texts == (ASKED["en"],)


async def test_a_part_without_an_answer_is_named_and_the_other_is_answered(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, "Who wrote the novel Emil? How many giraffes does the zoo of Lisbon feed?")
    assert cited(turn) == ["book"]
    assert turn.answer.text.endswith("[1]\n\nThe documents do not seem to answer this part: How many giraffes does the zoo of Lisbon feed?")
    assert "giraffes" in (turn.answer.verdict.missing if turn.answer.verdict else ())


async def test_where_no_part_has_an_answer_there_is_none(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, "Who feeds the giraffes of the museum? How many zebras live at quay seven?")
    assert (turn.outcome, cited(turn)) == ("refused", [])


async def test_the_confidence_is_that_of_the_least_certain_part(core: Core) -> None:
    await fill(core, "en")
    options: Any = {"confidence": True}
    profile = replace(HELD, options=options)
    found = {}
    for second in ("When was the harbour museum built", "How many giraffes does the zoo of Lisbon feed"):
        request = Request(f"Who wrote the novel Emil? {second}?", "default")
        turn = await core.answer.finish(core.new_turn(request, LOCAL, profile))
        found[second[:3]] = confidence_of(turn)
    assert found["How"].relevance < 0.5 < found["Whe"].relevance


async def test_passages_of_every_part_are_relevant(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, ASKED["en"], threshold=0.5, options={"verify_passages": True})
    assert {hit.chunk.doc_id for hit in turn.evidence.hits} == {"book", "museum"}


async def test_a_part_is_not_answered_from_what_the_caller_may_not_read(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, ASKED["en"], BOB)
    assert cited(turn) == ["museum"]
    assert "book" not in {hit.chunk.doc_id for hit in turn.evidence.hits}


async def test_one_part_that_meets_a_forbidden_term_ends_the_turn(core: Core) -> None:
    await fill(core, "en")
    await core.terms.save(LOCAL, "salary of the director", "exact")
    turn = await ask(core, "When was the harbour museum built? What is the salary of the director?")
    assert turn.outcome == "forbidden"


async def test_a_model_is_asked_the_question_as_it_was(core: Core) -> None:
    await fill(core, "en")
    model = FakeModel([["Erich Kestner [1]. In 1894 [2]."]])
    core.__dict__["models"] = FakeModels(model)
    turn = await ask(core, ASKED["en"])
    assert model.sent[0].messages[-1].content.endswith(f"\n\n{ASKED['en']}")
    assert all(text in model.sent[0].messages[-1].content for text in TEXTS["en"])
    assert cited(turn) == ["book", "museum"]


STORY = "We went to the sea last summer. My uncle sells gravel."


async def test_a_question_after_a_story_is_searched_for_and_a_model_is_told_all(core: Core) -> None:
    await fill(core, "en")
    model = FakeModel([["Erich Kestner [1]."]])
    core.__dict__["models"] = FakeModels(model)
    turn = await ask(core, f"{STORY} Who wrote the novel Emil?")
    assert (turn.query_texts, cited(turn)) == (("Who wrote the novel Emil?",), ["book"])
    assert model.sent[0].messages[-1].content.endswith(f"\n\n{STORY} Who wrote the novel Emil?")
    assert not may_use_answer_cache(turn)


@pytest.mark.usefixtures("sure_of_little")
async def test_a_story_that_says_what_the_question_is_about_is_searched_for(core: Core) -> None:
    await fill(core, "en")
    turn = await ask(core, "I want to see the harbour museum. My uncle sells gravel. In which year did they open the doors?")
    assert turn.query_texts == (turn.request.question,)
    assert turn.evidence.hits[0].chunk.doc_id == "museum"


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Who wrote the novel Emil? When was it built and opened?", "When was it built and opened? wrote novel Emil"),
        ("Who wrote the novel Emil? When was the museum built?", "When was the museum built?"),
    ],
)
async def test_a_part_that_refers_to_those_before_it_gets_words_of_them(question: str, second: str) -> None:
    turn = await split_question(make_turn(question))
    assert turn.query_texts == ("Who wrote the novel Emil?", second)


async def test_a_follow_up_is_completed_before_it_is_divided() -> None:
    turn = make_turn("And when was the museum built? Who runs the library?")
    turn = replace(turn, conversation=Conversation((Exchange("Who runs the harbour?", "The city."),))).rewrite(
        "When was the harbour museum built? Who runs the city library?"
    )
    divided = await split_question(turn)
    assert divided.query_texts == ("When was the harbour museum built?", "Who runs the city library?")
    assert divided.reading.divided == turn.asked


def test_a_question_of_which_nothing_is_searched_for_is_not_divided() -> None:
    assert asks_several(make_turn(ASKED["en"]))
    assert not asks_several(make_turn(ASKED["en"], mode="gpt"))
    assert not asks_several(make_turn(ASKED["en"]).rewrite("Who wrote Emil?", "When was the museum built?"))
    assert not asks_several(make_turn("Who wrote Emil and when was the museum built?"))
    assert not asks_several(make_turn(ASKED["en"], lang="fr"))
