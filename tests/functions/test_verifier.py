"""A verifier that is configured decides which sentences are doubted, by `/ask` and `/check-grounding`; else nothing is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from footnote.bootstrap.backends import make_verifier
from footnote.settings import Verifying
from tests.contracts.backends_verify import BASES, PATHS, completion, verifying
from tests.functions.conftest import ASK, LOCAL, OpenSite, Site
from tests.functions.test_critique import Writing
from tests.openai_server import Reply, Server

TRUE = ["The bridge was built in 1894 [^bridge].", "It is painted blue.", "The king of Norway opened it with a speech in 1931."]
LABELLED_FALSE = ["Ferries cross the river every hour.", "The bridge was painted by the ferries in 1894."]
"""The server of the test knows them; by their words and values some would pass, and one of TRUE would not."""
TEXT = f"{TRUE[0]} {LABELLED_FALSE[0]} {TRUE[1]} {LABELLED_FALSE[1]} {TRUE[2]}"
FACTS = [{"factText": "The bridge was built in 1894. It is painted blue."}, {"factText": "Ferries cross the river every hour."}]
Judge = Callable[..., Awaitable[tuple[Site, Server]]]


@pytest.fixture
async def judge(open_site: OpenSite) -> AsyncIterator[Judge]:
    """Opens a site whose model writes TEXT, with a verifier of this shape."""
    async with AsyncExitStack() as stack:

        async def open_(shape: str, timeout_s: float = 5) -> tuple[Site, Server]:
            server, _ = await stack.enter_async_context(verifying(shape, LABELLED_FALSE))
            site = await open_site("never")
            site.core.models.model = Writing(TEXT, TEXT)  # type: ignore[attr-defined]
            wanted: Any = Verifying(base_url=server.url + BASES[shape], shape=shape, timeout_s=timeout_s)  # type: ignore[arg-type]
            site.core.verifier = make_verifier(wanted)
            stack.push_async_callback(site.core.verifier.close)
            return site, server

        yield open_


def doubted(body: Any) -> list[str]:
    return [body["answer"][each["start"] : each["end"]] for each in body["claims"] if each["doubted"]]


async def ask(site: Site) -> Any:
    return (await site.client.post("/ask", json=ASK)).json()


async def ground(site: Site) -> Any:
    text = TEXT.replace(" [^bridge]", "")
    return (await site.client.post("/check-grounding", json={"answerCandidate": text, "facts": FACTS})).json()


@pytest.mark.parametrize("shape", PATHS)
async def test_exactly_the_sentences_that_the_verifier_refuses_are_doubted(shape: str, judge: Judge) -> None:
    site, server = await judge(shape)
    body = await ask(site)
    assert doubted(body) == LABELLED_FALSE
    assert [each["support"] for each in body["claims"]] == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert (body["degraded"], "unsupported" in body["warnings"]) == (False, True)
    assert len(server.requests) == 2 * {"chat": 5, "spans": 1}[shape]  # the answer, and its revision, which is no better
    record = await site.core.turns.get(LOCAL, body["trace_id"])
    assert record["private"]["verified"] == 5


@pytest.mark.parametrize("shape", PATHS)
async def test_check_grounding_scores_by_the_verifier(shape: str, judge: Judge) -> None:
    site, _ = await judge(shape)
    body = await ground(site)
    assert [each["claimText"] for each in body["claims"] if each["score"] == 0.0] == LABELLED_FALSE
    assert [each["score"] for each in body["claims"]] == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert [bool(each["citationIndices"]) for each in body["claims"]] == [True, False, True, False, True]


@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize("reply", [Reply(500, ("{}",)), Reply(body=("[]",)), Reply(body=("{", 9.0)), Reply(body=(None,))])
async def test_where_it_fails_the_built_in_check_decides(shape: str, reply: Reply, judge: Judge) -> None:
    site, server = await judge(shape, 0.2)
    server.replies[PATHS[shape]] = reply
    body, grounded = await ask(site), await ground(site)
    site.core.verifier = None
    alone, grounded_alone = await ask(site), await ground(site)
    assert (body["claims"], grounded) == (alone["claims"], grounded_alone)
    assert (body["warnings"], body["outcome"]) == (alone["warnings"], alone["outcome"])
    assert (body["degraded"], alone["degraded"]) == (True, False)
    record = await site.core.turns.get(LOCAL, body["trace_id"])
    assert record["private"]["verified"] == 0


async def test_a_claim_that_it_cannot_judge_keeps_the_built_in_verdict(judge: Judge) -> None:
    site, server = await judge("chat")
    server.replies[PATHS["chat"]] = lambda sent: completion("No" if LABELLED_FALSE[0] in str(sent) else "Who knows?")
    body = await ask(site)
    assert LABELLED_FALSE[0] in doubted(body)
    assert TRUE[2] in doubted(body)
    assert "It is painted blue." not in doubted(body)
    assert body["degraded"] is False


async def test_without_one_nothing_is_sent(judge: Judge) -> None:
    site, server = await judge("chat")
    site.core.verifier = make_verifier(Verifying())
    body = await ask(site)
    assert (site.core.verifier, server.requests, TRUE[2] in doubted(body)) == (None, [], True)
    record = await site.core.turns.get(LOCAL, body["trace_id"])
    assert "verified" not in record["private"]


@pytest.mark.parametrize("facts", [[], FACTS])
@pytest.mark.parametrize("text", ["Is it open?", LABELLED_FALSE[0]])
async def test_nothing_is_sent_without_a_claim_or_without_facts(text: str, facts: Any, judge: Judge) -> None:
    site, server = await judge("spans")
    reply = await site.client.post("/check-grounding", json={"answerCandidate": text, "facts": facts})
    assert (reply.status_code, len(server.requests)) == (200, 1 if facts and text == LABELLED_FALSE[0] else 0)
