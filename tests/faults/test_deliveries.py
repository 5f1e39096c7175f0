"""Duplicate, reordered and poison events on the AWS engines, through the function's own handler."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from footnote.guard.identity import LOCAL
from footnote.types import Parsed
from footnote_ingest.app import create_app, create_handler
from tests.faults.aws_world import World, open_world

KEYS = 30
"""Of the 120 orders of five events."""


@pytest.fixture(scope="module")
def world(opensearch_url: str, dynamodb_url: str, aws_url: str) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAMBDA_TASK_ROOT", "/var/task")
        with open_world(opensearch_url, dynamodb_url, aws_url) as made:
            yield made


def documents(world: World, core: Any) -> dict[str, Any]:
    return {document.file_name: document for document in world.run(core.ledger.list(LOCAL, limit=200)).data}


@pytest.mark.nightly
def test_five_events_of_one_file_give_the_same_result_in_any_order_ten_times_over(world: World, seed: str) -> None:
    orders = random.Random(seed).sample(list(permutations(range(5))), KEYS)
    texts = [f"The tower was painted in {year}. ".encode() for year in (1874, 1999, 2004)]
    expected = {}
    with world.core(proxied=False) as core:
        for number, order in enumerate(orders):
            key, last = f"orders/{number}.txt", number % 2
            for step in (0, None, 1, None, 2)[: 5 - last]:  # after the odd ones the file is deleted
                world.delete(key) if step is None else world.put(key, texts[step] + key.encode())
            if last:
                world.put(key, texts[0] + key.encode())
                world.delete(key)
            world.fetch()
            events = [message for message in world.waiting if key in message["body"].replace("%2F", "/")]
            events = [events[place] for place in order if place < len(events)]
            world.waiting = [dict(event, count=0) for event in events for _ in range(10 if number == 0 else 1)]
            world.deliver(core)
            if not last:
                expected[key] = texts[2] + key.encode()
        found = documents(world, core)
        assert {name: (document.state, document.generation) for name, document in found.items()} == {
            key: ("READY", document.generation) for key, document in found.items() if key in expected
        }
        assert set(found) == set(expected)
        chunks = world.run(core.index.sample(LOCAL, "default", 1000))
        assert {chunk.text.encode() for chunk in chunks} == set(expected.values())
        embedded = [text for text in core.embedder.embedded if text.endswith("orders/0.txt")]
        assert len(embedded) == len(set(embedded))


class Poisoned:
    """Fails on one file, like a parser with a defect."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        from footnote.ingest.parse import parse

        if "poison" in file_name:
            raise RuntimeError("a defect that quotes the file")
        return parse(data, file_name)


def test_a_poison_message_becomes_a_dead_letter_and_the_others_are_processed(world: World) -> None:
    with world.core(proxied=False) as core:
        core.parser = Poisoned()
        names = [f"batch/{number}.txt" for number in range(9)] + ["batch/poison.txt"]
        for name in names:
            world.put(name, f"The text of {name}.".encode())
        world.deliver(core)
        found = {name: document for name, document in documents(world, core).items() if name.startswith("batch/")}
        assert {name: document.state for name, document in found.items()} == {
            name: "FAILED" if "poison" in name else "READY" for name in names
        }
        poison = found["batch/poison.txt"]
        assert (poison.reason, poison.remedy) == (
            "An unexpected error occurred while this file was read.",
            "Try again; if it fails again, report the file.",
        )
        assert [json.loads(message["body"]) for message in world.dead] == [{"doc_id": poison.doc_id, "generation": 1}]
        redriven, world.dead = [dict(message, count=0) for message in world.dead], []
    with world.core(proxied=False) as repaired:  # the defect is fixed, and the dead letters are redriven
        for _ in range(2):
            world.waiting = [dict(message) for message in redriven]
            world.deliver(repaired)
        assert (world.dead, documents(world, repaired)["batch/poison.txt"].state) == ([], "READY")


@pytest.mark.parametrize(
    "body", ["", "no JSON", "[]", "{}", '{"Event": "s3:TestEvent"}', '{"Records": []}', '{"Records": [{}]}', '{"doc_id": "x"}', "null"]
)
def test_an_unreadable_message_does_not_stop_the_others(body: str, world: World) -> None:
    with world.core(proxied=False) as core:
        handle = create_handler(create_app(lambda: core))
        world.waiting = [{"id": "odd", "body": body, "count": 0}]
        world.step(handle, most=1)
        world.waiting, world.dead = [], []


def test_a_message_that_failed_is_in_the_queue_again_and_not_hidden_for_half_an_hour(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.ingest.retries.FIRST_RETRY_S", 0.0)
    world.fetch()
    world.waiting = []
    world.sqs.send_message(QueueUrl=world.queue_url, MessageBody="no JSON")

    def receive() -> list[Any]:
        found = world.sqs.receive_message(QueueUrl=world.queue_url, VisibilityTimeout=1800, MessageSystemAttributeNames=["All"])
        return list(found.get("Messages", []))

    (message,) = receive()
    assert receive() == []
    record = {
        "messageId": message["MessageId"], "receiptHandle": message["ReceiptHandle"], "body": message["Body"], "md5OfBody": "",
        "attributes": message["Attributes"], "messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": "us-east-1",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:q",
    }  # fmt: skip
    with world.core(proxied=False) as core:
        failed = create_handler(create_app(lambda: core))({"Records": [record]}, None)["batchItemFailures"]
    assert failed == [{"itemIdentifier": message["MessageId"]}]
    assert [again["MessageId"] for again in receive()] == [message["MessageId"]]
    world.sqs.purge_queue(QueueUrl=world.queue_url)
