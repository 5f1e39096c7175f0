"""Which addresses, schemes and hosts `footnote serve` believes, seen through its HTTP server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from footnote.bootstrap import Core
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote_http.callers import PATH
from footnote_local.proxies import TrustedProxies
from footnote_local.server import create_app
from tests.servers import serving

Sent = Mapping[str, str] | Sequence[tuple[str, str]]
FORGED = {"x-forwarded-for": "192.0.2.66", "x-forwarded-proto": "https", "x-forwarded-host": "evil.example", "x-forwarded-prefix": "/evil"}


async def tell(scope: Scope, receive: Receive, send: Send) -> None:
    """Replies with what an app sees."""
    if scope["type"] == "http":
        request = Request(scope)
        forwarded = {name: value for name, value in request.headers.items() if "forwarded" in name}
        seen = {"address": request.client.host if request.client else None, "scheme": request.url.scheme, "forwarded": forwarded}
        await JSONResponse(seen)(scope, receive, send)


async def seen(trusted: Sequence[str], sent: Sent) -> dict[str, Any]:
    async with serving(TrustedProxies(tell, trusted)) as address, httpx.AsyncClient() as client:
        return dict((await client.get(address, headers=sent)).json())


@pytest.mark.parametrize("trusted", [[], ["192.0.2.66"], ["10.0.0.0/8", "::1"]])
async def test_who_is_no_trusted_proxy_cannot_say_where_a_request_comes_from(trusted: list[str]) -> None:
    assert await seen(trusted, FORGED) == {"address": "127.0.0.1", "scheme": "http", "forwarded": {}}


@pytest.mark.parametrize(
    ("hops", "address"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("192.0.2.66, 203.0.113.5", "203.0.113.5"),
        ("192.0.2.66, 203.0.113.5, 10.1.2.3", "203.0.113.5"),
        ("203.0.113.5,10.1.2.3 , 10.1.2.4", "203.0.113.5"),
        ("10.1.2.3, 10.1.2.4", "10.1.2.3"),
        ("203.0.113.5:4711", "203.0.113.5"),
        ("[2001:db8::7]:4711, ::ffff:10.1.2.3", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("192.0.2.66, unknown", "127.0.0.1"),
        ("192.0.2.66, unknown, 10.1.2.3", "10.1.2.3"),
        ("192.0.2.66, , 203.0.113.5,", "203.0.113.5"),
        ("", "127.0.0.1"),
    ],
)
async def test_behind_trusted_proxies_the_address_is_the_last_one_that_is_none_of_them(hops: str, address: str) -> None:
    assert (await seen(["127.0.0.1", "10.0.0.0/8"], {"x-forwarded-for": hops}))["address"] == address


async def test_several_headers_are_one_list() -> None:
    sent = [("x-forwarded-for", "192.0.2.66"), ("x-forwarded-for", "203.0.113.5"), ("x-forwarded-for", "10.1.2.3")]
    assert (await seen(["127.0.0.0/8", "10.0.0.0/8"], sent))["address"] == "203.0.113.5"


@pytest.mark.parametrize(
    ("sent", "scheme", "forwarded"),
    [
        ({"x-forwarded-proto": "https", "x-forwarded-host": "docs.example.org"}, "https", {"proto": "https", "host": "docs.example.org"}),
        ({"x-forwarded-proto": "http, https", "x-forwarded-host": "evil.example, docs.example.org"}, "https",
         {"proto": "https", "host": "docs.example.org"}),
        ({"x-forwarded-for": "203.0.113.5, 10.1.2.3", "x-forwarded-proto": "evil, https, http"}, "https", {"proto": "https"}),
        ({"x-forwarded-proto": "ftp", "x-forwarded-prefix": "/evil"}, "http", {"proto": "ftp"}),
    ],
)  # fmt: skip
async def test_scheme_and_host_are_those_that_the_outermost_trusted_proxy_saw(sent: Sent, scheme: str, forwarded: dict[str, str]) -> None:
    found = await seen(["127.0.0.1", "10.0.0.0/8"], sent)
    assert (found["scheme"], found["forwarded"]) == (scheme, {f"x-forwarded-{name}": value for name, value in forwarded.items()})


@pytest.mark.parametrize(("trusted", "statuses"), [([], [401, 401, 429, 429]), (["127.0.0.1"], [401] * 4)])
async def test_a_forged_address_does_not_lift_the_limits_of_an_address(tmp_path: Path, trusted: list[str], statuses: list[int]) -> None:
    settings = Settings(
        footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), auth=Auth(mode="session"),
        limits=Limits(address_per_minute=2), trusted_proxies=trusted,
    )  # fmt: skip
    core = Core(settings, clock=lambda: 1_700_000_000.0)
    async with serving(create_app(core)) as address, httpx.AsyncClient(base_url=address) as client:
        found = [
            await client.get("/collections", headers={"api-key": "guess", "x-forwarded-for": f"203.0.113.{number}"}) for number in range(4)
        ]
    assert [reply.status_code for reply in found] == statuses
    assert {"strict-transport-security" in reply.headers for reply in found} == {False}


@pytest.mark.parametrize(("trusted", "secure"), [([], False), (["127.0.0.1"], True)])
async def test_only_a_trusted_proxy_says_that_a_request_came_by_tls(tmp_path: Path, trusted: list[str], secure: bool) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), trusted_proxies=trusted)
    async with serving(create_app(Core(settings))) as address, httpx.AsyncClient(base_url=address) as client:
        reply = await client.get("/health", headers={"x-forwarded-proto": "https"})
        posted = await client.post(
            "/ask",
            json={},
            headers={"origin": "https://docs.example.org", "x-forwarded-proto": "https", "x-forwarded-host": "docs.example.org"},
        )
    assert ("strict-transport-security" in reply.headers) is secure
    assert posted.status_code == (422 if secure else 403)


@pytest.mark.parametrize("text", ["docs.example.org", "10.0.0.0/33", "127.0.0.1:80", "", "*"])
def test_a_trusted_proxy_is_an_address_or_a_network(text: str) -> None:
    with pytest.raises(ValidationError):
        Settings(trusted_proxies=[text])


async def tell_path(scope: Scope, receive: Receive, send: Send) -> None:
    """Replies with the path that an app would put before its links."""
    await JSONResponse(scope.get(PATH, ""))(scope, receive, send)


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("/footnote", "/footnote"),
        ("/team/docs/", "/team/docs"),
        ("/a, /b", "/b"),
        ("", ""),
        ("/", ""),
        ("//evil.example", ""),
        ("/a//evil", ""),
        ("https://evil.example", ""),
        ("/a?b", ""),
        ('/"><script>', ""),
    ],
)
async def test_a_trusted_proxy_says_below_which_path_it_serves(sent: str, path: str) -> None:
    for trusted, told in ((["127.0.0.1"], path), ([], "")):
        async with serving(TrustedProxies(tell_path, trusted)) as address, httpx.AsyncClient() as client:
            assert (await client.get(address, headers={"x-forwarded-prefix": sent})).json() == told
