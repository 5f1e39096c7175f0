"""The ingest function on real engines, with a proxy in front of each. Events are delivered at least once, also after a crash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any
from urllib.parse import quote_plus

import boto3
import pytest

from footnote.adapters.dynamodb.cache import table_definition as cache_table
from footnote.adapters.dynamodb.ledger_store import table_definition as ledger_table
from footnote.bootstrap import Core
from footnote.settings import AWS, LLM, Embedding, Ingest, OpenSearch, Settings
from footnote_http.lambda_handler import use_loop
from footnote_ingest.app import create_app, create_handler
from tests.fakes import FakeEmbedder, HereParser
from tests.faults.proxy import Plan, Proxy

Message = dict[str, Any]
ENGINES = ("opensearch", "dynamodb", "aws")


class Context:
    def get_remaining_time_in_millis(self) -> int:
        return 60_000


@dataclass(slots=True)
class World:
    """One bucket, queue, pair of tables and prefix of indexes. `plan`: the faults to inject into the function's calls."""

    name: str
    urls: dict[str, str]
    plan: Plan
    direct: dict[str, str]
    s3: Any
    sqs: Any
    queue_url: str
    waiting: list[Message] = field(default_factory=list)
    dead: list[Message] = field(default_factory=list)

    def settings(self, urls: dict[str, str]) -> Settings:
        return Settings(
            embedding=Embedding(builtin=False),
            llm=LLM(discover=False),
            ingest=Ingest(drop_groups={"": ["staff"]}),
            opensearch=OpenSearch(url=urls["opensearch"], prefix=self.name),
            aws=AWS(
                cache_table=f"{self.name}-cache",
                ledger_table=f"{self.name}-ledger",
                files_bucket=f"{self.name}-files",
                drop_bucket=f"{self.name}-drops",
                queue_url=self.queue_url,
            ),
        )

    @contextmanager
    def core(self, *, proxied: bool = True) -> Iterator[Core]:
        """A core with its own clients, as a separate process would have."""
        urls = self.urls if proxied else self.direct
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", urls["dynamodb"])
            for service in ("S3", "SQS", "EVENTBRIDGE"):
                environment.setenv(f"AWS_ENDPOINT_URL_{service}", urls["aws"])
            made = Core(self.settings(urls), parser=HereParser())
            made.embedder = FakeEmbedder(languages=None)
            try:
                yield made
            finally:
                self.run(made.close())

    def run(self, work: Any) -> Any:
        """Runs on the thread's event loop, as the handlers do."""
        import asyncio

        use_loop()
        return asyncio.get_event_loop_policy().get_event_loop().run_until_complete(work)

    def put(self, key: str, data: bytes) -> None:
        self.s3.put_object(Bucket=f"{self.name}-drops", Key=key, Body=data)

    def delete(self, key: str) -> None:
        """moto sends no event for a delete marker; this is the event of S3."""
        self.s3.delete_object(Bucket=f"{self.name}-drops", Key=key)
        place = {"bucket": {"name": f"{self.name}-drops"}, "object": {"key": quote_plus(key)}}
        event = {"eventName": "ObjectRemoved:DeleteMarkerCreated", "s3": place}
        self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=json.dumps({"Records": [event]}))

    def fetch(self) -> None:
        """Moves the messages of the queue into memory, which is the queue from then on."""
        while found := self.sqs.receive_message(QueueUrl=self.queue_url, MaxNumberOfMessages=10).get("Messages"):
            for message in found:
                self.sqs.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])
                self.waiting.append({"id": message["MessageId"], "body": message["Body"], "count": 0})

    def deliver(self, core: Core, *, most: int = 5) -> None:
        """Delivers until no message is left; one that was received `most` times becomes a dead letter."""
        handle = create_handler(create_app(lambda: core))
        self.fetch()
        while self.waiting:
            self.step(handle, most=most)
            self.fetch()

    def step(self, handle: Callable[[Any, Any], Any], *, most: int = 5) -> None:
        """Delivers one message."""
        message = self.waiting.pop(0)
        message["count"] += 1
        record = {
            "messageId": message["id"], "receiptHandle": "r", "body": message["body"], "md5OfBody": "", "eventSource": "aws:sqs",
            "attributes": {"ApproximateReceiveCount": str(message["count"])}, "messageAttributes": {},
            "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:q", "awsRegion": "us-east-1",
        }  # fmt: skip
        failed = handle({"Records": [record]}, Context())["batchItemFailures"]
        if failed:
            (self.dead if message["count"] >= most else self.waiting).append(message)


@contextmanager
def open_world(opensearch: str, dynamodb: str, aws: str) -> Iterator[World]:
    name = f"w{token_hex(5)}"
    direct = dict(zip(ENGINES, (opensearch, dynamodb, aws), strict=True))
    plan = Plan()
    with ExitStack() as stack:
        urls = {engine: stack.enter_context(Proxy(engine, url, plan)).url for engine, url in direct.items()}
        s3, sqs = boto3.client("s3", endpoint_url=aws), boto3.client("sqs", endpoint_url=aws)
        tables = boto3.client("dynamodb", endpoint_url=dynamodb)
        tables.create_table(**cache_table(f"{name}-cache"))
        tables.create_table(**ledger_table(f"{name}-ledger"))
        s3.create_bucket(Bucket=f"{name}-files")
        s3.create_bucket(Bucket=f"{name}-drops")
        s3.put_bucket_versioning(Bucket=f"{name}-drops", VersioningConfiguration={"Status": "Enabled"})
        url = sqs.create_queue(QueueName=name)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        event = {"QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]}]}
        s3.put_bucket_notification_configuration(Bucket=f"{name}-drops", NotificationConfiguration=event)
        for client in (tables, s3, sqs):
            stack.callback(client.close)
        try:
            yield World(name, urls, plan, direct, s3, sqs, url)
        finally:
            tables.delete_table(TableName=f"{name}-cache")
            tables.delete_table(TableName=f"{name}-ledger")
            sqs.delete_queue(QueueUrl=url)
            forget_indexes(opensearch, name)


def forget_indexes(url: str, prefix: str) -> None:
    import httpx

    for index in httpx.get(f"{url}/_cat/indices/{prefix}*?format=json&h=index").json():
        httpx.delete(f"{url}/{index['index']}")


def bodies(messages: list[Message]) -> list[Any]:
    return [json.loads(message["body"]) for message in messages]
