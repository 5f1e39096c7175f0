"""`/me/usage`: one's own questions, tokens and cost. Budgets: test_budgets.py."""

from __future__ import annotations

from typing import Any

from footnote.ports import Delta
from footnote.settings import LLM
from footnote.types import Caller, Usage
from tests.conftest import HandClock
from tests.functions.conftest import ASK, OpenSite
from tests.functions.test_conversations import client_of

ANN = Caller("ann", frozenset({"staff"}))
BOSS = Caller("boss", frozenset({"staff"}), role="admin")
REPLY = ("It was built in 1894 [^bridge].", Delta(usage=Usage(300, 100)))
DAY_S = 86_400


def used(questions: int, tokens: int, cost: float | None) -> dict[str, Any]:
    return {"questions": questions, "tokens": tokens, "cost": cost}


async def test_it_counts_ones_own_questions_of_today_and_of_thirty_days(open_site: OpenSite, clock: HandClock) -> None:
    site = await open_site(*REPLY, caller=ANN, llm=LLM(discover=False, input_price=10, output_price=20))
    none = {"today": used(0, 0, 0.0), "days": 30, "period": used(0, 0, 0.0), "budget": None}
    assert (await site.client.get("/me/usage")).json() == none
    await site.client.post("/ask", json=ASK)
    first = (await site.client.get("/me/usage")).json()
    assert first["today"] == first["period"] == used(1, 400, 300 * 10e-6 + 100 * 20e-6)
    async with client_of(site, BOSS) as boss:  # an admin's own, not everybody's
        assert (await boss.get("/me/usage")).json() == none
    clock.advance(29 * DAY_S)
    assert (await site.client.get("/me/usage")).json() == none | {"period": first["period"]}
    clock.advance(DAY_S)
    assert (await site.client.get("/me/usage")).json() == none


async def test_without_a_price_the_cost_is_unknown(open_site: OpenSite) -> None:
    site = await open_site(*REPLY, caller=ANN)
    await site.client.post("/ask", json=ASK)
    assert (await site.client.get("/me/usage")).json()["today"] == used(1, 400, None)
