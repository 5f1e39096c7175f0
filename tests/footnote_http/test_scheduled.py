"""Scheduled events may be delivered more than once."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from footnote.adapters.dynamodb.cache import DynamoCache, table_definition
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.errors import Conflict, StoreUnavailable
from footnote_http.scheduled import once
from tests.conftest import HandClock

HOUR = {"source": "aws.scheduler", "time": "2026-01-15T04:50:00Z", "id": "1"}
NEXT_HOUR = HOUR | {"time": "2026-01-15T05:50:00Z"}
AGAIN = HOUR | {"id": "2"}


@dataclass
class Context:
    left_ms: int = 120_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


class Work:
    """Counts its runs; fails the given number of times."""

    def __init__(self, fails: int = 0, error: type[BaseException] = ValueError) -> None:
        self.runs = 0
        self._fails, self._error = fails, error

    def __call__(self) -> dict[str, int]:
        self.runs += 1
        if self.runs <= self._fails:
            raise self._error("broken")
        return {"rows": self.runs}


@pytest.fixture
def table(dynamodb_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    client = make_client(5.0)
    name = f"footnote-once-{uuid.uuid4().hex}"
    client.create_table(**table_definition(name))
    yield name
    client.delete_table(TableName=name)
    client.close()


def run(event: dict[str, Any], work: Any, table: str | None, name: str = "roll-up", context: Context | None = None) -> Any:
    return once(event, context or Context(), work, name=name, table=table)


def test_a_repeated_event_returns_the_stored_result(table: str) -> None:
    work = Work()
    assert [run(event, work, table) for event in (HOUR, AGAIN, HOUR)] == [{"rows": 1}] * 3
    assert work.runs == 1


def test_another_time_or_another_task_runs_again(table: str) -> None:
    work = Work()
    assert [run(HOUR, work, table), run(NEXT_HOUR, work, table), run(HOUR, work, table, "verify")] == [
        {"rows": 1},
        {"rows": 2},
        {"rows": 3},
    ]


def test_a_failed_task_runs_when_the_event_is_repeated(table: str) -> None:
    work = Work(fails=1)
    with pytest.raises(ValueError, match="broken"):
        run(HOUR, work, table)
    assert run(AGAIN, work, table) == {"rows": 2}


def test_an_event_that_comes_while_it_is_handled_is_turned_away(table: str) -> None:
    def work() -> None:
        with pytest.raises(Conflict):
            run(AGAIN, Work(), table)

    run(HOUR, work, table)


def test_a_killed_task_runs_again_after_its_timeout(table: str) -> None:
    killed = partial(run, HOUR, Work(fails=1, error=SystemExit), table, context=Context(left_ms=-1))
    with pytest.raises(SystemExit):
        killed()
    assert run(AGAIN, Work(), table) == {"rows": 1}


async def test_results_are_stored_apart_from_the_cache_and_expire(table: str, clock: HandClock) -> None:
    run(HOUR, Work(), table)
    client = make_client(5.0)
    (item,) = client.scan(TableName=table)["Items"]
    assert item["pk"]["S"].startswith("once:roll-up#")
    assert int(item["expires_at"]["N"]) > 0
    cache = DynamoCache(Table(table, "AWS__CACHE_TABLE", 5.0, client), clock)
    await cache.put("once:roll-up", 1, 60)
    assert run(HOUR, Work(fails=9), table) == {"rows": 1}
    client.close()


def test_without_a_table_the_task_always_runs() -> None:
    work = Work()
    assert [run(HOUR, work, None), run(HOUR, work, None)] == [{"rows": 1}, {"rows": 2}]


def test_a_table_that_is_not_there_stops_the_work_before_it_begins(table: str) -> None:
    work = Work()
    with pytest.raises(StoreUnavailable, match="AWS__CACHE_TABLE"):
        run(HOUR, work, "footnote-nowhere")
    assert work.runs == 0
