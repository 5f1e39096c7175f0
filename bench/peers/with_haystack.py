"""Haystack: BM25 and embedding retrievers over an in-memory store, joined by reciprocal rank fusion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from bench.peers.job import CHAT_PASSAGES, PROMPT, TOP, Chat, Job, Search


def _pipeline(job: Job, count: int) -> Pipeline:
    store = InMemoryDocumentStore()
    rows = zip(job.ids, job.texts, job.passage_vectors, strict=True)
    store.write_documents([Document(id=id_, content=text, embedding=vector.tolist()) for id_, text, vector in rows])
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=count))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(store, top_k=count))
    pipeline.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=count))
    pipeline.connect("words", "join")
    pipeline.connect("meaning", "join")
    return pipeline


def _asked(job: Job, question: str) -> dict[str, Any]:
    return {"words": {"query": question}, "meaning": {"query_embedding": job.vector_of_question[question].tolist()}}


def make_search(job: Job) -> Search:
    pipeline = _pipeline(job, TOP)

    async def search(question: str) -> Sequence[str]:
        return [document.id for document in pipeline.run(_asked(job, question))["join"]["documents"]]

    return search


def make_chat(job: Job) -> Chat:
    template = PROMPT.replace("{context}", "{% for d in documents %}{{ d.content }}\n\n{% endfor %}").replace(
        "{question}", "{{ question }}"
    )
    pipeline = _pipeline(job, CHAT_PASSAGES)
    pipeline.add_component("prompt", ChatPromptBuilder(template=[ChatMessage.from_user(template)], required_variables="*"))
    pipeline.add_component("model", OpenAIChatGenerator(api_key=Secret.from_token("none"), model="stub", api_base_url=job.model_url))
    pipeline.connect("join", "prompt.documents")
    pipeline.connect("prompt", "model")

    async def chat(question: str) -> AsyncIterator[str]:
        pieces: asyncio.Queue[str | None] = asyncio.Queue()

        async def take(chunk: Any) -> None:
            await pieces.put(chunk.content)

        async def run() -> None:
            try:
                await pipeline.run_async({**_asked(job, question), "prompt": {"question": question}, "model": {"streaming_callback": take}})
            finally:
                await pieces.put(None)

        task = asyncio.create_task(run())
        while (piece := await pieces.get()) is not None:
            if piece:
                yield piece
        await task

    return chat
