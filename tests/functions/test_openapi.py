"""Every function keeps to its OpenAPI, whatever is sent: no 5xx, no status, type or body that it does not name."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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

from feedback.app import create_app as create_feedback
from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from ingest.app import create_app as create_ingest
from query.app import create_app as create_query
from stats.app import create_app as create_stats
from tests.fakes import FakeEmbedder, FakeModels, SameModel
from tests.functions.conftest import ASK, BRIDGE

CREATE = {"query": create_query, "ingest": create_ingest, "feedback": create_feedback, "stats": create_stats}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALM = settings(  # the same examples in every run; FOOTNOTE_EXAMPLES=150 looks further
    max_examples=int(os.environ.get("FOOTNOTE_EXAMPLES", "12")),
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations(function: str) -> list[APIOperation[Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(CREATE[function]().openapi())
    return [result.ok() for result in schema.get_all_operations()]


EVERY = [pytest.param(name, operation, id=f"{name}-{operation.label}") for name in CREATE for operation in operations(name)]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))
    folder: Path = tmp_path_factory.mktemp("data")
    made = Core(Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    made.embedder = FakeEmbedder()  # without one, a search by meaning is a 503 that the OpenAPI names
    made.models = FakeModels(SameModel())  # without one, so is what only a model can answer
    yield made
    asyncio.run(made.close())


@pytest.fixture(scope="module")
def clients(core: Core) -> dict[str, ASGIClient]:
    return {name: ASGIClient(create(lambda: core)) for name, create in CREATE.items()}


@pytest.fixture
def known(clients: dict[str, ASGIClient]) -> dict[str, str]:
    """Things that exist, by the name of the path's parameter."""
    file = {"file": ("bridge.txt", " ".join(BRIDGE).encode())}
    doc_id = clients["ingest"].post("/ingest/file", files=file, data={"index_name": "default"}).json()["doc_id"]
    trace_id = clients["query"].post("/ask", json=ASK | {"room_id": "bridges"}).json()["trace_id"]
    return {"doc_id": doc_id, "trace_id": trace_id, "room_id": "bridges", "name": "answer_numbered", "key": "rag.alpha"}


@pytest.mark.parametrize(("function", "operation"), EVERY)
def test_a_reply_is_what_the_openapi_says(
    function: str, operation: APIOperation[Any, Any, Any], clients: dict[str, ASGIClient], known: dict[str, str]
) -> None:
    cases = st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode))

    @CALM
    @given(cases, st.booleans())
    def check(case: Any, of_known: bool) -> None:
        if of_known:
            case.path_parameters |= {name: known[name] for name in case.path_parameters if name in known}
        case.validate_response(case.call(session=clients[function]), checks=CHECKS)

    check()
