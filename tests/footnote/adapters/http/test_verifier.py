"""Verifiers over HTTP: unclear, malformed, slow and failing replies."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.http.verifier import AT_ONCE, HttpVerifier
from footnote.bootstrap import Core
from footnote.errors import Unavailable
from footnote.ports import Statement
from footnote.settings import LLM, Embedding, Settings, Verifying
from tests.contracts.backends_verify import PATHS, completion, verifying
from tests.openai_server import Reply

ANSWER = "It is blue. It is red."
STATEMENTS = [Statement("It is blue.", 0, 11, ("Blue.", "Wide.")), Statement("It is red.", 12, 22, ("Wide.", "Long."))]


async def ask(shape: str, answer: Any, timeout_s: float = 5) -> Any:
    async with verifying(shape, timeout_s=timeout_s) as (server, verifier):
        server.replies[PATHS[shape]] = answer
        return await verifier.verify("q", ANSWER, STATEMENTS)


def span(start: Any, end: Any, score: Any = 0.9) -> dict[str, Any]:
    return {"start": start, "end": end, "text": "…", "hallucination_score": score}


def spans(*found: dict[str, Any]) -> Reply:
    return Reply(body=(json.dumps({"predictions": found}),))


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Yes", True), ("No", False), (" yes.", True), ("**No**, it is red", False), ("", None), (None, None), ("Maybe", None),
        ("Not sure", None), ("Yesterday", None), ("<think>No", None), ("Ja", None), ("아니요", None),
    ],
)  # fmt: skip
async def test_the_first_word_of_a_chat_model_is_its_verdict(said: str | None, verdict: bool | None) -> None:
    assert await ask("chat", completion(said)) == [verdict, verdict]


async def test_a_chat_model_gets_the_passages_of_each_claim() -> None:
    async with verifying("chat") as (server, verifier):
        await verifier.verify("q", ANSWER, STATEMENTS)
        sent = sorted(body["messages"][0]["content"] for _, _, body in server.requests)
    assert sent == ["Document: Blue.\n\nWide.\nClaim: It is blue.", "Document: Wide.\n\nLong.\nClaim: It is red."]


async def test_a_server_of_spans_gets_the_answer_once_with_every_passage() -> None:
    async with verifying("spans") as (server, verifier):
        await verifier.verify("q", ANSWER, STATEMENTS)
        ((_, _, sent),) = server.requests
    assert sent == {"contexts": ["Blue.", "Wide.", "Long."], "question": "q", "answer": ANSWER}


@pytest.mark.parametrize(
    ("found", "verdicts"),
    [
        ([], [True, True]), ([span(11, 22)], [True, False]), ([span(10, 12)], [False, True]), ([span(5, 15)], [False, False]),
        ([span(12, 22, 0.5)], [True, False]), ([span(12, 22, 0.49)], [True, True]), ([span(20, 900)], [True, False]),
        ([span(300, 400)], [True, True]),
    ],
)  # fmt: skip
async def test_a_claim_is_refused_where_a_sure_span_overlaps_it(found: Any, verdicts: list[bool]) -> None:
    assert await ask("spans", spans(*found)) == verdicts


@pytest.mark.parametrize("broken", [span(-1, 2), span("a", 2), span(0, 2, float("nan")), span(0, 2, None), {"start": 0, "end": 2}])
async def test_a_span_without_a_place_or_a_score_is_unavailable(broken: Any) -> None:
    with pytest.raises(Unavailable, match="VERIFIER__SHAPE"):
        await ask("spans", spans(broken))


@pytest.mark.sample
@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize("body", ["", "<html>", "null", "7", "{}", '{"choices": [], "predictions": 1}', '["a"]', "[" * 5000])
async def test_a_reply_in_another_format_is_unavailable(shape: str, body: str) -> None:
    with pytest.raises(Unavailable, match="VERIFIER__SHAPE"):
        await ask(shape, Reply(body=(body,)))


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(401, "VERIFIER__KEY"), (404, "VERIFIER__BASE_URL"), (429, "rate limit"), (422, "VERIFIER__SHAPE"), (503, "503")],
)
@pytest.mark.parametrize("shape", PATHS)
async def test_a_refusal_says_what_to_check(shape: str, status: int, remedy: str) -> None:
    with pytest.raises(Unavailable, match=remedy):
        await ask(shape, Reply(status, ("{}",)))


async def test_one_refused_claim_fails_all() -> None:
    with pytest.raises(Unavailable, match="503"):
        await ask("chat", lambda sent: Reply(503, ("{}",)) if "is red" in str(sent) else completion("Yes"))


@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize("body", [(None,), ('{"choices', None), ("[", 3.0)])
async def test_a_connection_that_breaks_or_is_slow_is_unavailable(shape: str, body: Any) -> None:
    with pytest.raises(Unavailable):
        await ask(shape, Reply(body=body), timeout_s=0.3)


async def test_claims_are_judged_at_the_same_time_but_not_all() -> None:
    async with verifying("chat") as (server, verifier):
        go = asyncio.Event()
        server.replies[PATHS["chat"]] = lambda sent: Reply(body=(go, *completion("Yes").body))
        asked = asyncio.create_task(verifier.verify("q", ANSWER, STATEMENTS * 10))
        while len(server.requests) < AT_ONCE:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert len(server.requests) == AT_ONCE
        go.set()
        assert await asked == [True] * 20


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "file:///etc/passwd", "gopher://127.0.0.1"])
async def test_a_server_that_is_not_there_or_not_http_is_unavailable(address: str) -> None:
    verifier = HttpVerifier("chat", address, None, None, 1)
    with pytest.raises(Unavailable, match="VERIFIER__BASE_URL"):
        await verifier.verify("q", ANSWER, STATEMENTS)
    await verifier.close()


@pytest.mark.parametrize("shape", PATHS)
async def test_a_redirect_is_not_followed_and_no_proxy_is_used(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with verifying(shape) as (server, verifier):
        server.replies[PATHS[shape]] = Reply(307, ("{}",), headers=f"location: {server.url}/elsewhere\r\n")
        with pytest.raises(Unavailable, match="307"):
            await verifier.verify("q", ANSWER, STATEMENTS)
    assert {path for path, _, _ in server.requests} == {PATHS[shape]}


async def test_the_key_is_sent_as_a_bearer_token_and_is_in_no_error_or_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with verifying("spans") as (server, verifier):
        server.replies[PATHS["spans"]] = Reply(401, ('{"detail": "secret is wrong"}',))
        with pytest.raises(Unavailable) as caught:
            await verifier.verify("q", ANSWER, STATEMENTS)
    assert server.requests[0][1]["authorization"] == "Bearer secret"
    assert "secret" not in caught.value.detail + caplog.text


@pytest.mark.parametrize(
    ("wanted", "model"),
    [
        (Verifying(base_url="http://v.test"), "bespoke-minicheck"),
        (Verifying(base_url="http://v.test", model="own"), "own"),
        (Verifying(base_url="http://v.test", shape="spans", model="own"), None),
    ],
)
async def test_one_is_made_where_a_server_is_set_and_with_its_model(wanted: Verifying, model: str | None, tmp_path: Path) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core, without = Core(settings.model_copy(update={"verifier": wanted})), Core(settings)
    assert isinstance(core.verifier, HttpVerifier)
    assert (core.verifier._model, without.verifier) == (model, None)
    await core.close()
    await without.close()
