"""S3 events from the queue in the format of Lambda, in one warm process that also serves HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast
from urllib.parse import quote_plus

import pytest

from footnote.bootstrap import Core
from footnote.errors import StoreUnavailable
from footnote.ingest.retries import retry_delay_s
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Document
from footnote_http.lambda_handler import Handler
from footnote_ingest.app import create_app, create_handler, handler
from tests.conftest import HandClock
from tests.fakes import FakeModels
from tests.functions.conftest import LOCAL, Event, body_of, get_event, sample_event

T = TypeVar("T")
KEY = "handbooks/여행 규정.pdf"
TEXT = b"Travel is paid for by the day."


@pytest.fixture
def in_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes powertools use the thread's event loop."""
    monkeypatch.setenv("LAMBDA_TASK_ROOT", "/var/task")


@pytest.fixture
def core(tmp_path: Path, clock: HandClock) -> Iterator[Core]:
    drop_groups = {"hand": ["staff"], "handbooks/": ["hr", "eng"], "handbooks/board/": ["board"]}
    settings = Settings(
        footnote_data=tmp_path,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        ingest=Ingest(drop_groups=drop_groups, max_file_mb=1),
    )
    made = Core(settings, clock=clock, models=FakeModels())
    yield made
    run(made.close)


@pytest.fixture
def handle(core: Core) -> Handler:
    return create_handler(create_app(lambda: core))


def run(work: Callable[[], Any]) -> Any:
    """Runs on a new event loop, so that the thread's loop stays as the handlers left it."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work())


def documents(core: Core) -> list[Document]:
    return sorted(run(lambda: core.ledger.list(LOCAL)).data, key=lambda document: document.file_name)


def drop(core: Core, key: str, data: bytes = TEXT) -> None:
    path = core.settings.data / "drops" / "footnote-documents" / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def batch(*messages: tuple[str, str]) -> Event:
    """The sample batch with these (message id, body) pairs."""
    sample = sample_event("ingest_s3_drop")
    return {"Records": [sample["Records"][0] | {"messageId": message_id, "body": body} for message_id, body in messages]}


def s3_event(key: str, name: str = "ObjectCreated:Put") -> str:
    """The body of the sample event for another key."""
    body = json.loads(sample_event("ingest_s3_drop")["Records"][0]["body"])
    body["Records"][0]["eventName"] = name
    body["Records"][0]["s3"]["object"]["key"] = quote_plus(key, safe="/")
    return json.dumps(body)


def test_a_dropped_file_becomes_a_document_of_its_prefixs_groups(core: Core, handle: Handler) -> None:
    drop(core, KEY)
    assert handle(sample_event("ingest_s3_drop"), None) == {"batchItemFailures": []}
    (document,) = documents(core)
    assert (document.state, document.file_name, document.permission_groups) == ("READY", KEY, frozenset({"hr", "eng"}))
    assert (document.collection, document.generation) == ("default", 1)


def test_the_same_drop_again_is_no_work_and_a_changed_file_is_the_next_generation(core: Core, handle: Handler) -> None:
    drop(core, KEY)
    for _ in range(2):
        assert handle(sample_event("ingest_s3_drop"), None) == {"batchItemFailures": []}
    assert [document.generation for document in documents(core)] == [1]
    drop(core, KEY, b"Travel is paid for by the mile.")
    handle(sample_event("ingest_s3_drop"), None)
    assert [(document.generation, document.state) for document in documents(core)] == [(2, "READY")]


def test_the_longest_prefix_decides(core: Core, handle: Handler) -> None:
    for key in ("handbooks/board/a.txt", "handwriting.txt"):
        drop(core, key, key.encode())
    handle(batch(("1", s3_event("handbooks/board/a.txt")), ("2", s3_event("handwriting.txt"))), None)
    assert [(document.file_name, set(document.permission_groups)) for document in documents(core)] == [
        ("handbooks/board/a.txt", {"board"}),
        ("handwriting.txt", {"staff"}),
    ]


def test_a_file_from_a_folder_without_groups_fails_and_is_never_found(core: Core, handle: Handler) -> None:
    drop(core, "misc/a.txt")
    drop(core, "handbooks/b.txt", b"Another file of the same batch.")
    event = batch(("1", s3_event("misc/a.txt")), ("2", s3_event("handbooks/b.txt")))
    assert handle(event, None) == {"batchItemFailures": []}
    handbook, misc = documents(core)
    assert (misc.state, misc.permission_groups, misc.reason) == (
        "FAILED",
        frozenset({"role:admin"}),
        "No permission group is configured for files from this folder.",
    )
    assert misc.remedy == "Add its prefix to INGEST__DROP_GROUPS and drop the file again."
    assert handbook.state == "READY"
    assert run(lambda: core.generations.staged(misc.doc_id, 1))[0] == 0
    assert run(core.queue.size) == 0


def test_a_message_goes_back_for_seconds_first_and_longer_each_time(core: Core, handle: Handler) -> None:
    class Queue:
        hidden: ClassVar[list[tuple[str, float]]] = []

        async def retry(self, job_id: str, delay_s: float) -> None:
            self.hidden.append((job_id, delay_s))

    core.queue = cast(Any, Queue())
    sample = sample_event("ingest_s3_drop")["Records"][0] | {"body": "no JSON", "receiptHandle": "the receipt"}
    for attempt in range(1, 6):
        record = sample | {"attributes": sample["attributes"] | {"ApproximateReceiveCount": str(attempt)}}
        assert handle({"Records": [record]}, None) == {"batchItemFailures": [{"itemIdentifier": sample["messageId"]}]}
    assert {job_id for job_id, _ in Queue.hidden} == {"the receipt"}
    first, second, third, fourth, last = (delay_s for _, delay_s in Queue.hidden)
    assert 2.5 <= first <= 5
    assert 30 <= second <= 60
    assert 360 <= third <= 720
    assert 3600 <= fourth <= 7200
    assert last == 0  # becomes a dead letter


def test_files_that_failed_together_do_not_come_back_together() -> None:
    assert len({retry_delay_s(1) for _ in range(50)}) > 40


def test_a_message_that_cannot_be_hidden_for_seconds_goes_back_all_the_same(core: Core, handle: Handler) -> None:
    class Queue:
        async def retry(self, job_id: str, delay_s: float) -> None:
            raise StoreUnavailable("down")

    core.queue = cast(Any, Queue())
    assert handle(batch(("poison", "no JSON")), None) == {"batchItemFailures": [{"itemIdentifier": "poison"}]}


def test_only_the_poison_message_of_a_batch_is_retried(core: Core, handle: Handler) -> None:
    drop(core, "handbooks/a.txt")
    drop(core, "handbooks/huge.txt", b"x" * (2**20 + 1))
    messages = ("poison", "no JSON"), ("good", s3_event("handbooks/a.txt")), ("odd", '{"Records": [{"s3": {}}]}')
    event = batch(*messages, ("huge", s3_event("handbooks/huge.txt")))
    failed = [item["itemIdentifier"] for item in handle(event, None)["batchItemFailures"]]
    assert sorted(failed) == ["odd", "poison"]  # messages are processed concurrently, so they fail in any order
    good, huge = documents(core)
    assert (good.file_name, good.state) == ("handbooks/a.txt", "READY")
    assert (huge.state, huge.reason, huge.remedy) == (
        "FAILED",
        "The file has 1.0 MB; 1 MB are allowed.",
        "Split it, or raise INGEST__MAX_FILE_MB.",
    )


def test_a_file_deleted_from_the_bucket_is_no_longer_found(core: Core, handle: Handler) -> None:
    drop(core, KEY)
    handle(sample_event("ingest_s3_drop"), None)
    (core.settings.data / "drops" / "footnote-documents" / KEY).unlink()
    assert handle(sample_event("ingest_s3_removed"), None) == {"batchItemFailures": []}
    assert documents(core) == []
    assert run(lambda: core.index.sample(LOCAL, "default", 9)) == []


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "footnote-documents"}),
        s3_event("handbooks/"),
        s3_event("handbooks/gone.txt"),
        s3_event("handbooks/b.txt", "ObjectRemoved:Delete"),
        s3_event("../../store.db"),
    ],
    ids=["test event", "folder", "gone again", "removed", "path trick"],
)
def test_events_without_a_file_are_ignored(body: str, core: Core, handle: Handler) -> None:
    drop(core, "handbooks/a.txt")
    documents(core)  # makes store.db
    assert handle(batch(("1", body)), None) == {"batchItemFailures": []}
    assert documents(core) == []


@pytest.mark.parametrize("order", ["hbhb", "bhbh", "bbhh", "hhbb"])
@pytest.mark.parametrize("where", ["in_lambda", None])
def test_a_warm_process_takes_http_and_batches_in_any_order(where: str | None, order: str, core: Core, request: Any) -> None:
    if where:
        request.getfixturevalue(where)
    drop(core, KEY)
    handle, done = create_handler(create_app(lambda: core)), []

    def invoke() -> None:
        """Calls from a thread without a loop, as Lambda does."""
        for letter in order:
            if letter == "b":
                done.append(handle(sample_event("ingest_s3_drop"), None))
            else:
                done.append(body_of(handle(get_event("/documents", "limit=1"), None))["has_more"])

    thread = threading.Thread(target=invoke)
    thread.start()
    thread.join()
    assert done == [{"batchItemFailures": []} if letter == "b" else False for letter in order]
    assert [document.state for document in documents(core)] == ["READY"]


def test_the_lambda_handler_works() -> None:
    reply = handler(get_event("/ingest/health"), None)
    assert (reply["statusCode"], body_of(reply)) == (200, {"status": "ok", "function": "ingest"})
