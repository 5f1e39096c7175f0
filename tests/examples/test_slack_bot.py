"""The Slack bot, by Slack's signed requests and against a Slack that records the bot's calls."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import importlib
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import pytest

from footnote.errors import ModelTimeout
from tests.examples.conftest import STAFF, Served
from tests.fakes import FakeModel
from tests.openai_server import Reply
from tests.openai_server import Server as SlackServer
from tests.openai_server import serving as serving_slack
from tests.servers import serving

BOT = "U0BOT"
QUESTION = "When was the bridge built?"
WAITING = "Searching the documents…"
SECRET = "signing-secret"


@dataclass
class Bot:
    slack: SlackServer
    http: httpx.AsyncClient
    numbers: Any = field(default_factory=count)

    async def hear(self, text: str, *, kind: str = "app_mention", secret: str = SECRET, event_id: str = "", **event: Any) -> httpx.Response:
        """Slack sends an event; in a channel, the text mentions the bot."""
        number = next(self.numbers)
        text = f"<@{BOT}> {text}" if kind == "app_mention" else text
        said = {"type": kind, "user": "U1", "text": text, "ts": f"100.{number}", "channel": "C1", **event}
        body = {"type": "event_callback", "team_id": "T1", "event_id": event_id or f"Ev{number}", "event": said}
        data, at = json.dumps(body).encode(), str(int(time.time()))
        signature = hmac.new(secret.encode(), f"v0:{at}:".encode() + data, hashlib.sha256).hexdigest()
        headers = {"content-type": "application/json", "x-slack-request-timestamp": at, "x-slack-signature": f"v0={signature}"}
        return await self.http.post("/slack/events", content=data, headers=headers)

    def calls(self, method: str) -> list[dict[str, Any]]:
        return [sent for path, _, sent in self.slack.requests if path == f"/api/{method}"]

    async def answers(self, number: int = 1) -> list[dict[str, Any]]:
        """Waits for messages that replaced the first ones."""
        async with asyncio.timeout(20):
            while len(self.calls("chat.update")) < number:
                await asyncio.sleep(0.01)
        return self.calls("chat.update")


def posted(numbers: Any) -> Callable[[Any], Reply]:
    return lambda _: Reply(body=[json.dumps({"ok": True, "ts": f"200.{next(numbers)}"})])


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with serving_slack() as server:
        server.replies["/api/auth.test"] = Reply(body=[json.dumps({"ok": True, "user_id": BOT, "bot_id": "B0", "team_id": "T1"})])
        server.replies["/api/chat.postMessage"] = posted(count())
        server.replies["/api/chat.update"] = Reply(body=['{"ok": true}'])
        yield server


@pytest.fixture
async def bot(slack: SlackServer, served: Served, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bot]:
    for name, value in {
        "SLACK_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": SECRET, "SLACK_API_URL": f"{slack.url}/api/",
        "FOOTNOTE_URL": served.address, "FOOTNOTE_TOKEN": STAFF, "FOOTNOTE_PUBLIC_URL": "https://docs.example.org/",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    api = await asyncio.to_thread(importlib.import_module("footnote_slack").make_api)
    async with serving(api) as address, httpx.AsyncClient(base_url=address) as http:
        yield Bot(slack, http)


async def test_a_mention_is_answered_in_its_thread_with_numbered_links(bot: Bot, served: Served) -> None:
    assert (await bot.hear(QUESTION, ts="100.5")).status_code == 200
    (answer,) = await bot.answers()
    assert [(call["channel"], call["thread_ts"], call["text"]) for call in bot.calls("chat.postMessage")] == [("C1", "100.5", WAITING)]
    link = f"<https://docs.example.org/documents/{served.bridge}/content?chunk_id={served.bridge}%23000|"
    assert (answer["channel"], answer["ts"]) == ("C1", "200.0")
    assert "The bridge was built in 1894 by R&amp;D &lt;engineers&gt;." in answer["text"]
    assert f" {link}[1]>" in answer["text"]
    assert answer["text"].endswith(f"\n\n1. {link}bridge>")
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {STAFF}"}) as browser:
        cited = await browser.get(link[1:-1].replace("https://docs.example.org", served.address))
    assert "built in 1894" in cited.text


async def test_a_slow_answer_is_acknowledged_before_it_is_there(bot: Bot, served: Served) -> None:
    let_through = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await let_through.wait()
        await served.app(scope, receive, send)

    served.instead = slow
    for _ in range(8):  # more than Bolt answers at the same time by default
        assert (await bot.hear(QUESTION)).status_code == 200
    async with asyncio.timeout(20):
        while len(bot.calls("chat.postMessage")) < 8:
            await asyncio.sleep(0.01)
    assert bot.calls("chat.update") == []
    let_through.set()
    assert all("built in 1894" in answer["text"] for answer in await bot.answers(8))


async def test_a_thread_is_one_conversation(bot: Bot, served: Served) -> None:
    await bot.hear(QUESTION, ts="100.5")
    await bot.answers(1)
    await bot.hear("Who built it?", ts="100.7", thread_ts="100.5")
    await bot.answers(2)
    await bot.hear("What is the toll?", ts="100.9")
    await bot.answers(3)
    async with httpx.AsyncClient(base_url=served.address, headers={"authorization": f"Bearer {STAFF}"}) as http:
        listed = (await http.get("/conversations")).json()["data"]
    assert {(room["room_id"], room["turns"]) for room in listed} == {("slack-C1-100.5", 2), ("slack-C1-100.9", 1)}


async def test_an_event_that_slack_sends_again_is_answered_once(bot: Bot) -> None:
    for event_id in ("Ev7", "Ev7", "Ev8"):
        await bot.hear(QUESTION, event_id=event_id)
    await bot.answers(2)
    assert len(bot.calls("chat.postMessage")) == 2


async def test_direct_messages_are_answered_and_those_of_bots_and_channels_are_not(bot: Bot) -> None:
    for ignored in (
        {"bot_id": "B9", "channel_type": "im"},
        {"subtype": "message_changed", "channel_type": "im"},
        {"channel_type": "channel"},
    ):
        assert (await bot.hear(QUESTION, kind="message", **ignored)).status_code == 200
    await bot.hear(QUESTION, kind="message", channel_type="im", channel="D1")
    assert [answer["channel"] for answer in await bot.answers()] == ["D1"]
    assert [call["channel"] for call in bot.calls("chat.postMessage")] == ["D1"]


async def test_a_request_that_slack_did_not_sign_is_refused(bot: Bot) -> None:
    assert (await bot.hear(QUESTION, secret="guessed")).status_code == 401
    assert [path for path, _, _ in bot.slack.requests] == ["/api/auth.test"]


async def test_links_and_names_in_a_question_are_read_as_they_are_shown(bot: Bot, served: Served) -> None:
    await bot.hear("When was the <https://example.org/bridge|bridge> built by R&amp;D, <#C2|works>?", ts="1.5")
    await bot.answers()
    async with httpx.AsyncClient(base_url=served.address, headers={"authorization": f"Bearer {STAFF}"}) as http:
        (turn,) = (await http.get("/conversations/slack-C1-1.5")).json()["data"]
    assert turn["question"] == "When was the bridge built by R&D, works?"


async def sign_in(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 401, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


async def bad_gateway(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 502, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"<h1>Bad gateway</h1>"})


async def hung_up(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
    await send({"type": "http.response.body", "body": b"{"})


@pytest.mark.parametrize(
    ("instead", "question", "told"),
    [
        (sign_in, QUESTION, "I am not signed in to Footnote: my `FOOTNOTE_TOKEN` is missing, wrong or expired."),
        (bad_gateway, QUESTION, "Footnote replied with an error (502). Please ask again later."),
        (hung_up, QUESTION, "Footnote cannot be reached. Please ask again later, or tell those who run it."),
        (None, "", "The question is empty. Write what you want to know."),
        (None, "x" * 3000, "The question has 3000 characters; 2000 are allowed. Shorten it."),
    ],
    ids=["token", "proxy", "hung up", "empty", "too long"],
)
async def test_a_question_that_fails_is_told_why(instead: Any, question: str, told: str, bot: Bot, served: Served) -> None:
    served.instead = instead
    await bot.hear(question)
    assert [answer["text"] for answer in await bot.answers()] == [told]


async def test_the_answer_says_that_the_model_failed(bot: Bot, served: Served) -> None:
    served.models.model = FakeModel([(ModelTimeout("Too slow."),)])
    await bot.hear(QUESTION)
    (answer,) = await bot.answers()
    assert answer["text"].endswith("bridge>\n\n_The language model did not answer, so this quotes the documents._")


async def test_a_long_answer_is_several_messages(bot: Bot, served: Served) -> None:
    lines = [f"Line {number} of a long answer." for number in range(300)]

    async def long(scope: Any, receive: Any, send: Any) -> None:
        reply = {"answer": "\n".join(lines), "citations": [], "model_failed": False}
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(reply).encode()})

    served.instead = long
    await bot.hear(QUESTION, ts="100.5")
    (first,) = await bot.answers()
    async with asyncio.timeout(20):
        while len(bot.calls("chat.postMessage")) < 3:
            await asyncio.sleep(0.01)
    _, *more = bot.calls("chat.postMessage")
    texts = [first["text"], *(call["text"] for call in more)]
    assert "\n".join(texts).split("\n") == lines
    assert max(map(len, texts)) <= 3900
    assert [call["thread_ts"] for call in more] == ["100.5", "100.5"]


def test_markdown_becomes_slacks_markup_and_page_and_unit_are_named() -> None:
    answer = "## Dates & tolls\n\n- **Built**: 1894 [1][2]\n  - `**a[1]` stays\n\n```\n# no heading\n```"
    cited = {"doc_id": "a b", "unit": "slide", "title": "A <plan>"}
    at = answer.index("[1][2]")
    citations = [
        {**cited, "number": 1, "chunk_id": "a b#000", "page": 3, "spans": [[at, at + 3]]},
        {**cited, "number": 2, "chunk_id": "a b#001", "page": None, "spans": [[at + 3, at + 6]]},
    ]
    footnote = importlib.import_module("footnote_slack").Footnote("http://in", "http://f", None, "default")
    text = footnote.as_slack({"answer": answer, "citations": citations, "model_failed": False})
    url = "http://f/documents/a%20b/content?chunk_id=a%20b%2300"
    first, second = f"<{url}0#page=3|", f"<{url}1|"
    assert text == (
        f"*Dates &amp; tolls*\n\n• *Built*: 1894 {first}[1]>{second}[2]>\n  • `**a[1]` stays\n\n```\n# no heading\n```\n\n"
        f"1. {first}A &lt;plan&gt;, slide 3>\n2. {second}A &lt;plan&gt;>"
    )
