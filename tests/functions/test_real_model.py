"""The product with a real language model, as small as there are: whatever it says, nothing that the documents do not say passes for an
answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import read_events

PASSAGES = {
    "en": "A hotel night is reimbursed up to 142 euros. Breakfast is never reimbursed.",
    "de": "Eine Hotelnacht wird bis 142 Euro erstattet. Frühstück wird nie erstattet.",
    "ko": "호텔 1박은 142유로까지 지급됩니다. 조식은 지급되지 않습니다.",
}
QUESTIONS = {
    "en": "How much is reimbursed for a hotel night?",
    "de": "Wie viel wird für eine Hotelnacht erstattet?",
    "ko": "호텔 1박은 얼마까지 지급됩니까?",
}
Open = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def open_product(tmp_path: Path, llama_url: str) -> AsyncIterator[Open]:
    """Opens the query function with the model, on a passage in a language."""
    async with AsyncExitStack() as stack:

        async def open_(lang: str = "en", **llm: Any) -> httpx.AsyncClient:
            model = LLM(base_url=f"{llama_url}/v1", temperature=0, retries=0, **{"max_completion_tokens": 40, **llm})
            core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=model))
            stack.push_async_callback(core.close)
            document = make_document("travel", title="Travel", groups=("*",))
            await put_document(core.generations, document, [PASSAGES[lang]], lang=lang)
            transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test", timeout=110))

        yield open_


async def ask(client: httpx.AsyncClient, lang: str = "en") -> dict[str, Any]:
    body = {"query_text": QUESTIONS[lang], "index_name": "default", "permission_groups": []}
    return (await client.post("/ask", json=body)).json()


def is_sound(reply: dict[str, Any]) -> bool:
    """Whether what passes for an answer cites a document and holds what it says of the question."""
    return reply["tier"] != "answer" or (bool(reply["citations"]) and "142" in reply["answer"])


@pytest.mark.nightly
async def test_certain_answers_are_cited_and_in_the_document(open_product: Open) -> None:
    reply = await ask(await open_product())
    assert is_sound(reply)
    assert reply["answer"]


async def test_a_chat_completion_is_streamed_and_says_what_it_used(open_product: Open) -> None:
    client = await open_product()
    body = {
        "model": "footnote", "stream": True, "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": QUESTIONS["en"]}],
    }  # fmt: skip
    chunks = read_events((await client.post("/v1/chat/completions", json=body)).text.removesuffix("data: [DONE]\n\n"))
    assert len([chunk for chunk in chunks if chunk["choices"] and chunk["choices"][0]["delta"].get("content")]) > 1
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]][-1] in ("stop", "length")
    used = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    assert used[-1]["prompt_tokens"] > 100
    assert 0 < used[-1]["completion_tokens"] <= 80


@pytest.mark.nightly
@pytest.mark.parametrize("lang", QUESTIONS)
@pytest.mark.parametrize("path", ["/ask", "/ask/stream"])
async def test_in_every_language_what_is_certain_is_in_the_document(path: str, lang: str, open_product: Open) -> None:
    client = await open_product(lang)
    if path == "/ask":
        reply = await ask(client, lang)
    else:
        body = {"query_text": QUESTIONS[lang], "index_name": "default", "permission_groups": []}
        reply = read_events((await client.post(path, json=body)).text)[-1]
    assert is_sound(reply)


@pytest.mark.nightly
async def test_a_reply_cut_by_its_limit_says_so(open_product: Open) -> None:
    client = await open_product(max_completion_tokens=3)
    body = {"query_text": "Count from one to ten.", "index_name": "default", "permission_groups": [], "mode": "gpt"}
    assert "cut_length" in (await client.post("/ask", json=body)).json()["warnings"]


@pytest.mark.nightly
async def test_a_prompt_beyond_the_window_is_shortened_until_it_fits(open_product: Open) -> None:
    client = await open_product(context_window=200_000)
    rules = " ".join(f"Rule {number}: a hotel night in town {number} is booked by the office." for number in range(400))
    messages = [
        {"role": "user", "content": rules},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": QUESTIONS["en"]},
    ]
    reply = await client.post("/v1/chat/completions", json={"model": "footnote", "messages": messages})
    assert reply.status_code == 200
    assert reply.json()["usage"]["completion_tokens"] > 0
