"""Compares OpenSearch with the embedded index: the same passages, questions and vectors, through the pipeline steps of an answer.

Needs OPENSEARCH__URL. Writes under its own prefixes and deletes them. Vectors are those of the embedded index; the large
index gets random vectors, because their quality does not matter there.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.figures import Figure, NotMeasured, Setup, log_progress
from bench.large import DIMENSION, make_documents
from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.adapters.opensearch.mapping import Names
from footnote.bootstrap import Core
from footnote.errors import FootnoteError
from footnote.learn.golden import GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg, percentile
from footnote.ports import ChunkVectors, VectorScope
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.search import search
from footnote.settings import OpenSearch, Settings
from footnote.text.sentences import split_sentences
from footnote.text.tokens import query_tokens
from footnote.types import Chunk, Document, Request, Turn
from footnote_local.evaluate import AT_ONCE, CALLER, DEPTH, PROFILE, TOP, build_index, drop_index

SETS = ("squad2", "korquad", "xquad_de", "xquad_en", "cranfield", "mtrag_un")
QUESTIONS, TIMED = 1000, 300
MOST_LOST = 0.01
LEAST_OVERLAP = 0.9
HELD_TO_OVERLAP = ("squad2", "korquad")
MOST_TIMES = 2
"""What a fused search, of lists of a hundred, may take of a bare one by words for a hundred hits."""
PASSAGES, WRITERS = 20_000, 4
COMMAND = "python -m bench --only opensearch"


Ask = Callable[[int], Coroutine[Any, Any, Any]]
"""Asks the question of this number."""


def measure(setup: Setup) -> Iterator[Figure]:
    settings = Settings()
    if settings.opensearch.url is None:
        raise NotMeasured("It needs an OpenSearch. Name it: OPENSEARCH__URL=http://localhost:9200")
    found = {name: folder for name in SETS if (folder := setup.find(name)) is not None}
    for name, folder in found.items():
        yield from asyncio.run(_beside(name, load_golden(folder, limit=QUESTIONS), settings, setup.cache))
    texts = [document.text for folder in found.values() for document in load_golden(folder).documents]
    if texts:
        yield from asyncio.run(_large(settings, texts))


# --- the sets ------------------------------------------------------------------------------------


async def _beside(name: str, golden: GoldenSet, settings: Settings, cache: Path) -> list[Figure]:
    log_progress(f"{name}: {len(golden.documents)} documents, {len(golden.queries)} questions")
    theirs, seconds = await build_index(golden, settings, cache / "eval", lambda what, done, total: None)
    ours = Core(theirs.settings.model_copy(update={"opensearch": OpenSearch()}))
    log_progress(f"{name}: indexed in {seconds:.1f} s")
    scores: list[float] = []
    their_scores: list[float] = []
    overlaps: list[float] = []
    timed: list[Turn] = []
    try:
        for number, query in enumerate(golden.queries):
            turn = await ours.retrieve.finish(ours.new_turn(Request(query.text, "default", limit=DEPTH), CALLER, PROFILE))
            bare = turn.again()
            other = await theirs.retrieve.finish(bare)
            for each, into in ((turn, scores), (other, their_scores)):
                into.append(ndcg(list(dict.fromkeys(hit.chunk.doc_id for hit in each.evidence.hits)), query.relevance))
            first, second = [{hit.chunk.chunk_id for hit in each.evidence.hits[:TOP]} for each in (turn, other)]
            overlaps.append(len(first & second) / max(len(first), len(second), 1))
            if number % max(1, len(golden.queries) // TIMED) == 0:
                timed.append(bare.again(limit=TOP))
        figures = await _times(name, theirs, timed)
    finally:
        await ours.close()
        await theirs.close()
        await drop_index(theirs)
    mean, low, high = mean_interval(scores)
    their_mean, their_low, their_high = mean_interval(their_scores)
    log_progress(
        f"{name}: nDCG@10 {mean:.3f} ({low:.3f}–{high:.3f}) embedded, {their_mean:.3f} ({their_low:.3f}–{their_high:.3f}) in OpenSearch"
    )
    least = LEAST_OVERLAP if name in HELD_TO_OVERLAP else None
    return [
        Figure(f"{name}: nDCG@10, embedded", mean, "", COMMAND),
        Figure(f"{name}: nDCG@10, OpenSearch", their_mean, "", COMMAND, least=mean - MOST_LOST),
        Figure(f"{name}: the same among the first {TOP}", sum(overlaps) / len(overlaps), "", COMMAND, least=least),
        *figures,
    ]


async def _times(name: str, core: Core, turns: Sequence[Turn]) -> list[Figure]:
    """Times hybrid retrieval with the vector given, all steps up to the passages, and full-text searches for the ids of 10 and
    of 100 hits. Interleaved, so that a slow moment of the machine affects all alike."""
    client, alias = OpenSearchClient(core.settings.opensearch), Names(core.settings.opensearch.prefix).chunks("default")
    questions = [" ".join(query_tokens(turn.request.question, turn.lang)) for turn in turns]

    def by_words(number: int) -> Ask:
        async def ask(question: int) -> None:
            body = {"size": number, "query": {"match": {"tokens": questions[question]}}, "_source": False, "track_total_hits": False}
            await client.search(alias, body)

        return ask

    async def fused(question: int) -> None:
        found = await search(turns[question], index=core.index, embedder=core.embedder, rag=core.settings.rag)
        await fuse_lists(found, embedder=core.embedder, rag=core.settings.rag)

    async def whole(question: int) -> None:
        await core.retrieve.finish(turns[question])

    parts: list[tuple[str, Ask]] = [("fused", fused), ("whole", whole), ("10", by_words(10)), ("100", by_words(100))]
    times: dict[str, list[float]] = {part: [] for part, _ in parts}
    for question in range(len(turns)):
        for part, ask in parts[question % len(parts) :] + parts[: question % len(parts)]:
            started = time.perf_counter()
            await ask(question)
            times[part].append((time.perf_counter() - started) * 1000)
    await client.close()
    p50 = {part: percentile(values, 0.5) for part, values in times.items()}
    return [
        Figure(f"{name}: fused p50, vector given", p50["fused"], "ms", COMMAND, most=round(MOST_TIMES * p50["100"], 2)),
        Figure(f"{name}: the same to {TOP} passages, p50", p50["whole"], "ms", COMMAND),
        Figure(f"{name}: bare BM25 p50, 10 hits", p50["10"], "ms", COMMAND),
        Figure(f"{name}: bare BM25 p50, 100 hits", p50["100"], "ms", COMMAND),
    ]


# --- a large index -------------------------------------------------------------------------------


async def _large(settings: Settings, texts: Sequence[str]) -> list[Figure]:
    engine = settings.opensearch.model_copy(update={"prefix": f"{settings.opensearch.prefix}-bench"})
    core = Core(settings.model_copy(update={"opensearch": engine}))
    await drop_index(core)
    documents = list(make_documents(texts, PASSAGES))

    async def add(item: tuple[Document, list[Chunk]]) -> None:
        document, chunks = item
        await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
        await core.generations.activate(document.doc_id, document.generation)

    chance = np.random.default_rng(1)

    async def embed(ids: list[str]) -> None:
        vectors = chance.normal(size=(len(ids), DIMENSION)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        await core.vectors.put_vectors("chance", [ChunkVectors(chunk_id, vector) for chunk_id, vector in zip(ids, vectors, strict=True)])

    try:
        log_progress(f"Indexing {PASSAGES} passages")
        seconds, failed = await _at_once(add, documents)
        ids = [chunk.chunk_id for _, chunks in documents for chunk in chunks]
        vector_seconds, refused = await _at_once(embed, [ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE)])
        kept = (await core.vectors.progress(VectorScope("chance")))[0]
        questions = [" ".join(text.split()[:10]) for text in random.Random(3).sample(list(texts), TIMED)]
        vectors = chance.normal(size=(TIMED, DIMENSION)).astype(np.float32)
        turns = [
            core.new_turn(Request(question, "default", limit=TOP), CALLER, PROFILE).with_vectors(
                (vector / np.linalg.norm(vector),), "chance"
            )
            for question, vector in zip(questions, vectors, strict=True)
        ]
        times = await _times(f"{PASSAGES} passages", core, turns)
        await _merge(engine)
        times += await _times(f"{PASSAGES} passages, merged", core, turns)
        memory = await _resident(engine)
    finally:
        await core.close()
        await drop_index(core)
    return [
        Figure(f"{PASSAGES} passages: indexed with their vectors", kept, "", COMMAND, least=PASSAGES),
        Figure(f"{PASSAGES} passages: calls that failed", failed + refused, "", COMMAND, most=0),
        Figure(f"{PASSAGES} passages: passages a second, by words", PASSAGES / seconds, "", COMMAND),
        Figure(f"{PASSAGES} passages: vectors a second", PASSAGES / vector_seconds, "", COMMAND),
        *times,
        *([Figure(f"{PASSAGES} passages: memory of the engine", memory, "MB", COMMAND)] if memory is not None else []),
    ]


async def _at_once(work: Callable[[Any], Coroutine[Any, Any, Any]], items: Sequence[Any]) -> tuple[float, int]:
    """Sends requests concurrently → (seconds, number of failures)."""
    waiting, failed, started = iter(items), 0, time.perf_counter()

    async def worker() -> None:
        nonlocal failed
        for item in waiting:
            try:
                await work(item)
            except FootnoteError as exc:
                failed += 1
                log_progress(exc.detail)

    await asyncio.gather(*(worker() for _ in range(WRITERS)))
    return time.perf_counter() - started, failed


async def _merge(engine: OpenSearch) -> None:
    """Merges the index into one segment, as the engine does with time."""
    client, alias = OpenSearchClient(engine), Names(engine.prefix).chunks("default")
    log_progress("Merging")
    await client.request("POST", f"/{alias}/_forcemerge", timeout_s=600, max_num_segments=1)
    await client.refresh(alias)
    await client.close()


async def _resident(engine: OpenSearch) -> float | None:
    """Resident memory of the engine's process in MB, if it runs on this machine."""
    client = OpenSearchClient(engine)
    nodes = (await client.request("GET", "/_nodes/process"))["nodes"]
    await client.close()
    try:
        processes = [Path(f"/proc/{node['process']['id']}/status").read_text() for node in nodes.values()]
    except OSError:
        return None
    lines = [line for status in processes for line in status.splitlines() if line.startswith(("Name:\tjava", "VmRSS:"))]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024 if len(lines) == 2 * len(nodes) else None
