"""Plans: defaults, levels, APIs, settings, requests, and the ceilings above them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from footnote.errors import FootnoteError
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE
from footnote.plan import limit_of, make_plan
from footnote.settings import Caching, Conversation, Rag, Settings
from footnote.settings.marks import each_setting
from footnote.steps import steps_of
from footnote.types import LEVELS, OPTIONS, Choice, IntelligenceLevel, OptionName, Request, Stage, Turn
from tests.deps import FakeDeps, run_table
from tests.footnote.step_toys import toy
from tests.turns import HELD, LIVE, make_turn

ASKED = Request("Why?", "default")
REFORMULATES = replace(HELD, options={"reformulate": True}, settings=("reformulate",))


def choose(option: OptionName, request: Request = ASKED, profile: Any = HELD, **settings: Any) -> Choice:
    return make_plan(request, profile, Settings(**settings)).choices[option]


def test_every_option_is_described_and_every_option_of_a_row_exists() -> None:
    assert set(OPTIONS) == set(get_args(OptionName))
    assert set(LEVELS) == set(get_args(IntelligenceLevel))
    assert {step.option for table in (ANSWER, RETRIEVE, LOOK_UP) for step in steps_of(table)} - {None} <= set(OPTIONS)
    keys = {each.key for each in each_setting(Settings)}
    assert {key for option in OPTIONS.values() for key in option.ceiling} <= keys


def test_a_setting_with_the_name_of_an_option_switches_it() -> None:
    named = [each for each in each_setting(Settings) if each.name in OPTIONS]
    assert {each.field.annotation for each in named} == {bool}
    assert len({each.name for each in named}) == len(named)


def test_levels_set_only_requestable_options() -> None:
    assert {name for level in LEVELS.values() for name in level if not OPTIONS[name].requestable} == set()


def test_later_layers_override_earlier_ones() -> None:
    assert choose("reformulate") == Choice(False, "off by default")
    assert choose("reformulate", profile=REFORMULATES) == Choice(True, "the API test")
    off = {"reformulate": False}
    assert choose("reformulate", profile=REFORMULATES, **off) == Choice(False, "REFORMULATE is false")
    assert choose("reformulate", **off) == Choice(False, "off by default")  # the setting binds one API
    enhanced = replace(ASKED, level="enhanced")
    assert choose("reformulate", enhanced, REFORMULATES, **off) == Choice(True, "level enhanced")
    without = replace(enhanced, options={"reformulate": False})
    assert choose("reformulate", without, REFORMULATES) == Choice(False, "request")


@pytest.mark.parametrize(
    ("option", "settings", "because"),
    [
        ("hybrid", {"rag": Rag(hybrid=False)}, Choice(False, "RAG__HYBRID is false")),
        ("paraphrases", {"rag": Rag(paraphrases=True)}, Choice(True, "RAG__PARAPHRASES is true")),
        ("hypothetical", {"rag": Rag(hypothetical=True)}, Choice(True, "RAG__HYPOTHETICAL is true")),
        ("verify_passages", {"rag": Rag(verify_passages=True)}, Choice(True, "RAG__VERIFY_PASSAGES is true")),
        ("verify_passages", {}, Choice(False, "off by default")),
        ("forbidden_check", {"rag": Rag(forbidden_check=False)}, Choice(False, "RAG__FORBIDDEN_CHECK is false")),
        (
            "rewrite",
            {"conversation": Conversation(rewrite=False)},
            Choice(False, "CONVERSATION__REWRITE is false"),
        ),
        (
            "history",
            {"conversation": Conversation(history=False)},
            Choice(False, "CONVERSATION__HISTORY is false"),
        ),
    ],
)
def test_a_setting_decides_an_option_only_if_it_is_set(option: OptionName, settings: Mapping[str, Any], because: Choice) -> None:
    assert choose(option, **settings) == because


def test_a_requested_level_overrides_a_setting() -> None:
    assert choose("hybrid", replace(ASKED, level="basic"), rag=Rag(hybrid=True)) == Choice(False, "level basic")


def test_numbers_that_nobody_set_are_those_of_the_api() -> None:
    api = replace(HELD, limit=7)
    assert [limit_of(api, Settings()), limit_of(api, Settings(rag=Rag(top_k=10)))] == [7, 10]
    assert [Conversation().turns(4), Conversation(max_history_turns=15).turns(4)] == [4, 15]
    assert [Caching().answer_ttl_s(60), Caching(default_ttl_seconds=300).answer_ttl_s(60)] == [60, 300]


def test_a_request_cannot_switch_checks_that_protect_others() -> None:
    asked = replace(ASKED, options={"forbidden_check": False, "injection_check": False, "faq": False})
    assert [choose(name, asked).is_on for name in ("forbidden_check", "injection_check", "faq")] == [True, True, False]


@pytest.mark.parametrize(
    ("option", "profile", "settings", "because"),
    [
        ("answer_cache", HELD, {"cache": Caching(enabled=False)}, "CACHE__ENABLED is false"),
        ("follow_up", HELD, {"rag": Rag(switched_off=["follow_up"])}, "RAG__SWITCHED_OFF names it"),
        ("reject_uncited", replace(LIVE, options={"reject_uncited": True}), {}, "the answer is shown while it is written"),
    ],
)
def test_a_ceiling_overrides_every_layer(option: OptionName, profile: Any, settings: Mapping[str, Any], because: str) -> None:
    asked = replace(ASKED, options={option: True})
    assert choose(option, asked, profile, **settings) == Choice(False, because)


def test_a_ceiling_switches_nothing_on() -> None:
    assert choose("answer_cache", cache=Caching(enabled=True)) == Choice(False, "off by default")


def test_a_setting_switches_options_on_and_requests_and_ceilings_override_it() -> None:
    on = Rag(switched_on=["penalties", "question_filters", "mmr"])
    named = Choice(True, "RAG__SWITCHED_ON names it")
    assert [choose(name, rag=on) for name in ("penalties", "question_filters", "mmr")] == [named] * 3
    assert choose("penalties", rag=on).is_fixed  # the router leaves it on
    assert choose("sandwich", rag=on) == Choice(False, "off by default")
    assert choose("mmr", replace(ASKED, options={"mmr": False}), rag=on) == Choice(False, "request")
    assert choose("hypothetical", rag=Rag(switched_on=["hypothetical"], hypothetical=False)) == named
    basic = replace(ASKED, level="basic")
    assert choose("verify_passages", basic, rag=Rag(switched_on=["verify_passages"])) == Choice(False, "level basic")
    both = Rag(switched_on=["mmr"], switched_off=["mmr"])
    assert choose("mmr", rag=both) == Choice(False, "RAG__SWITCHED_OFF names it")


def test_an_api_may_say_how_many_passages_are_ranked_if_any_are() -> None:
    fetching = replace(HELD, pool_size=20)
    assert make_plan(replace(ASKED, options={"mmr": True}), HELD, Settings()).pool_size == 30
    assert make_plan(replace(ASKED, options={"mmr": True}), fetching, Settings()).pool_size == 20
    assert make_plan(ASKED, fetching, Settings()).pool_size == 0


@pytest.mark.parametrize("name", ["penaltys", "reject_uncited"])
def test_unknown_and_protected_options_cannot_be_switched_on(name: Any) -> None:
    with pytest.raises(ValidationError):
        Rag(switched_on=[name])


def test_an_option_that_does_not_exist_cannot_be_switched_off() -> None:
    with pytest.raises(ValidationError, match="follow_up"):
        Rag(switched_off=["follow-up"])  # type: ignore[list-item]


def test_plans_with_the_same_effect_have_the_same_fingerprint() -> None:
    plan = make_plan(ASKED, HELD, Settings())
    same = make_plan(replace(ASKED, level="standard"), HELD, Settings())
    other = make_plan(replace(ASKED, options={"follow_up": False}), HELD, Settings())
    assert plan.fingerprint("search", "answer") == same.fingerprint("search", "answer") != other.fingerprint("search", "answer")
    assert plan.fingerprint("search") == other.fingerprint("search")


def test_an_option_switched_off_keeps_its_first_reason() -> None:
    plan = make_plan(ASKED, HELD, Settings())
    assert plan.without("faq", "a reason").choices["faq"] == Choice(False, "a reason")
    assert plan.without("reformulate", "a reason").choices["reformulate"] == Choice(False, "off by default")


async def touch(turn: Turn) -> Turn:
    return replace(turn, plan=turn.plan.without("faq", "said so"))


async def test_only_a_row_with_amends_plan_changes_the_plan_of_later_rows() -> None:
    async def answered(turn: Turn) -> Turn:
        raise AssertionError("the plan has switched it off")

    rows = (toy("route", touch, amends_plan=True), toy("faq", answered, option="faq"))
    assert [span.name for span in (await run_table(rows, make_turn(), FakeDeps()))[-1].turn.trace.spans] == ["route"]  # type: ignore[union-attr]
    failed = (await run_table((toy("route", touch),), make_turn(), FakeDeps()))[-1]
    assert type(failed.error) is FootnoteError  # type: ignore[union-attr]


async def test_a_row_whose_dependency_is_not_configured_does_not_run() -> None:
    async def search(turn: Turn) -> Turn:
        return turn.with_notes(searched=True)

    row = toy("remote", search, needs="tools")
    for tools, ran in ((None, {}), (object(), {"searched": True})):
        done = (await run_table((row,), make_turn(), FakeDeps(tools=tools)))[-1]
        assert done.turn.trace.notes == ran  # type: ignore[union-attr]
    assert row.stage in Stage
