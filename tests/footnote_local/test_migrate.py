"""Documents move between the embedded engines and OpenSearch, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pymongo
import pytest
from pydantic import SecretStr

from footnote.bootstrap import Core
from footnote.errors import BadRequest, Conflict
from footnote.guard.identity import LOCAL
from footnote.settings import DB, LLM, Embedding, Settings
from footnote.types import SYSTEM, CollectionSettings, Document, Request, StoredName, make_chunk_id
from footnote_local.evaluate import PROFILE
from footnote_local.migrate_command import run_migrate
from footnote_local.transfer.copies import list_documents, read_copy
from footnote_local.transfer.migration import embedded
from tests.fakes import FakeEmbedder, HereParser, work_all
from tests.faults.aws_world import World, open_world
from tests.footnote.ingest.spies import Killed, Spied

TOWER = b"# Tower\n\nThe lighthouse was lit in 1874. It is forty metres high.\n"
FERRY = b"# Ferry\n\nFerries cross the river at noon.\n\n## Prices\n\nA car costs nine euros.\n"

pytestmark = pytest.mark.nightly


@dataclass(slots=True)
class Sides:
    """Opens a new process on either side; `run_migrate` closes both."""

    world: World
    folder: Path
    db: DB

    def open(self) -> tuple[Core, Core]:
        common = {"footnote_data": self.folder, "llm": LLM(discover=False), "embedding": Embedding(builtin=False), "db": self.db}
        settings = self.world.settings(self.world.direct)
        patient = settings.opensearch.model_copy(update={"limit_s": 30})
        deployment = Core(settings.model_copy(update={**common, "opensearch": patient}), parser=HereParser())
        local = Core(embedded(deployment.settings), parser=HereParser())
        deployment.embedder = local.embedder = FakeEmbedder(languages=None)
        return deployment, local

    async def migrate(self, to: str, *, dry_run: bool = False) -> tuple[Any, Any]:
        plan, arrived = await run_migrate(*self.open(), to, dry_run=dry_run)
        return plan, arrived


@pytest.fixture
def sides(
    opensearch_url: str, dynamodb_url: str, mongodb_url: str, aws_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sides]:  # fmt: skip
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    for service in ("S3", "SQS", "EVENTBRIDGE"):
        monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", aws_url)
    with open_world(opensearch_url, dynamodb_url, aws_url) as world, pymongo.MongoClient[Any](mongodb_url) as client:
        db = DB(uri=SecretStr(mongodb_url), name=world.name, statistics=f"{world.name}-statistics")
        yield Sides(world, tmp_path / "data", db)
        client.drop_database(world.name)


@pytest.fixture
async def filled(sides: Sides) -> Sides:
    """The data folder holds two collections with three documents, one of which cannot be read, and a deleted collection."""
    deployment, core = sides.open()
    await core.collections.create("trips", CollectionSettings(permission_groups=("staff",)), title="Trips", description="", by="me")
    for data, name, collection, given in (
        (TOWER, "tower.md", "default", {"metadata": {"year": 1874}}),
        (FERRY, "ferry.md", "trips", {"origin": "s3://b/ferry.md", "version": "v1"}),
        (b"", "empty.txt", "trips", {}),
        (b"Nothing.", "gone.txt", "old", {}),
    ):
        await core.ingestor.accept(
            SYSTEM, data, file_name=name, collection=collection, permission_groups=["staff"], **given  # type: ignore[arg-type]
        )  # fmt: skip
    while await core.ingestor.work_one() or await core.ingestor.embed_some():
        pass
    await core.collections.delete("old", by="me")
    await core.records.put("term", "salary", {"term": "salary", "topic": "Pay"}, by="me")
    await core.records.put("session", "secret", {"user": "me"}, by="me")
    await core.close()
    await deployment.close()
    return sides


async def contents(core: Core) -> list[Any]:
    """Everything that moves, of every document that is not deleted."""
    found: list[Any] = []
    for collection in ("default", "trips"):
        for doc_id in await list_documents(core, StoredName(collection)):
            copy = await read_copy(core, doc_id, check_recipe=False)
            vectors = [
                each and (each.vector.tobytes(), None if each.sentences is None else each.sentences.tobytes()) for each in copy.vectors
            ]
            document = replace(copy.document, updated_at=0.0)
            chunks = [replace(chunk, created_at=round(chunk.created_at, 3)) for chunk in copy.chunks]
            found.append((document, sorted(copy.names), copy.source, copy.parsed, chunks, copy.bounds, vectors))
    return found


async def both(sides: Sides) -> tuple[list[Any], list[Any]]:
    deployment, local = sides.open()
    found = await contents(deployment), await contents(local)
    await deployment.close()
    await local.close()
    return found


async def test_everything_moves_to_opensearch_and_the_second_run_does_nothing(filled: Sides) -> None:
    plan, arrived = await filled.migrate("opensearch", dry_run=True)
    assert plan.records == {"collection": 1, "term": 1}
    assert ({name: len(ids) for name, ids in plan.documents.items()}, plan.there, arrived) == ({"default": 1, "trips": 2}, 0, None)
    there, here = await both(filled)
    assert (there, len(here)) == ([], 3)
    plan, arrived = await filled.migrate("opensearch")
    assert (arrived.results, arrived.refused, arrived.remade) == ({"added": 3}, {}, None)
    there, after = await both(filled)
    assert (there, after) == (here, here)
    assert any(np.frombuffer(vector, np.float32).any() for each in there for vector, _ in filter(None, each[-1]))
    plan, arrived = await filled.migrate("opensearch")
    assert (plan.count, plan.there, plan.records, arrived.results) == (0, 3, {}, {})


async def test_moved_documents_keep_their_settings_and_permissions(filled: Sides) -> None:
    await filled.migrate("opensearch")
    deployment, local = filled.open()
    await local.close()
    assert (await deployment.origins.held("s3://b/ferry.md")) is not None
    collection = (await deployment.collections.load()).find("trips")
    assert (collection.title, collection.settings.permission_groups) == ("Trips", ("staff",))
    assert (await deployment.collections.load()).find_deleted("old") is None
    term = await deployment.records.get("term", "salary")
    assert (term.value, term.changed_by, await deployment.records.get("session", "secret")) == (
        {"term": "salary", "topic": "Pay"},
        "me",
        None,
    )
    ids = await list_documents(deployment, StoredName("default"))
    (chunk,) = [each for each in await deployment.index.read(SYSTEM, [make_chunk_id(ids[0], 1, at) for at in range(9)]) if each.level == 2]
    assert (chunk.permission_groups, chunk.metadata["year"]) == (frozenset({"staff"}), 1874)
    await deployment.close()


async def test_everything_moves_back_into_an_empty_folder(filled: Sides, tmp_path: Path) -> None:
    await filled.migrate("opensearch")
    there, _ = await both(filled)
    filled.folder = tmp_path / "other"
    _, arrived = await filled.migrate("embedded")
    assert (arrived.results, arrived.refused) == ({"added": 3}, {})
    after, here = await both(filled)
    assert (here, after) == (there, there)


@pytest.mark.parametrize("retriever", ["cc", "bm25", "knn"])
async def test_a_question_finds_the_same_passages_on_both_sides(retriever: Any, filled: Sides) -> None:
    await filled.migrate("opensearch")
    deployment, local = filled.open()
    for question, collection in (("When was the lighthouse lit?", "default"), ("What does a car cost?", "trips"), ("river", "trips")):
        found = []
        for core in (deployment, local):
            turn = await core.retrieve.finish(core.new_turn(Request(question, collection, retriever=retriever), LOCAL, PROFILE))
            found.append({(hit.chunk.chunk_id, hit.chunk.text) for hit in turn.evidence.hits})
        assert found[0] == found[1] != set()
    await deployment.close()
    await local.close()


@pytest.mark.parametrize(
    "call", ["files.put", "lifecycle.restore", "generations.stage", "generations.activate", "vectors.put_vectors", "lifecycle.update"]
)
async def test_a_killed_migration_is_continued(call: str, filled: Sides) -> None:
    deployment, local = filled.open()

    async def kill(made: str, is_after: bool) -> None:
        if made == call and is_after:
            raise Killed

    for name in ("files", "ledger", "lifecycle", "index"):
        setattr(deployment, name, Spied(name, getattr(deployment, name), kill))
    with pytest.raises(Killed):
        await run_migrate(deployment, local, "opensearch", dry_run=False)
    _, arrived = await filled.migrate("opensearch")
    assert arrived.refused == {}
    there, here = await both(filled)
    assert there == here


async def test_a_document_that_changed_here_since_stays_as_it_is_there(filled: Sides) -> None:
    await filled.migrate("opensearch")
    deployment, local = filled.open()
    await deployment.close()
    changed: Document = await local.ingestor.accept(
        SYSTEM, TOWER + b"It was repaired in 1999.", file_name="tower.md", collection="default", permission_groups=["staff"]
    )  # fmt: skip
    await work_all(local)
    await local.close()
    _, arrived = await filled.migrate("opensearch")
    assert arrived.refused == {changed.doc_id: "differs"}


async def test_a_collection_of_the_same_name_there_is_not_mixed_up(filled: Sides) -> None:
    deployment, local = filled.open()
    await local.close()
    await deployment.collections.edit("other", lambda was: replace(was, name="trips"), by="me")
    await deployment.close()
    with pytest.raises(Conflict, match="“trips” leads to another collection"):
        await filled.migrate("opensearch")


async def test_only_the_index_moves_where_both_sides_have_the_same_ledger(opensearch_url: str, tmp_path: Path, sides: Sides) -> None:
    settings = Settings(
        footnote_data=tmp_path / "one", opensearch=sides.world.settings(sides.world.direct).opensearch,
        embedding=Embedding(builtin=False), llm=LLM(discover=False),
    )  # fmt: skip

    def open_both() -> tuple[Core, Core]:
        made = Core(settings, parser=HereParser()), Core(embedded(settings), parser=HereParser())
        for core in made:
            core.embedder = FakeEmbedder(languages=None)
        return made

    deployment, local = open_both()
    await local.ingestor.accept(SYSTEM, TOWER, file_name="tower.md", collection="default", permission_groups=["staff"])
    while await local.ingestor.work_one() or await local.ingestor.embed_some():
        pass
    before = await contents(local)
    plan, arrived = await run_migrate(deployment, local, "opensearch", dry_run=False)
    assert (plan.shares_ledger, arrived and arrived.results) == (True, {"added": 1})
    deployment, local = open_both()
    assert (await contents(deployment), await contents(local)) == (before, before)
    plan, arrived = await run_migrate(deployment, local, "opensearch", dry_run=False)
    assert (plan.there, arrived and arrived.results) == (1, {})


async def test_without_a_deployment_the_command_says_what_to_set(tmp_path: Path) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    with pytest.raises(BadRequest, match="Set OPENSEARCH__URL"):
        await run_migrate(Core(settings), Core(settings), "opensearch", dry_run=True)
