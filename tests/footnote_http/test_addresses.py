"""The client address of a request cannot be forged by its sender."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request

from footnote_http.addresses import EVENT_CONTEXT, VIEWER, address_of
from footnote_http.lambda_handler import http_handler
from tests.functions.conftest import body_of, get_event
from tests.servers import serving
from tests.template import RESOURCES, ROOT

EDGE, READER, INVENTED = "203.0.113.5", "2001:db8::7", "192.0.2.66"
SIGNED = {"iam": {"accountId": "123456789012", "userArn": "arn:aws:sts::123456789012:assumed-role/cloudfront"}}
FORGED = {"x-forwarded-for": INVENTED, "x-real-ip": INVENTED, "forwarded": f"for={INVENTED}"}


@pytest.fixture
def app() -> FastAPI:
    made = FastAPI()
    made.state.in_lambda = False

    @made.get("/address")
    async def address(request: Request) -> str:
        return address_of(request)

    return made


async def seen_by(app: FastAPI, headers: dict[str, str]) -> Any:
    async with serving(app) as address, httpx.AsyncClient(base_url=address) as client:
        return (await client.get("/address", headers=headers)).json()


def context_of(authorizer: Any) -> dict[str, Any]:
    return {"http": {"method": "GET", "path": "/address", "sourceIp": EDGE}, "authorizer": authorizer}


async def test_on_one_machine_the_client_address_is_that_of_the_connection(app: FastAPI) -> None:
    forged = FORGED | {VIEWER: INVENTED, EVENT_CONTEXT: json.dumps(context_of(SIGNED) | {"http": {"sourceIp": INVENTED}})}
    assert await seen_by(app, forged) == "127.0.0.1"


@pytest.mark.parametrize(("authorizer", "address"), [(None, EDGE), ({}, EDGE), ({"jwt": {}}, EDGE), (SIGNED, READER)])
async def test_behind_the_web_adapter_it_is_the_events_address_or_the_signed_viewers(app: FastAPI, authorizer: Any, address: str) -> None:
    app.state.in_lambda = True
    trusted = {EVENT_CONTEXT: json.dumps(context_of(authorizer)), VIEWER: READER}
    assert await seen_by(app, FORGED | trusted) == address


async def test_a_signed_request_without_the_viewers_address_has_the_signers_address(app: FastAPI) -> None:
    app.state.in_lambda = True
    assert await seen_by(app, {EVENT_CONTEXT: json.dumps(context_of(SIGNED))}) == EDGE


@pytest.mark.parametrize(("authorizer", "address"), [(None, EDGE), (SIGNED, READER)])
def test_a_plain_handler_sees_the_same_address(app: FastAPI, authorizer: Any, address: str) -> None:
    event = get_event("/address")
    event["requestContext"] |= {"authorizer": authorizer, "http": event["requestContext"]["http"] | {"sourceIp": EDGE}}
    event["headers"] |= FORGED | {VIEWER: READER}
    replies: list[Any] = []
    thread = threading.Thread(target=lambda: replies.append(http_handler(app)(event, None)))  # its loop is not that of other tests
    thread.start()
    thread.join()
    assert [body_of(reply) for reply in replies] == [address]


def test_in_lambda_uvicorn_takes_no_address_from_a_header_either() -> None:
    assert " --no-proxy-headers " in (ROOT / "functions" / "query" / "run.sh").read_text()


def test_cloudfront_writes_the_readers_address_whatever_the_reader_sent() -> None:
    code = RESOURCES["ForwardedHost"]["Properties"]["FunctionCode"]
    assert f'event.request.headers["{VIEWER}"] = {{ value: event.viewer.ip }};' in code
