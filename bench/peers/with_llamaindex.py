"""LlamaIndex: BM25 with a stemmer and a vector index, joined by reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import Stemmer
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import TextNode
from llama_index.llms.openai_like import OpenAILike
from llama_index.retrievers.bm25 import BM25Retriever
from pydantic import PrivateAttr

from bench.peers.job import CHAT_PASSAGES, TOP, Chat, Job, Search

STEMMERS = {"en": "english", "de": "german"}
"""Its BM25 knows no Korean: words are taken as they stand."""


class Given(BaseEmbedding):
    _job: Any = PrivateAttr()

    def __init__(self, job: Job) -> None:
        super().__init__(embed_batch_size=256)
        self._job = job

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._job.vector_of_passage[text].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._job.vector_of_question[query].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def _retriever(job: Job, count: int, model: Any) -> QueryFusionRetriever:
    nodes = [TextNode(id_=id_, text=text) for id_, text in zip(job.ids, job.texts, strict=True)]
    meaning = VectorStoreIndex(nodes, embed_model=Given(job)).as_retriever(similarity_top_k=count)
    language = STEMMERS.get(job.lang)
    stemming = {"stemmer": Stemmer.Stemmer(language), "language": language} if language else {"skip_stemming": True}
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=min(count, len(nodes)), **stemming)
    return QueryFusionRetriever(
        [meaning, words], similarity_top_k=count, num_queries=1, mode=FUSION_MODES.RECIPROCAL_RANK, use_async=False, llm=model
    )


def make_search(job: Job) -> Search:
    retriever = _retriever(job, TOP, MockLLM())

    async def search(question: str) -> Sequence[str]:
        return [found.node.node_id for found in retriever.retrieve(question)]

    return search


def make_chat(job: Job) -> Chat:
    model = OpenAILike(model="stub", api_base=job.model_url, api_key="none", is_chat_model=True, context_window=32_000)
    engine = RetrieverQueryEngine.from_args(_retriever(job, CHAT_PASSAGES, model), llm=model, streaming=True)

    async def chat(question: str) -> AsyncIterator[str]:
        reply: Any = await engine.aquery(question)
        async for piece in reply.async_response_gen():
            if piece:
                yield piece

    return chat
