"""The query function as `run.sh` starts it, and in `make nightly` behind the real Lambda Web Adapter: a stream arrives as it is
generated."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal

from footnote.bootstrap import Core
from footnote.errors import NotFound
from footnote_local.lambda_service.function_url import function_url, read_http
from footnote_local.lambda_service.functions import FUNCTIONS
from tests.fakes import make_document, put_document
from tests.functions.conftest import EVENTS, LOCAL, Event, sample_event
from tests.live.conftest import OpenFunction, RunningFunction
from tests.openai_server import Reply, Server, chunk, serving, sse

ROOT = Path(__file__).parents[2]
QUESTION = {"query_text": "When was the bridge built?", "index_name": "default", "permission_groups": []}
COMPLETIONS = "/v1/chat/completions"


@pytest.fixture
def model(portal: BlockingPortal) -> Iterator[Server]:
    with portal.wrap_async_context_manager(serving()) as server:
        yield server


@pytest.fixture
def known(model: Server, core: Core, portal: BlockingPortal) -> dict[str, str]:
    """The variables of a query function with one document and the scripted model."""
    bridge = make_document("bridge", groups=("*",))
    portal.call(put_document, core.generations, bridge, ["The bridge was built in 1894."])
    return {"LLM__BASE_URL": f"{model.url}/v1", "LLM__MODEL": "m", "LLM__API_KEY": "k"}


@pytest.fixture
def query(adapter: None, open_function: OpenFunction, known: dict[str, str]) -> RunningFunction:
    return open_function("query", **known)


@pytest.fixture(params=["run.sh", pytest.param("adapter", marks=pytest.mark.nightly)])
def client(request: pytest.FixtureRequest, tmp_path: Path, known: dict[str, str]) -> Iterator[httpx.Client]:
    """A client of the server that `run.sh` starts, or of the function's URL in mode RESPONSE_STREAM. It waits: the first answer imports
    a model's library."""
    if request.param == "run.sh":
        serving_ = run_sh(known | {"FOOTNOTE_DATA": str(tmp_path)})
    else:
        running: RunningFunction = request.getfixturevalue("query")
        serving_ = running.portal.wrap_async_context_manager(function_url(running.service, stream=True))
    with serving_ as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


@contextmanager
def run_sh(variables: dict[str, str]) -> Iterator[str]:
    """Starts the function's server → its address, once it is ready, as the adapter finds out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ours = {**FUNCTIONS["query"].variables, **variables, "AWS_LWA_PORT": str(port), "FOOTNOTE_LOCAL": "1", "PATH": path}
    with subprocess.Popen(["sh", "run.sh"], cwd=ROOT / "functions" / "query", env=ours) as process:
        try:
            while True:
                with suppress(httpx.TransportError):
                    httpx.get(f"http://127.0.0.1:{port}/health").raise_for_status()
                    break
                assert process.poll() is None
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def stream_slowly(*rest: Any) -> tuple[Reply, asyncio.Event]:
    """A completion that pauses after its first words until the event is set."""
    gate = asyncio.Event()
    return sse(chunk(content="It was built "), gate, *rest), gate


def read_until(kind: str, lines: Iterator[str]) -> dict[str, Any]:
    """The next event of a kind."""
    for line in lines:
        if line.startswith("data: ") and (event := json.loads(line.removeprefix("data: ")))["type"] == kind:
            return dict(event)
    raise AssertionError(f"The stream ended without {kind}.")


async def ended(core: Core, trace_id: str) -> Any:
    """The turn, once it is over."""
    async with asyncio.timeout(30):
        while True:
            with suppress(NotFound):
                if (turn := await core.turns.get(LOCAL, trace_id))["status"] != "idle":
                    return turn
            await asyncio.sleep(0.01)


def test_the_first_words_arrive_before_the_model_has_finished(client: httpx.Client, model: Server, portal: BlockingPortal) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(chunk(content="in 1894 [^bridge]."))
    with client.stream("POST", "/ask/stream", json=QUESTION) as reply:
        lines = reply.iter_lines()
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert read_until("token", lines)["content"] == "It was built"
        portal.call(gate.set)
        assert read_until("token", lines)["content"] == " in 1894 [^bridge]."
        assert read_until("done", lines)["answer"] == "It was built in 1894 [^bridge]."
        assert "".join(lines) == ""


@pytest.mark.nightly
def test_a_model_that_breaks_off_in_the_middle_ends_its_stream_with_an_error_event(
    client: httpx.Client, model: Server, portal: BlockingPortal
) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(None)
    with client.stream("POST", "/ask/stream", json=QUESTION) as reply:
        lines = reply.iter_lines()
        assert read_until("token", lines)["content"] == "It was built"
        portal.call(gate.set)
        error = read_until("error", lines)
        assert (error["final_response"], error["trace_id"]) == ("It was built", reply.headers["x-trace-id"])
        assert "".join(lines) == ""


@pytest.mark.nightly
@pytest.mark.slow("starts the function in processes of its own")
def test_the_turn_of_a_client_that_leaves_is_finished_and_saved(
    client: httpx.Client, model: Server, core: Core, portal: BlockingPortal, open_function: OpenFunction
) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(chunk(content="in 1894 [^bridge]."))
    with client.stream("POST", "/ask/stream", json=QUESTION) as reply:
        read_until("token", reply.iter_lines())
        trace_id = reply.headers["x-trace-id"]
    portal.call(gate.set)
    # In Lambda, one environment serves one event at a time: this one comes after the turn.
    assert client.get("/query/health").json() == {"status": "ok", "function": "query"}
    saved = portal.call(ended, core, trace_id)
    assert [message["content"] for message in saved["conversations"]] == [QUESTION["query_text"], "It was built in 1894 [^bridge]."]
    feedback = sample_event("feedback_http") | {"body": json.dumps({"trace_id": trace_id, "rating": "up"})}
    assert open_function("feedback").http(feedback) == (200, {"status": "ok"})


def test_the_page_and_what_it_loads_come_through_the_same_url(client: httpx.Client) -> None:
    page = client.get("/")
    assert (page.status_code, page.headers["content-type"], page.headers["cache-control"]) == (200, "text/html; charset=utf-8", "no-cache")
    assert "<title>" in page.text
    assert client.get("/nowhere").status_code == 404


@pytest.mark.nightly
def test_rate_limits_use_the_address_of_the_event_and_ignore_forged_headers(adapter: None, open_function: OpenFunction) -> None:
    query = open_function("query", AUTH__MODE="session", LIMITS__ADDRESS_PER_MINUTE="2")

    def guess(number: int, **context: Any) -> int:
        event = sample_event("query_http_get")
        invented = f"192.0.2.{number}"
        forged = {"x-forwarded-for": invented, "x-amzn-request-context": json.dumps({"http": {"sourceIp": invented}})}
        event["headers"] |= forged | {"x-viewer-address": invented, "api-key": "guess"}
        event["requestContext"] |= context

        async def ask() -> int:
            reply = await read_http(await query.service.invoke(json.dumps(event).encode()))
            _ = [part async for part in reply.body]
            return reply.status

        return query.portal.call(ask)

    statuses = [guess(number) for number in range(8)]
    assert statuses.count(401) in (2, 3, 4)  # two per minute, and a minute may end meanwhile
    assert statuses.count(401) + statuses.count(429) == 8
    iam = {"accessKey": "A", "accountId": "1", "callerId": "C", "userArn": "arn:aws:sts::1:assumed-role/x", "userId": "U"}
    assert [guess(number, authorizer={"iam": iam}) for number in (100, 101, 102, 103)] == [401] * 4  # readers behind CloudFront


@pytest.mark.nightly
def test_the_sample_events_are_answered(query: RunningFunction) -> None:
    def send(event: Event) -> tuple[int, str, str]:
        async def ask() -> tuple[int, str, str]:
            reply = await read_http(await query.service.invoke(json.dumps(event).encode()))
            body = b"".join([part async for part in reply.body]).decode()
            return reply.status, dict(reply.headers)["content-type"], body

        return query.portal.call(ask)

    status, _, body = send(sample_event("query_http_get"))
    assert (status, [listed["name"] for listed in json.loads(body)["data"]]) == (200, [])
    status, kind, body = send(sample_event("query_http"))
    assert (status, kind, json.loads(body)["outcome"]) == (200, "application/json", "no_hits")
    status, kind, body = send(sample_event("query_http_stream"))
    assert (status, kind) == (200, "text/event-stream; charset=utf-8")
    assert json.loads(body.strip().rpartition("data: ")[2])["outcome"] == "no_hits"


@pytest.mark.nightly
def test_the_command_line_prints_the_stream(adapter: None, tmp_path: Path) -> None:
    environment = {**os.environ, "FOOTNOTE_DATA": str(tmp_path), "EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false"}
    command = [sys.executable, "-m", "footnote_local", "invoke", "query", str(EVENTS / "query_http_stream.json")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout.strip().rpartition("data: ")[2])["outcome"] == "no_hits"
    assert "HTTP 200\n" in done.stderr
    assert " ms after a cold start of " in done.stderr
