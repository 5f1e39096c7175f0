"""`footnote reindex`: output, refusals and exit codes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.opensearch.mapping import Names
from footnote.ports import ChunkVectors
from footnote.settings import OpenSearch
from footnote_local.terminal import Exit
from tests.contracts.backends_opensearch import delete_indexes, opensearch_settings
from tests.fakes import make_document, put_document
from tests.footnote_local.conftest import Footnote, write_beir


@pytest.fixture
def settings(opensearch_url: str, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenSearch]:
    settings = opensearch_settings(opensearch_url, tmp_path)
    for name, value in {"URL": opensearch_url, "PREFIX": settings.prefix, "LIMIT_S": "20"}.items():
        monkeypatch.setenv(f"OPENSEARCH__{name}", value)
    yield settings
    asyncio.run(delete_indexes(settings))


def with_index(settings: OpenSearch, work: Callable[[OpenSearchIndex], Awaitable[Any]]) -> None:
    async def open_and_work() -> None:
        index = OpenSearchIndex(settings)
        try:
            await work(index)
        finally:
            await index.close()

    asyncio.run(open_and_work())


@pytest.fixture
def filled(settings: OpenSearch) -> None:
    async def fill(index: OpenSearchIndex) -> None:
        await put_document(index, make_document("bridge"), ["The bridge was built in 1894.", "It is blue."])
        await put_document(index, make_document("ferry"), ["Ferries cross the river at noon."])
        await put_document(index, make_document("note", collection="notes"), ["A note."])

    with_index(settings, fill)


def test_the_embedded_index_needs_no_reindex(footnote: Footnote) -> None:
    result = footnote("reindex")
    assert (result.exit_code, result.stdout) == (Exit.OK, "")
    assert result.stderr == "Nothing to do: only an index in OpenSearch needs reindexing, and this data folder uses the embedded index.\n"
    assert json.loads(footnote("reindex", "--json").stdout) == {"collections": []}


@pytest.mark.nightly
@pytest.mark.usefixtures("filled")
def test_every_collection_is_reindexed_or_only_the_named_one(footnote: Footnote, settings: OpenSearch) -> None:
    result = footnote("reindex")
    assert (result.exit_code, result.stdout) == (Exit.OK, "")
    assert result.stderr == (
        "“default”: documents 2 → 2, chunks 3 → 3, vectors 0 → 0.\n"
        "“notes”: documents 1 → 1, chunks 1 → 1, vectors 0 → 0.\n"
        "To switch back to the old index: footnote reindex --roll-back\n"
    )
    index = Names(settings.prefix).chunks("notes")
    size = {"documents": 1, "chunks": 1, "vectors": 0}
    notes = {"collection": "notes", "swapped": True, "index": f"{index}-g0003", "old": size, "new": size}
    assert json.loads(footnote("reindex", "notes", "--json").stdout) == {"collections": [notes]}
    assert json.loads(footnote("reindex", "notes", "--roll-back", "--json").stdout) == {
        "collections": [{**notes, "index": f"{index}-g0002"}]
    }


@pytest.mark.nightly
@pytest.mark.usefixtures("filled")
def test_the_vectors_of_a_collections_own_embedder_are_taken_over(
    footnote: Footnote, settings: OpenSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING__OTHERS", '{"legal": {"provider": "bedrock", "model": "m", "dimension": 4}}')
    monkeypatch.setenv("EMBEDDING__BASE_URL", "http://127.0.0.1:9/v1")
    for name in ("notes", "default"):
        assert footnote("collections", "create", name, *(("--embedder", "legal") if name == "notes" else ())).exit_code == Exit.OK

    async def embed(index: OpenSearchIndex) -> None:
        for doc_id in ("note", "bridge"):
            await index.put_vectors("m/4", [ChunkVectors(f"{doc_id}|1|0", np.full(4, 0.5, np.float32))])

    with_index(settings, embed)
    lines = footnote("reindex").stderr.splitlines()
    assert lines[0].endswith("vectors 0 → 0.")  # those of another embedder than this collection's do not count
    assert lines[1].endswith("vectors 1 → 1.")


@pytest.mark.usefixtures("filled")
def test_the_old_index_stays_where_the_new_one_finds_less(footnote: Footnote, settings: OpenSearch, tmp_path: Path) -> None:
    queries = {"a": ("When was the bridge built?", "bridge"), "b": ("zebra", "ferry")}
    beir = write_beir(tmp_path / "judged", {"bridge": "-", "ferry": "-"}, queries)
    judged = json.loads(footnote("reindex", "default", "--judge", beir, "--json").stdout)["collections"][0]
    assert (judged["swapped"], judged["old_ndcg@10"], judged["ndcg@10"]) == (True, 0.5, 0.5)

    async def let_zebra_find_the_ferry() -> None:
        engine = OpenSearchClient(settings)
        line = {"_index": Names(settings.prefix).chunks("default"), "_id": "ferry|1|0"}
        await engine.bulk([({"update": line}, {"doc": {"tokens": "zebra"}})], refresh=True)
        await engine.close()

    asyncio.run(let_zebra_find_the_ferry())
    result = footnote("reindex", "default", "--judge", beir)
    assert (result.exit_code, result.stdout) == (Exit.BAD, "")
    assert result.stderr == (
        "“default”: documents 2 → 2, chunks 3 → 3, vectors 0 → 0, nDCG@10 1.0 → 0.5.\n"
        "The new index ranks worse and was discarded. The old index stays active.\n"
    )
    assert "ferry" in footnote("search", "zebra").stdout


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "There is no index “nowhere”."),
        (("notes", "--roll-back"), "There is no previous index to roll back to."),
        (("--judge", "{beir}"), "--judge needs a single collection."),
        (("notes", "--judge", "{beir}"), "contains none of the documents in the qrels"),
    ],
)
def test_a_reindex_that_is_not_possible_says_why(footnote: Footnote, arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    beir = write_beir(tmp_path / "judged", {"x": "-"}, {"a": ("When?", "elsewhere")})
    result = footnote("reindex", *(argument.format(beir=beir) for argument in arguments))
    assert result.exit_code == Exit.USAGE
    assert message in result.stderr
