"""Where an endpoint of embeddings or a reranker is set without a model, its model is the documented one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.http.reranker import HttpReranker
from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Rerank, Settings


def make_core(folder: Path, **groups: Any) -> Core:
    return Core(Settings(footnote_data=folder, llm=LLM(discover=False), **groups))


@pytest.mark.parametrize(
    ("embedding", "name"),
    [
        (Embedding(base_url="http://vectors.test/v1"), "nomic-embed-text"),
        (Embedding(base_url="http://vectors.test/v1", model=""), "nomic-embed-text"),
        (Embedding(base_url="http://vectors.test/v1", model="bge-m3"), "bge-m3"),
        (Embedding(base_url="http://vectors.test/v1", query_prefix="search_query: "), "nomic-embed-text"),
        (Embedding(base_url="http://vectors.test/v1", passage_prefix="search_document: "), 'nomic-embed-text "search_document: "'),
        (Embedding(model="bge-m3", builtin=False), None),
        (Embedding(builtin=False), None),
    ],
)
async def test_the_embedder_of_an_endpoint_is_nomic_unless_another_is_named(embedding: Embedding, name: str | None, tmp_path: Path) -> None:
    core = make_core(tmp_path, embedding=embedding)
    assert (core.embedder.name if core.embedder else None) == name
    assert core.embedder is None or core.embedder.dimension == 768
    await core.close()


async def test_without_an_endpoint_the_builtin_embedder_keeps_its_name(tmp_path: Path) -> None:
    """It is part of the index's version: another name would embed every passage again."""
    core = make_core(tmp_path)
    assert core.embedder is None or core.embedder.name == "multilingual-e5-small"
    await core.close()


@pytest.mark.parametrize(
    ("rerank", "sent"),
    [
        (Rerank(base_url="http://reranker.test"), "BAAI/bge-reranker-v2-m3"),
        (Rerank(base_url="http://reranker.test", model="own"), "own"),
        (Rerank(base_url="http://reranker.test", shape="tei"), None),
        (Rerank(base_url="http://reranker.test", shape="voyage"), None),
    ],
)
def test_a_server_with_jinas_api_is_asked_for_bge_unless_another_is_named(rerank: Rerank, sent: str | None) -> None:
    assert rerank.model_at_server == sent


async def test_the_reranker_is_made_with_that_name_and_only_with_a_server(tmp_path: Path) -> None:
    named = make_core(tmp_path, rerank=Rerank(base_url="http://reranker.test"))
    assert isinstance(named.reranker, HttpReranker)
    assert named.reranker._model == "BAAI/bge-reranker-v2-m3"
    assert make_core(tmp_path).reranker is None
    await named.close()
