"""`footnote serve --workers`: several processes answer as one, and none of them is needed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_local.server_process import END_S
from footnote_local.supervisor import usual_workers
from footnote_local.terminal import Exit
from tests.openai_server import Server, chunk, serving, sse

WRITER, READER = 0, 1
WAIT_S = 60
KEYS = {name: {"key": name * 5, "role": "admin" if name == "boss" else "user"} for name in ("boss", "anna", "cleo", "carl", "dana", "emil")}
COMPLETIONS = "/v1/chat/completions"


def until(is_true: Callable[[], Any]) -> Any:
    """What is waited for, as soon as it is true."""
    end = time.monotonic() + WAIT_S
    while not (found := is_true()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


def processes(pid: int) -> dict[int, int]:
    """Number → process id, of those that the supervisor runs."""
    found = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(OSError, ValueError, IndexError):  # one that just started has no command line yet
            found[json.loads(Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[-2])["number"]] = int(child)
    return found


def is_running(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[str]
    url: str

    @property
    def processes(self) -> dict[int, int]:
        return processes(self.process.pid)

    @contextmanager
    def at(self, number: int, user: str = "boss") -> Iterator[httpx.Client]:
        """A client whose connection is with this process: the others are stopped while it is accepted."""
        headers = {"authorization": f"Bearer {user * 5}"}
        with httpx.Client(base_url=self.url, timeout=WAIT_S, headers=headers) as client, ExitStack() as stack:
            for pid in (pid for other, pid in self.processes.items() if other != number):
                os.kill(pid, signal.SIGSTOP)
                stack.callback(os.kill, pid, signal.SIGCONT)
            client.get("/health")
            stack.close()
            yield client

    def ask(self, number: int, question: str, user: str = "boss", **headers: str) -> httpx.Response:
        asked = {"query_text": question, "index_name": "default", "permission_groups": []}
        with self.at(number, user) as client:
            return client.post("/ask", json=asked, headers=headers)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=WAIT_S)


def start(data: Path, **settings: str) -> Running:
    command = [sys.executable, "-m", "footnote_local", "serve", "--port", "0", "--json", "--workers", "2", "--data", str(data)]
    quiet = {"PATH": "/usr/bin:/bin", "HOME": str(data), "LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    variables = quiet | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(data.parent)} | settings
    with (data.parent / "log").open("w") as log:
        process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    written = ""
    while not written.endswith("}\n"):
        line = process.stdout.readline()
        assert line, (data.parent / "log").read_text()  # it has ended
        written += line
    running = Running(process, json.loads(written)["url"])
    until(lambda: serves(running))
    return running


def serves(running: Running) -> bool:
    """Whether both processes answer: each says on its own socket that it has no such stream."""
    found = []
    for pid in running.processes.values():
        given = json.loads(Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[-2])
        with suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(Path(given["shared"]) / f"{given['number']}.sock"))
            client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            found.append(client.recv(12))
    return found == [b"HTTP/1.1 404"] * 2


@dataclass(frozen=True)
class Model:
    """A language model that runs in a thread of its own."""

    server: Server
    loop: asyncio.AbstractEventLoop

    def says(self, *parts: str | asyncio.Event) -> None:
        self.server.replies[COMPLETIONS] = sse(*(part if isinstance(part, asyncio.Event) else chunk(content=part) for part in parts))

    def release(self, event: asyncio.Event) -> None:
        self.loop.call_soon_threadsafe(event.set)

    @property
    def calls(self) -> int:
        return sum(path == COMPLETIONS for path, _, _ in self.server.requests)


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    over, ready, found = asyncio.Event(), threading.Event(), list[Model]()

    async def serve() -> None:
        async with serving() as server:
            found.append(Model(server, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, serve())
        ready.wait(WAIT_S)
        yield found[0]
        found[0].release(over)


@pytest.fixture(scope="module")
def server(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Both processes, with one document."""
    settings = {"LLM__BASE_URL": f"{model.server.url}/v1", "LLM__MODEL": "m", "LLM__API_KEY": "k"}
    settings |= {"AUTH__MODE": "api_key", "AUTH__API_KEYS": json.dumps(KEYS)}
    settings |= {"LIMITS__USER_PER_MINUTE": "20", "BUDGET__USERS": json.dumps({"dana": {"tokens_per_day": 1}})}
    running = start(tmp_path_factory.mktemp("server") / "data", **settings)
    try:
        doc_id = upload(running, WRITER, "tower.txt", "The lighthouse was lit in 1874.")
        model.says(f"It was lit in 1874 [^{doc_id}].")
        yield running
    finally:
        running.end()


def upload(running: Running, number: int, name: str, text: str) -> str:
    """Adds a file at a process, and waits until it is READY → its id."""
    with running.at(number) as client:
        sent = client.post("/ingest/file", files={"file": (name, text.encode())}, data={"index_name": "default", "permission_groups": "*"})
        assert sent.status_code == 202, sent.text
        doc_id: str = sent.json()["doc_id"]
        until(lambda: client.get(f"/documents/{doc_id}").json()["state"] == "READY")
    return doc_id


def found_by(running: Running, number: int, words: str) -> list[str]:
    with running.at(number) as client:
        hits = client.post("/retrieve-bm25", json={"query_text": words, "index_name": "default"}).json()["hits"]["hits"]
    return [hit["_source"]["content"] for hit in hits]


# --- one server --------------------------------------------------------------------------------


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 1), (3, 1), (4, 2), (7, 3), (16, 8)])
def test_from_four_cores_on_one_process_serves_for_every_two(cores: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert usual_workers() == workers


def test_both_processes_give_the_same_answer_and_share_their_caches(server: Running) -> None:
    first, second = (server.ask(number, "When was the lighthouse lit?").json() for number in (WRITER, READER))
    assert first["answer"] == second["answer"]
    assert "It was lit in 1874" in first["answer"]
    assert first["outcome"] == "answered"
    until(lambda: server.ask(READER, "When was the lighthouse lit?").json()["outcome"] == "cached")  # it is stored behind the answer


@pytest.mark.parametrize(("added_at", "asked_at"), [(WRITER, READER), (READER, WRITER)])
def test_a_document_added_at_one_process_is_found_at_the_other(server: Running, added_at: int, asked_at: int) -> None:
    text = f"The harbour number {added_at} has a blue crane."
    doc_id = upload(server, added_at, f"crane-{added_at}.txt", text)
    assert found_by(server, asked_at, f"harbour number {added_at} blue crane")[0] == text
    with server.at(asked_at) as client:
        assert client.delete(f"/documents/{doc_id}").status_code in (200, 204)
    assert text not in found_by(server, added_at, f"harbour number {added_at} blue crane")


def test_the_limit_of_a_user_holds_over_both_processes(server: Running) -> None:
    for user in ("cleo", "carl"):
        minute = time.time() // 60
        statuses = [server.ask(number % 2, "When was the lighthouse lit?", user).status_code for number in range(22)]
        if time.time() // 60 == minute:  # a new minute gives new questions
            break
    assert statuses == [200] * 20 + [429] * 2


def test_the_budget_of_a_user_holds_over_both_processes(server: Running, model: Model) -> None:
    before = model.calls
    server.ask(WRITER, "Who lit the lighthouse in 1874?", "dana")
    once = model.calls
    server.ask(READER, "Which lighthouse was lit in 1874?", "dana")
    assert (once > before, model.calls) == (True, once)


def test_what_an_admin_changes_at_one_process_applies_at_the_other_at_once(server: Running) -> None:
    with server.at(WRITER) as one, server.at(READER) as other:
        for client, others, value in ((one, other, 7), (other, one, 9)):
            assert client.put("/settings/limits.user_per_minute", json={"value": value}).status_code == 200
            rows = {row["key"]: row["value"] for row in others.get("/settings").json()["data"]}
            assert rows["limits.user_per_minute"] == value
        one.post("/settings/limits.user_per_minute/undo")
        one.post("/settings/limits.user_per_minute/undo")
        for client, others, name in ((one, other, "ships"), (other, one, "boats")):
            assert others.get(f"/collections/{name}").status_code == 404
            assert client.post("/collections", json={"name": name}).status_code == 201
            assert others.get(f"/collections/{name}").status_code == 200
        assert one.put("/forbidden-terms/submarine", json={}).status_code == 200
        asked = {"query_text": "Where is the submarine?", "index_name": "default", "permission_groups": []}
        assert other.post("/ask", json=asked).json()["outcome"] == "forbidden"
        other.delete("/forbidden-terms/submarine")
        assert one.post("/ask", json=asked).json()["outcome"] != "forbidden"


def test_a_repeated_request_gets_its_stored_reply_at_the_other_process(server: Running, model: Model) -> None:
    first = server.ask(WRITER, "In which year was the tower lit?", "anna", **{"idempotency-key": "one"})
    calls = model.calls
    again = server.ask(READER, "In which year was the tower lit?", "anna", **{"idempotency-key": "one"})
    assert (again.json()["trace_id"], again.json()["answer"]) == (first.json()["trace_id"], first.json()["answer"])
    assert model.calls == calls


def test_the_figures_are_those_of_both_processes(server: Running) -> None:
    def turns() -> float:
        with server.at(WRITER) as client:
            lines = client.get("/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("footnote_turns_total{"))

    before = turns()
    for number in (WRITER, READER):
        server.ask(number, "When was the lighthouse lit?")
    assert turns() == before + 2


# --- streams -----------------------------------------------------------------------------------


ASK = {"query_text": "What do we know about the lighthouse?", "index_name": "default", "permission_groups": []}


def read(lines: Iterator[str], text: str = "") -> list[tuple[str, dict[str, Any]]]:
    """(id, message) of each, until one has this text; by default all."""
    found, id_ = [], ""
    for line in lines:
        if line.startswith("id: "):
            id_ = line.removeprefix("id: ")
        elif line.startswith("data: "):
            found.append((id_, json.loads(line.removeprefix("data: "))))
            if text and text in line:
                break
    return found


def said(messages: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(message["content"] for _, message in messages if message["type"] == "token")


@pytest.mark.parametrize(("begun_at", "resumed_at"), [(WRITER, READER), (READER, WRITER)])
def test_a_stream_begun_at_one_process_is_resumed_at_the_other(server: Running, model: Model, begun_at: int, resumed_at: int) -> None:
    rest = asyncio.Event()
    model.says("The lighthouse ", rest, f"was lit in 1874 [1]. {'Indeed. ' * begun_at}")
    asked = ASK | {"query_text": f"What do we know about lighthouse {begun_at}?"}
    with server.at(begun_at, "anna") as client, client.stream("POST", "/ask/stream", json=asked) as stream:
        first = read(stream.iter_lines(), "The lighthouse")
    last = {"last-event-id": first[-1][0]}
    with server.at(resumed_at, "anna") as client, client.stream("POST", "/ask/stream", json=asked, headers=last) as stream:
        lines = stream.iter_lines()
        assert stream.headers["content-type"].startswith("text/event-stream")
        model.release(rest)
        more = read(lines)
    assert said(first + more).startswith("The lighthouse was lit in 1874")
    assert more[-1][1]["type"] == "done"
    assert more[-1][1]["trace_id"] == first[-1][0].partition(".")[0]
    for number in (WRITER, READER):  # it has ended, and all of it is still there
        with server.at(number, "anna") as client:
            asked_by_get = {name: value for name, value in asked.items() if value}
            assert read(client.get("/ask/stream", params=asked_by_get, headers=last).iter_lines()) == more
    with server.at(resumed_at, "emil") as client:
        assert client.post("/ask/stream", json=asked, headers=last).status_code == 404


def test_a_stream_begun_at_one_process_is_stopped_at_the_other(server: Running, model: Model) -> None:
    rest = asyncio.Event()
    model.says("The lighthouse ", rest)
    with server.at(WRITER, "anna") as client, client.stream("POST", "/ask/stream", json=ASK) as stream:
        lines = stream.iter_lines()
        trace_id = read(lines, "The lighthouse")[-1][0].partition(".")[0]
        with server.at(READER, "emil") as other:
            assert other.delete(f"/ask/stream/{trace_id}").status_code == 404
        with server.at(READER, "anna") as other:
            assert other.delete(f"/ask/stream/{trace_id}").status_code == 204
        assert "stopped" in read(lines)[-1][1]["warnings"]
    model.release(rest)


def test_a_stream_that_no_process_has_is_unknown(server: Running) -> None:
    with server.at(READER, "anna") as client:
        for id_ in ("nothing.1", "nothing", "."):
            assert client.post("/ask/stream", json=ASK, headers={"last-event-id": id_}).status_code == 404
        assert client.delete("/ask/stream/nothing").status_code == 404


# --- processes that end ------------------------------------------------------------------------


@pytest.mark.slow("starts two processes, and others in their place")
@pytest.mark.parametrize("killed", [WRITER, READER])
def test_nothing_that_was_accepted_is_lost_with_a_process(killed: int, tmp_path: Path) -> None:
    running = start(tmp_path / "data")
    kept = running.processes[1 - killed]
    accepted: dict[str, str] = {}
    with httpx.Client(base_url=running.url, timeout=WAIT_S, headers={"connection": "close"}) as client:
        for number in range(24):
            if number == 12:
                os.kill(running.processes[killed], signal.SIGKILL)
            with suppress(httpx.TransportError):
                text = f"Crane {number} lifts {number + 7} tons. " * 40
                sent = client.post("/ingest/file", files={"file": (f"{number}.txt", text.encode())}, data={"index_name": "default"})
                assert sent.status_code in (200, 202)
                accepted[sent.json()["doc_id"]] = text
        assert len(accepted) >= 20
        for doc_id in accepted:
            until(lambda doc_id=doc_id: client.get(f"/documents/{doc_id}").json()["state"] == "READY")  # type: ignore[misc]
    until(lambda: len(running.processes) == 2 and serves(running))
    assert running.processes[1 - killed] == kept
    for number in (WRITER, READER):
        assert "Crane 23 lifts 30 tons." in found_by(running, number, "crane 23 lifts 30 tons")[0]
    running.end()
    assert f'"a process has ended and is started again", "count": {killed}, "state": -9' in (tmp_path / "log").read_text()


@pytest.mark.slow("starts two processes, twice")
def test_no_process_outlives_the_supervisor(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        running = start(tmp_path / "data")
        pids = list(running.processes.values())
        began = time.monotonic()
        running.process.send_signal(number)
        running.process.communicate(timeout=WAIT_S)
        if number == signal.SIGTERM:  # it waits for them
            assert not [pid for pid in pids if is_running(pid)]
        until(lambda: not [pid for pid in pids if is_running(pid)])  # noqa: B023 – called at once
        assert time.monotonic() < began + END_S + 5
        assert running.process.returncode == -number
        assert not list(tmp_path.glob("footnote-*"))
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_folder_that_cannot_be_used_is_said_by_the_one_that_starts(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"no database at all" * 100)
    command = [sys.executable, "-m", "footnote_local", "serve", "--port", "0", "--workers", "2", "--data", str(tmp_path)]
    quiet = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    ended = subprocess.run(command, env=quiet | {"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, timeout=WAIT_S)
    assert (ended.returncode, ended.stdout) == (Exit.UNAVAILABLE, "")
    assert ended.stderr.startswith("footnote: The database store.db cannot be used")
    assert len(ended.stderr.splitlines()) == 1
