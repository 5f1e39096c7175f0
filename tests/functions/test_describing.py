"""What the APIs tell about a model's descriptions, and the schedule that makes them in AWS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.knowledge.recipes import recipe_of
from footnote.ports import LayerScope
from footnote.settings import AWS, LLM, Embedding, Ingest, Settings
from footnote.types import CollectionSettings
from footnote_ingest.app import create_app, create_handler
from footnote_ingest.describing_schedule import describe
from tests.conftest import HandClock
from tests.fakes import make_document, put_document, switch_on, work_all
from tests.footnote.ingest.test_describe_by_model import PATH, REPLY, says
from tests.functions.conftest import sample_event
from tests.openai_server import Server, serving

TEXT = b"The lighthouse of Hagen was lit in 1874. Its keeper lived in the tower until 1931. The lamp burned oil."


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as made:
        made.replies[PATH] = says(REPLY)
        yield made


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, server: Server) -> AsyncIterator[Core]:
    llm = LLM(discover=False, base_url=f"{server.url}/v1", model="scribe", retries=0, input_price=1, output_price=2)
    ingest = Ingest(describing_tokens_per_day=750)
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=llm, ingest=ingest), clock=clock)
    yield made
    await made.close()


async def test_the_status_tells_what_waits_what_it_cost_and_why_it_stopped(core: Core, clock: HandClock) -> None:
    transport = httpx.ASGITransport(create_app(lambda: core))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:

        async def status() -> dict[str, object]:
            found = (await client.get("/ingest/status")).json()["descriptions"]
            return {name: found[name] for name in ("state", "waiting", "tokens", "money")} | {"limit": found["tokens_limit"]}

        ids = []
        for number in range(2):
            clock.advance(1)
            file = {"file": (f"{number}.txt", TEXT + str(number).encode())}
            ids.append((await client.post("/ingest/file", files=file, data={"index_name": "default"})).json()["doc_id"])
        await work_all(core)
        assert await status() == {"state": "waiting", "waiting": 2, "tokens": 0, "money": 0, "limit": 750}
        by_patterns = (await client.get(f"/documents/{ids[0]}")).json()
        assert (by_patterns["state"], "type=text" in by_patterns["additional_field"]) == ("READY", True)
        assert await core.descriptions.describe_next()
        assert await status() == {"state": "budget", "waiting": 1, "tokens": 750, "money": 0.0008, "limit": 750}
        assert "type=article" in (await client.get(f"/documents/{ids[0]}")).json()["additional_field"]


async def test_the_schedule_describes_in_aws_what_waits(core: Core, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        await core.ingestor.accept(
            LOCAL, TEXT + str(number).encode(), file_name=f"{number}.txt", collection="default", permission_groups=["*"]
        )
    await work_all(core)
    assert await describe(core, 60) == {"described": 0, "built": 0}  # the worker does it on one machine
    in_aws = AWS(queue_url="https://sqs.test/q")
    limits = core.settings.ingest.model_copy(update={"describing_tokens_per_day": 0})
    core.live.current = core.settings.model_copy(update={"aws": in_aws, "ingest": limits})
    assert await describe(core, 60) == {"described": 2, "built": 0}
    assert len(server.requests) == 2


async def test_the_schedule_cuts_off_a_model_that_hangs_and_the_document_waits(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await core.ingestor.accept(LOCAL, TEXT, file_name="a.txt", collection="default", permission_groups=["*"])
    await work_all(core)
    core.live.current = core.settings.model_copy(update={"aws": AWS(queue_url="https://sqs.test/q")})

    async def hang(*given: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(type(core.descriptions.model), "describe", hang)
    assert await describe(core, 0.05) == {"described": 0, "built": 0}
    assert len(await core.lifecycle.of_kind("undescribed", 9)) == 1


async def test_the_schedule_builds_what_collections_switch_on_and_removes_the_rest(core: Core) -> None:
    await put_document(core.generations, make_document("people"), ["Ann Mason runs the Acme Works.", "It rained."])
    await switch_on(core, "graph")
    assert await describe(core, 60) == {"described": 0, "built": 0}  # the worker does it on one machine
    core.live.current = core.settings.model_copy(update={"aws": AWS(queue_url="https://sqs.test/q")})
    assert await describe(core, 60) == {"described": 0, "built": 2}
    scope = LayerScope("default", "graph", recipe_of("graph", "rules", None))
    assert await core.knowledge.layer_progress(scope) == (2, 2)
    await core.collections.edit("default", lambda now: replace(now, settings=CollectionSettings()), by="admin")
    assert await describe(core, 60) == {"described": 0, "built": 0}
    assert await core.knowledge.layer_progress(scope) == (0, 2)


def test_the_event_reaches_it(core: Core) -> None:
    class Context:
        def get_remaining_time_in_millis(self) -> int:
            return 60_000

    assert create_handler(create_app(lambda: core))(sample_event("ingest_describe"), Context()) == {"described": 0, "built": 0}
