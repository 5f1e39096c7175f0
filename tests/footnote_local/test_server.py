"""`footnote serve`: one address for all functions, one server for a data folder."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.errors import Unavailable
from footnote.ingest.parser import DOCLING_REMEDY, NO_DOCLING
from footnote.library.worker import Lock
from footnote.settings import LLM, Auth, Embedding, Settings
from footnote_local.doctor import examine
from footnote_local.server import create_app, function_of, open_port, serve
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote, open_core

# --- one address -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("/", "query"),
        ("/ask/stream", "query"),
        ("/web/app.js", "query"),
        ("/ingest/file", "ingest"),
        ("/uploads", "ingest"),
        ("/uploads/form", "ingest"),
        ("/documents/a-1", "ingest"),
        ("/documentsx", "query"),
        ("/insert-doc", "ingest"),
        ("/feedback/metrics", "feedback"),
        ("/stats", "stats"),
    ],
)
def test_the_first_part_of_a_path_chooses_the_function(path: str, function: str) -> None:
    assert function_of(path) == function


async def test_every_function_answers_behind_the_one_address(tmp_path: Path) -> None:
    core = open_core(tmp_path)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(core)), base_url="http://localhost") as client:
        for function in ("query", "ingest", "feedback", "stats"):
            reply = await client.get(f"/{function}/health")
            assert (reply.status_code, reply.json()["function"]) == (200, function)
        for path in ("/", "/collections", "/documents", "/feedback/metrics", "/stats"):
            assert (await client.get(path)).status_code == 200, path
        assert (await client.get("/documentsx")).status_code == 404
    await core.close()


async def test_the_address_of_links_is_a_name_of_the_server(tmp_path: Path) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), public_url="https://docs.example.org:8443")
    transport = httpx.ASGITransport(create_app(Core(settings)))
    for host, status in (("docs.example.org:8443", 200), ("other.example.org", 403)):
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            assert (await client.get("/health", headers={"host": host})).status_code == status


async def test_a_wrong_host_name_is_refused_in_the_format_of_the_api(tmp_path: Path) -> None:
    transport = httpx.ASGITransport(create_app(open_core(tmp_path)))
    async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as client:
        replies = [await client.get(path) for path in ("/v1/models", "/documents")]
    assert [reply.status_code for reply in replies] == [403, 403]
    assert "evil.example" in replies[0].json()["error"]["message"]
    assert "evil.example" in replies[1].json()["detail"]


async def test_ready_waits_for_the_first_documents(docs: Path, tmp_path: Path) -> None:
    from footnote_local.server import FirstDocuments

    (docs / "empty.txt").write_text("")
    core, said = open_core(tmp_path / "data"), list[str]()
    taking = FirstDocuments(core, [docs], said.append)
    app = create_app(core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        before = await client.get("/ready")
        assert (before.status_code, before.json()["parts"]["documents"]) == (503, "0 of 0 initial documents are ready.")
        inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        started = asyncio.Event()

        async def send(message: Any) -> None:
            started.set()

        lifespan: Any = app({"type": "lifespan", "asgi": {"version": "3.0"}}, inbox.get, send)
        life = asyncio.create_task(lifespan)
        await inbox.put({"type": "lifespan.startup"})
        await started.wait()
        await taking.run()
        assert (await client.get("/ready")).status_code == 200
        await inbox.put({"type": "lifespan.shutdown"})
        await life
    assert said[0] == "2 documents are ready; 1 could not be read."
    assert said[1].startswith("  empty.txt: This file is empty. ")


async def test_missing_first_documents_do_not_block_questions(tmp_path: Path) -> None:
    from footnote_local.server import FirstDocuments

    core, said = open_core(tmp_path / "data"), list[str]()
    await FirstDocuments(core, [tmp_path / "nowhere"], said.append).run()
    assert said == [f"The documents of --ingest could not be added: No such file or folder: {tmp_path / 'nowhere'}."]
    assert (await core.check())["documents"] == "ok"
    await core.close()


@pytest.mark.parametrize(("mode", "asks"), [("none", False), ("session", True)])
async def test_the_command_to_try_says_where_a_token_goes(mode: Literal["none", "session"], asks: bool, tmp_path: Path) -> None:
    from footnote_local.server import FirstDocuments, begin

    core, said, url = open_core(tmp_path / "data", auth=Auth(mode=mode)), list[str](), "http://localhost:1"
    await begin(core, FirstDocuments(core, [], said.append), url, said.append, said.append)
    assert said[-1].startswith(f"Try: curl -N {url}/ask/stream ")
    assert ('-H "authorization: Bearer $TOKEN"' in said[-1]) == asks
    await core.close()


async def test_docling_that_is_wanted_and_not_installed_is_said_at_start_and_by_doctor(tmp_path: Path) -> None:
    from footnote_local.server import FirstDocuments, begin

    settings = Settings(footnote_data=tmp_path, docling_enabled=True, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core, said = Core(settings), list[str]()
    await begin(core, FirstDocuments(core, [], said.append), "http://localhost:1", said.append, said.append)
    assert f"{NO_DOCLING} {DOCLING_REMEDY}" in said
    found = {finding.part: finding for finding in await examine(core)}["docling"]
    assert (found.state, found.found, found.remedy) == ("missing", NO_DOCLING, DOCLING_REMEDY)


# --- what keeps it from starting ---------------------------------------------------------------


def test_a_port_in_use_is_reported_with_a_remedy(footnote: Footnote) -> None:
    listener = open_port("127.0.0.1", 0)
    port = listener.getsockname()[1]
    result = footnote("serve", "--port", str(port))
    listener.close()
    assert (result.exit_code, result.stdout) == (Exit.UNAVAILABLE, "")
    assert result.stderr == (
        f"footnote: Port {port} is in use or not allowed. Choose another: make run PORT={port + 1}, or footnote serve --port {port + 1}.\n"
    )


def test_a_folder_in_use_is_reported_with_the_process(footnote: Footnote, tmp_path: Path) -> None:
    lock = Lock(tmp_path / "data")
    lock.take()
    result = footnote("serve", "--port", "0")
    lock.release()
    assert result.exit_code == Exit.UNAVAILABLE
    assert "Stop it, or choose another folder with --data." in result.stderr


@pytest.mark.parametrize("name", ["store.db", "index.db"])
def test_unreadable_data_is_reported_and_the_server_does_not_start(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable, match=f"{name} cannot be used"):
        serve(open_core(tmp_path), host="127.0.0.1", port=0, ingest=[])


# --- a running server --------------------------------------------------------------------------


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[str]
    url: str


@pytest.fixture
def server(environment: dict[str, str], docs: Path) -> Iterator[Running]:
    command = [sys.executable, "-m", "footnote_local", "serve", "--workers", "1", "--port", "0", "--json", "--ingest", str(docs)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = "".join(iter(process.stdout.readline, "}\n")) + "}"
    try:
        yield Running(process, json.loads(line)["url"])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow("starts a server and commands")
def test_a_server_answers_ingests_for_a_second_command_and_stops_on_a_signal(server: Running, footnote: Footnote, docs: Path) -> None:
    until = time.monotonic() + 60
    while httpx.get(f"{server.url}/ready").status_code != 200 and time.monotonic() < until:
        time.sleep(0.05)
    assert httpx.get(f"{server.url}/ready").json()["parts"]["documents"] == "ok"
    asked = {"query_text": "When was the lighthouse lit?", "index_name": "default"}
    with httpx.stream("GET", f"{server.url}/ask/stream", params=asked) as stream:
        events = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data: ")]
    assert "**Tower**\n\nThe lighthouse was lit in 1874. [^tower-" in events[-1]["answer"]

    second = footnote("serve", "--port", "0")
    assert second.exit_code == Exit.UNAVAILABLE
    assert f"Another Footnote process ({server.process.pid}) is using" in second.stderr

    (docs / "new.txt").write_text("The harbour master retired in spring.")
    brought = footnote("ingest", docs / "new.txt", "--json")
    assert "Another Footnote process is using this data folder and will process the files." in brought.stderr
    assert [(row["file"], row["state"]) for row in json.loads(brought.stdout)["documents"]] == [("new.txt", "READY")]
    hits = httpx.post(f"{server.url}/retrieve-bm25", json={"query_text": "harbour master", "index_name": "default"}).json()["hits"]["hits"]
    assert [hit["_source"]["content"] for hit in hits] == ["The harbour master retired in spring."]

    assert f'footnote_turns_total{{mode="rag",outcome="{events[-1]["outcome"]}"}} 1.0' in httpx.get(f"{server.url}/metrics").text

    server.process.send_signal(signal.SIGINT)
    out, err = server.process.communicate(timeout=30)
    assert server.process.returncode == Exit.STOPPED
    (line,) = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert (line["message"], line["trace_id"], line["outcome"]) == ("turn", events[-1]["trace_id"], events[-1]["outcome"])
    assert "lighthouse" not in json.dumps(line)
    assert out == ""
    assert "2 documents are ready." in err
    assert "Try: curl -N" in err
    assert "Traceback" not in err
