"""`POST /plain` answers."""

from __future__ import annotations

from tests.functions.conftest import QUESTION, OpenSite


async def test_a_question_as_text_is_answered_as_text(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1].")
    reply = await site.client.post("/plain", content=QUESTION, headers={"content-type": "text/plain"})
    assert (reply.status_code, reply.text) == (200, "It was built in 1894 [1].")
    assert reply.headers["content-type"].startswith("text/plain")
