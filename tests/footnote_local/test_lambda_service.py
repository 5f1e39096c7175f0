"""The emulated Lambda service, with a runtime scripted by its events."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_local.lambda_service.function_url import function_url
from footnote_local.lambda_service.invocation import Function, FunctionError, TooLarge
from footnote_local.lambda_service.service import Lambda

RUNTIME = (sys.executable, "-S", str(Path(__file__).with_name("scripted_runtime.py")))
PRELUDE = {"content-type": "application/vnd.awslambda.http-integration-response"}
"""Begins a stream that is an HTTP reply."""


def make_function(root: Path, **changes: Any) -> Function:
    return Function(**{"name": "scripted", "handler": "app.handler", "command": RUNTIME, "root": root, "timeout_s": 30, **changes})


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Lambda]:
    async with Lambda(make_function(tmp_path)) as service:
        yield service


async def send(service: Lambda, do: str = "describe", **event: Any) -> Any:
    """Sends an event → the whole reply."""
    reply = await service.invoke(json.dumps({"do": do, **event}).encode())
    return json.loads(b"".join([part async for part in reply.body]))


async def failure(service: Lambda, do: str, **event: Any) -> Any:
    with pytest.raises(FunctionError) as caught:
        await send(service, do, **event)
    return json.loads(caught.value.payload)


class Gate:
    """Holds a stream until it is opened."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._opened = asyncio.Event()

    def open(self) -> None:
        self._opened.set()

    async def hold(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._opened.wait()
        writer.close()


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    gate = Gate(0)
    server = await asyncio.start_server(gate.hold, "127.0.0.1", 0)
    gate.port = server.sockets[0].getsockname()[1]
    yield gate
    gate.open()
    server.close()
    await server.wait_closed()


# --- one environment ---------------------------------------------------------------------------


async def test_a_function_gets_its_event_and_the_headers_and_variables_of_lambda(service: Lambda, tmp_path: Path) -> None:
    before = time.time()
    described = await send(service, n=1)
    assert (described["event"], described["cwd"]) == ({"do": "describe", "n": 1}, str(tmp_path))
    assert {
        name: described["variables"].get(name) for name in ("_HANDLER", "AWS_LAMBDA_FUNCTION_NAME", "LAMBDA_TASK_ROOT", "TZ", "HOME")
    } == {
        "_HANDLER": "app.handler",
        "AWS_LAMBDA_FUNCTION_NAME": "scripted",
        "LAMBDA_TASK_ROOT": str(tmp_path),
        "TZ": ":UTC",
        "HOME": None,
    }
    headers = described["headers"]
    assert headers["lambda-runtime-invoked-function-arn"] == "arn:aws:lambda:us-east-1:000000000000:function:scripted"
    assert 30 <= int(headers["lambda-runtime-deadline-ms"]) / 1000 - before <= 30 + (time.time() - before)
    assert headers["lambda-runtime-aws-request-id"] != (await send(service))["headers"]["lambda-runtime-aws-request-id"]


async def test_one_process_takes_one_event_after_the_other(service: Lambda) -> None:
    replies = await asyncio.gather(*(send(service) for _ in range(3)))
    assert len({reply["pid"] for reply in replies}) == 1
    assert [reply["seen"] for reply in replies] == [[], ["describe"], ["describe", "describe"]]
    await service.finish()
    assert [report.init_ms is None for report in service.reports] == [False, True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="os.waitid")
async def test_between_two_events_the_process_is_frozen(service: Lambda) -> None:
    pid = (await send(service))["pid"]
    await service.finish()
    async with asyncio.timeout(10):
        state = await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert state.si_code == os.CLD_STOPPED
    assert (await send(service))["pid"] == pid


@pytest.mark.parametrize("do", ["fail", "silence", "flood"])
async def test_an_event_that_fails_leaves_the_process_as_it_is(do: str, service: Lambda) -> None:
    pid = (await send(service))["pid"]
    assert (
        await failure(service, do)
        == {
            "fail": {"errorType": "ValueError", "errorMessage": "no"},
            "silence": {
                "errorType": "Runtime.NoReply",
                "errorMessage": "The runtime asked for the next event without responding to this one.",
            },
            "flood": {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": "Response payload size exceeded 6291456 bytes."},
        }[do]
    )
    described = await send(service)
    assert (described["pid"], described["seen"]) == (pid, ["describe", "flood 413" if do == "flood" else do])


async def test_a_reply_to_another_event_is_refused(service: Lambda) -> None:
    assert await send(service, "mistake") == {"status": 400}


async def test_an_event_may_have_6_mb_and_no_byte_more(service: Lambda) -> None:
    whole = json.dumps("x" * (6 * 2**20 - 2)).encode()
    with pytest.raises(TooLarge):
        await service.invoke(whole + b" ")
    assert len(whole) == 6_291_456


# --- environments that break ---------------------------------------------------------------------


async def test_a_function_that_takes_too_long_is_killed_and_the_next_event_starts_it_again(tmp_path: Path) -> None:
    async with Lambda(make_function(tmp_path, timeout_s=1)) as service:
        pid = (await send(service))["pid"]
        error = await failure(service, "hang")
        assert error["errorType"] == "Sandbox.Timedout"
        assert error["errorMessage"].endswith(" Error: Task timed out after 1.00 seconds")
        described = await send(service)
        assert (described["seen"], described["pid"] == pid) == ([], False)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_process_that_ends_fails_its_event_and_the_next_one_starts_it_again(service: Lambda) -> None:
    await send(service)
    assert await failure(service, "exit") == {"errorType": "Runtime.ExitError", "errorMessage": "Runtime exited: exit status 3"}
    assert (await send(service))["seen"] == []


@pytest.mark.parametrize(
    ("changes", "error_type", "message"),
    [
        ({"variables": {"START": "fail"}}, "Runtime.ImportModuleError", "no module"),
        ({"variables": {"START": "exit"}}, "Runtime.ExitError", "Runtime exited: exit status 1"),
        ({"command": ("no-such-program",)}, "Runtime.InvalidEntrypoint", "no-such-program cannot be started: No such file or directory"),
    ],
    ids=["init error", "exit", "no program"],
)
async def test_a_function_that_does_not_start_says_why_each_time(
    changes: dict[str, Any], error_type: str, message: str, tmp_path: Path
) -> None:
    async with Lambda(make_function(tmp_path, **changes)) as service:
        for _ in range(2):
            assert await failure(service, "describe") == {"errorType": error_type, "errorMessage": message}


async def test_an_extension_starts_before_the_runtime_and_gets_the_shutdown_event(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    changes = {"extensions": ((*RUNTIME, "extension"),), "variables": {"PIPE": str(tmp_path / "pipe")}}
    async with Lambda(make_function(tmp_path, **changes)) as service:
        await send(service)
    assert (tmp_path / "extension-event").read_text() == "SHUTDOWN"


# --- streams -----------------------------------------------------------------------------------


async def test_a_stream_arrives_part_by_part(service: Lambda, gate: Gate) -> None:
    reply = await service.invoke(json.dumps({"do": "stream", "parts": ["one", gate.port, "two"]}).encode())
    assert await anext(reply.body) == b"one"
    gate.open()
    assert [part async for part in reply.body] == [b"two"]


async def test_a_stream_that_breaks_off_says_why_in_its_trailers(service: Lambda) -> None:
    trailers = {"Lambda-Runtime-Function-Error-Type": "Runtime.StreamError", "Lambda-Runtime-Function-Error-Body": "eyJhIjogMX0="}
    reply = await service.invoke(json.dumps({"do": "stream", "parts": ["one"], "trailers": trailers}).encode())
    assert await anext(reply.body) == b"one"
    with pytest.raises(FunctionError) as caught:
        await anext(reply.body)
    assert caught.value.payload == b'{"a": 1}'


# --- function URLs -----------------------------------------------------------------------------

OpenUrl = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def open_url(service: Lambda) -> OpenUrl:
    @asynccontextmanager
    async def open_(*, stream: bool) -> AsyncIterator[httpx.AsyncClient]:
        async with function_url(service, stream=stream) as url, httpx.AsyncClient(base_url=url) as client:
            yield client

    return open_


def do(do: str, **wanted: Any) -> dict[str, str]:
    """A header with the instruction for the scripted runtime."""
    return {"x-do": json.dumps({"do": do, **wanted})}


def stream(*parts: str | int, status: int = 200, **changes: Any) -> dict[str, str]:
    """The same for a stream that is an HTTP reply."""
    prelude = json.dumps({"statusCode": status, "headers": {"content-type": "text/plain", "x-a": "b"}, "cookies": ["c=1", "d=2"]})
    return do("stream", parts=[prelude[:9], prelude[9:] + "\0" * 5, "\0" * 3 + "one", *parts], headers=PRELUDE, **changes)


async def test_a_request_becomes_an_event_and_json_without_a_status_a_200(open_url: OpenUrl) -> None:
    async with open_url(stream=False) as client:
        reply = await client.post("/a%20b?q=1&q=2&empty=", content="ü", headers={"content-type": "text/plain", "cookie": "c=1; d=2"})
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    event = reply.json()["event"]
    assert (event["version"], event["rawPath"], event["rawQueryString"]) == ("2.0", "/a%20b", "q=1&q=2&empty=")
    assert (event["queryStringParameters"], event["cookies"]) == ({"q": "1,2", "empty": ""}, ["c=1", "d=2"])
    assert (event["body"], event["isBase64Encoded"], event["headers"]["content-type"]) == ("ü", False, "text/plain")
    assert (event["requestContext"]["http"]["method"], event["requestContext"]["http"]["path"]) == ("POST", "/a%20b")


async def test_bytes_travel_as_base64_in_both_directions(open_url: OpenUrl) -> None:
    async with open_url(stream=False) as client:
        sent = await client.post("/", content=b"\xff\x00", headers={"content-type": "application/octet-stream"})
        got = await client.get(
            "/", headers=do("return", reply={"statusCode": 201, "body": "/wA=", "isBase64Encoded": True, "cookies": ["c=1"]})
        )
    assert (sent.json()["event"]["body"], sent.json()["event"]["isBase64Encoded"]) == ("/wA=", True)
    assert (got.status_code, got.content, got.headers["set-cookie"]) == (201, b"\xff\x00", "c=1")


async def test_a_url_that_streams_passes_each_part_on(open_url: OpenUrl, gate: Gate) -> None:
    async with open_url(stream=True) as client, client.stream("GET", "/", headers=stream(gate.port, "two", status=202)) as reply:
        parts = reply.aiter_bytes()
        assert (reply.status_code, reply.headers["x-a"], await anext(parts)) == (202, "b", b"one")
        assert reply.headers.get_list("set-cookie") == ["c=1", "d=2"]
        gate.open()
        assert [part async for part in parts] == [b"two"]


async def test_a_url_that_buffers_sends_a_stream_when_it_is_whole(open_url: OpenUrl) -> None:
    async with open_url(stream=False) as client:
        reply = await client.get("/", headers=stream("two"))
    assert (reply.status_code, reply.text, reply.headers["x-a"]) == (200, "onetwo", "b")


async def test_a_stream_that_breaks_off_is_cut(open_url: OpenUrl) -> None:
    broken = stream(trailers={"Lambda-Runtime-Function-Error-Type": "Runtime.StreamError"})
    async with open_url(stream=True) as client, client.stream("GET", "/", headers=broken) as reply:
        with pytest.raises(httpx.RemoteProtocolError):
            await reply.aread()
    async with open_url(stream=False) as client:
        assert (await client.get("/", headers=broken)).status_code == 502


@pytest.mark.parametrize("what", ["fail", "exit"])
@pytest.mark.parametrize("mode", [True, False], ids=["streaming", "buffered"])
async def test_a_function_that_fails_is_a_502_without_details(mode: bool, what: str, open_url: OpenUrl) -> None:
    async with open_url(stream=mode) as client:
        reply = await client.get("/", headers=do(what))
    assert (reply.status_code, reply.json()) == (502, {"Message": "Internal Server Error"})


async def test_a_request_that_lambda_would_not_take_is_a_413(open_url: OpenUrl) -> None:
    async with open_url(stream=False) as client:
        assert (await client.post("/", content=b"x" * (6 * 2**20))).status_code == 413


async def test_a_client_that_leaves_does_not_stop_the_function(open_url: OpenUrl, gate: Gate) -> None:
    async with open_url(stream=True) as client:
        async with client.stream("GET", "/", headers=stream(gate.port, *["more"] * 100)) as reply:
            assert await anext(reply.aiter_bytes()) == b"one"
        gate.open()
        assert (await client.get("/")).json()["seen"] == ["stream"]
