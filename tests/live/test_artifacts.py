"""The artifacts that are uploaded to Lambda, run at their paths on Lambda, with engines and nothing else of this checkout."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal

from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.records import MongoRecords
from footnote.adapters.mongodb.turns import MongoTurnStore
from footnote.guard.audit import AuditEntry, read_audit
from footnote.types import Answer, Caller, Usage
from footnote_local.lambda_service.function_url import function_url, read_http
from footnote_local.lambda_service.service import Lambda
from tests.conftest import HandClock
from tests.footnote.ingest.pdf_files import Text, make_pdf
from tests.functions.conftest import Event, read_events, sample_event
from tests.hostile.packages import docx, paragraph
from tests.live import artifacts
from tests.live.artifact_site import ANN, Site, open_site
from tests.live.artifacts import Layout
from tests.live.conftest import RunningFunction, report_cold_starts
from tests.openai_server import Server, chunk, sse
from tests.turns import make_turn, stored

pytestmark = pytest.mark.nightly

COMPLETIONS = "/v1/chat/completions"
GUIDE = b"# Deleting\n\nTo delete a document, send DELETE to its address. It is gone at once.\n"
QUESTION = "How do I delete a document?"
ASK = {"query_text": QUESTION, "index_name": "default", "permission_groups": []}
TRACE_ID = "01JHM0E7V5N3K9Q2T8W4X6Y1ZA"
JAN_15 = 1_768_469_400.0

OpenFunction = Callable[..., AbstractContextManager[RunningFunction]]


@pytest.fixture(scope="module")
def site(layout: Layout, portal: BlockingPortal, opensearch_url: str, dynamodb_url: str, mongodb_url: str, aws_url: str) -> Iterator[Site]:
    engines = {"opensearch": opensearch_url, "dynamodb": dynamodb_url, "mongodb": mongodb_url, "aws": aws_url}
    with portal.wrap_async_context_manager(open_site(layout, **engines)) as site:
        yield site


@pytest.fixture(scope="module")
def open_function(site: Site, portal: BlockingPortal) -> OpenFunction:
    @contextmanager
    def open_(name: str, **changes: str) -> Iterator[RunningFunction]:
        service = Lambda(site.function(name, **changes))
        with portal.wrap_async_context_manager(service):
            yield RunningFunction(service, portal)
        report_cold_starts([(f"{name} at /var/task", service)])

    return open_


@pytest.fixture(scope="module")
def ingest(open_function: OpenFunction) -> Iterator[RunningFunction]:
    with open_function("ingest") as running:
        yield running


@pytest.fixture(scope="module")
def query(open_function: OpenFunction) -> Iterator[RunningFunction]:
    with open_function("query") as running:
        yield running


@pytest.fixture(scope="module")
def client(query: RunningFunction, site: Site) -> Iterator[httpx.Client]:
    """A client signed in as ann, at the query function's URL in mode RESPONSE_STREAM."""
    signed = {"authorization": f"Bearer {site.token}"}
    with (
        query.portal.wrap_async_context_manager(function_url(query.service, stream=True)) as url,
        httpx.Client(base_url=url, headers=signed, timeout=30) as client,
    ):
        yield client


@pytest.fixture
def model(site: Site) -> Server:
    site.model.replies[COMPLETIONS] = sse(chunk(content="Send DELETE."))
    return site.model


@pytest.fixture(scope="module")
def turns(site: Site, portal: BlockingPortal) -> Iterator[MongoTurnStore]:
    """The turn store of the functions, for writes from the test."""
    databases = Databases(site.mongodb, site.world.name, f"{site.world.name}-statistics")
    yield MongoTurnStore(databases, HandClock())
    portal.call(databases.close)


@pytest.fixture(scope="module")
def guide(site: Site, ingest: RunningFunction) -> str:
    """The id of a document that was dropped and read."""
    site.world.put("handbooks/guide.md", GUIDE)
    assert read_queue(site, ingest) == []
    return document(site, ingest, "handbooks/guide.md")["doc_id"]


def read_queue(site: Site, ingest: RunningFunction) -> list[str]:
    return ingest.portal.call(site.read_queue, ingest.service)


def signed(site: Site, event: Event) -> Event:
    """A sample HTTP event, sent by ann."""
    return event | {"headers": event["headers"] | {"authorization": f"Bearer {site.token}"}}


def of_our_bucket(site: Site, event: Event) -> Event:
    """A sample S3 event with the name of the bucket under test."""
    return json.loads(json.dumps(event).replace("footnote-documents", site.documents))


def documents(site: Site, ingest: RunningFunction) -> list[dict[str, Any]]:
    status, body = ingest.http(signed(site, sample_event("ingest_http_get")))
    assert (status, body["has_more"]) == (200, False)
    return list(body["data"])


def document(site: Site, ingest: RunningFunction, name: str) -> dict[str, Any]:
    (found,) = [document for document in documents(site, ingest) if document["file_name"] == name]
    return found


def stream_slowly(*rest: Any) -> tuple[Any, asyncio.Event]:
    """A completion that pauses after its first words until the event is set."""
    gate = asyncio.Event()
    return sse(chunk(content="Send DELETE "), gate, *rest), gate


def read_until(kind: str, lines: Iterator[str]) -> dict[str, Any]:
    for line in lines:
        if line.startswith("data: ") and (event := json.loads(line.removeprefix("data: ")))["type"] == kind:
            return dict(event)
    raise AssertionError(f"The stream ended without {kind}.")


# --- where a function runs ------------------------------------------------------------------------


def test_a_function_sees_its_build_and_what_lambda_has_and_writes_to_tmp_alone(layout: Layout) -> None:
    code = (
        "import json, os, sys, boto3, fastapi\n"
        "from footnote_stats import app\n"
        "def writes(folder):\n"
        "    try:\n"
        "        open(f'{folder}/probe', 'w').close()\n"
        "        return True\n"
        "    except OSError:\n"
        "        return False\n"
        "places = ['/', '/opt', '/opt/python', '/tmp', '/usr', '/var/lang', '/var/runtime', '/var/task']\n"
        "print(json.dumps([sys.path[1:3], sys.prefix, os.getcwd(), os.getuid(), sorted(os.listdir('/')), sorted(os.listdir('/dev')),\n"
        "  [place for place in places if writes(place)], boto3.__file__, fastapi.__file__, app.__file__, app.__cached__]))"
    )
    environment = artifacts.SERVICE | {"PYTHONPATH": "/opt/python:/var/runtime"}
    done = subprocess.run(layout.command("stats", ["python3", "-c", code]), env=environment, capture_output=True, text=True, check=True)
    path, prefix, working, user, root, devices, writable, boto3, fastapi, ours, bytecode = json.loads(done.stdout)
    assert (path, prefix, working, user) == (["/opt/python", "/var/runtime"], "/var/lang", "/var/task", 993)
    assert set(root) <= {"bin", "dev", "etc", "lib", "lib64", "opt", "proc", "sbin", "tmp", "usr", "var"}
    assert devices == ["fd", "null", "random", "urandom", "zero"]
    assert writable == ["/tmp"]
    assert (boto3, fastapi) == ("/var/runtime/boto3/__init__.py", "/opt/python/fastapi/__init__.py")
    assert (ours, Path(bytecode).parent) == ("/var/task/footnote_stats/app.py", Path("/var/task/footnote_stats/__pycache__"))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("ingest", {"AUTH__MODE": "none"}, "AUTH__MODE is none, which is not allowed in AWS. Set session, api_key or jwt."),
        ("stats", {"FOOTNOTE_SECRET": ""}, "Required in AWS, but not set: DB__URI."),
        (
            "feedback",
            {"FOOTNOTE_SECRET": "elsewhere"},
            "The secret named by FOOTNOTE_SECRET cannot be read. Check that it exists in this region and that the function's role may"
            " read it.",
        ),
    ],
)
def test_a_misconfigured_function_does_not_start_and_says_why(
    open_function: OpenFunction, name: str, change: dict[str, str], message: str
) -> None:
    with open_function(name, **change) as running:
        reply = running.fail(sample_event("stats_schedule"))
    assert (reply["errorType"], reply["errorMessage"]) == ("Misconfigured", message)


def test_a_misconfigured_query_function_says_why_in_the_log(open_function: OpenFunction, capfd: pytest.CaptureFixture[str]) -> None:
    with open_function("query", AUTH__MODE="none") as running:
        assert running.fail(sample_event("query_http_get"))["errorType"] == "Runtime.ExitError"
    assert "Misconfigured: AUTH__MODE is none" in capfd.readouterr().err


# --- the sample events ----------------------------------------------------------------------------


def test_ingest_takes_what_s3_and_http_send(site: Site, ingest: RunningFunction) -> None:
    name = "handbooks/여행 규정.pdf"
    assert ingest.invoke(sample_event("ingest_s3_test")) == {"batchItemFailures": []}

    site.world.put(name, b"Travel is paid for by the day.")
    assert ingest.invoke(of_our_bucket(site, sample_event("ingest_s3_drop"))) == {"batchItemFailures": []}
    assert (found := document(site, ingest, name))["state"] == "RECEIVED"
    assert read_queue(site, ingest) == []
    read = document(site, ingest, name)
    assert {key: read[key] for key in ("doc_id", "title", "collection", "state", "reason", "size", "chunks", "permission_groups")} == {
        "doc_id": found["doc_id"],
        "title": "여행 규정",
        "collection": "default",
        "state": "READY",
        "reason": None,
        "size": 30,
        "chunks": 1,
        "permission_groups": ["staff"],
    }

    assert ingest.invoke(of_our_bucket(site, sample_event("ingest_s3_batch"))) == {
        "batchItemFailures": [{"itemIdentifier": "2e1424d4-f796-459a-8184-9c92662be6da"}]
    }
    site.world.s3.delete_object(Bucket=site.documents, Key=name)
    assert ingest.invoke(of_our_bucket(site, sample_event("ingest_s3_removed"))) == {"batchItemFailures": []}
    assert name not in [document["file_name"] for document in documents(site, ingest)]

    status, body = ingest.http(signed(site, sample_event("ingest_http")))
    assert (status, sorted(body)) == (201, ["doc_id", "fields", "url"])
    assert body["url"] == f"{site.world.direct['aws']}/{site.documents}"
    assert body["fields"]["key"] == f"uploads/{body['doc_id']}"
    assert ingest.http(sample_event("ingest_http"))[0] == 401
    assert ingest.invoke(sample_event("ingest_verify")) == {}


def test_query_answers_http(site: Site, query: RunningFunction, model: Server, guide: str) -> None:
    def send(event: Event) -> tuple[int, str, str]:
        async def ask() -> tuple[int, str, str]:
            reply = await read_http(await query.service.invoke(json.dumps(event).encode()))
            return reply.status, dict(reply.headers)["content-type"], b"".join([part async for part in reply.body]).decode()

        return query.portal.call(ask)

    model.replies[COMPLETIONS] = sse(chunk(content=f"Send DELETE [^{guide}]."))
    status, kind, body = send(signed(site, sample_event("query_http_get")))
    (collection,) = json.loads(body)["data"]
    assert (status, kind, collection["name"], collection["documents"] >= 1) == (200, "application/json", "default", True)
    status, kind, body = send(signed(site, sample_event("query_http")))
    message = json.loads(body)
    assert (status, kind, message["outcome"], message["answer"]) == (200, "application/json", "answered", f"Send DELETE [^{guide}].")
    assert [citation["doc_id"] for citation in message["citations"]] == [guide]
    status, kind, body = send(signed(site, sample_event("query_http_stream")))
    events = read_events(body)
    first = {"type": "step", "id": "guard", "content": "guard", "stage": "guard"}
    assert (status, kind, events[0]) == (200, "text/event-stream; charset=utf-8", first)
    assert (events[-1]["type"], events[-1]["answer"], events[-1]["persisted"]) == ("done", f"Send DELETE [^{guide}].", True)
    assert send(sample_event("query_http"))[0] == 401


def test_feedback_and_stats_take_http_and_the_schedule(
    site: Site, turns: MongoTurnStore, portal: BlockingPortal, open_function: OpenFunction
) -> None:
    turn = make_turn(trace_id=TRACE_ID, caller=Caller(ANN.user_id), started_at=JAN_15, answer=Answer("Yes.", model="m"), usage=Usage(10, 4))
    portal.call(turns.save, stored(turn))
    with open_function("feedback") as feedback:
        assert feedback.http(signed(site, sample_event("feedback_http"))) == (200, {"status": "ok"})
        status, body = feedback.http(signed(site, sample_event("feedback_http_get")))
        assert (status, sorted(body)) == (200, ["counts_by_reason", "mrr@k", "ndcg@k", "positive_rate", "trending_queries"])
        assert feedback.http(sample_event("feedback_http"))[0] == 401
    with open_function("stats") as stats:
        assert stats.invoke(sample_event("stats_schedule"))["2026-01-15"] == 1  # today has the feedback
        status, body = stats.http(signed(site, sample_event("stats_http_get")))
        assert (status, body["from"], body["to"], body["total"]["turns"], body["total"]["total_tokens"]) == (
            200,
            "2026-01-01",
            "2026-01-31",
            1,
            14,
        )
        assert stats.http(sample_event("stats_http_get"))[0] == 401


@pytest.mark.parametrize(("name", "event"), [("ingest", "ingest_http_get"), ("feedback", "feedback_http"), ("stats", "stats_http_get")])
def test_every_function_can_check_tokens_of_an_identity_provider(open_function: OpenFunction, name: str, event: str) -> None:
    sent = sample_event(event)
    sent["headers"]["authorization"] = "Bearer eyJhbGciOiAiUlMyNTYiLCAia2lkIjogImsxIn0.e30.c2ln"
    jwt = {"AUTH__MODE": "jwt", "AUTH__ISSUER": "https://id.example.org", "AUTH__AUDIENCE": "footnote"}
    with open_function(name, **jwt, AUTH__JWKS_URL="https://127.0.0.1:1/keys") as running:
        status, body = running.http(sent)
    assert (status, body["detail"]) == (503, "The keys of the identity provider cannot be fetched. Check AUTH__JWKS_URL.")


def test_ingest_audits_who_deleted_a_document(site: Site, ingest: RunningFunction, portal: BlockingPortal) -> None:
    site.world.put("handbooks/old.md", GUIDE + b"\n\nThis is the old one.\n")
    assert read_queue(site, ingest) == []
    doc_id = document(site, ingest, "handbooks/old.md")["doc_id"]
    event = signed(site, sample_event("ingest_http_get"))
    event["requestContext"]["http"] |= {"method": "DELETE", "path": f"/documents/{doc_id}"}
    assert ingest.http(event | {"rawPath": f"/documents/{doc_id}", "rawQueryString": ""})[0] == 200

    async def read() -> list[AuditEntry]:
        databases = Databases(site.mongodb, site.world.name, f"{site.world.name}-statistics")
        try:
            return list((await read_audit(MongoRecords(databases, HandClock()), 10)).data)
        finally:
            await databases.close()

    assert [(entry.user_id, entry.action, entry.object_id) for entry in portal.call(read)] == [(ANN.user_id, "document.delete", doc_id)]


def test_the_page_and_the_mcp_server_come_through_the_same_url(client: httpx.Client) -> None:
    page = client.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert client.get("/web/app.js").status_code == 200
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    reply = client.post("/mcp", json=asked, headers={"accept": "application/json, text/event-stream"})
    assert (reply.status_code, reply.json()["result"]["serverInfo"]["name"]) == (200, "footnote")


# --- streams --------------------------------------------------------------------------------------


def test_the_first_words_arrive_before_the_model_sends_the_last(
    client: httpx.Client, model: Server, portal: BlockingPortal, guide: str
) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(chunk(content=f"to its address [^{guide}]."))
    with client.stream("POST", "/ask/stream", json=ASK) as reply:
        lines = reply.iter_lines()
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert read_until("token", lines)["content"] == "Send DELETE"
        portal.call(gate.set)
        assert read_until("done", lines)["answer"] == f"Send DELETE to its address [^{guide}]."
        assert "".join(lines) == ""


def test_a_model_that_breaks_off_gives_an_error_event_and_a_complete_stream(
    client: httpx.Client, model: Server, portal: BlockingPortal, guide: str
) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(None)
    with client.stream("POST", "/ask/stream", json=ASK) as reply:
        lines = reply.iter_lines()
        assert read_until("token", lines)["content"] == "Send DELETE"
        portal.call(gate.set)
        error = read_until("error", lines)
        assert (error["content"], error["final_response"]) == ("The language model is not available", "Send DELETE")
        assert "".join(lines) == ""


def test_the_turn_of_a_client_that_leaves_is_finished_and_saved(
    client: httpx.Client, model: Server, portal: BlockingPortal, guide: str
) -> None:
    model.replies[COMPLETIONS], gate = stream_slowly(chunk(content=f"to its address [^{guide}]."))
    with client.stream("POST", "/ask/stream", json=ASK | {"room_id": "left"}) as reply:
        read_until("token", reply.iter_lines())
    portal.call(gate.set)
    # One environment serves one event at a time: this one comes after the turn.
    rooms = client.get("/conversations").json()["data"]
    assert [(room["room_id"], room["title"], room["turns"]) for room in rooms if room["room_id"] == "left"] == [("left", QUESTION, 1)]
    (turn,) = client.get("/conversations/left").json()["data"]
    assert (turn["answer"], turn["citations"][0]["doc_id"]) == (f"Send DELETE to its address [^{guide}].", guide)


# --- from the bucket to the answer ----------------------------------------------------------------


def test_a_file_in_the_bucket_is_cited_until_it_is_deleted(
    site: Site, ingest: RunningFunction, client: httpx.Client, model: Server
) -> None:
    ask = ASK | {"query_text": "When was the aqueduct opened?", "retriever": "bm25"}
    model.replies[COMPLETIONS] = sse(chunk(content="In 1871."))
    assert client.post("/ask", json=ask).json()["outcome"] == "no_hits"

    site.world.put("handbooks/aqueduct.md", b"The aqueduct was opened in 1871.")
    assert read_queue(site, ingest) == []
    doc_id = document(site, ingest, "handbooks/aqueduct.md")["doc_id"]
    model.replies[COMPLETIONS] = sse(chunk(content=f"In 1871 [^{doc_id}]."))
    reply = client.post("/ask", json=ask).json()
    assert (reply["outcome"], reply["answer"]) == ("answered", f"In 1871 [^{doc_id}].")
    assert [(citation["doc_id"], citation["title"]) for citation in reply["citations"]] == [(doc_id, "aqueduct")]

    # The emulated bucket sends no event for a delete marker. S3 does, and so does `delete`.
    site.world.delete("handbooks/aqueduct.md")
    assert read_queue(site, ingest) == []
    assert client.post("/ask", json=ask).json()["outcome"] == "no_hits"


def test_the_parsers_are_in_the_build(site: Site, ingest: RunningFunction) -> None:
    files = {
        "report.pdf": make_pdf([[Text(60, 700, "Swans sleep on the lake.")]]),
        "letter.docx": docx(paragraph("Herons stand in the reeds.")),
        "page.html": b"<html><body><p>Geese cross the meadow.</p></body></html>",
        "old.txt": "Störche brüten auf dem Dach.".encode("cp1252"),
    }
    for name, data in files.items():
        site.world.put(f"handbooks/{name}", data)
    assert read_queue(site, ingest) == []
    read = {found["file_name"]: found for found in documents(site, ingest)}
    assert {name: (read[f"handbooks/{name}"]["state"], read[f"handbooks/{name}"]["format"]) for name in files} == {
        "report.pdf": ("READY", "pdf"),
        "letter.docx": ("READY", "docx"),
        "page.html": ("READY", "html"),
        "old.txt": ("READY", "text"),
    }


def test_an_upload_by_a_signed_form_is_read_and_taken_out_of_the_bucket(site: Site, ingest: RunningFunction, client: httpx.Client) -> None:
    file = b"The lighthouse keeper sleeps by day."
    body = json.dumps({"file_name": "keeper.txt", "size": len(file), "permission_groups": ["staff"]})
    status, target = ingest.http(signed(site, sample_event("ingest_http", body=body)))
    assert status == 201
    posted = httpx.post(target["url"], data=target["fields"], files={"file": ("keeper.txt", file, "text/plain")})
    assert posted.status_code == 204
    assert read_queue(site, ingest) == []
    read = document(site, ingest, "keeper.txt")
    assert (read["doc_id"], read["state"], read["permission_groups"]) == (target["doc_id"], "READY", ["staff"])
    assert site.world.s3.list_objects_v2(Bucket=site.documents, Prefix="uploads/")["KeyCount"] == 0
    found = client.post("/retrieve-bm25", json={"query_text": "lighthouse keeper", "index_name": "default"}).json()
    assert [hit["_id"].partition("#")[0] for hit in found["hits"]["hits"]] == [target["doc_id"]]


def test_a_message_that_cannot_be_read_stays_in_the_queue_and_the_next_ones_are_done(site: Site, ingest: RunningFunction) -> None:
    sqs, queue = site.world.sqs, site.world.queue_url
    poison = sqs.send_message(QueueUrl=queue, MessageBody='{"Records": [')["MessageId"]
    site.world.put("handbooks/after.md", b"After the rain.")
    assert read_queue(site, ingest) == [poison]
    assert document(site, ingest, "handbooks/after.md")["state"] == "READY"
    (left,) = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert left["MessageId"] == poison
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=left["ReceiptHandle"])
