"""Every function keeps to its OpenAPI, whoever asks and whatever is sent: no 5xx, no status, type or body that it does not name."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.python.asgi import ASGIClient
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session, session_id_of
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote_http.callers import METADATA
from tests.fakes import FakeEmbedder, FakeModels, SameModel
from tests.functions.conftest import ASK, BRIDGE
from tests.functions.people import CREATE

Who = Literal["local", "user", "admin", "nobody"]
"""`local`: in mode `none`; the others in mode `session`."""

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALM = settings(  # the same examples in every run; FOOTNOTE_EXAMPLES=150 looks further
    max_examples=int(os.environ.get("FOOTNOTE_EXAMPLES", "6")),
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
PUBLIC = {"GET /health", "GET /ready", "POST /sessions", "DELETE /sessions", f"GET {METADATA}", f"GET {METADATA}/mcp"}
ADMINS = ("/prompts", "/settings", "/audit", "/forbidden-terms", "/sessions/")


def operations(function: str) -> list[APIOperation[Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(CREATE[function]().openapi())
    return [result.ok() for result in schema.get_all_operations()]


EVERY = [pytest.param(name, operation, id=f"{name}-{operation.label}") for name in CREATE for operation in operations(name)]


class Site:
    """The functions on one Core, as one caller reaches them."""

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
        self.core.models = FakeModels(SameModel())  # without one, so is what only a model can answer
        self.clients = {name: ASGIClient(create(lambda: self.core)) for name, create in CREATE.items()}
        self.headers: dict[str, str] = {}

    def sign_in(self, user_id: str, role: Any = "user") -> str:
        opened = open_session(
            Session(user_id, ("staff",), role), 1e6, cache=self.core.cache, records=self.core.records, now=self.core.clock()
        )
        return asyncio.run(opened)

    def make_things(self) -> Mapping[str, str]:
        """What there is, by the name of the path's parameter."""
        if self.who in ("user", "admin"):  # each time: a test may sign out
            self.headers = {"authorization": f"Bearer {self.sign_in('ann', self.who)}"}
        known = {"name": "answer_numbered", "key": "rag.alpha", "room_id": "bridges", "term": "salary"}
        if self.who == "nobody":
            return known
        file = {"file": ("bridge.txt", " ".join(BRIDGE).encode())}
        data = {"index_name": "default"}
        added = self.clients["ingest"].post("/ingest/file", files=file, data=data, headers=self.headers)
        turn = self.clients["query"].post("/ask", json=ASK | {"room_id": "bridges"}, headers=self.headers)
        if self.who != "user":
            self.clients["query"].put("/forbidden-terms/salary", json={}, headers=self.headers)
        session_id = session_id_of(self.sign_in("bob"))
        return known | {"doc_id": added.json()["doc_id"], "trace_id": turn.json()["trace_id"], "session_id": session_id}


def is_for_admins(operation: APIOperation[Any, Any, Any]) -> bool:
    return operation.path.startswith(ADMINS) or operation.label == "GET /sessions"


@pytest.mark.parametrize(("function", "operation"), EVERY)
def test_whoever_may_be_turned_away_is_told_so_beforehand(function: str, operation: APIOperation[Any, Any, Any]) -> None:
    declared = set(operation.definition.raw["responses"])
    assert {"422", "429", "503"} <= declared
    assert operation.label in PUBLIC or "401" in declared
    assert not is_for_admins(operation) or "403" in declared


@pytest.fixture(scope="module", params=["local", "user", "admin", "nobody"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))
    made = Site(request.param, tmp_path_factory.mktemp("data"))
    yield made
    asyncio.run(made.core.close())


@pytest.mark.parametrize(("function", "operation"), EVERY)
def test_a_reply_is_what_the_openapi_says(function: str, operation: APIOperation[Any, Any, Any], site: Site) -> None:
    cases, known = st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode)), site.make_things()

    @CALM
    @given(cases, st.booleans())
    def check(case: Any, of_known: bool) -> None:
        if of_known:
            case.path_parameters |= {name: known[name] for name in case.path_parameters if name in known}
        reply = case.call(session=site.clients[function], headers=site.headers)
        case.validate_response(reply, checks=CHECKS)
        if any("\n" in str(value) for value in (case.path_parameters or {}).values()):
            return  # no route has such a path
        if site.who == "nobody" and operation.label not in PUBLIC:
            assert reply.status_code == 401
        elif site.who == "user" and is_for_admins(operation):
            assert reply.status_code in (403, 422)
        elif site.who == "admin" and is_for_admins(operation):
            assert reply.status_code not in (401, 403)

    check()
