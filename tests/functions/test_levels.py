"""What a request gets for its intelligence level."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, read_events
from tests.functions.test_pipeline_api import STREAM

COMPLETION = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
RESPONSE = {"model": "footnote", "input": QUESTION}
NAMED = "intelligence_level: Input should be 'basic', 'standard', 'enhanced' or 'maximum'"


class Revising:
    """A language model that answers wrongly, corrects itself when asked, and can do nothing else."""

    name = "revising"

    def __init__(self, marker: str) -> None:
        self.marker = marker

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        if messages[-1].content.startswith("These statements"):
            yield Delta(f"The bridge was built in 1894 {self.marker}.")
        elif "You answer questions from documents" in messages[0].content:
            yield Delta(f"The bridge was built in 1931 {self.marker}.")
        else:
            raise ModelUnavailable("not that")


@pytest.mark.parametrize(
    ("headers", "content", "warnings"),
    [({}, "The bridge was built in 1894 [Source 1].", []), (STREAM, "The bridge was built in 1931 [Source 1].\n\n---", ["unfounded"])],
)
async def test_a_whole_reply_is_revised_at_level_maximum_and_a_stream_never(
    headers: dict[str, str], content: str, warnings: list[str], open_site: OpenSite
) -> None:
    site = await open_site("never")
    site.core.models.model = Revising("[1]")  # type: ignore[attr-defined]
    asked = {"message": QUESTION, "intelligence_level": "maximum", "ensemble_voting": False}
    reply = await site.client.post("/v1/chat", json=asked, headers=headers)
    body = read_events(reply.text)[-1] if headers else reply.json()
    assert body["content"].startswith(content)
    assert body["warnings"] == warnings


@pytest.mark.parametrize(("level", "year"), [("basic", "1931"), (None, "1894"), ("maximum", "1894")])
async def test_ask_criticises_and_revises_its_answer_except_at_level_basic(level: str | None, year: str, open_site: OpenSite) -> None:
    site = await open_site("never")
    site.core.models.model = Revising("[^bridge]")  # type: ignore[attr-defined]
    body = (await site.client.post("/ask", json=ASK | {"intelligence_level": level, "debug": True})).json()
    assert year in body["answer"]
    assert ("revise" in [step["name"] for step in body["debug"]["steps"]]) is (level != "basic")


@pytest.mark.parametrize("level", ["high", "", "Basic", 2])
async def test_an_unknown_level_is_refused_and_the_four_are_named(level: Any, open_site: OpenSite) -> None:
    site = await open_site()
    for path, body in (("/ask", ASK), ("/ask/stream", ASK)):
        reply = await site.client.post(path, json=body | {"intelligence_level": level})
        assert (reply.status_code, reply.json()["detail"]) == (422, NAMED)
    reply = await site.client.get("/ask/stream", params={"query_text": QUESTION, "index_name": "default", "intelligence_level": level})
    assert (reply.status_code, reply.json()["detail"]) == (422, f"query.{NAMED}")
    for path, body in (("/v1/chat", {"message": QUESTION}), ("/v1/chat/completions", COMPLETION), ("/v1/responses", RESPONSE)):
        reply = await site.client.post(path, json=body | {"intelligence_level": level})
        error = {"message": NAMED, "type": "invalid_request_error", "param": "intelligence_level", "code": None}
        assert (reply.status_code, reply.json()["error"]) == (400, error)


@pytest.mark.sample
@pytest.mark.parametrize(
    ("fields", "checks"),
    [
        ({"model": "footnote"}, True),
        ({"model": "footnote:basic"}, False),
        ({"model": "footnote/default:basic"}, False),
        ({"model": "footnote/default:standard"}, True),
        ({"intelligence_level": "basic"}, False),
        ({"model": "footnote:basic", "intelligence_level": "standard"}, True),
    ],
)
@pytest.mark.parametrize(("path", "body"), [("/v1/chat/completions", COMPLETION), ("/v1/responses", RESPONSE)])
async def test_a_model_or_a_field_sets_the_level_of_a_completion(
    path: str, body: dict[str, Any], fields: dict[str, Any], checks: bool, open_site: OpenSite
) -> None:
    site = await open_site("It was built in 1894 [1].")
    reply = (await site.client.post(path, json=body | fields)).json()
    turn = await site.core.turns.get(LOCAL, reply["trace_id"])
    assert ("support_check" in {span["name"] for span in turn["spans"]}) is checks
    assert reply["model"] == fields.get("model", "footnote")
