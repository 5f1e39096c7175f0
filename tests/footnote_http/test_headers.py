"""The headers of every reply: a strict content security policy that allows only the configured buckets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from footnote.bootstrap import Core
from footnote.settings import AWS, Settings
from footnote_http.app import HEADERS, make_app, make_headers

LOCAL = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
TWO_BUCKETS = AWS(drop_bucket="drops", files_bucket="files")


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")


def connect_src(aws: AWS) -> list[str]:
    policy = make_headers(aws)["content-security-policy"]
    return next(part.split()[1:] for part in policy.split("; ") if part.startswith("connect-src"))


def test_without_buckets_the_headers_are_those_of_a_local_server() -> None:
    assert make_headers(AWS()) == HEADERS
    assert HEADERS["content-security-policy"] == LOCAL


def test_the_page_may_talk_to_its_buckets_in_their_region_and_to_no_others() -> None:
    assert connect_src(TWO_BUCKETS) == [
        "'self'",
        "https://drops.s3.eu-central-1.amazonaws.com",
        "https://drops.s3.amazonaws.com",
        "https://files.s3.eu-central-1.amazonaws.com",
        "https://files.s3.amazonaws.com",
    ]
    assert make_headers(TWO_BUCKETS)["content-security-policy"].replace(" ".join(connect_src(TWO_BUCKETS)), "'self'") == LOCAL


def test_one_bucket_is_enough() -> None:
    assert connect_src(AWS(files_bucket="files"))[1:] == ["https://files.s3.eu-central-1.amazonaws.com", "https://files.s3.amazonaws.com"]


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
def test_an_s3_endpoint_override_is_allowed_by_the_policy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "http://localhost:9000")
    assert connect_src(TWO_BUCKETS)[1:] == ["http://localhost:9000", "http://drops.localhost:9000", "http://files.localhost:9000"]


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    made = Core(Settings(footnote_data=tmp_path, aws=TWO_BUCKETS))
    return make_app("test", lambda: made)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as made:
        yield made


async def test_every_reply_has_the_headers_including_refusals(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    first = (await client.get("/nowhere")).headers
    assert "https://drops.s3.eu-central-1.amazonaws.com" in first["content-security-policy"]
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")  # they are made once
    assert (await client.get("/nowhere")).headers["content-security-policy"] == first["content-security-policy"]


async def test_only_https_replies_have_strict_transport_security(client: httpx.AsyncClient) -> None:
    assert "strict-transport-security" not in (await client.get("/nowhere")).headers
    forwarded = await client.get("/nowhere", headers={"x-forwarded-proto": "https"})
    direct = await client.get("https://footnote.test/nowhere")
    for reply in (forwarded, direct):
        assert reply.headers["strict-transport-security"] == "max-age=63072000"
