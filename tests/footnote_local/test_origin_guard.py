"""Pages of other sites cannot use a server without sign-in."""

from __future__ import annotations

import httpx
import pytest
from starlette.responses import PlainTextResponse

from footnote_local.origin_guard import HostOriginGuard

FOREIGN = "Requests from other websites are not allowed. To allow an origin, set ALLOWED_ORIGINS."


async def visit(
    method: str = "GET",
    path: str = "/",
    *,
    names: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    public_url: str | None = None,
    scheme: str = "http",
    **headers: str,
) -> httpx.Response:
    transport = httpx.ASGITransport(HostOriginGuard(PlainTextResponse("in"), names, origins, public_url=public_url))
    async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://127.0.0.1:8000") as client:
        return await client.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    "host",
    ["localhost:8000", "LOCALHOST", "127.0.0.1:8000", "192.168.1.7", "[::1]:8000", "nas", "nas.local", "host.docker.internal:8000", ""],
)
async def test_this_machine_may_be_called_by_its_own_names_and_addresses(host: str) -> None:
    assert (await visit("POST", host=host)).text == "in"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "localhost.evil.example", "1.2.3", "[::1", "[v1.x]"])
async def test_a_name_that_leads_here_from_elsewhere_is_refused(host: str) -> None:
    reply = await visit(host=host)
    assert reply.status_code == 403
    assert reply.headers["content-type"] == "application/problem+json"
    assert "Unknown host name" in reply.json()["detail"]
    assert reply.json()["trace_id"] == reply.headers["x-trace-id"] != ""


async def test_a_name_that_was_given_is_taken() -> None:
    assert (await visit(names=("docs.example.com",), host="Docs.Example.com")).text == "in"
    assert (await visit("POST", names=("docs.example.com",), host="127.0.0.1:8000", origin="https://docs.example.com")).text == "in"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[", "file://"])
async def test_a_form_of_another_site_is_refused(origin: str) -> None:
    reply = await visit("POST", origin=origin)
    assert (reply.status_code, reply.json()["detail"]) == (
        403,
        "Requests from other websites are not allowed. To allow an origin, set ALLOWED_ORIGINS.",
    )


async def test_the_page_itself_may_post_and_others_may_link() -> None:
    assert (await visit("POST", origin="http://127.0.0.1:8000")).text == "in"
    assert (await visit("GET", origin="https://other.example")).text == "in"


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8001"),
        ("127.0.0.1:8000", "http://127.0.0.1"),
        ("127.0.0.1:8000", "https://127.0.0.1:8000"),
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("127.0.0.1", "https://127.0.0.1"),
        ("localhost:8000", "http://localhost:3000"),
        ("[::1]:8000", "http://[::1]:8001"),
        ("nas", "ftp://nas"),
        ("nas:8000", "http://nas:x"),
        ("", "null"),
        ("", "http://"),
    ],
)
async def test_another_server_of_the_same_host_is_another_site(host: str, origin: str) -> None:
    for method, path in (("POST", "/"), ("GET", "/ask/stream")):
        reply = await visit(method, path, host=host, origin=origin)
        assert (reply.status_code, reply.json()["detail"]) == (403, FOREIGN)


@pytest.mark.parametrize(
    ("scheme", "host", "origin"),
    [
        ("http", "nas", "http://nas:80"),
        ("http", "nas:80", "http://nas"),
        ("https", "nas", "https://nas:443"),
        ("https", "nas:8443", "https://nas:8443"),
        ("http", "[::1]:8000", "http://[::1]:8000"),
        ("http", "NAS:8000", "http://nas:8000"),
    ],
)
async def test_the_same_scheme_host_and_port_are_the_same_site(scheme: str, host: str, origin: str) -> None:
    assert (await visit("POST", scheme=scheme, host=host, origin=origin)).text == "in"


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("https://docs.example.org:8443", True),
        ("https://docs.example.org", False),
        ("http://docs.example.org:8443", False),
        ("http://127.0.0.1:8000", True),
        ("http://127.0.0.1:8443", False),
    ],
)
async def test_the_public_address_is_this_servers_own_behind_a_proxy(origin: str, is_allowed: bool) -> None:
    reply = await visit("POST", public_url="https://docs.example.org:8443/", host="127.0.0.1:8000", origin=origin)
    assert (reply.status_code == 200) is is_allowed
    assert (await visit("POST", public_url="https://docs.example.org:8443/", host="docs.example.org")).text == "in"


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("http://docs.example.com", True),
        ("https://docs.example.com:443", True),
        ("https://docs.example.com:8443", False),
        ("http://docs.example.com:8000", False),
    ],
)
async def test_a_name_stands_for_its_default_ports(origin: str, is_allowed: bool) -> None:
    reply = await visit("POST", names=("docs.example.com",), host="127.0.0.1:8000", origin=origin)
    assert (reply.status_code == 200) is is_allowed


async def test_other_origins_are_allowed_with_their_ports() -> None:
    for origin, status in (("http://localhost:3000", 200), ("http://localhost:3001", 403), ("https://localhost:3000", 403)):
        assert (await visit("POST", origins=("http://localhost:3000",), origin=origin)).status_code == status


async def test_behind_a_proxy_with_tls_the_browser_knows_whether_the_page_is_the_servers() -> None:
    headers = {"host": "nas.local", "origin": "https://nas.local"}
    assert (await visit("POST", **headers)).status_code == 403
    assert (await visit("POST", **headers, sec_fetch_site="same-site")).status_code == 403
    assert (await visit("POST", **headers, sec_fetch_site="same-origin")).text == "in"
    assert (await visit("POST", host="nas.local", origin="https://evil.example", sec_fetch_site="same-origin")).status_code == 403


async def test_a_question_that_is_another_sites_image_is_refused() -> None:
    for headers in ({"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}, {"origin": "https://evil.example"}):
        assert (await visit("GET", "/ask/stream", **headers)).status_code == 403
    for headers in ({"sec_fetch_site": "same-origin"}, {"sec_fetch_site": "none"}, {"origin": "http://127.0.0.1:8000"}, {}):
        assert (await visit("GET", "/ask/stream", **headers)).text == "in"
    assert (await visit("GET", sec_fetch_site="cross-site")).text == "in"
