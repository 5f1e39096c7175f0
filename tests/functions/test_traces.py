"""`/traces`: only for the user who asked."""

from __future__ import annotations

import pytest

from footnote.answer.messages import message
from footnote.types import Caller
from footnote_http.callers import caller_of
from tests.functions.conftest import QUESTION, OpenSite

ANN = Caller("ann", frozenset({"staff"}))


async def test_a_trace_shows_the_steps_and_the_rejected_candidates(open_site: OpenSite) -> None:
    site = await open_site('{"query": ""}', caller=ANN)
    site.core.models.model.replies.append(["It was built in 1894, trust me."])  # type: ignore[attr-defined]
    asked = await site.client.post("/chat", json={"query": QUESTION})
    assert asked.json()["answer"] == message("uncited", "en")
    trace_id = asked.headers["x-trace-id"]
    body = (await site.client.get(f"/traces/{trace_id}")).json()
    assert (body["trace_id"], body["queries"]) == (trace_id, [])
    assert body["notes"]["rejected_answer"] == "It was built in 1894, trust me."
    spans = {span["name"]: span for span in body["spans"]}
    assert spans["read"]["detail"] == {"hits": 1}
    assert {span["status"] for span in body["spans"]} == {"ok"}
    assert body["usage"]["total_tokens"] > 0
    assert "trust me" not in (await site.client.get(f"/turns/{trace_id}")).text


@pytest.mark.parametrize("reader", [Caller("bob", frozenset({"staff"})), Caller("root", frozenset({"role:admin"}), role="admin")])
async def test_another_users_trace_looks_like_a_missing_one(reader: Caller, open_site: OpenSite) -> None:
    site = await open_site("In 1894 [1].", caller=ANN)
    trace_id = (await site.client.post("/chat", json={"query": QUESTION})).headers["x-trace-id"]
    site.app.dependency_overrides[caller_of] = lambda: reader
    theirs, none = await site.client.get(f"/traces/{trace_id}"), await site.client.get("/traces/none")
    assert (theirs.status_code, none.status_code) == (404, 404)
    assert theirs.json()["detail"] == none.json()["detail"]
