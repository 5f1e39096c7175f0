"""The language of a question, and which knowledge of the collection it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from footnote.plan import change_plan
from footnote.ports import View
from footnote.settings import Rag, Settings
from footnote.types import KNOWLEDGE, Arm, Caller, KnowledgeKind, Maker, Turn
from footnote.understand.language import BUILT, NOT_BUILT, set_language, set_language_without_index
from tests.deps import FakeDeps, call_step
from tests.turns import HELD, ME, SETTINGS, make_turn


class Languages:
    def __init__(self, found: Mapping[str, int], built: Mapping[KnowledgeKind, Maker] | None = None) -> None:
        self._found, self._built = found, built or {}

    async def view(self, caller: Caller, collection: str) -> View:
        assert (caller, collection) == (ME, "default")
        return View(1, self._found, knowledge=self._built)


@pytest.mark.parametrize(
    ("found", "question", "lang"),
    [
        ({"de": 4, "en": 1}, "SAP", "de"),
        ({"de": 4, "en": 1}, "Why is it so?", "en"),
        ({}, "SAP", "en"),
        ({}, "왜 그런가요?", "ko"),
        ({"en": 4}, "Что это?", "ru"),
        ({"en": 4}, "Où est la gare ?", "fr"),
    ],
)
async def test_a_question_that_does_not_tell_is_in_the_language_of_the_documents(
    found: Mapping[str, int], question: str, lang: str
) -> None:
    index: Any = Languages(found)
    turn = await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=index))
    assert turn.lang == lang


@pytest.mark.parametrize(
    ("question", "lang"), [("opening hours", "en"), ("Parkplatz", "de"), ("office hours", "en"), ("refund policy?", "en")]
)
async def test_two_words_are_told_in_a_collection_of_two_languages(question: str, lang: str) -> None:
    for found in ({"de": 4, "en": 1}, {"de": 1, "en": 4}):
        turn = await call_step(set_language, make_turn(question, caller=ME), FakeDeps(index=cast(Any, Languages(found))))
        assert (turn.lang, turn.languages) == (lang, found)


READS = {"en": 3}
"""Passages that the caller may read, by language."""
ALL: Mapping[KnowledgeKind, Maker] = dict.fromkeys(KNOWLEDGE, "rules")


async def with_knowledge(built: Mapping[KnowledgeKind, Maker], turn: Turn, reads: Mapping[str, int] = READS) -> Turn:
    index: Any = Languages(reads, built)
    amended: Turn = await call_step(set_language, turn, FakeDeps(index=index))
    return amended


def used(turn: Turn) -> set[str]:
    return {kind for kind in KNOWLEDGE if turn.plan.wants(kind)}


async def test_what_is_built_is_used_and_the_plan_says_so() -> None:
    turn = await with_knowledge(ALL, make_turn("Who?", caller=ME))
    assert used(turn) == set(KNOWLEDGE)
    assert {turn.plan.choices[kind].because for kind in KNOWLEDGE} == {BUILT}
    assert used(await with_knowledge({"summary_tree": "model"}, make_turn("Who?", caller=ME))) == {"summary_tree"}


@pytest.mark.parametrize(("level", "wanted"), [("basic", set()), ("standard", set()), ("enhanced", {"graph"}), ("maximum", set(KNOWLEDGE))])
async def test_a_level_that_is_asked_for_decides_which_knowledge_is_used(level: Any, wanted: set[KnowledgeKind]) -> None:
    asked = make_turn("Who?", caller=ME, level=level)
    turn = await with_knowledge(ALL, asked)
    assert used(turn) == wanted
    assert BUILT not in {turn.plan.choices[kind].because for kind in KNOWLEDGE}
    turn = await with_knowledge({}, asked)
    assert used(turn) == set()
    assert {turn.plan.choices[kind].because for kind in wanted} <= {NOT_BUILT}


async def test_an_option_of_the_request_counts_only_where_it_is_built() -> None:
    asked = make_turn("Who?", caller=ME, options={"graph": True, "summary_tree": False})
    assert used(await with_knowledge(ALL, asked)) == {"graph", "late_interaction"}
    turn = await with_knowledge({"summary_tree": "rules"}, asked)
    assert used(turn) == set()
    assert (turn.plan.choices["graph"].because, turn.plan.choices["summary_tree"].because) == (NOT_BUILT, "request")
    assert used(await with_knowledge(ALL, make_turn("Who?", caller=ME, level="basic", options={"graph": True}))) == {"graph"}


async def test_a_setting_against_the_graph_holds_where_it_is_built() -> None:
    turn = make_turn("Who?", caller=ME, settings=Settings(rag=Rag(graph=False)))
    assert used(await with_knowledge(ALL, turn)) == set(KNOWLEDGE) - {"graph"}


async def test_the_level_of_an_experiment_decides_like_one_that_is_asked_for() -> None:
    turn = make_turn("Who?", caller=ME)
    plan = change_plan(turn.plan, Arm("more", level="enhanced"), "experiment tries, arm more", turn.request, HELD, SETTINGS)
    assert used(await with_knowledge(ALL, replace(turn, plan=plan))) == {"graph"}


async def test_who_may_read_nothing_is_told_of_no_knowledge() -> None:
    for turn in (make_turn("Who?", caller=ME), make_turn("Who?", caller=ME, level="maximum")):
        amended = await with_knowledge(ALL, turn, reads={})
        assert amended.plan == (await with_knowledge({}, turn, reads={})).plan
        assert used(amended) == set()


async def test_without_the_index_the_plan_stays_as_it_is() -> None:
    turn = make_turn("Wann wurde die Brücke gebaut?", caller=ME, level="maximum")
    amended = await call_step(set_language_without_index, turn, FakeDeps())
    assert (amended.lang, amended.plan) == ("de", turn.plan)
