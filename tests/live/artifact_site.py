"""The built functions on the engines, configured by the template: tables, buckets, a queue and its reader, a secret, models
and a session."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import boto3
import pymongo

from footnote.adapters.dynamodb.cache import DynamoCache
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.records import MongoRecords
from footnote.guard.identity import Session, open_session
from footnote_local.lambda_service.invocation import Function, FunctionError
from footnote_local.lambda_service.service import Lambda
from tests.fakes import FakeEmbedder
from tests.faults.aws_world import World, open_world
from tests.live import artifacts
from tests.live.artifacts import Layout
from tests.openai_server import Reply, Server, serving

ANN = Session("ann", ("staff",), "admin")
EMBEDDER = FakeEmbedder(languages=None)
KEY = "sk-Zq81mLx0vTfB2nWd7c"
HOUR_S = 3600.0


@dataclass(slots=True)
class Site:
    """`token`: of ann's session. `known`: the values of the template's references."""

    layout: Layout
    world: World
    model: Server
    token: str
    known: Mapping[str, str]
    mongodb: str

    @property
    def documents(self) -> str:
        """The bucket that files are dropped into."""
        return self.known["Documents"]

    def function(self, name: str, **changes: str) -> Function:
        """`changes`: variables that override the template's."""
        direct = self.world.direct
        theirs = {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ENDPOINT_URL": direct["aws"],
            "AWS_ENDPOINT_URL_DYNAMODB": direct["dynamodb"],
            "CACHE__ENABLED": "false",  # the same question is asked repeatedly and must be answered each time
        }
        return self.layout.function(name, artifacts.variables(name, self.known) | theirs | changes)

    async def read_queue(self, ingest: Lambda) -> list[str]:
        """Reads the queue in batches of one, as the event source mapping does: processed messages are deleted, the rest stays
        → ids of the rest, which can be received again."""
        sqs, queue = self.world.sqs, self.world.queue_url
        left = []
        while messages := sqs.receive_message(QueueUrl=queue, AttributeNames=["All"], VisibilityTimeout=60).get("Messages"):
            for message in messages:
                try:
                    reply = await ingest.invoke(json.dumps({"Records": [_record(message)]}).encode())
                    given_back = json.loads(b"".join([part async for part in reply.body]))["batchItemFailures"]
                except FunctionError:
                    given_back = [message]
                if given_back:
                    left.append(message)
                else:
                    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        for message in left:
            sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
        return [message["MessageId"] for message in left]


def _record(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:ingest",
        "awsRegion": "us-east-1",
    }


@asynccontextmanager
async def open_site(layout: Layout, *, opensearch: str, dynamodb: str, mongodb: str, aws: str) -> AsyncIterator[Site]:
    with ExitStack() as stack:
        world = stack.enter_context(open_world(opensearch, dynamodb, aws))
        turns: pymongo.MongoClient[Any] = stack.enter_context(pymongo.MongoClient(mongodb))
        for database in (world.name, f"{world.name}-statistics"):
            stack.callback(turns.drop_database, database)
        secret = {
            "DB__URI": mongodb,
            "DB__NAME": world.name,
            "DB__STATISTICS": f"{world.name}-statistics",
            "LLM__API_KEY": KEY,
            "EMBEDDING__API_KEY": KEY,
        }
        secrets, events = boto3.client("secretsmanager", endpoint_url=aws), boto3.client("events", endpoint_url=aws)
        secrets.create_secret(Name=world.name, SecretString=json.dumps(secret))
        stack.callback(secrets.delete_secret, SecretId=world.name, ForceDeleteWithoutRecovery=True)
        events.create_event_bus(Name=world.name)
        stack.callback(events.delete_event_bus, Name=world.name)
        async with serving() as model:
            model.replies["/v1/embeddings"] = lambda sent: embedded(sent["input"])
            known = {
                "Secret": world.name,
                "Cache": f"{world.name}-cache",
                "Ledger": f"{world.name}-ledger",
                "Files": f"{world.name}-files",
                "Documents": f"{world.name}-drops",
                "IngestQueue": world.queue_url,
                "Bus": world.name,
                "DropGroups": '{"handbooks/": ["staff"]}',
                "LlmBaseUrl": f"{model.url}/v1",
                "LlmModel": "m",
                "EmbeddingProvider": "openai",
                "EmbeddingBaseUrl": f"{model.url}/v1",
                "EmbeddingModel": EMBEDDER.name,
                "EmbeddingDimension": str(EMBEDDER.dimension),
                "OpenSearchUrl": opensearch,
                "OpenSearchPrefix": world.name,
            }
            cache = DynamoCache(Table(known["Cache"], "AWS__CACHE_TABLE", 5.0, make_client(5.0, endpoint_url=dynamodb)), time.time)
            databases = Databases(mongodb, world.name, f"{world.name}-statistics")
            token = await open_session(ANN, HOUR_S, cache=cache, records=MongoRecords(databases, time.time), now=time.time())
            await databases.close()
            yield Site(layout, world, model, token, known, mongodb)


def embedded(texts: Iterable[str]) -> Reply:
    data = [{"object": "embedding", "index": at, "embedding": EMBEDDER.vector(text).tolist()} for at, text in enumerate(texts)]
    content = {"object": "list", "data": data, "model": EMBEDDER.name, "usage": {"prompt_tokens": 0, "total_tokens": 0}}
    return Reply(body=(json.dumps(content),))
