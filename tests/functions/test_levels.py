"""What a request gets for its intelligence level."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.types import Message
from tests.functions.conftest import ASK, QUESTION, OpenSite, read_events
from tests.functions.test_pipeline_api import STREAM


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
    [({}, "The bridge was built in 1894 [Source 1].", []), (STREAM, "The bridge was built in 1931 [Source 1].", ["unsupported"])],
)
async def test_a_whole_reply_is_revised_at_level_maximum_and_a_stream_never(
    headers: dict[str, str], content: str, warnings: list[str], open_site: OpenSite
) -> None:
    site = await open_site("never")
    site.core.models.model = Revising("[1]")  # type: ignore[attr-defined]
    asked = {"message": QUESTION, "intelligence_level": "maximum", "ensemble_voting": False}
    reply = await site.client.post("/v1/chat", json=asked, headers=headers)
    body = read_events(reply.text)[-1] if headers else reply.json()
    assert (body["content"], body["warnings"]) == (content, warnings)


@pytest.mark.parametrize(("level", "year"), [("basic", "1931"), (None, "1894"), ("maximum", "1894")])
async def test_ask_criticises_and_revises_its_answer_except_at_level_basic(level: str | None, year: str, open_site: OpenSite) -> None:
    site = await open_site("never")
    site.core.models.model = Revising("[^bridge]")  # type: ignore[attr-defined]
    body = (await site.client.post("/ask", json=ASK | {"intelligence_level": level, "debug": True})).json()
    assert year in body["answer"]
    assert ("revise" in [step["name"] for step in body["debug"]["steps"]]) is (level != "basic")
