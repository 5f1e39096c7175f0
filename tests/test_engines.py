"""The engines that other tests stand on: they answer, on this machine only, and none outlives the run that started it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
import yaml

from tests.engines import ENGINES
from tests.engines.build import NotBuilt, build, find, folder
from tests.engines.start import ROOT, NotStarted, start

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
QUICK = ("mongodb", "aws")
"""Those that start in a second: one that Java runs, and one that Python does."""
NAME = f"engines-{uuid4().hex[:12]}"  # an engine may be given, with others' data in it


# --- they answer -------------------------------------------------------------------------------


@pytest.fixture
def opensearch(opensearch_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=opensearch_url, timeout=30) as client:
        yield client
        client.delete(f"/{NAME}")
        client.delete(f"/_search/pipeline/{NAME}")


def test_opensearch_finds_by_words_and_by_vector_and_fuses_both(opensearch: httpx.Client) -> None:
    fields = {
        "text": {"type": "text"},
        "vector": {
            "type": "knn_vector", "dimension": 2, "method": {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"},
        },
    }  # fmt: skip
    index = {"settings": {"index.knn": True, "number_of_replicas": 0}, "mappings": {"properties": fields}}
    assert opensearch.put(f"/{NAME}", json=index).json()["acknowledged"]
    for each, text, vector in [("a", "the travel budget", [1, 0]), ("b", "the travel rules", [0, 1])]:
        assert opensearch.put(f"/{NAME}/_doc/{each}?refresh=true", json={"text": text, "vector": vector}).status_code == 201
    normalize = {"normalization": {"technique": "min_max"}, "combination": {"technique": "arithmetic_mean"}}
    opensearch.put(
        f"/_search/pipeline/{NAME}", json={"phase_results_processors": [{"normalization-processor": normalize}]}
    ).raise_for_status()

    words = {"match": {"text": "rules"}}
    nearest = {"knn": {"vector": {"vector": [0.1, 0.9], "k": 2}}}
    assert found(opensearch, words) == ["b"]
    assert found(opensearch, nearest) == ["b", "a"]
    assert found(opensearch, {"hybrid": {"queries": [words, nearest]}}, f"?search_pipeline={NAME}") == ["b", "a"]


def found(opensearch: httpx.Client, query: dict[str, Any], parameters: str = "") -> list[str]:
    reply = opensearch.post(f"/{NAME}/_search{parameters}", json={"query": query})
    return [hit["_id"] for hit in reply.json()["hits"]["hits"]]


def test_dynamodb_puts_on_condition(dynamodb_url: str) -> None:
    import boto3

    with closing(boto3.client("dynamodb", endpoint_url=dynamodb_url)) as dynamodb:
        dynamodb.create_table(
            TableName=NAME, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        )  # fmt: skip
        put: dict[str, Any] = {"TableName": NAME, "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}
        dynamodb.put_item(**put)
        with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
            dynamodb.put_item(**put)
        dynamodb.delete_table(TableName=NAME)


def test_mongodb_finds_what_was_inserted(mongodb_url: str) -> None:
    import pymongo

    with pymongo.MongoClient[dict[str, Any]](mongodb_url, serverSelectionTimeoutMS=10_000) as mongo:
        mongo[NAME].turns.insert_one({"_id": "a", "n": 1})
        assert mongo[NAME].turns.find_one({"n": 1}) == {"_id": "a", "n": 1}
        mongo.drop_database(NAME)


def test_aws_keeps_objects_and_passes_messages_on(aws_url: str) -> None:
    import boto3

    with closing(boto3.client("s3", endpoint_url=aws_url)) as s3, closing(boto3.client("sqs", endpoint_url=aws_url)) as sqs:
        s3.create_bucket(Bucket=NAME)
        s3.put_object(Bucket=NAME, Key="여행 규정.md", Body=b"By train.")
        assert s3.get_object(Bucket=NAME, Key="여행 규정.md")["Body"].read() == b"By train."
        s3.delete_object(Bucket=NAME, Key="여행 규정.md")
        s3.delete_bucket(Bucket=NAME)

        queue = sqs.create_queue(QueueName=NAME)["QueueUrl"]
        sqs.send_message(QueueUrl=queue, MessageBody="a")
        assert [message["Body"] for message in sqs.receive_message(QueueUrl=queue)["Messages"]] == ["a"]
        sqs.delete_queue(QueueUrl=queue)


# --- as long as their owner, and for this machine only -------------------------------------------


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.nightly) for name in ENGINES])
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux' table of sockets")
def test_an_engine_is_reached_from_this_machine_only_and_ends_with_its_owner(name: str, request: pytest.FixtureRequest) -> None:
    if ENGINES[name].is_built and not find(name):
        request.getfixturevalue(f"{name}_url")  # builds it in CI, or skips
        if not find(name):
            pytest.skip(f"{name} is not built: another one was given.")
    command = [sys.executable, "-m", "tests.engines", "start", name]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        address = urlsplit(owner.stdout.readline().strip())
        (engine,) = (int(pid) for pid in Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split())
        hosts, ports = zip(*listening(engine), strict=True)
        owner.send_signal(signal.SIGKILL)
    assert (address.hostname, set(hosts) - LOOPBACK) == ("127.0.0.1", set())
    assert address.port is not None
    assert address.port in ports
    deadline = time.monotonic() + 20
    while (runs(engine) or accepts(address.port)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (runs(engine), accepts(address.port)) == (False, False)


def listening(pid: int) -> list[tuple[str, int]]:
    """Address, as the kernel writes it, and port of every socket on which a process listens."""
    sockets = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    locals_ = [row[1].split(":") for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    return [(host, int(port, 16)) for host, port in locals_]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"  # which stays where no init collects it
    except (FileNotFoundError, ProcessLookupError):
        return False


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return False
    return True


# --- what goes wrong is said -----------------------------------------------------------------------


def test_an_engine_that_is_not_built_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(NotStarted, match=r"^OpenSearch 2\.19\.1 is not built: run `make engines`\.$"):
        start("opensearch")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotBuilt, match=r"^DynamoDB Local is built with a JDK \(17 or newer\) and Maven; not here: java, javac, mvn\.$"):
        build("dynamodb")
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_breaks_off_shows_the_end_of_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (folder() / "mongodb").mkdir(parents=True)
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho no memory\nexit 3\n")
    java.chmod(0o755)
    with pytest.raises(NotStarted, match=r"^mongo-java-server 1\.47\.0 did not start: it ended with 3\.\nno memory$"):
        start("mongodb")


# --- Docker --------------------------------------------------------------------------------------


def test_compose_has_the_same_versions_and_is_reached_from_this_machine_only() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert {name: service["image"] for name, service in services.items()} == {
        "opensearch": f"opensearchproject/opensearch:{ENGINES['opensearch'].version}",
        "mongodb": "mongo:8.0",
        "dynamodb": f"amazon/dynamodb-local:{ENGINES['dynamodb'].version}",
        "aws": f"motoserver/moto:{ENGINES['aws'].version}",
    }
    assert [port for service in services.values() for port in service["ports"] if not port.startswith("127.0.0.1:")] == []
