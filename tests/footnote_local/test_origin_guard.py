"""Pages of other sites cannot use a server without sign-in."""

from __future__ import annotations

import httpx
import pytest
from starlette.responses import PlainTextResponse

from footnote_local.origin_guard import HostOriginGuard

FOREIGN = "Requests from other websites are not allowed. To allow an origin, set ALLOWED_ORIGINS."


async def visit(method: str = "GET", path: str = "/", *, names: tuple[str, ...] = (), **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(HostOriginGuard(PlainTextResponse("in"), names))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
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


async def test_a_question_that_is_another_sites_image_is_refused() -> None:
    for headers in ({"sec_fetch_site": "cross-site"}, {"origin": "https://evil.example"}):
        assert (await visit("GET", "/ask/stream", **headers)).status_code == 403
    for headers in ({"sec_fetch_site": "same-origin"}, {"sec_fetch_site": "none"}, {"origin": "http://127.0.0.1:8000"}, {}):
        assert (await visit("GET", "/ask/stream", **headers)).text == "in"
    assert (await visit("GET", sec_fetch_site="cross-site")).text == "in"
