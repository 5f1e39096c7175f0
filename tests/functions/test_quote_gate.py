"""With the option `quote_gate` a model quotes what its citations rest on, and `/ask` says where the words are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message
from tests.functions.conftest import ASK, OpenSite, Site, read_events

RIGHT = "The bridge was built in 1894 [^bridge]."


class Quoting:
    """A language model that answers, quotes this, and can do nothing else."""

    name = "quoting"

    def __init__(self, quotes: str) -> None:
        self.quotes = quotes
        self.asked = 0

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        if "Copy the words" in messages[-1].content:
            self.asked += 1
            yield Delta(self.quotes)
        elif "You answer questions from documents" in messages[0].content:
            yield Delta(RIGHT)
        else:
            raise ModelUnavailable("not that")


async def open_quoting(open_site: OpenSite, quotes: str) -> tuple[Site, Quoting]:
    site, model = await open_site("never"), Quoting(quotes)
    site.core.models.model = model  # type: ignore[attr-defined]
    assert (await site.client.put("/settings/rag.switched_on", json={"value": ["quote_gate"]})).status_code == 200
    return site, model


async def last(site: Site, route: str, asked: dict[str, Any]) -> dict[str, Any]:
    reply = await site.client.post(route, json=asked)
    return read_events(reply.text)[-1] if route.endswith("stream") else reply.json()  # type: ignore[no-any-return]


@pytest.mark.parametrize("route", ["/ask", "/ask/stream"])
@pytest.mark.parametrize(
    ("quote", "state", "bounds", "snippet"),
    [
        ("was  BUILT in 1894", "found", [11, 28], "was built in 1894"),
        ("Ferries cross the river", "not_found", None, "The bridge was built in 1894."),  # of a passage that it was not shown
        ("was built in 1931", "not_found", None, "The bridge was built in 1894."),
    ],
)
async def test_the_reply_says_where_the_words_are_and_it_is_stored(
    route: str, quote: str, state: str, bounds: list[int] | None, snippet: str, open_site: OpenSite
) -> None:
    site, model = await open_quoting(open_site, f'{{"quotes": ["1: {quote}"]}}')
    body = await last(site, route, ASK)
    (citation,) = body["citations"]
    assert (body["answer"], body["warnings"], body["degraded"], model.asked) == (RIGHT, [], False, 1)
    assert citation["quotes"] == [{"text": quote, "state": state, "bounds": bounds}]
    assert (citation["snippet"], citation["bounds"][0]) == (snippet, bounds or [0, 29])
    stored = (await site.client.get(f"/turns/{body['trace_id']}")).json()
    assert stored["citations"] == body["citations"]
    (step,) = (step for step in stored["steps"] if step["name"] == "quote_gate")
    assert (step["out"][state], [used["model"] for used in step["out"]["used"]]) == (1, ["quoting"])
    again = await last(site, route, ASK)
    assert (again["outcome"], again["citations"], model.asked) == ("cached", body["citations"], 1)


@pytest.mark.parametrize("quotes", ["I can't.", '{"quotes": []}', '{"quotes": ["1: none"]}'])
async def test_a_model_that_does_not_quote_loses_nothing(quotes: str, open_site: OpenSite) -> None:
    site, _ = await open_quoting(open_site, quotes)
    body = await last(site, "/ask", ASK)
    assert (body["answer"], body["warnings"], body["degraded"], body["citations"][0]["quotes"]) == (RIGHT, [], False, [])


async def test_it_costs_a_call_only_at_level_maximum_or_where_it_is_switched_on(open_site: OpenSite) -> None:
    site, model = await open_quoting(open_site, "")
    await site.client.put("/settings/rag.switched_on", json={"value": []})
    for level in ("basic", "standard", "enhanced"):
        assert (await last(site, "/ask", ASK | {"intelligence_level": level}))["answer"] == RIGHT
    assert model.asked == 0
    await last(site, "/ask", ASK | {"intelligence_level": "maximum"})
    assert model.asked > 0
