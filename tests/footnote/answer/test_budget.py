"""How many tokens the parts of a prompt and the answer may take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.budget import TokenBudget, budget_of, exchanges_shown
from footnote.answer.context import assemble_context
from footnote.answer.generate import generate
from footnote.settings import LLM, Conversation
from footnote.types import Exchange
from tests.deps import FakeDeps, run_step
from tests.fakes import FakeModel, FakeModels, make_hit
from tests.turns import HELD, make_turn

USUAL = replace(HELD, context_tokens=6000)


@pytest.mark.parametrize(
    ("model", "settings", "profile", "budget"),
    [
        ("unheard-of", {}, {}, TokenBudget(6000, 1500, 6000, None)),
        (None, {}, {}, TokenBudget(6000, 1500, 6000, None)),
        ("llama3.1:8b", {}, {}, TokenBudget(4480, 1200, 5680, 1440)),
        ("llama3.2:3b", {}, {}, TokenBudget(4480, 800, 5280, 1440)),
        ("gpt-4o", {}, {}, TokenBudget(6000, 1500, 6000, 23040)),
        ("gpt-4o", {}, {"max_tokens": 900}, TokenBudget(6000, 1500, 6000, 900)),
        ("unheard-of", {"context_window": 20_000}, {}, TokenBudget(11200, 3000, 14200, 3600)),
        ("gpt-4o", {"context_window": 4_000}, {"max_tokens": 900}, TokenBudget(2240, 600, 2840, 720)),
        ("llama3.2:3b", {}, {"fixed_context": True}, TokenBudget(6000, 800, 5280, 1440)),
    ],
)
def test_a_known_window_bounds_and_a_configured_one_decides(
    model: str | None, settings: dict[str, Any], profile: dict[str, Any], budget: TokenBudget
) -> None:
    assert budget_of(make_turn(profile=replace(USUAL, **profile), model=model), LLM(**settings)) == budget


@pytest.mark.parametrize(("model", "turns"), [("llama3.2:3b", 3), ("qwen2.5:7b", 6), ("qwen2.5:32b", 10), ("llama3.1:70b", 20), ("x", 20)])
def test_a_smaller_model_sees_fewer_earlier_turns_unless_somebody_says_how_many(model: str, turns: int) -> None:
    turn = make_turn(exchanges=tuple(Exchange(f"q{n}", "a") for n in range(20)), model=model)
    assert exchanges_shown(turn, Conversation()) == turn.conversation.exchanges[-turns:]
    assert exchanges_shown(turn, Conversation(max_history_turns=20)) == turn.conversation.exchanges


async def test_a_small_window_leaves_passages_and_turns_out_and_shortens_the_answer() -> None:
    hits = tuple(make_hit(f"word{n} " * 500, "d", n) for n in range(4))
    asked = make_turn(
        profile=USUAL,
        hits=hits,
        exchanges=tuple(Exchange("q", "a") for _ in range(9)),
        model="x:3b",
    )
    deps = FakeDeps(llm=LLM(context_window=2000), models=FakeModels(model := FakeModel([["Yes [1]."]], name="x:3b")))
    turn = await run_step(generate, await run_step(assemble_context, asked, deps), deps)
    assert (len(turn.evidence.hits), len(turn.messages)) == (2, 1 + 2 * 3 + 1)
    assert model.sent[0].options["max_tokens"] == 360
