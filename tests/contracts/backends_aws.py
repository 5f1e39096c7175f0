"""S3, SQS and EventBridge on moto's server. Every folder has its own bucket, queue and bus."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from footnote.adapters.aws.bus import EventBridgeBus
from footnote.adapters.aws.drops import S3Drops
from footnote.adapters.aws.files import S3Files
from footnote.adapters.aws.queue import SqsQueue
from footnote.ports import Clock
from tests.contracts.backends_local import Bucket, Heard
from tests.engines.fixtures import address

Found = tuple[str, str, Any]


@contextmanager
def at(url: str | None = None) -> Iterator[None]:
    """Sets the environment of the SDK, which is read when a client is created at first use. DynamoDB has its own."""
    url = url or address("aws")
    with pytest.MonkeyPatch.context() as environment:
        for name in ("S3", "SQS", "EVENTBRIDGE", "BEDROCK_RUNTIME", "BEDROCK_AGENT_RUNTIME"):
            environment.setenv(f"AWS_ENDPOINT_URL_{name}", url)
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield


def name_of(folder: Path) -> str:
    return f"footnote-{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"


@asynccontextmanager
async def bucket_of(folder: Path) -> AsyncIterator[tuple[str, Any]]:
    """Its name and the SDK's client."""
    with at():
        name, s3 = name_of(folder), boto3.client("s3")
        s3.create_bucket(Bucket=name)
        yield name, s3
        with suppress(s3.exceptions.NoSuchBucket):  # another client of the same test was faster
            for page in s3.get_paginator("list_object_versions").paginate(Bucket=name):
                for version in page.get("Versions", []) + page.get("DeleteMarkers", []):
                    s3.delete_object(Bucket=name, Key=version["Key"], VersionId=version["VersionId"])
            s3.delete_bucket(Bucket=name)
        s3.close()


@asynccontextmanager
async def queue_of(name: str) -> AsyncIterator[tuple[str, Any]]:
    """Its address and the SDK's client."""
    with at():
        sqs = boto3.client("sqs")
        url = sqs.create_queue(QueueName=name)["QueueUrl"]
        yield url, sqs
        with suppress(sqs.exceptions.QueueDoesNotExist):
            sqs.delete_queue(QueueUrl=url)
        sqs.close()


@asynccontextmanager
async def make_files(folder: Path, clock: Clock) -> AsyncIterator[S3Files]:
    async with bucket_of(folder) as (name, _):
        yield S3Files(name)


@asynccontextmanager
async def make_drops(folder: Path, clock: Clock) -> AsyncIterator[Bucket]:
    async with bucket_of(folder) as (name, s3):

        async def put(key: str, data: bytes) -> None:
            await asyncio.to_thread(s3.put_object, Bucket=name, Key=key, Body=data)

        yield Bucket(S3Drops(), name, put)


@asynccontextmanager
async def make_queue(folder: Path, clock: Clock) -> AsyncIterator[SqsQueue]:
    """Leases end when SQS's own clock says so."""
    async with queue_of(name_of(folder)) as (url, _):
        yield SqsQueue(url)


@asynccontextmanager
async def make_bus(folder: Path, clock: Clock) -> AsyncIterator[Heard]:
    """A rule forwards all events of the bus to a queue."""
    name = name_of(folder)
    async with queue_of(f"{name}-told") as (url, sqs):
        events = boto3.client("events")
        with suppress(ClientError):  # there already
            events.create_event_bus(Name=name)
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        events.put_rule(Name="all", EventBusName=name, EventPattern=json.dumps({"source": ["footnote"]}))
        events.put_targets(Rule="all", EventBusName=name, Targets=[{"Id": "told", "Arn": arn}])

        def hear() -> list[Found]:
            bodies = [json.loads(message["Body"]) for message in _all(sqs, url)]
            return [(event["detail-type"], event["source"], event["detail"]) for event in bodies]

        async def told() -> list[Found]:
            return await asyncio.to_thread(hear)

        yield Heard(EventBridgeBus(name), told)
        with suppress(ClientError):
            events.remove_targets(Rule="all", EventBusName=name, Ids=["told"])
            events.delete_rule(Name="all", EventBusName=name)
            events.delete_event_bus(Name=name)
        events.close()


def _all(sqs: Any, url: str) -> Iterator[Any]:
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=0).get("Messages"):
        yield from messages
