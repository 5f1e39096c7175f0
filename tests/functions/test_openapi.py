"""The product conforms to its OpenAPI for every caller and any request: no 5xx, and no undocumented status, type or body."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pytest
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session, session_id_of
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote_http.callers import METADATA
from footnote_http.routes import routes_of
from footnote_local.openapi import FILE
from footnote_local.server import function_of
from tests.fakes import FakeEmbedder, FakeModels, SameModel
from tests.functions.conftest import ASK, BRIDGE, OpenSite, read_events
from tests.functions.people import CREATE

if TYPE_CHECKING:  # loading these takes longer than all tests of the gate
    from jsonschema import Draft202012Validator
    from schemathesis.schemas import APIOperation

Who = Literal["local", "user", "admin", "anonymous"]
"""`local`: in mode `none`; the others in mode `session`."""

CALM = settings(  # the same examples in every run
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
PUBLIC = {"GET /health", "GET /ready", "GET /sign-in", "POST /sessions", "DELETE /sessions", "POST /accounts"}
PUBLIC |= {f"GET {METADATA}", f"GET {METADATA}/mcp"}
ADMINS = ("/admin", "/prompts", "/settings", "/audit", "/forbidden-terms", "/experiments", "/sessions/", "/invitations", "/accounts/")


DOCUMENT: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
DECLARED = [(f"{method.upper()} {path}", described) for path, methods in DOCUMENT["paths"].items() for method, described in methods.items()]
EMPTY = ("204", "303", "307")
"""Statuses that come without a body."""


class Site:
    """The functions on one Core, called by one kind of caller."""

    def __init__(self, who: Who, folder: Any) -> None:
        self.who = who
        settings_ = Settings(
            footnote_data=folder,
            embedding=Embedding(builtin=False),
            llm=LLM(discover=False),
            auth=Auth(mode="none" if who == "local" else "session"),
            limits=Limits(user_per_minute=0, address_per_minute=0),
        )
        self.core = Core(settings_)
        self.core.embedder = FakeEmbedder()  # without one, a search by meaning is a 503 that the OpenAPI names
        self.core.models = FakeModels(SameModel())  # without one, so is a question that only a model can answer
        from schemathesis.python.asgi import ASGIClient

        self.clients = {name: ASGIClient(create(lambda: self.core)) for name, create in CREATE.items()}
        self.headers: dict[str, str] = {}

    def sign_in(self, user_id: str, role: Any = "user") -> str:
        opened = open_session(
            Session(user_id, ("staff",), role), 1e6, cache=self.core.cache, records=self.core.records, now=self.core.clock()
        )
        return asyncio.run(opened)

    def make_resources(self) -> Mapping[str, str]:
        """Existing resources by the name of the path parameter."""
        if self.who in ("user", "admin"):  # each time: a test may sign out
            self.headers = {"authorization": f"Bearer {self.sign_in('ann', self.who)}"}
        known = {"name": "answer_numbered", "key": "rag.alpha", "room_id": "bridges", "term": "salary"}
        if self.who == "anonymous":
            return known
        file = {"file": ("bridge.txt", " ".join(BRIDGE).encode())}
        data = {"index_name": "default"}
        added = self.clients["ingest"].post("/ingest/file", files=file, data=data, headers=self.headers)
        turn = self.clients["query"].post("/ask", json=ASK | {"room_id": "bridges"}, headers=self.headers)
        if self.who != "user":
            self.clients["query"].put("/forbidden-terms/salary", json={}, headers=self.headers)
        session_id = session_id_of(self.sign_in("bob"))
        return known | {"doc_id": added.json()["doc_id"], "trace_id": turn.json()["trace_id"], "session_id": session_id}


def is_for_admins(label: str) -> bool:
    return label.partition(" ")[2].startswith(ADMINS) or label in ("GET /sessions", "GET /accounts")


def validator_of(schema: Mapping[str, Any]) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def messages_of(path: str) -> Draft202012Validator:
    """The schema of a stream's messages."""
    schema = DOCUMENT["paths"][path]["post"]["responses"]["200"]["content"]["text/event-stream"]["schema"]
    data = schema["oneOf"][1]["properties"]["data"]
    return validator_of(data.get("anyOf", [data])[-1]["contentSchema"])


def test_every_route_of_every_function_is_in_the_one_document() -> None:
    of_functions = {
        (method.lower(), route.path_format)
        for create in CREATE.values()
        for declared in routes_of(create())
        if isinstance(route := getattr(declared, "built", declared), APIRoute) and route.include_in_schema
        for method in route.methods
    }
    assert {(method, path) for path, described in DOCUMENT["paths"].items() for method in described} == of_functions
    assert len(of_functions) > 50


@pytest.mark.nightly
def test_the_document_is_valid() -> None:
    import openapi_spec_validator

    openapi_spec_validator.validate(DOCUMENT)
    assert [name for name in DOCUMENT["components"]["schemas"] if "__" in name] == []  # two models of one name


def test_every_operation_has_a_name_of_its_own_a_tag_and_a_summary() -> None:
    names = [described["operationId"] for _, described in DECLARED]
    assert len(names) == len(set(names))
    known = {tag["name"] for tag in DOCUMENT["tags"]}
    assert [label for label, described in DECLARED if not set(described["tags"]) & known or not described.get("description")] == []


def test_every_reply_has_a_schema() -> None:
    untold = [
        f"{label} {status} {kind}"
        for label, described in DECLARED
        for status, reply in described["responses"].items()
        for kind, content in (reply.get("content") or {"": {}}).items()
        if status not in EMPTY and not content.get("schema", {}).keys() & {"$ref", "type", "oneOf", "anyOf"}
    ]
    assert untold == []
    assert [name for name, schema in DOCUMENT["components"]["schemas"].items() if schema == {"type": "object"}] == []


def test_who_must_sign_in_may_do_so_in_each_of_the_declared_ways() -> None:
    assert {
        name: (scheme["type"], scheme.get("in") or scheme["scheme"]) for name, scheme in DOCUMENT["components"]["securitySchemes"].items()
    } == {
        "token": ("http", "bearer"),
        "apiKey": ("apiKey", "header"),
        "session": ("apiKey", "cookie"),
        "ticket": ("apiKey", "header"),
    }
    every = [{"token": []}, {"apiKey": []}, {"session": []}, {"ticket": []}]
    assert {label: described["security"] for label, described in DECLARED if label not in PUBLIC} == dict.fromkeys(
        (label for label, _ in DECLARED if label not in PUBLIC), every
    )


@pytest.mark.parametrize(
    ("path", "body", "kinds"),
    [
        ("/ask/stream", ASK, {"step", "node", "token", "done"}),
        ("/v2/rag/query", {"query": "When was the bridge built?"}, {"step", "debug", "token", "done"}),
        ("/v2/gpt/query", {"query": "Hello"}, {"step", "token", "done"}),
    ],
)
async def test_a_streams_messages_are_what_the_document_says(path: str, body: dict[str, Any], kinds: set[str], open_site: OpenSite) -> None:
    site = await open_site("Built in 1894 [^bridge].")
    validator = messages_of(path)
    events = read_events((await site.client.post(path, json=body)).text)
    assert {event["type"] for event in events} == kinds
    for event in events:
        validator.validate(event)
    assert not validator.is_valid({"type": "done"})


@pytest.mark.parametrize("reply", ["Built in 1894 [1].", None])
async def test_a_completion_and_its_chunks_are_what_the_document_says(reply: str | None, open_site: OpenSite) -> None:
    site = await open_site(*([reply] if reply else []))
    content = DOCUMENT["paths"]["/v1/chat/completions"]["post"]["responses"]["200"]["content"]
    asked = {"model": "footnote", "messages": [{"role": "user", "content": "When was the bridge built?"}]}
    whole = (await site.client.post("/v1/chat/completions", json=asked)).json()
    validator_of(content["application/json"]["schema"]).validate(whole)
    streamed = (await site.client.post("/v1/chat/completions", json=asked | {"stream": True})).text
    *chunks, last = [line.removeprefix("data: ") for line in streamed.split("\n\n") if line.startswith("data: ")]
    assert (last, len(chunks) > 2) == ("[DONE]", True)
    for chunk in chunks:
        messages_of("/v1/chat/completions").validate(json.loads(chunk))


def test_every_refusal_is_documented() -> None:
    declared = {label: {*described["responses"]} for label, described in DECLARED}
    assert {label for label, statuses in declared.items() if not {"422", "429", "503"} <= statuses} == set()
    assert {label for label, statuses in declared.items() if "401" not in statuses} <= PUBLIC
    assert {label for label, statuses in declared.items() if is_for_admins(label) and "403" not in statuses} == set()


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, APIOperation[Any, Any, Any]]:
    """What requests are made from. Before its first example Hypothesis reads all characters and the project's constants: no single test
    is to pay for it."""
    import schemathesis

    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))
    for codec in ("ascii", "latin-1", "utf-8"):
        find(st.text(st.characters(codec=codec)), bool)
    made = (result.ok() for result in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations())
    return {operation.label: operation for operation in made}


@pytest.fixture(scope="module", params=["local", "user", "admin", "anonymous"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(request.param, tmp_path_factory.mktemp("data"))
    yield made
    asyncio.run(made.core.close())


@pytest.mark.nightly
@pytest.mark.parametrize("label", [label for label, _ in DECLARED])
def test_a_reply_conforms_to_the_openapi(label: str, operations: Mapping[str, APIOperation[Any, Any, Any]], site: Site) -> None:
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    operation, known = operations[label], site.make_resources()
    client = site.clients[function_of(operation.path)]

    @CALM
    @given(st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode)), st.booleans())
    def check(case: Any, of_known: bool) -> None:
        if of_known:
            case.path_parameters |= {name: known[name] for name in case.path_parameters if name in known}
        reply = case.call(session=client, headers=site.headers)
        case.validate_response(reply, checks=checks)
        if any("\n" in str(value) for value in (case.path_parameters or {}).values()):
            return  # no route has such a path
        if site.who == "anonymous" and label not in PUBLIC:
            assert reply.status_code == 401
        elif site.who == "user" and is_for_admins(label):
            assert reply.status_code in (403, 422)
        elif site.who == "admin" and is_for_admins(label):
            assert reply.status_code not in (401, 403)

    check()
