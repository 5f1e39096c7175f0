"""The router chooses how to search, by the kind of question and within what the plan allows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from footnote.pipeline import ANSWER
from footnote.plan import make_plan
from footnote.ports import Delta
from footnote.settings import Rag, Settings
from footnote.steps import IGNORE, steps_of
from footnote.types import OPTIONS, Choice, Request, Turn
from footnote.understand.classify import classify_by_model, classify_by_rules, has_model_to_classify
from footnote.understand.route import ROUTED, STRATEGIES, follow, route
from tests.deps import FakeDeps, call_step, finish
from tests.fakes import FakeEmbedder, FakeModel, FakeModels
from tests.footnote.step_toys import toy
from tests.turns import HELD, make_turn

FACT = "How high is the deposit for the holiday flat by the lake?"
ROUTED_API = replace(HELD, routed=True)


async def routed(question: str, *, lang: str = "en", embedder: Any = None, **changes: Any) -> Turn:
    turn = await classify_by_rules(make_turn(question, lang=lang, **changes))
    return await call_step(route, turn, FakeDeps(embedder=embedder or FakeEmbedder()))


@pytest.mark.parametrize(
    ("question", "lang", "strategy", "because"),
    [
        (FACT, "en", "HYBRID", "a fact"),
        ("Wie hoch ist die Kaution für die Wohnung am See?", "de", "HYBRID", "a fact"),
        ("호숫가 별장의 보증금은 얼마인가요?", "ko", "HYBRID", "a fact"),
        ("Is rail cheaper than road?", "en", "FUSION", "a comparison"),
        ("Warum wurde der Hafen gesperrt?", "de", "FUSION", "reasons or consequences"),
        ("What is trust?", "en", "HYBRID", "a fact"),
        ("Wo wohnt der Mann, der die Brücke gebaut hat?", "de", "FUSION", "several steps"),
        ("회의록을 요약해 주세요", "ko", "HIERARCHICAL", "a summary"),
        ("Which ports are closed?", "en", "HIERARCHICAL", "a list"),
        ("What did the port cost in 2021?", "en", "TWO_STAGE", "names, numbers or a negation"),
        ("Welche Halle darf man am Abend nicht betreten?", "de", "TWO_STAGE", "names, numbers or a negation"),
    ],
)
async def test_the_kind_of_question_decides_the_strategy(question: str, lang: str, strategy: str, because: str) -> None:
    turn = await routed(question, lang=lang)
    assert (turn.plan.strategy, turn.plan.strategy_because) == (strategy, because)


@pytest.mark.parametrize(
    ("question", "lang", "strategy"),
    [
        ("How high is the deposit?", "en", "DENSE_ONLY"),
        ("Quel est le montant de la caution ?", "fr", "HYBRID"),
        (FACT, "en", "HYBRID"),
        ("What did the port cost in 2021?", "en", "TWO_STAGE"),
        ("How do I book the flat?", "en", "HYBRID"),
    ],
)
async def test_where_an_api_wants_it_short_facts_are_searched_for_by_vectors(question: str, lang: str, strategy: str) -> None:
    turn = make_turn(question, lang=lang)
    turn = await classify_by_rules(replace(turn, profile=replace(turn.profile, facts_by_vectors=True)))
    plan = (await call_step(route, turn, FakeDeps(embedder=FakeEmbedder(languages=None)))).plan
    assert (plan.strategy, plan.wants("hybrid")) == (strategy, strategy != "DENSE_ONLY")


async def test_at_standard_no_question_loses_an_option_that_needs_no_model() -> None:
    for question in (FACT, "What is trust?", "Which ports are closed?", "What did the port cost in 2021?", "Compare rail and road"):
        before, after = make_turn(question).plan, (await routed(question)).plan
        assert after.strategy != "DENSE_ONLY"
        assert {name for name in OPTIONS if before.wants(name) and not after.wants(name)} == set()
        assert {name for name in OPTIONS if after.wants(name) and not before.wants(name)} <= {"documents_first"}


async def test_a_plain_question_pays_for_no_further_queries() -> None:
    plain, compared = [await routed(q, level="enhanced") for q in (FACT, "Compare rail and road")]
    assert plain.plan.choices["paraphrases"] == Choice(False, "strategy HYBRID: a fact")
    assert compared.plan.wants("paraphrases")


async def test_the_highest_level_leaves_nothing_out() -> None:
    turn = await routed(FACT, level="maximum")
    assert (turn.plan.strategy, turn.plan.strategy_because) == ("FUSION", "level maximum")
    assert {name for name in ROUTED if not turn.plan.wants(name)} == {"rerank"}  # none is configured
    assert (turn.plan.wants("sandwich"), turn.plan.wants("mmr")) == (True, False)  # one fact is asked for


async def test_passages_of_a_comparison_differ_from_each_other_where_more_is_spent() -> None:
    turn = await routed("Compare rail and road", level="enhanced")
    assert turn.plan.choices["mmr"] == Choice(True, "strategy FUSION: a comparison")
    assert not (await routed("Compare rail and road")).plan.wants("mmr")


async def test_a_ceiling_holds_against_the_router() -> None:
    plan = make_plan(Request("Compare rail and road", level="enhanced"), HELD, Settings(rag=Rag(switched_off=["mmr", "paraphrases"])))
    turn = await routed("Compare rail and road", plan=plan)
    assert (turn.plan.strategy, turn.plan.wants("mmr"), turn.plan.wants("paraphrases")) == ("FUSION", False, False)


async def test_two_stages_rank_more_passages_if_anything_ranks_them() -> None:
    assert (await routed("What did the port cost in 2021?")).plan.pool_size == 0
    assert (await routed("What did the port cost in 2021?", options={"mmr": True})).plan.pool_size == 50


async def test_the_router_overrides_neither_requested_nor_disabled_options() -> None:
    turn = await routed(FACT, level="enhanced", options={"paraphrases": True})
    assert turn.plan.choices["paraphrases"] == Choice(True, "request")
    turn = await routed("Compare rail and road", level="enhanced", options={"paraphrases": False})
    assert not turn.plan.wants("paraphrases")


async def test_level_basic_searches_by_vectors_if_any_else_by_words_and_says_so() -> None:
    english, korean = FakeEmbedder(languages=frozenset({"en"})), "호숫가 별장의 보증금은 얼마인가요?"
    by_vectors = await routed(FACT, level="basic", embedder=english)
    assert (by_vectors.plan.strategy, by_vectors.plan.wants("hybrid")) == ("DENSE_ONLY", False)
    by_words = await routed(korean, lang="ko", level="basic", embedder=english)
    assert by_words.plan.strategy_because == "level basic; words are searched for: the embedder does not support ko"
    assert by_words.plan.choices["hybrid"] == Choice(True, "words are searched for: the embedder does not support ko")


async def test_the_number_of_passages_follows_the_strategy_only_where_nobody_asked_for_one() -> None:
    sizes = {q: (await routed(q, profile=ROUTED_API)).plan.limit for q in (FACT, "Compare rail and road", "Which ports are closed?")}
    assert list(sizes.values()) == [10, 20, 15]
    assert (await routed(FACT, profile=ROUTED_API, level="basic")).plan.limit == 5
    assert (await routed("Which ports are closed?")).plan.limit == 5


@pytest.mark.parametrize(
    ("question", "standard", "basic"),
    [(FACT, 10, 5), ("Summarize the minutes", 12, 12), ("Compare rail and road", 20, 12), ("Which ports are closed?", 15, 15)],
)
async def test_every_intent_suggests_a_least_number_of_passages(question: str, standard: int, basic: int) -> None:
    assert (await routed(question, profile=ROUTED_API)).plan.limit == standard
    assert (await routed(question, profile=ROUTED_API, level="basic")).plan.limit == basic


@pytest.mark.parametrize(
    ("question", "kept"), [("Compare rail and road", True), ("Why was the harbour closed?", True), (FACT, False), ("List all ports", False)]
)
async def test_a_comparison_and_reasons_keep_the_graph_with_every_strategy(question: str, kept: bool) -> None:
    api = replace(HELD, options={"graph": True})
    plan = make_plan(Request(question), api, Settings())
    turn = await classify_by_rules(make_turn(question, plan=plan))
    assert follow(turn, "HYBRID", "a test", FakeEmbedder()).plan.wants("graph") is kept


async def test_a_request_for_chunk_levels_wins_over_the_recommended_ones() -> None:
    question = "Which ports are closed?"
    assert (await routed(question)).plan.levels == (2,)
    assert (await routed(question, profile=ROUTED_API)).plan.levels == (0, 1, 2)
    request = Request(question, limit=7, levels=(1,))
    plan = (await routed(question, profile=ROUTED_API, request=request, plan=make_plan(request, ROUTED_API, Settings()))).plan
    assert (plan.limit, plan.levels) == (7, (1,))


def test_a_strategy_leaves_out_only_options_of_the_search() -> None:
    assert {OPTIONS[name].affects for name in ROUTED} == {"search"}
    assert all(OPTIONS[name].requestable for name in ROUTED)
    assert all(OPTIONS[name].requestable for means in STRATEGIES.values() for name in means.adds)
    assert not STRATEGIES["DENSE_ONLY"].keeps


async def test_a_summary_reads_more_of_its_documents_where_more_is_spent() -> None:
    assert (await routed("Summarize the minutes", level="enhanced")).plan.wants("expand_documents")
    assert not (await routed("Summarize the minutes")).plan.wants("expand_documents")
    assert not (await routed(FACT, level="enhanced")).plan.wants("expand_documents")


def test_the_answer_is_routed_before_it_is_searched_for() -> None:
    names = [step.name for step in steps_of(ANSWER)]
    assert names.index("forbidden_check") < names.index("classify") < names.index("route") < names.index("embed")


async def test_a_model_decides_where_the_plan_says_so_and_rules_where_it_fails() -> None:
    asked = await classify_by_rules(make_turn("Which ports are closed?", model="fake", options={"classify_by_model": True}))
    row = toy("classify_by_model", classify_by_model, option="classify_by_model", on_error=IGNORE, when=has_model_to_classify)

    def deps(*replies: str) -> FakeDeps:
        return FakeDeps(models=FakeModels(FakeModel([[reply, Delta()] for reply in replies])))

    said = json.dumps({"intent": "ANALYTICAL", "type": "relational", "needs_steps": True})
    turn = await finish((row,), asked, deps(said))
    assert (turn.reading.classification.intent, turn.reading.classification.is_multi_hop) == ("ANALYTICAL", True)
    assert turn.trace.notes["classification"]["because"] == "the model fake"
    for broken in ('{"intent": "POEM", "type": "relational", "needs_steps": true}', "no idea"):
        turn = await finish((row,), asked, deps(broken, broken))
        assert (turn.reading.classification, turn.trace.degraded) == (asked.reading.classification, False)
    unasked = replace(asked, plan=make_turn(model="fake").plan)
    assert (await finish((row,), unasked, deps())).reading.classification == asked.reading.classification
