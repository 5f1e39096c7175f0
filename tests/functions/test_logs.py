"""What the functions log in Lambda: enough to find an error, and no text of users or documents.

A canary text is asked, uploaded, and quoted in every exception."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable, StoreUnavailable
from footnote_http.lambda_handler import http_handler
from footnote_http.logs import OURS, PLAIN, log_json
from footnote_http.metrics import CloudWatchMeter
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.fakes import FakeEmbedder, FakeModels
from tests.functions.conftest import ASK, BRIDGE, OpenClient, OpenSite, Serve, get_event

CANARY = "zebra-canary-7431"
SAID = f"cannot read {CANARY!r} at line 1"
Lines = list[dict[str, Any]]


class Log:
    """The log output as in Lambda. `read` returns the lines since the last call, and asserts that none quotes the canary."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self._written = io.StringIO()  # pytest closes the standard output of its fixtures

    def install(self, function: str) -> None:
        logging.Logger.manager.loggerDict.pop(function, None)  # powertools caches the loggers that it has set up
        handler = log_json(function).logger_handler
        assert isinstance(handler, logging.StreamHandler)
        handler.setStream(self._written)

    def read(self) -> Lines:
        out, err = self._captured.readouterr()
        out = self._written.getvalue() + out
        self._written.truncate(self._written.seek(0))
        assert err == ""
        assert CANARY not in out
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def logged(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", "DEBUG")
    loggers = [logging.getLogger(name) for name in ("", *OURS, *PLAIN)]
    before = [(logger, list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    known = dict(logging.Logger.manager.loggerDict)
    log = Log(capsys)
    log.install("query")
    yield log
    logging.captureWarnings(False)
    logging.Logger.manager.loggerDict.update(known)
    for logger, handlers, level, propagate in before:
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


class Quoting:
    """A part whose every method fails with an error that quotes its arguments."""

    async def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def fail(*args: Any, **options: Any) -> Any:
            raise RuntimeError(SAID) from ValueError(SAID)

        return fail


class QuotingEmbedder(FakeEmbedder):
    async def embed(self, texts: Any, *, query: bool = False) -> Any:
        raise json.JSONDecodeError(SAID, SAID, 0)


ASKED = ASK | {"query_text": f"When was the {CANARY} bridge built?"}


# --- lines -------------------------------------------------------------------------------------


def test_a_line_is_json_with_service_level_location_and_the_allowed_fields(logged: Log) -> None:
    logging.getLogger("footnote.ingest").info("document ready", extra={"doc_id": "d1", "count": 3, "text": CANARY})
    (line,) = logged.read()
    assert line.pop("timestamp")
    assert line.pop("location").startswith("test_a_line_is_json")
    assert line == {
        "level": "INFO", "message": "document ready", "service": "query", "logger": "footnote.ingest", "doc_id": "d1", "count": 3,
    }  # fmt: skip


def test_no_character_breaks_a_line(logged: Log) -> None:
    logging.getLogger("footnote").info("turn", extra={"user_id": "한글", "collection": "half \ud800\n"})
    (line,) = logged.read()
    assert (line["user_id"], line["collection"]) == ("한글", "half \ud800\n")


@pytest.mark.parametrize("name", OURS)
def test_each_logger_of_ours_writes_each_line_once(name: str, logged: Log) -> None:
    logging.getLogger(name).warning("once")
    logging.getLogger(f"{name}.app").debug("twice")
    assert [(line["logger"], line["message"]) for line in logged.read()] == [(name, "once"), (f"{name}.app", "twice")]


@pytest.mark.parametrize(("level", "expected"), [("WARNING", ["warning"]), ("INFO", ["info", "warning"])])
def test_the_level_is_that_of_the_environment(level: str, expected: list[str], logged: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", level)
    logged.install("other")
    log = logging.getLogger("footnote.steps")
    log.debug("debug")
    log.info("info")
    log.warning("warning")
    assert [(line["message"], line["service"]) for line in logged.read()] == [(message, "other") for message in expected]


def test_an_exception_is_logged_by_the_types_and_locations_of_its_chain(logged: Log) -> None:
    def fail() -> None:
        try:
            raise ValueError(SAID)
        except ValueError as exc:
            raise StoreUnavailable("The store does not answer.") from exc

    try:
        fail()
    except StoreUnavailable as exc:
        exc.add_note(SAID)
        logging.getLogger("footnote").error("failed", exc_info=exc)
    (line,) = logged.read()
    assert line["exception_name"] == "StoreUnavailable"
    ours, theirs = line["exception"]
    assert (ours["type"], ours["detail"]) == ("footnote.errors.StoreUnavailable", "The store does not answer.")
    assert (theirs["type"], "detail" in theirs) == ("builtins.ValueError", False)
    assert [frame.rsplit(" ", 1)[1] for frame in ours["frames"]] == [
        "test_an_exception_is_logged_by_the_types_and_locations_of_its_chain",
        "fail",
    ]
    assert theirs["frames"][0].split(":")[0] == __file__


@pytest.mark.parametrize("error", [ModelUnavailable(f"There is no {CANARY}."), ExceptionGroup(SAID, [ValueError(SAID), KeyError(SAID)])])
def test_an_error_that_quotes_the_request_is_logged_without_the_quote(error: Exception, logged: Log) -> None:
    logging.getLogger("footnote").error("failed", exc_info=error)
    (line,) = logged.read()
    assert line["exception"][0]["type"].endswith(type(error).__name__)
    assert len(line["exception"]) == (3 if isinstance(error, ExceptionGroup) else 1)


def test_records_of_other_libraries_are_logged_by_location_without_their_text(logged: Log) -> None:
    logging.getLogger("mcp.server").warning(f"Failed to validate request: {SAID}")
    logging.warning("on the root: %s", CANARY)
    logging.getLogger("botocore").info(CANARY)  # below a warning: not logged
    logging.getLogger("py.warnings").warning("%s", SAID)
    lines = logged.read()
    assert [line["logger"] for line in lines] == ["mcp.server", "root", "py.warnings"]
    assert {line["message"] for line in lines} == {"(message of another library omitted)"}


async def test_a_task_that_was_never_awaited_is_logged_by_its_location(logged: Log) -> None:
    async def fail() -> None:
        raise RuntimeError(SAID)

    asyncio.get_running_loop().call_exception_handler({"message": SAID, "exception": RuntimeError(SAID), "task": SAID})
    (line,) = logged.read()
    assert (line["logger"], line["exception_name"]) == ("asyncio", "RuntimeError")


# --- entry points ---------------------------------------------------------------------------------


async def test_a_turn_is_one_line_and_one_set_of_metrics(open_site: OpenSite, logged: Log) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    site.core.meter = CloudWatchMeter("query")
    trace_id = (await site.client.post("/ask", json=ASKED)).json()["trace_id"]
    line, metrics = logged.read()
    assert (line["message"], line["trace_id"], line["outcome"], line["hits"], line["citations"]) == ("turn", trace_id, "answered", 1, 1)
    assert list(line["steps"])[-2:] == ["unread", "announce_answer"]
    assert (metrics["trace_id"], metrics["Errors"], metrics["Refused"]) == (trace_id, [0.0], [0.0])


@pytest.mark.parametrize(
    ("part", "quoting"),
    [
        ("index", Quoting()),
        ("embedder", QuotingEmbedder()),
        ("turns", Quoting()),
        ("models", FakeModels(RuntimeError(SAID))),
        ("ledger", Quoting()),
    ],
)
async def test_a_part_that_fails_quotes_no_question(part: str, quoting: Any, open_site: OpenSite, logged: Log) -> None:
    site = await open_site("It was ", f"in {CANARY} [^bridge].")
    setattr(site.core, part, quoting)
    site.core.meter = CloudWatchMeter("query")
    for path in ("/ask", "/ask/stream", "/retrieve-cc", "/chat"):
        await site.client.post(path, json=ASKED | {"question": ASKED["query_text"], "retriever": "cc"})
    await site.client.get("/collections")
    failed = [line for line in logged.read() if "exception" in line]
    types = {exception["type"] for line in failed for exception in line["exception"]}
    assert ("json.decoder.JSONDecodeError" if part == "embedder" else "builtins.RuntimeError") in types
    assert {line["level"] for line in failed} == {"ERROR"}


async def test_a_model_that_breaks_off_quotes_no_question(open_site: OpenSite, logged: Log) -> None:
    site = await open_site("It was built in ", RuntimeError(SAID))
    await site.client.post("/ask/stream", json=ASKED)
    assert [line["message"] for line in logged.read()] == ["step failed", "turn"]


async def test_invalid_requests_are_not_quoted(open_site: OpenSite, serve: Serve, logged: Log) -> None:
    site = await open_site()
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": CANARY, "arguments": {CANARY: [CANARY]}}}
    url = await serve(site.app)
    logged.install("query")  # after the server, as when it imports the app
    async with httpx.AsyncClient(base_url=url) as client:
        for body in (
            CANARY.encode(),
            json.dumps({"query_text": [CANARY]}).encode(),
            json.dumps(call).encode(),
            b'{"jsonrpc": "' + CANARY.encode(),
        ):
            for path in ("/ask", "/mcp", "/v1/chat/completions", "/chat-messages"):
                await client.post(path, content=body, headers=headers)
        await client.get(f"/{CANARY}?query_text={CANARY}")
    logged.read()


async def test_a_request_that_fails_is_quoted_neither_by_us_nor_by_the_server(open_site: OpenSite, serve: Serve, logged: Log) -> None:
    site = await open_site()

    @site.app.get("/fails")
    async def fails(query: str) -> None:
        raise ValueError(f"{query} is no number")

    url = await serve(site.app)
    logged.install("query")  # after the server, as when it imports the app
    async with httpx.AsyncClient(base_url=url) as client:
        assert (await client.get("/fails", params={"query": CANARY})).status_code == 500
    ours, servers = logged.read()
    assert (ours["message"], servers["message"]) == ("request failed", "Exception in ASGI application")
    assert ours["exception_name"] == servers["exception_name"] == "ValueError"
    assert ours["trace_id"]


def test_an_event_that_fails_is_not_quoted_by_the_adapter_either(lambda_loop: asyncio.AbstractEventLoop, logged: Log) -> None:
    app = create_query(lambda: None)  # type: ignore[arg-type,return-value]

    @app.get("/fails")
    async def fails(query: str) -> None:
        raise ValueError(f"{query} is no number")

    assert http_handler(app)(get_event("/fails", f"query={CANARY}"), None)["statusCode"] == 500
    assert [line["logger"] for line in logged.read()] == ["footnote_http.app", "mangum.http"]


@pytest.mark.parametrize("part", ["parser", "files", "generations", "lifecycle"])
async def test_a_file_that_cannot_be_read_is_not_quoted(part: str, core: Core, open_client: OpenClient, logged: Log) -> None:
    client = await open_client(create_ingest)
    setattr(core, part, Quoting())
    file = ("bridge.txt", f"{CANARY} {' '.join(BRIDGE)}".encode())
    await client.post("/ingest/file", files={"file": file}, data={"index_name": "default"})
    await core.ingestor.work_one()
    (line,) = logged.read()
    assert line["message"] == ("ingest failed" if part in ("parser", "generations") else "request failed")
    assert [exception["type"] for exception in line["exception"]] == ["builtins.RuntimeError", "builtins.ValueError"]
