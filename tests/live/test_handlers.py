"""The functions that AWS's own Python runtime calls, with each of the sample events."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal

from footnote.bootstrap import Core
from footnote.types import Answer, Usage
from tests.functions.conftest import EVENTS, LOCAL, sample_event
from tests.live.conftest import OpenFunction
from tests.turns import make_turn, stored

KEY = "handbooks/여행 규정.pdf"
TRACE_ID = "01JHM0E7V5N3K9Q2T8W4X6Y1ZA"
JAN_15 = 1_768_469_400.0


def test_a_dropped_file_is_listed_over_http_and_only_poison_messages_are_retried(open_function: OpenFunction, tmp_path: Path) -> None:
    ingest = open_function("ingest", INGEST__DROP_GROUPS='{"handbooks/": ["hr"]}')
    assert ingest.invoke(sample_event("ingest_s3_test")) == {"batchItemFailures": []}
    assert ingest.http(sample_event("ingest_http_get")) == (200, {"data": [], "has_more": False, "last_id": None})

    dropped = tmp_path / "drops" / "footnote-documents" / KEY
    dropped.parent.mkdir(parents=True)
    dropped.write_bytes(b"Travel is paid for by the day.")
    assert ingest.invoke(sample_event("ingest_s3_drop")) == {"batchItemFailures": []}
    status, body = ingest.http(sample_event("ingest_http_get"))
    (document,) = body["data"]
    assert (status, document["state"], document["file_name"], document["permission_groups"]) == (200, "READY", KEY, ["hr"])

    dropped.write_bytes(b"Travel is paid for by the mile.")
    assert ingest.invoke(sample_event("ingest_s3_batch")) == {
        "batchItemFailures": [{"itemIdentifier": "2e1424d4-f796-459a-8184-9c92662be6da"}]
    }
    (changed,) = ingest.http(sample_event("ingest_http_get"))[1]["data"]
    assert (changed["doc_id"], changed["size"]) == (document["doc_id"], 31)

    assert ingest.invoke(sample_event("ingest_s3_removed")) == {"batchItemFailures": []}
    assert ingest.http(sample_event("ingest_http_get"))[1]["data"] == [changed]


def test_an_upload_gets_a_signed_form(open_function: OpenFunction) -> None:
    status, body = open_function("ingest").http(sample_event("ingest_http"))
    assert (status, body["url"], sorted(body["fields"])) == (201, "/uploads/form", ["key", "policy", "x-amz-signature"])


def test_feedback_on_a_turn_is_taken_and_measured(open_function: OpenFunction, core: Core, portal: BlockingPortal) -> None:
    portal.call(core.turns.save, stored(make_turn(trace_id=TRACE_ID, caller=LOCAL, started_at=time.time(), answer=Answer("Yes."))))
    feedback = open_function("feedback")
    assert feedback.http(sample_event("feedback_http")) == (200, {"status": "ok"})
    status, body = feedback.http(sample_event("feedback_http_get"))
    assert (status, body["positive_rate"], body["counts_by_reason"]) == (200, 0.0, {"other": 1})


@pytest.mark.nightly
def test_feedback_on_an_unknown_turn_is_a_404(open_function: OpenFunction) -> None:
    status, body = open_function("feedback").http(sample_event("feedback_http"))
    assert (status, body["status"], body["detail"]) == (404, 404, "There is no such turn.")


def test_the_schedule_and_http_return_the_same_figures(open_function: OpenFunction, core: Core, portal: BlockingPortal) -> None:
    turn = make_turn(trace_id=TRACE_ID, caller=LOCAL, started_at=JAN_15, answer=Answer("Yes.", model="llama"), usage=Usage(10, 4))
    portal.call(core.turns.save, stored(turn))
    stats = open_function("stats")
    assert stats.invoke(sample_event("stats_schedule")) == {"2026-01-15": 1}
    status, body = stats.http(sample_event("stats_http_get"))
    assert (status, body["from"], body["to"], body["total"]["turns"], body["total"]["total_tokens"]) == (
        200,
        "2026-01-01",
        "2026-01-31",
        1,
        14,
    )


def test_an_event_that_raises_is_reported_by_the_runtime_and_the_next_one_is_served(open_function: OpenFunction) -> None:
    stats = open_function("stats")
    reply = stats.fail({"neither": "scheduled nor HTTP"})
    assert (reply["errorType"], reply["errorMessage"]) == ("EventFailed", "The event failed; see the log.")
    assert stats.invoke(sample_event("stats_schedule")) == {}


@pytest.mark.nightly
def test_the_schedule_of_sources_runs_without_any(open_function: OpenFunction) -> None:
    assert open_function("ingest").invoke(sample_event("ingest_sync")) is not None


@pytest.mark.nightly
def test_the_schedule_of_descriptions_runs_where_nothing_waits(open_function: OpenFunction) -> None:
    assert open_function("ingest").invoke(sample_event("ingest_describe")) == {"described": 0, "built": 0}


def test_each_sample_event_is_sent_by_a_test_of_this_folder() -> None:
    named = re.findall(r'sample_event\("(\w+)"', "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py")))
    assert set(named) == {path.stem for path in EVENTS.glob("*.json")}
