"""What `/ask` makes of a question before it searches: greetings and typos."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.errors import ModelUnavailable
from tests.functions.conftest import ASK, QUESTION, OpenSite, read_events


@pytest.mark.parametrize(
    ("question", "name", "lang"),
    [("Hi", "greeting", "en"), ("Danke!", "welcome", "de"), ("안녕하세요", "greeting", "ko"), ("Wer bist du?", "greeting", "de")],
)
async def test_small_talk_is_answered_kindly_and_not_searched_for(question: str, name: str, lang: str, open_site: OpenSite) -> None:
    site = await open_site()
    body = (await site.client.post("/ask", json=ASK | {"query_text": question})).json()
    assert (body["answer"], body["tier"], body["outcome"]) == (message(name, lang), "answer", "answered")
    assert (body["hits"], body["citations"], body["warnings"], body["degraded"]) == ([], [], [], False)
    sent = read_events((await site.client.post("/v2/rag/query", json={"query": question})).text)
    assert sent[-1]["type"] == "done"
    assert "".join(event["content"] for event in sent if event["type"] == "token") == message(name, lang)


@pytest.mark.parametrize("model", [(), ("Hey!",)], ids=["without a model", "with one"])
@pytest.mark.parametrize(
    ("path", "asked", "place"),
    [
        ("/chat", {"query": "Hi"}, ("answer",)),
        ("/v1/chat", {"message": "Hi", "session_id": "s"}, ("content",)),
        (
            "/v1/chat/completions",
            {"model": "footnote", "messages": [{"role": "user", "content": "Hi"}]},
            ("choices", 0, "message", "content"),
        ),
        ("/v1/responses", {"model": "footnote", "input": "Hi"}, ("output", 0, "content", 0, "text")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_every_api_answers_a_greeting(
    path: str, asked: Any, place: tuple[Any, ...], model: tuple[str, ...], open_site: OpenSite
) -> None:
    site = await open_site(*model)
    reply = (await site.client.post(path, json=asked)).json()
    for name in place:
        reply = reply[name]
    assert reply == (model[0] if model else message("greeting", "en"))


async def test_a_model_answers_small_talk_and_where_it_fails_the_greeting_is_given(open_site: OpenSite) -> None:
    site = await open_site("Hey!")
    body = (await site.client.post("/ask", json=ASK | {"query_text": "Hi"})).json()
    assert (body["answer"], body["hits"]) == ("Hey!", [])
    site.core.models.model.replies = [[ModelUnavailable("Down.")]]  # type: ignore[attr-defined]
    assert (await site.client.post("/ask", json=ASK | {"query_text": "Hi"})).json()["answer"] == message("greeting", "en")


async def test_a_question_that_begins_with_a_greeting_is_searched_for_and_so_is_everything_on_request(open_site: OpenSite) -> None:
    site = await open_site()
    body = (await site.client.post("/ask", json=ASK | {"query_text": f"Hi, {QUESTION[0].lower()}{QUESTION[1:]}"})).json()
    assert [each["doc_id"] for each in body["citations"]] == ["bridge"]
    body = (await site.client.post("/ask", json=ASK | {"query_text": "Hi", "search": "always"})).json()
    assert (body["tier"], body["outcome"]) == ("nothing", "no_hits")


async def test_a_typo_is_corrected_and_the_question_can_be_searched_for_as_it_is_written(open_site: OpenSite) -> None:
    site, asked = await open_site(), {**ASK, "query_text": "When was the brigde built?"}
    body = (await site.client.post("/ask", json=asked)).json()
    assert (body["corrected"], body["searched_for"], body["tier"]) == (QUESTION, [QUESTION], "answer")
    (stored,) = (await site.client.get(f"/conversations/{body['room_id']}")).json()["data"]
    assert (stored["question"], stored["corrected"]) == (asked["query_text"], QUESTION)
    written = (await site.client.post("/ask", json={**asked, "spelling": False})).json()
    assert (written["corrected"], written["searched_for"]) == (None, [asked["query_text"]])
