"""Explanations of a plan: every row, whether it runs, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.pipeline import ANSWER
from footnote.settings import LLM
from footnote.settings.llm import Price
from footnote.steps import Step, Switch, steps_of
from footnote.steps.explain import MISSING, Line, Spent, explain, with_results
from footnote.types import ModelCall, Request, Span, Stage, Turn, Usage
from tests.deps import FakeDeps
from tests.fakes import FakeEmbedder
from tests.turns import HELD, make_turn, with_

FREE = LLM().cost


def lines(turn: Turn, **deps: object) -> dict[str, Line]:
    return {line.step: line for line in explain(ANSWER, turn, FakeDeps(**deps)).lines}


def test_each_row_of_the_modes_tables_is_explained_once_in_its_order() -> None:
    explained = explain(ANSWER, make_turn(), FakeDeps())
    (switch,) = [row for row in ANSWER if isinstance(row, Switch)]
    at = ANSWER.index(switch)
    expected = [*steps_of(ANSWER[:at]), *steps_of(switch.tables["rag"]), *steps_of(ANSWER[at + 1 :])]
    assert [line.step for line in explained.lines] == [step.name for step in expected if isinstance(step, Step)]


def test_a_row_names_what_decided_what_is_missing_or_its_condition() -> None:
    told = lines(make_turn(room_id="r"))
    assert told["reformulate"] == Line(Stage.UNDERSTAND, "reformulate", "no", "off by default", "reformulate")
    assert (told["embed"].runs, told["embed"].because) == ("no", MISSING["embedder"])
    assert (told["remote_search"].runs, told["remote_search"].because) == ("no", "MCP__GATEWAY is not set")
    assert (told["guard"].runs, told["guard"].because) == ("yes", "always")
    assert (told["rewrite"].runs, told["rewrite"].because) == (
        "depends",
        "only if the conversation has earlier exchanges, and the question is not about the last answer",
    )
    assert (told["generate"].runs, told["quote"].runs) == ("no", "yes")
    assert lines(make_turn(), embedder=FakeEmbedder())["embed"].runs == "depends"


def test_model_calls_are_counted_if_there_is_a_model() -> None:
    alone = explain(ANSWER, make_turn(), FakeDeps()).as_json()
    asked = explain(ANSWER, make_turn(model="big", options={"reformulate": True}), FakeDeps()).as_json()
    assert (alone["model_calls_at_most"], asked["model_calls_at_most"], asked["model"]) == (0, 4, "big")
    assert [step["step"] for step in asked["steps"] if step["paid"]] == ["rewrite", "reformulate", "forbidden_check", "generate"]


def test_after_the_turn_each_row_shows_its_result() -> None:
    turn = make_turn()
    done = with_(turn, spans=(Span("guard", 0.5), Span("search", 2.0, "ok", {"lexical": 3})), outcome="no_hits")
    told = {line.step: line for line in with_results(explain(ANSWER, turn, FakeDeps()), done, FREE).lines}
    assert (told["search"].runs, told["search"].span) == ("yes", Span("search", 2.0, "ok", {"lexical": 3}))
    assert (told["quote"].runs, told["quote"].because) == ("no", "the turn was settled: no_hits")
    assert told["remote_search"].because == "MCP__GATEWAY is not set"
    assert told["search"].because == "nothing has been found in other systems"


def test_model_usage_is_attributed_to_the_calling_step() -> None:
    calls = (
        ModelCall("rewrite", "small", Usage(100, 10), 1.0),
        ModelCall("generate", "big", Usage(900, 50), 1.0),
        ModelCall("generate", "big", Usage(900, 40), 1.0),
    )
    priced = LLM(prices={"small": Price(input=1, output=2), "big": Price(input=10, output=20)}).cost
    done = with_(make_turn(), calls=calls)
    explained = with_results(explain(ANSWER, make_turn(), FakeDeps()), done, priced)
    spent = {line.step: line.spent for line in explained.lines if line.spent}
    assert spent == {"rewrite": Spent(1, 100, 10, pytest.approx(0.00012)), "generate": Spent(2, 1800, 90, pytest.approx(0.0198))}
    assert explained.spent == Spent(3, 1900, 100, pytest.approx(0.01992))
    (told,) = [step for step in explained.as_json()["steps"] if step["step"] == "rewrite"]
    assert (told["calls"], told["prompt_tokens"], told["completion_tokens"], told["cost"]) == (1, 100, 10, pytest.approx(0.00012))


def test_every_condition_of_a_row_says_when_it_holds() -> None:
    """Explanations read it: a clause, without “whether”."""
    told = {step.when.__name__: step.when.__doc__ for step in steps_of(ANSWER) if step.when is not None}
    assert {name for name, said in told.items() if not said or "\n" in said or said.startswith("Whether")} == set()


def test_every_dependency_of_a_row_has_a_message_for_when_it_is_missing() -> None:
    assert {step.needs for step in steps_of(ANSWER)} - {None} == set(MISSING)


def test_an_intelligence_level_appears_in_the_reasons() -> None:
    turn = make_turn(profile=HELD, level="basic")
    assert replace(Request("Why?", "default"), level="basic") == replace(turn.request, question="Why?")
    assert lines(turn)["support_check"].because == "level basic"
    assert explain(ANSWER, turn, FakeDeps()).as_json()["level_because"] == "request"
