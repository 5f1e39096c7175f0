"""Which of AWS's errors are tried again, and what the others become."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import boto3
import pytest

from footnote.adapters.aws.bus import EventBridgeBus
from footnote.adapters.aws.client import Client
from footnote.adapters.aws.files import S3Files
from footnote.errors import FootnoteError, NotFound, StoreUnavailable, Unavailable
from tests.contracts.backends_aws import at
from tests.openai_server import Reply, Server, serving

FILE = Reply(200, ("the ", "bytes"))
SLOW_DOWN = Reply(503, ("<Error><Code>SlowDown</Code></Error>",), "application/xml")
CUT = Reply(200, ("the ", None))
THROTTLED = Reply(200, ('{"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}',))
TOLD = Reply(200, ('{"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}',))


@pytest.fixture
async def aws() -> AsyncIterator[Server]:
    async with serving() as server:
        with at(server.url):
            yield server


def answer(server: Server, path: str, *replies: Reply) -> None:
    """With these in turn; the last one again and again."""
    left = list(replies)
    server.replies[path] = lambda _: left.pop(0) if len(left) > 1 else left[0]


def failing(status: int, code: str) -> Reply:
    return Reply(status, (f"<Error><Code>{code}</Code><Message>arn:aws:iam::1:role/x</Message></Error>",), "application/xml")


@pytest.mark.parametrize("fault", [SLOW_DOWN, failing(500, "InternalError"), failing(400, "RequestTimeout"), failing(429, "x"), CUT])
async def test_transient_errors_are_retried(aws: Server, fault: Reply) -> None:
    answer(aws, "/bucket/a", fault, fault, FILE)
    assert await S3Files("bucket").get("a") == b"the bytes"
    assert len(aws.requests) == 3


@pytest.mark.parametrize("fault", [SLOW_DOWN, CUT])
async def test_after_three_tries_it_is_told(aws: Server, fault: Reply) -> None:
    answer(aws, "/bucket/a", fault)
    with pytest.raises(StoreUnavailable):
        await S3Files("bucket").get("a")
    assert len(aws.requests) == 3


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (404, "NoSuchKey", NotFound),
        (404, "NoSuchBucket", StoreUnavailable),
        (403, "AccessDenied", StoreUnavailable),
        (403, "InvalidAccessKeyId", StoreUnavailable),
        (400, "ExpiredToken", StoreUnavailable),
        (301, "PermanentRedirect", StoreUnavailable),
        (403, "InvalidObjectState", StoreUnavailable),
    ],
)
async def test_permanent_errors_are_raised_at_once(aws: Server, status: int, code: str, error: type[FootnoteError]) -> None:
    answer(aws, "/bucket/a", failing(status, code))
    with pytest.raises(FootnoteError) as told:
        await S3Files("bucket").get("a")
    assert type(told.value) is error
    assert [path for path, _, _ in aws.requests if path == "/bucket/a"] == ["/bucket/a"]


async def test_errors_name_the_setting_and_nothing_of_the_account(aws: Server) -> None:
    answer(aws, "/bucket/a", failing(403, "AccessDenied"))
    with pytest.raises(StoreUnavailable) as told:
        await S3Files("bucket").get("a")
    assert told.value.detail == "The bucket of source files cannot be used. Check AWS__FILES_BUCKET and the function's permissions."


async def test_where_nobody_listens_it_is_told() -> None:
    with at("http://127.0.0.1:9"), pytest.raises(StoreUnavailable):
        await S3Files("bucket").get("a")


async def test_where_there_are_no_credentials_it_is_told(aws: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # it keeps what it found at its first use
    with pytest.raises(StoreUnavailable):
        await S3Files("bucket").get("a")
    assert aws.requests == []


async def test_a_fault_of_ours_is_not_told_as_aws_s(aws: Server) -> None:
    client: Client[Any] = Client("s3", (StoreUnavailable, "down"))

    def operation(s3: Any) -> None:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        await client.call(operation)


async def test_an_event_that_was_not_taken_is_sent_again(aws: Server) -> None:
    answer(aws, "/", THROTTLED, TOLD)
    await EventBridgeBus("bus").publish("answered", {})
    assert len(aws.requests) == 2


async def test_a_bus_that_takes_nothing_is_unavailable(aws: Server) -> None:
    answer(aws, "/", THROTTLED)
    with pytest.raises(Unavailable, match="AWS__EVENT_BUS"):
        await EventBridgeBus("bus").publish("answered", {})
    assert len(aws.requests) == 3
