"""Measures search in a large embedded index, without a language model: by words alone, by vectors alone, and the whole search.

Passages are random sentences of the sets, so that a word is as frequent among them as in the sets; their vectors are random,
because which passages are found does not matter here. The questions are squad2's, embedded as always. Processor time is that of the
whole process, without the other programs that share the machine.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench.figures import Figure, NotMeasured, Setup, log_progress
from footnote.bootstrap import Core
from footnote.ingest.vectors import RECIPE
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile
from footnote.ports import ChunkVectors, Embedder
from footnote.settings import LLM, Settings
from footnote.text.sentences import split_sentences
from footnote.types import Chunk, Document, IntelligenceLevel, Request, Search, make_chunk_id
from footnote_local.evaluate import CALLER, PROFILE

SETS = ("squad2", "xquad_en", "cranfield", "mtrag_un")
OF_A_DOCUMENT, SENTENCES = 50, 7
QUESTIONS, FIRST = 300, 20
"""Questions that are timed, and those before them, which open files."""
DIMENSION = 384
MOST_MS = {("words", 100_000): 12, ("words", 1_000_000): 100}
"""Part and number of passages → what its median may take."""
COMMAND = "python -m bench --only large"


def measure(setup: Setup) -> Iterator[Figure]:
    found = [folder for name in SETS if (folder := setup.find(name)) is not None]
    texts = [document.text for folder in found for document in load_golden(folder).documents]
    questions = [query.text for query in load_golden(setup.need(SETS[0]), limit=QUESTIONS + FIRST).queries]
    yield from asyncio.run(_run(texts, questions, setup))


async def _run(texts: Sequence[str], questions: Sequence[str], setup: Setup) -> list[Figure]:
    number = setup.passages
    core = Core(Settings(footnote_data=setup.cache / f"large-{number}", llm=LLM(discover=False)))
    command = f"{COMMAND} --passages {number}"
    figures: list[Figure] = []
    try:
        if core.embedder is None:
            raise NotMeasured("This needs the built-in embedder.")
        figures += await _fill(core, core.embedder, texts, number)
        vectors = dict(zip(questions, await core.embedder.embed(questions, query=True), strict=True))
        embedder = core.embedder.name

        async def search(question: str, level: IntelligenceLevel) -> None:
            await core.retrieve.finish(core.new_turn(Request(question, "default", level=level), CALLER, PROFILE))

        parts: dict[str, Callable[[str], Awaitable[Any]]] = {
            "words": lambda question: core.index.candidates(CALLER, Search("default", question, spoken=frozenset({"en"}))),
            "vectors": lambda question: core.index.candidates(CALLER, Search("default", vector=vectors[question], embedder=embedder)),
            "whole search, basic": lambda question: search(question, "basic"),
            "whole search, standard": lambda question: search(question, "standard"),
        }
        for part, ask in parts.items():
            log_progress(f"{part}: {len(questions)} questions")
            times = [await _time(ask, question) for question in questions][FIRST:]
            for name, measured in zip(("", " of the processor"), zip(*times, strict=True), strict=True):
                most = None if name else MOST_MS.get((part, number))
                figures.append(Figure(f"{number} passages: {part}, p50{name}", percentile(measured, 0.5), "ms", command, most=most))
                figures.append(Figure(f"{number} passages: {part}, p95{name}", percentile(measured, 0.95), "ms", command))
    finally:
        await core.close()
    return figures


async def _time(ask: Callable[[str], Awaitable[Any]], question: str) -> tuple[float, float]:
    """(time, processor time) in ms."""
    started, worked = perf_counter(), process_time()
    await ask(question)
    return (perf_counter() - started) * 1000, (process_time() - worked) * 1000


async def _fill(core: Core, embedder: Embedder, texts: Sequence[str], passages: int) -> list[Figure]:
    """Indexes the passages that an earlier run did not."""
    chance, started, worked = np.random.default_rng(1), perf_counter(), False
    for document, chunks in make_documents(texts, passages):
        if await core.index.read(CALLER, [chunks[0].chunk_id]):
            continue
        worked = True
        bounds = [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks]
        await core.generations.stage(document, chunks, bounds)
        await core.generations.activate(document.doc_id, document.generation)
        vectors = chance.normal(size=(len(chunks), DIMENSION)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        made = [
            ChunkVectors(chunk.chunk_id, vector, chance.integers(-127, 128, size=(len(of_chunk), DIMENSION), dtype=np.int8), RECIPE)
            for chunk, vector, of_chunk in zip(chunks, vectors, bounds, strict=True)
        ]
        await core.vectors.put_vectors(embedder.name, made)
        if document.doc_id.endswith("00"):
            log_progress(f"{document.title} indexed")
    return [Figure(f"{passages} passages: indexed", perf_counter() - started, "s", COMMAND)] if worked else []


def make_documents(texts: Sequence[str], passages: int) -> Iterator[tuple[Document, list[Chunk]]]:
    """Passages of random sentences of the texts."""
    chance = random.Random(1)
    sentences = [text[start:end] for text in texts for start, end in split_sentences(text, "en")]
    for number in range(passages // OF_A_DOCUMENT):
        doc_id = f"d{number}"
        document = Document(doc_id, f"Record {number}", "default", doc_id, "READY", "", 0, frozenset({"*"}), generation=1, lang="en")
        yield (
            document,
            [
                Chunk(
                    make_chunk_id(doc_id, 1, at),
                    doc_id,
                    1,
                    at,
                    2,
                    document.title,
                    " ".join(chance.choices(sentences, k=SENTENCES)),
                    "en",
                    "default",
                    permission_groups=frozenset({"*"}),
                )
                for at in range(OF_A_DOCUMENT)
            ],
        )
