"""Language model servers on this machine: found, lost and found again, on real sockets."""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import replace
from typing import Any

import pytest

from footnote.adapters.openai import local_servers
from footnote.adapters.openai.local_servers import HOST, LOOK_S, SERVERS, LocalServer, LocalServers
from footnote.adapters.openai.models import ConfiguredModels
from footnote.types import Message, ModelSource
from tests.conftest import HandClock
from tests.ollama_server import running_ollama
from tests.openai_server import Reply, Server

OLLAMA, LM_STUDIO, LLAMA_CPP = SERVERS


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question waits for a look on a busy machine, too."""
    monkeypatch.setattr(local_servers, "WAIT_S", 10.0)
    monkeypatch.setattr(local_servers, "FIRST_WAIT_S", 10.0)
    monkeypatch.setattr(local_servers, "LIMIT_S", 10.0)


def unused_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def at(kind: LocalServer, server: Server) -> LocalServer:
    return replace(kind, port=int(server.url.rpartition(":")[2]))


def as_json(value: Any) -> Reply:
    return Reply(200, (json.dumps(value),))


async def picked(models: ConfiguredModels, name: str | None = None) -> str | None:
    model = await models.pick(name)
    return model.name if model else None


def models_at(*kinds: LocalServer, timer: HandClock | None = None, model: str | None = None) -> ConfiguredModels:
    local = LocalServers(kinds, timer or HandClock())
    return ConfiguredModels(None, model, None, temperature=0.2, max_tokens=50, local=local)


async def test_an_ollama_is_found_named_and_answers() -> None:
    with running_ollama("llama3.2", "other") as ollama:
        models = models_at(replace(OLLAMA, port=ollama.port))
        model = await models.pick(None)
        assert [delta.text async for delta in model.stream([Message("user", "When?")])] == ["llama3.2 says 1894."]
        assert models.source == ModelSource("found", "Ollama", f"localhost:{ollama.port}", "llama3.2")
        assert models.address == f"http://127.0.0.1:{ollama.port}/v1"
        assert await picked(models, "other") == "other"
        await models.close()
        assert await picked(models_at(replace(OLLAMA, port=ollama.port), model="mine")) == "mine"


async def test_a_server_that_starts_or_stops_while_footnote_runs_is_noticed() -> None:
    port, clock = unused_port(), HandClock()
    models = models_at(replace(OLLAMA, port=port), timer=clock)
    assert await picked(models) is None
    assert (models.source, models.address) == (ModelSource("not_found", looked_for=(("Ollama", port),)), None)
    with running_ollama(port=port) as ollama:
        clock.advance(LOOK_S)
        assert await picked(models) is None
        assert models.source == ModelSource("no_chat_model", "Ollama", f"localhost:{port}")
        ollama.models.append("llama3.2")
        clock.advance(LOOK_S)
        assert await picked(models) == "llama3.2"
    clock.advance(LOOK_S)
    assert await picked(models) is None
    assert models.source.state == "not_found"
    await models.close()


async def test_within_a_second_it_does_not_look_twice() -> None:
    clock = HandClock()
    with running_ollama("llama3.2") as ollama:
        models = models_at(replace(OLLAMA, port=ollama.port), timer=clock)
        for _ in range(5):
            assert await picked(models) == "llama3.2"
        assert ollama.paths == ["/api/tags"]
        clock.advance(LOOK_S)
        await asyncio.gather(*(picked(models) for _ in range(5)))
        assert ollama.paths == ["/api/tags"] * 2


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}},
        {"name": "bge-m3", "details": {"family": "bert"}},
        {"name": "embeddinggemma:latest", "details": {"family": "gemma3"}},
        {"name": "x", "capabilities": ["embedding"]},
        {"name": "gpt-oss:120b-cloud", "capabilities": ["completion"], "remote_host": "https://ollama.com:443"},
    ],
)
async def test_embedding_models_and_models_that_run_elsewhere_do_not_answer(entry: dict[str, Any]) -> None:
    with running_ollama(entry) as ollama:
        models = models_at(replace(OLLAMA, port=ollama.port))
        assert await picked(models) is None
        assert models.source.state == "no_chat_model"
    with running_ollama(entry, {"name": "qwen3:8b", "capabilities": ["completion", "tools"]}) as ollama:
        assert await picked(models_at(replace(OLLAMA, port=ollama.port))) == "qwen3:8b"


async def test_lm_studio_answers_with_a_loaded_chat_model(server: Server) -> None:
    entries = [("text-embedding-nomic", "embeddings", "loaded"), ("qwen", "llm", "not-loaded"), ("gemma", "vlm", "loaded")]
    listed = [{"id": name, "type": kind, "state": state} for name, kind, state in entries]
    server.replies["/api/v0/models"] = as_json({"object": "list", "data": listed})
    models = models_at(at(LM_STUDIO, server))
    assert (await picked(models), models.source.server) == ("gemma", "LM Studio")


async def test_llama_cpp_is_known_by_the_owner_of_its_model(server: Server) -> None:
    server.replies["/v1/models"] = as_json({"object": "list", "data": [{"id": "m.gguf", "owned_by": "llamacpp"}]})
    models = models_at(at(LLAMA_CPP, server))
    assert (await picked(models), models.source.server) == ("m.gguf", "llama.cpp")
    server.replies["/v1/models"] = as_json({"object": "list", "data": [{"id": "default", "owned_by": "footnote"}]})
    assert await picked(models_at(at(LLAMA_CPP, server))) is None


async def test_a_server_with_a_model_is_preferred_to_one_without() -> None:
    with running_ollama("nomic-embed-text") as first, running_ollama("llama3.2") as second:
        models = models_at(replace(OLLAMA, port=first.port), replace(OLLAMA, name="Other", port=second.port))
        assert (await picked(models), models.source.server) == ("llama3.2", "Other")


@pytest.mark.parametrize("body", ["[]", "{}", '{"models": null}', '{"models": [1]}', '{"models": [{}]}', "null", "Hello", "[" * 100_000])
async def test_another_program_at_that_port_gets_no_question(server: Server, body: str) -> None:
    for path in ("/api/tags", "/api/v0/models", "/v1/models"):
        server.replies[path] = Reply(200, (body,))
    assert await picked(models_at(*(at(kind, server) for kind in SERVERS))) is None


async def test_a_port_without_a_complete_http_reply_is_no_server() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        try:
            while True:
                writer.write(b"SSH-2.0-OpenSSH\r\n\r\n" * 1000)
                await writer.drain()
        except ConnectionError:
            writer.close()

    async with await asyncio.start_server(shout, HOST, 0) as other:
        assert await picked(models_at(replace(OLLAMA, port=other.sockets[0].getsockname()[1]))) is None


async def test_a_silent_server_keeps_no_question_waiting_and_counts_as_unchanged(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, never = HandClock(), asyncio.Event()
    models = models_at(at(OLLAMA, server), timer=clock)
    server.replies["/api/tags"] = as_json({"models": [{"name": "llama3.2"}]})
    assert await picked(models) == "llama3.2"
    server.replies["/api/tags"] = Reply(200, (never,))
    clock.advance(LOOK_S)
    monkeypatch.setattr(local_servers, "WAIT_S", 0.05)
    monkeypatch.setattr(local_servers, "LIMIT_S", 3600.0)
    async with asyncio.timeout(10):
        assert await picked(models) == "llama3.2"
    await models.close()  # ends the look, too
    never.set()


async def test_a_look_that_takes_too_long_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "LIMIT_S", 0.05)
    never = asyncio.Event()
    server.replies["/api/tags"] = Reply(200, (never,))
    assert await picked(models_at(at(OLLAMA, server))) is None
    never.set()


async def test_a_configured_endpoint_is_never_replaced_by_a_local_one() -> None:
    with running_ollama("llama3.2") as ollama:
        local = LocalServers([replace(OLLAMA, port=ollama.port)])
        models = ConfiguredModels(None, None, "key", temperature=None, max_tokens=50, local=local)
        assert (await picked(models), models.source) == ("gpt-4o-mini", ModelSource("configured"))
        off = ConfiguredModels(None, None, None, temperature=None, max_tokens=50)
        assert (await picked(off), off.source, off.address) == (None, ModelSource("off"), None)
        assert ollama.paths == []
