"""The places of a token in a request, and how a client without one discovers the identity provider."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from footnote.bootstrap import Core
from footnote.ports import Clock
from footnote.settings import LLM, ApiKey, Auth, Embedding, Settings
from footnote_query.app import create_app

KEYS = Auth(mode="api_key", api_keys={"ann": ApiKey(key="k" * 20), "bob": ApiKey(key="b" * 20)})
JWT = Auth(mode="jwt", issuer="https://id.example.com", audience="footnote", jwks_url="https://id.example.com/keys")
METADATA = "/.well-known/oauth-protected-resource"


@pytest.fixture
async def open_with(tmp_path: Path, clock: Clock) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def open_(auth: Auth) -> httpx.AsyncClient:
            core = Core(
                Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), auth=auth), clock=clock
            )
            stack.push_async_callback(core.close)
            transport = httpx.ASGITransport(create_app(lambda: core), raise_app_exceptions=False)
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="https://footnote.test"))

        yield open_


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer " + "k" * 20},
        {"authorization": "bearer  " + "k" * 20},
        {"api-key": "k" * 20},
        {"x-dep-ticket": "k" * 20},
        {"cookie": "footnote_session=" + "k" * 20},
        {"authorization": "AWS4-HMAC-SHA256 Credential=x", "api-key": "k" * 20},
        {"api-key": "k" * 20, "x-dep-ticket": "the gateway's own"},
        {"cookie": "footnote_session=" + "k" * 20, "x-dep-ticket": "the gateway's own"},
    ],
)
async def test_a_token_is_found_in_each_of_its_places(headers: dict[str, str], open_with: Any) -> None:
    client = await open_with(KEYS)
    assert (await client.get("/me/preferences", headers=headers)).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"x-dep-ticket": "wrong"}, {"authorization": "Bearer"}, {"api-key": ""}])
async def test_without_a_valid_token_access_is_refused(headers: dict[str, str], open_with: Any) -> None:
    client = await open_with(KEYS)
    reply = await client.get("/me/preferences", headers=headers)
    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")


async def test_with_an_identity_provider_a_401_names_the_metadata_that_name_it(open_with: Any) -> None:
    client = await open_with(JWT)
    turned_away = await client.get("/collections")
    assert turned_away.headers["www-authenticate"] == f'Bearer resource_metadata="https://footnote.test{METADATA}"'
    mcp = await client.post("/mcp", json={}, headers={"x-forwarded-host": "docs.example.com"})
    assert (mcp.status_code, mcp.headers["www-authenticate"]) == (
        401,
        f'Bearer resource_metadata="https://docs.example.com{METADATA}/mcp"',
    )
    assert (await client.get(METADATA)).json() == {
        "resource": "https://footnote.test",
        "authorization_servers": ["https://id.example.com"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Footnote",
    }
    assert (await client.get(f"{METADATA}/mcp")).json()["resource"] == "https://footnote.test/mcp"


async def test_the_sdks_client_reads_both(open_with: Any) -> None:
    from mcp.client.auth.utils import extract_resource_metadata_from_www_auth
    from mcp.shared.auth import ProtectedResourceMetadata

    client = await open_with(JWT)
    mcp = await client.post("/mcp", json={})
    sent = httpx2.Response(401, headers={"www-authenticate": mcp.headers["www-authenticate"]})
    place = extract_resource_metadata_from_www_auth(sent)
    assert place == f"https://footnote.test{METADATA}/mcp"
    read = ProtectedResourceMetadata.model_validate((await client.get(place)).json())
    assert (str(read.resource), [str(each) for each in read.authorization_servers]) == (
        "https://footnote.test/mcp",
        ["https://id.example.com"],
    )


async def test_without_an_identity_provider_there_are_no_such_metadata(open_with: Any) -> None:
    client = await open_with(KEYS)
    assert [(await client.get(path)).status_code for path in (METADATA, f"{METADATA}/mcp")] == [404, 404]


async def test_a_host_that_is_no_name_cannot_end_the_header(open_with: Any) -> None:
    client = await open_with(JWT)
    reply = await client.get("/collections", headers={"x-forwarded-host": 'a", evil="b'})
    assert reply.headers["www-authenticate"].count('"') == 2
