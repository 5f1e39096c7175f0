"""What is peculiar to S3: links, signed forms, buckets that are not there, pages, and versions."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from footnote.adapters.aws.drops import S3Drops
from footnote.adapters.aws.files import S3Files
from footnote.adapters.aws.uploads import S3Uploads
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from tests.contracts.backends_aws import at, bucket_of
from tests.openai_server import Reply, serving

pytestmark = pytest.mark.usefixtures("aws_url")

NO_BUCKET = "footnote-that-nobody-made"
TEXT = "text/plain; charset=utf-8"
SAVE = "attachment; filename*=UTF-8''%EA%B0%80.txt"


@pytest.fixture
async def bucket(tmp_path: Path) -> AsyncIterator[tuple[str, Any]]:
    async with bucket_of(tmp_path) as found:
        yield found


async def test_a_link_gives_the_bytes_under_our_headers(bucket: tuple[str, Any]) -> None:
    files = S3Files(bucket[0])
    await files.put("a/b", b"the bytes")
    link = await files.link("a/b", 60, content_type=TEXT, disposition=SAVE)
    async with httpx.AsyncClient() as browser:
        reply = await browser.get(str(link))
    assert (reply.status_code, reply.content) == (200, b"the bytes")
    assert (reply.headers["content-type"], reply.headers["content-disposition"]) == (TEXT, SAVE)


@pytest.mark.parametrize(("wanted_s", "given_s"), [(60, "60"), (300, "300"), (86_400, "300")])
async def test_a_link_lives_five_minutes_at_most(wanted_s: float, given_s: str) -> None:
    with at():
        link = await S3Files("bucket").link("a", wanted_s, content_type=TEXT, disposition="inline")
    assert parse_qs(urlsplit(link).query)["X-Amz-Expires"] == [given_s]


async def test_links_and_forms_name_the_host_of_the_bucket_s_region(monkeypatch: pytest.MonkeyPatch) -> None:
    with at():
        for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        link = await S3Files("files").link("a", 60, content_type=TEXT, disposition="inline")
        form = await S3Uploads("drops").form("uploads/1", 10, 900)
    assert str(link).startswith("https://files.s3.eu-central-1.amazonaws.com/a?")
    assert form.url == "https://drops.s3.eu-central-1.amazonaws.com/"


async def test_a_form_is_signed_for_one_key_and_so_many_bytes() -> None:
    with at():
        form = await S3Uploads("drops").form("uploads/규정.pdf", 50 * 2**20, 900)
    policy = json.loads(base64.b64decode(form.fields["policy"]))
    assert form.fields["key"] == "uploads/규정.pdf"
    assert [condition for condition in policy["conditions"] if "x-amz" not in str(condition)] == [
        ["content-length-range", 0, 52_428_800],
        {"bucket": "drops"},
        {"key": "uploads/규정.pdf"},
    ]
    assert sorted(form.fields) == ["key", "policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"]


async def test_a_form_s_file_arrives_under_its_key(bucket: tuple[str, Any]) -> None:
    form = await S3Uploads(bucket[0]).form("uploads/규정 1.pdf", 100, 900)
    async with httpx.AsyncClient() as browser:
        reply = await browser.post(form.url, data=dict(form.fields), files={"file": ("x.pdf", b"the bytes")})
    assert reply.status_code == 204
    assert (await S3Drops().get(bucket[0], "uploads/규정 1.pdf"))[0] == b"the bytes"


async def test_a_key_that_the_sender_would_complete_is_refused() -> None:
    with pytest.raises(BadRequest):
        await S3Uploads("drops").form("uploads/${filename}", 100, 900)


async def test_a_bucket_that_is_not_there_is_never_told_as_a_missing_file() -> None:
    with at():
        files, drops = S3Files(NO_BUCKET), S3Drops()
        for call in (files.get("a"), files.put("a", b""), files.delete("a"), drops.get(NO_BUCKET, "a"), drops.head(NO_BUCKET, "a")):
            with pytest.raises(StoreUnavailable):
                await call
        for listing in (files.keys(""), drops.list(NO_BUCKET)):
            with pytest.raises(StoreUnavailable):
                await anext(listing)


class Pages(dict[str, Any]):
    """Two pages of a listing: the second is for those who name the first one's end."""

    def get(self, path: str, default: Any = None) -> Reply:
        last = parse_qs(urlsplit(path).query).get("continuation-token") == ["a 1/end="]
        keys = ("a/3",) if last else ("a/1", "a/2")
        more = "" if last else "<NextContinuationToken>a 1/end=</NextContinuationToken>"
        found = "".join(f"<Contents><Key>{key}</Key><Size>1</Size></Contents>" for key in keys)
        return Reply(200, (f"<ListBucketResult><EncodingType>url</EncodingType>{found}{more}</ListBucketResult>",), "application/xml")


async def test_more_keys_than_a_page_holds_are_all_listed() -> None:
    async with serving() as server:
        server.replies = Pages()
        with at(server.url):
            assert [key async for key in S3Files("bucket").keys("a/")] == ["a/1", "a/2", "a/3"]
    assert len(server.requests) == 2


async def test_markers_of_empty_folders_are_no_files(bucket: tuple[str, Any]) -> None:
    name, s3 = bucket
    for key in ("a/", "a/b"):
        s3.put_object(Bucket=name, Key=key)
    assert [found.key async for found in S3Drops().list(name)] == ["a/b"]


async def test_a_bucket_with_versions_is_read_as_it_is_now(bucket: tuple[str, Any]) -> None:
    name, s3 = bucket
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    drops = S3Drops()
    for data in (b"one", b"two"):
        s3.put_object(Bucket=name, Key="a", Body=data)
    data, version = await drops.get(name, "a")
    listed = [found async for found in drops.list(name)]
    assert (data, [found.version for found in listed], listed) == (b"two", [version], [await drops.head(name, "a")])
    await drops.delete(name, "a")
    assert await drops.head(name, "a") is None
    assert [found async for found in drops.list(name)] == []
    with pytest.raises(NotFound):
        await drops.get(name, "a")


async def test_the_same_bytes_dropped_anew_are_another_version(bucket: tuple[str, Any]) -> None:
    name, s3 = bucket
    s3.put_object(Bucket=name, Key="a", Body=b"x")
    _, before = await S3Drops().get(name, "a")
    await asyncio.sleep(1.1)  # S3's clock counts seconds, and only S3 turns it
    s3.put_object(Bucket=name, Key="a", Body=b"x")
    _, after = await S3Drops().get(name, "a")
    assert before != after
