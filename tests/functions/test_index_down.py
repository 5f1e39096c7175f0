"""The reply of each API while the index is down: it never says that nothing was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.errors import SearchUnavailable
from tests.functions.conftest import ASK, QUESTION, OpenSite, read_events
from tests.functions.test_query import break_index

CHAT = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.parametrize(
    ("question", "lang"), [(QUESTION, "en"), ("Wann wurde die Brücke gebaut?", "de"), ("다리는 언제 지어졌나요?", "ko")]
)
async def test_ask_gives_a_safe_answer_without_evidence(question: str, lang: str, tmp_path: Path, open_site: OpenSite) -> None:
    break_index(tmp_path)
    site = await open_site("An invention.", filled=False)
    asked = ASK | {"query_text": question, "debug": True}
    body = (await site.client.post("/ask", json=asked)).json()
    done = read_events((await site.client.post("/ask/stream", json=asked)).text)[-1]
    for reply in (body, done):
        assert (reply["answer"], reply["outcome"], reply["degraded"]) == (message("search_failed", lang), "refused", True)
        assert (reply["citations"], reply["hits"], reply["model"], reply["persisted"]) == ([], [], None, True)
    assert {step["name"] for step in body["debug"]["steps"] if step["status"] == "fallback"} == {"language", "search"}


class Shaky:
    """An index whose search fails a few times before it works."""

    def __init__(self, index: Any, failures: int) -> None:
        self.index, self.failures, self.asked = index, failures, 0

    async def candidates(self, *args: Any) -> Any:
        self.asked += 1
        if self.asked <= self.failures:
            raise SearchUnavailable("The index is down.")
        return await self.index.candidates(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)


@pytest.mark.usefixtures("sure_of_little")
@pytest.mark.parametrize(("failures", "outcome", "status"), [(2, "answered", 200), (3, "refused", 503)])
async def test_a_search_that_fails_is_tried_twice_more(failures: int, outcome: str, status: int, open_site: OpenSite) -> None:
    site = await open_site()
    site.core.index = index = Shaky(site.core.index, failures)  # type: ignore[assignment]
    body = (await site.client.post("/ask", json=ASK)).json()
    assert (index.asked, body["outcome"], body["degraded"]) == (3, outcome, outcome == "refused")
    for path, asked in (("/retrieve-bm25", ASK), ("/v1/chat/completions", CHAT)):
        index.asked = 0
        assert ((await site.client.post(path, json=asked)).status_code, index.asked) == (status, 3)


async def test_an_agent_gets_an_error_and_not_an_empty_result(tmp_path: Path, open_site: OpenSite) -> None:
    break_index(tmp_path)
    site = await open_site("An invention.", filled=False)
    reply = await site.client.post("/ask", json=ASK | {"mode": "pa"})
    assert (reply.status_code, reply.json()["title"]) == (503, "Search is not available")
