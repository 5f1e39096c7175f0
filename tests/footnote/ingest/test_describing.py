"""Documents are READY before a model describes them, and what happens to them meanwhile counts for more than its description."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest.describe_by_model import MOST_FAILURES
from footnote.ingest.describing_day import DAY_S, MEASURED, SLOW_S
from footnote.ingest.moving import move
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller, CollectionSettings, Document
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.footnote.ingest.test_describe_by_model import ME, PATH, REPLY, describe_all, says
from tests.openai_server import Reply, Server, serving

GUEST = Caller("eve", groups=frozenset({"guests"}))
TEXT = "The lighthouse of Hagen was lit in 1874. Its keeper lived in the tower until 1931. The lamp burned oil."
SECTIONS = f"# The tower\n\n{TEXT * 12}\n\n# The harbour\n\nThe harbour is small and old, and nobody comes there in winter.\n"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as made:
        made.replies[PATH] = says(REPLY)
        yield made


@pytest.fixture
async def make(tmp_path: Path, server: Server, clock: HandClock) -> AsyncIterator[Callable[..., Core]]:
    cores: list[Core] = []

    def build(model: str = "scribe", **ingest: Any) -> Core:
        llm = LLM(discover=False, base_url=f"{server.url}/v1", model=model, retries=0, input_price=1, output_price=2)
        settings = Settings(footnote_data=tmp_path, ingest=Ingest(**ingest), llm=llm, embedding=Embedding(builtin=False))
        cores.append(Core(settings, clock=clock))
        cores[-1].descriptions.model.pause.timer = clock
        return cores[-1]

    yield build
    for core in cores:
        await core.close()


@pytest.fixture
def core(make: Callable[..., Core]) -> Core:
    return make()


async def add(core: Core, text: str = TEXT, **given: Any) -> Document:
    """A READY document."""
    given = {"permission_groups": ["staff"], "file_name": "tower.md", "collection": "default", **given}
    document = await core.ingestor.accept(ME, text.encode(), **given)
    await work_all(core)
    document = await core.ledger.get(ME, document.doc_id)
    assert document.state == "READY"
    return document


async def types_of(core: Core) -> list[str]:
    """The `type` of every document, as passages have it."""
    return sorted(chunk.metadata["type"] for chunk in await core.index.sample(ME, "default", 9))


def taking(clock: HandClock, seconds: float) -> Callable[[Any], Reply]:
    def reply(_: Any) -> Reply:
        clock.advance(seconds)
        return says(REPLY)

    return reply


@pytest.mark.parametrize(("enrichment", "chunker"), [("auto", "structure"), ("questions", "structure"), ("patterns", "hierarchical")])
async def test_a_document_is_ready_before_the_model_is_asked(
    make: Callable[..., Core], server: Server, enrichment: str, chunker: Any
) -> None:
    core = make(enrichment=enrichment, chunk_tokens=100)
    await core.collections.create("default", CollectionSettings(chunker), title="", description="", by="me")
    document = await add(core, SECTIONS)
    assert (server.requests, document.described_by, document.generation) == ([], "waiting", 1)
    await describe_all(core)
    described = await core.ledger.get(ME, document.doc_id)
    assert len(server.requests) > 0
    assert (described.described_by, described.state, described.generation, described.updated_at) == ("model", "READY", 1, core.clock())


async def test_a_description_leaves_vectors_passages_and_digest(core: Core) -> None:
    document = await add(core)
    before = await core.index.read(ME, [f"{document.doc_id}|1|{number}" for number in range(9)])
    await describe_all(core)
    after = await core.index.read(ME, [f"{document.doc_id}|1|{number}" for number in range(9)])
    assert [(each.chunk_id, each.text) for each in after] == [(each.chunk_id, each.text) for each in before]
    assert [each.metadata["topics"] for each in after] == [["lighthouse history", "Hagen"]] * len(before)
    assert (await core.ledger.get(ME, document.doc_id)).digest == document.digest


async def test_another_process_goes_on_where_one_died(make: Callable[..., Core], clock: HandClock) -> None:
    first = make()
    for number in range(3):
        await add(first, f"{TEXT} {number}", file_name=f"{number}.md")
    assert await first.descriptions.describe_next()
    second = make()
    await second.ingestor.recover()
    await describe_all(second)
    assert await types_of(second) == ["article"] * 3


async def test_a_document_is_described_by_one_process_only(make: Callable[..., Core], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make(), make()
    await add(first)
    taken: list[bool] = []

    async def meanwhile(*given: Any) -> dict[str, Any]:
        taken.append(await second.descriptions.describe_next())
        return {}

    monkeypatch.setattr(type(first.descriptions.model), "describe", meanwhile)
    assert await first.descriptions.describe_next()
    assert taken == [False]


async def delete(core: Core, document: Document) -> None:
    await core.ingestor.delete(ME, document.doc_id, keep=True)


async def write_anew(core: Core, document: Document) -> None:
    await core.ingestor.accept(ME, b"A new text on the harbour.", file_name="tower.md", collection="default", permission_groups=["staff"])
    await work_all(core)


async def change_readers(core: Core, document: Document) -> None:
    await move(core.ingestor, ME, document.doc_id, permission_groups=["board"])


@pytest.mark.sample
@pytest.mark.parametrize(("change", "left"), [(delete, []), (write_anew, ["markdown"]), (change_readers, ["markdown"])])
@pytest.mark.parametrize("enrichment", ["descriptions", "questions"])
async def test_a_late_description_does_not_undo_newer_changes(
    make: Callable[..., Core],
    change: Callable[[Core, Document], Awaitable[None]],
    left: list[str],
    enrichment: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    core = make(enrichment=enrichment)
    document = await add(core, permission_groups=["guests"] if change is change_readers else ["staff"])
    kind, asked = type(core.descriptions.model), 0

    async def late(*given: Any) -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked += 1
            await change(core, document)
        return {"summary": "The secret of the tower of Hagen.", "type": "article"}

    monkeypatch.setattr(kind, "describe", late)
    assert await core.descriptions.describe_next()
    await work_all(core)
    passages = await core.index.sample(ME, "default", 9)
    assert [chunk.metadata["type"] for chunk in passages] == left
    assert not any("secret" in chunk.metadata["additional_field"] for chunk in passages)
    assert await core.index.sample(GUEST, "default", 9) == []
    assert [each.described_by for each in await core.lifecycle.of_kind("undescribed", 9)] == ["waiting"] * len(left)
    assert {item.generation async for item in core.generations.inventory()} == ({2} if left else set())


async def test_a_slow_model_is_left_alone_until_the_next_day(
    make: Callable[..., Core], server: Server, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    core = make()
    server.replies[PATH] = taking(clock, SLOW_S)
    for number in range(MEASURED + 2):
        await add(core, f"{TEXT} {number}", file_name=f"{number}.md")
    await describe_all(core)
    status = await core.descriptions.status()
    assert (len(server.requests), status.state, status.waiting, status.seconds, status.minutes) == (MEASURED, "slow", 2, SLOW_S, 1)
    assert "descriptions stopped: the model is slow" in caplog.messages
    assert (await make("another").descriptions.status()).state == "waiting"
    clock.advance(DAY_S)
    await describe_all(core)
    assert (await core.descriptions.status()).state == "done"


async def test_a_model_that_is_slow_once_goes_on(core: Core, server: Server, clock: HandClock) -> None:
    seconds = iter([SLOW_S * 2, 1.0, 1.0, 1.0])
    server.replies[PATH] = lambda _: taking(clock, next(seconds))(_)
    for number in range(4):
        await add(core, f"{TEXT} {number}", file_name=f"{number}.md")
    await describe_all(core)
    assert await types_of(core) == ["article"] * 4


@pytest.mark.parametrize(
    ("limit", "state"),
    [
        ({"describing_minutes_per_day": 0.5}, "time"),
        ({"describing_tokens_per_day": 1500}, "budget"),
        ({"describing_money_per_day": 0.0016}, "budget"),
    ],
)
async def test_a_days_bound_ends_descriptions_until_the_next(
    make: Callable[..., Core], server: Server, clock: HandClock, limit: dict[str, Any], state: str
) -> None:
    core = make(**limit)
    server.replies[PATH] = taking(clock, 15)
    for number in range(4):
        await add(core, f"{TEXT} {number}", file_name=f"{number}.md")
    await describe_all(core)
    status = await core.descriptions.status()
    assert (len(server.requests), status.state, status.waiting) == (2, state, 2)
    assert (status.minutes, status.tokens, status.money) == (0.5, 1500, 0.0016)
    clock.advance(DAY_S)
    await describe_all(core)
    assert len(server.requests) == 4


async def test_by_default_time_tokens_and_money_are_bounded(core: Core) -> None:
    status = await core.descriptions.status()
    assert (status.minutes_limit, status.tokens_limit, status.money_limit) == (120, 2_000_000, 1)


async def test_an_unusable_reply_leaves_the_description_by_patterns(core: Core, server: Server) -> None:
    server.replies[PATH] = says("I cannot do that.")
    document = await add(core)
    await describe_all(core)
    assert (await core.ledger.get(ME, document.doc_id)).described_by == "patterns"
    assert await types_of(core) == ["markdown"]


async def test_a_document_that_the_model_fails_on_waits_behind_the_others(core: Core, server: Server, clock: HandClock) -> None:
    server.replies[PATH] = lambda sent: Reply(500, ("{}",)) if "poison" in str(sent) else says(REPLY)
    first = await add(core, f"{TEXT} The poison.", file_name="poison.md")
    for number in range(MOST_FAILURES):
        await add(core, f"{TEXT} {number}", file_name=f"{number}.md")
    await describe_all(core)
    assert await types_of(core) == ["article"] * MOST_FAILURES + ["markdown"]
    assert [each.doc_id for each in await core.lifecycle.of_kind("undescribed", 9)] == [first.doc_id]


async def test_without_a_model_nothing_waits(make: Callable[..., Core]) -> None:
    core = make(enrichment="patterns")
    assert (await add(core)).described_by == "patterns"
    assert (await core.descriptions.status()).state == "off"
