"""A language model on this machine that comes and goes while the server runs: answers, their notices, and `GET /model`."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.adapters.openai import local_servers
from footnote.adapters.openai.local_servers import SERVERS
from footnote.bootstrap import Core, backends
from footnote.settings import LLM, Embedding, Settings
from footnote.settings.saved_model import FILE, make_saved_model, write_saved_model
from footnote.types import Answer, Caller, ModelSource
from footnote_query.app import create_app
from footnote_query.dialects.trd.replies import reply
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, LOCAL, as_caller
from tests.functions.test_tiers import closest
from tests.ollama_server import running_ollama
from tests.turns import make_turn

ANN = Caller("ann", frozenset({"*"}))
QUOTED = "**Records**\n\nThe bridge was built in 1894. It is painted blue. [^bridge]"
Open = Callable[..., Awaitable[tuple[Core, httpx.AsyncClient]]]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """The port of the only server that is looked for, at every question."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    monkeypatch.setattr(backends, "SERVERS", (replace(SERVERS[0], port=port),))
    monkeypatch.setattr(local_servers, "LOOK_S", 0.0)
    for name in ("WAIT_S", "FIRST_WAIT_S", "LIMIT_S"):
        monkeypatch.setattr(local_servers, name, 10.0)  # on a busy machine, too
    return port


@pytest.fixture
async def open_core(tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def open_(caller: Caller = LOCAL, **llm: Any) -> tuple[Core, httpx.AsyncClient]:
            settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(**llm))
            core = Core(settings, saved_model=tmp_path / FILE)
            stack.push_async_callback(core.close)
            await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
            transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: core))
            return core, await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))

        yield open_


async def ask(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    return (await client.post("/ask", json={**ASK, **fields})).json()


async def status(client: httpx.AsyncClient, lang: str = "en") -> tuple[str | None, str]:
    body = (await client.get("/model", params={"lang": lang})).json()
    return body["model"], body["text"]


@pytest.mark.usefixtures("sure_of_little")
async def test_the_same_question_is_answered_by_an_ollama_while_it_runs(open_core: Open, port: int) -> None:
    _, client = await open_core()
    none = f"No language model: no Ollama on port {port}. Start one of them, or connect another in the page or with: footnote model set."
    before = await ask(client)
    assert (before["answer"], before["extractive"], before["notice"]) == (QUOTED, True, f"{none} The next question uses it.")
    assert (await status(client))[0] is None
    with running_ollama(port=port) as ollama:
        empty = await ask(client)
        assert (empty["answer"], empty["model_failed"]) == (QUOTED, False)
        said = f"No language model: Ollama at localhost:{port} has no model that can answer. Run: ollama pull llama3.2"
        assert (empty["notice"], await status(client)) == (said, (None, said))
        ollama.models.append("llama3.2")
        written = await ask(client)
        assert (written["answer"], written["model"], written["notice"]) == ("In 1894 the bridge was built [^bridge].", "llama3.2", None)
        assert await status(client) == ("llama3.2", f"Ollama at localhost:{port}, model llama3.2")
    after = await ask(client)
    assert (after["answer"], after["model"], after["model_failed"], after["notice"]) == (QUOTED, None, False, before["notice"])


def test_closest_passages_say_how_to_add_a_model_too() -> None:
    turn = closest()
    body = reply(replace(turn, trace=replace(turn.trace, model_source=ModelSource("not_found", looked_for=(("Ollama", 11434),)))), LLM())
    assert body.notice.startswith("No language model: no Ollama on port 11434. Start one of them")


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "Start one of them"), ("de", "Starten Sie eines davon"), ("ko", "이 중 하나를 실행하거나")]
)
def test_a_refusal_says_to_whoever_can_add_a_model_how_to(lang: str, words: str) -> None:
    refused = make_turn("Zebras?", answer=Answer("No.", extractive=True), outcome="refused", lang=lang, caller=LOCAL)
    assert reply(refused, LLM()).notice is None
    looked = ModelSource("not_found", looked_for=(("Ollama", 11434),))
    notice = reply(replace(refused, trace=replace(refused.trace, model_source=looked)), LLM()).notice
    assert notice is not None
    assert words in notice
    written = replace(refused, answer=Answer("No."), trace=replace(refused.trace, model_source=looked))
    assert reply(written, LLM()).notice is None


async def test_a_mode_that_needs_a_model_says_it_in_the_same_words(open_core: Open, port: int) -> None:
    _, client = await open_core()
    reply = await client.post("/ask", json={**ASK, "mode": "gpt"})
    assert (reply.status_code, reply.json()["detail"].partition(" Start")[0]) == (
        503,
        f"This needs a language model. No language model: no Ollama on port {port}.",
    )


@pytest.mark.parametrize(
    ("lang", "words"), [("de", "Kein Sprachmodell: kein Ollama auf Port {}."), ("ko", "언어 모델이 없습니다: 포트 {}에 Ollama 없음.")]
)
async def test_it_is_said_in_the_readers_language(open_core: Open, port: int, lang: str, words: str) -> None:
    _, client = await open_core()
    assert (await status(client, lang))[1].startswith(words.format(port))


async def test_users_who_are_not_admins_learn_no_addresses(open_core: Open, port: int) -> None:
    _, client = await open_core(ANN)
    asked = await ask(client)
    assert asked["notice"] == "No language model was used: these sentences are quoted from the documents."
    assert await status(client) == (None, "No language model.")
    with running_ollama("llama3.2", port=port):
        assert await status(client) == ("llama3.2", "llama3.2")
    for path in (f"/conversations/{asked['room_id']}", f"/traces/{asked['trace_id']}", "/me/data"):
        assert not re.search(rf"(?<![\w.]){port}(?!\w)", (await client.get(path)).text)  # times have digits, too


async def test_a_stored_answer_still_says_what_was_found_then(open_core: Open, port: int) -> None:
    _, client = await open_core()
    asked = await ask(client)
    with running_ollama("llama3.2", port=port):
        stored = (await client.get(f"/conversations/{asked['room_id']}")).json()
    assert stored["data"][0]["notice"] == asked["notice"]


async def test_without_discovery_no_port_is_asked(open_core: Open, port: int) -> None:
    with running_ollama("llama3.2", port=port) as ollama:
        _, client = await open_core(discover=False)
        assert (await ask(client))["notice"] == ("No language model is configured. Connect one in the page, or with: footnote model set.")
        assert ollama.paths == []


async def test_the_servers_own_port_is_not_asked(open_core: Open, port: int) -> None:
    with running_ollama("llama3.2", port=port) as ollama:
        core, client = await open_core()
        core.own_port = port
        assert (await ask(client))["model"] is None
        assert ollama.paths == []


# --- an endpoint that is saved while the server runs -------------------------------------------------


async def test_a_saved_endpoint_answers_the_next_question_and_a_removed_one_none(open_core: Open, port: int, tmp_path: Path) -> None:
    _, client = await open_core()
    assert (await ask(client))["model"] is None
    with running_ollama() as endpoint:
        url = f"http://127.0.0.1:{endpoint.port}/v1"
        write_saved_model(tmp_path / FILE, make_saved_model(url, "first", "sk-hush"))
        assert (await ask(client))["model"] == "first"
        assert await status(client) == ("first", f"first at {url}")
        write_saved_model(tmp_path / FILE, make_saved_model(url, "second", None))
        assert (await ask(client))["model"] == "second"
        (tmp_path / FILE).unlink()
        assert (await ask(client))["model"] is None
    assert endpoint.paths == ["/v1/chat/completions"] * 2


async def test_the_saved_key_is_in_no_reply(open_core: Open, port: int, tmp_path: Path) -> None:
    write_saved_model(tmp_path / FILE, make_saved_model("http://127.0.0.1:9/v1", "m", "sk-hush"))
    _, client = await open_core()
    listed = await client.get("/settings")
    rows = {row["key"]: (row["value"], row["source"]) for row in listed.json()["data"]}
    assert (rows["llm.api_key"], rows["llm.base_url"]) == (("**********", "runtime"), ("http://127.0.0.1:9/v1", "runtime"))
    assert "sk-hush" not in listed.text + (await client.get("/model")).text + json.dumps(await ask(client))


@pytest.mark.usefixtures("sure_of_little")
async def test_a_damaged_file_is_ignored_and_not_quoted_in_the_log(
    open_core: Open, port: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_text('{"api_key": "sk-hush", "base_url": 1}')
    _, client = await open_core()
    assert (await ask(client))["answer"] == QUOTED
    assert "ignoring the saved model" in caplog.text
    assert "sk-hush" not in caplog.text
