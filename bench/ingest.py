"""Measures ingest: all documents once, all of them again with a warm vector cache, and by step; time, disk and peak memory.

    python -m bench.ingest --passages 100000             with vectors
    python -m bench.ingest --passages 100000 --hashed    with vectors made of hashes: everything but the model, in minutes
    python -m bench.ingest --passages 1000000 --lexical  by words only, with the search's times while the index grows

The small size is a part of `python -m bench`. Documents are Markdown files of chapters, whose text is the corpus of the sets; beyond
its size they are made of random sentences of it, so that words stay as frequent as they are there and no text comes twice.
Each phase runs in a process of its own, whose peak memory includes the parser's only where the latter says so.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import shutil
import sys
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Literal

from bench.figures import Figure, Setup, log_progress
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Request
from footnote_local.evaluate import PROFILE

SETS = ("squad2", "xquad_en", "cranfield", "mtrag_un")
PASSAGES, CHAPTERS, SENTENCES = 1_000, 50, 8
"""Passages by default, chapters of a document, and sentences of a chapter beyond the sets' own texts."""
AT_ONCE = 8
Vectors = Literal["model", "hashes", "none"]
FLAGS: dict[Vectors, str] = {"model": "", "hashes": " --hashed", "none": " --lexical"}
LABELS: dict[Vectors, str] = {"model": "with vectors", "hashes": "with vectors of hashes", "none": "by words"}
QUESTIONS = 200
SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of all documents: when the search is timed."""
LEAST_FASTER = 6.0
OF_INDEX = {
    "stage": "stage",
    "staged": "read back",
    "activate": "activate",
    "read": "read the old version",
    "sentences": "read the old version",
    "pending": "find chunks without vectors",
    "put_vectors": "write vectors",
}
"""Method → step."""
PIPELINE: Any = import_module("footnote.ingest.ingestor")
OPERATOR = Caller("bench", frozenset({"*"}), sees_all=True)


class HashEmbedder:
    """`ports.Embedder` whose vectors are random but the same for the same text, at next to no cost."""

    name: str = "hashes"
    dimension: int = 384
    languages: frozenset[str] | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        import numpy as np

        made = [np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimension, np.float32) for text in texts]
        matrix = np.array(made, np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@dataclass(slots=True)
class Steps:
    """Seconds by step, and how many texts were embedded."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    embedded: int = 0
    on: bool = True

    def time(self, owner: Any, method: str, step: str) -> None:
        """Adds the duration of every call of the method to the step."""
        setattr(owner, method, self._timed(getattr(owner, method), step))

    def _timed(self, call: Callable[..., Awaitable[Any]], step: str) -> Callable[..., Awaitable[Any]]:
        @wraps(call)
        async def timed(*args: Any, **options: Any) -> Any:
            started = perf_counter()
            try:
                return await call(*args, **options)
            finally:
                if self.on:
                    self.seconds[step] += perf_counter() - started
                    self.embedded += len(args[0]) if step == "embed" else 0

        return timed

    def time_all(self, core: Core) -> None:
        """The steps of ingest, one after the other: what is left of the total is the ledger, the queue and the event loop."""
        self.time(core.parser, "parse", "parse")
        self._time_chunking()
        for method, step in OF_INDEX.items():
            for port in (core.index, core.generations, core.vectors):
                if hasattr(port, method):
                    self.time(port, method, step)
        for method in ("get", "put", "delete"):
            self.time(core.vector_cache, method, f"cache {method}")
        if core.embedder is not None:
            self.time(core.embedder, "embed", "embed")

    def _time_chunking(self) -> None:
        prepare = PIPELINE.prepare

        def timed(*args: Any) -> Any:
            started = perf_counter()
            try:
                return prepare(*args)
            finally:
                self.seconds["chunk"] += perf_counter() - started

        PIPELINE.prepare = timed


def measure(setup: Setup) -> Iterator[Figure]:
    yield from run(setup, PASSAGES, "model")


def run(setup: Setup, passages: int, vectors: Vectors, folder: Path | None = None) -> Iterator[Figure]:
    """The figures of one size. `folder`: where the data folder is made, by default a temporary one; it is deleted in the end."""
    lexical = vectors == "none"
    found = [str(path) for name in SETS if (path := setup.find(name)) is not None]
    setup.need(SETS[0])
    command = f"python -m bench.ingest --passages {passages}{FLAGS[vectors]}"
    with TemporaryDirectory(dir=folder) as place:
        phases = {}
        for phase in ("first",) if lexical else ("first", "again"):
            log_progress(f"{passages} passages, {phase}")
            with get_context("spawn").Pool(1) as pool:
                phases[phase] = pool.apply(_phase, (phase, place, found, passages, vectors))
    for phase, made in phases.items():
        label = f"{made['chunks']} chunks, {LABELS[vectors]}, {phase}"
        yield Figure(f"{label}: ingest", made["total"], "s", command)
        for step, seconds in sorted(made["steps"].items(), key=lambda item: -item[1]):
            yield Figure(f"  {step}", seconds, "s", command)
        yield Figure("  embedded", made["embedded"], "texts", command, most=0 if phase == "again" else None)
        yield Figure(f"{label}: peak memory", made["memory"], "MB", command)
        yield Figure("  of a parser", made["parser_memory"], "MB", command)
        for name, size in made["disk"].items():
            yield Figure(f"  {name}", size, "MB", command)
        for count, p50, p95 in made["searches"]:
            yield Figure(f"search with {count} chunks: p50", p50, "ms", command)
            yield Figure(f"search with {count} chunks: p95", p95, "ms", command)
    if not lexical:
        faster = phases["first"]["total"] / phases["again"]["total"]
        yield Figure(
            "ingest again with a warm cache: times faster", faster, "", command, least=LEAST_FASTER if vectors == "model" else None
        )


def _phase(phase: str, place: str, sets: Sequence[str], passages: int, vectors: Vectors) -> dict[str, Any]:
    return asyncio.run(_work(phase, Path(place), sets, passages, vectors))


async def _work(phase: str, folder: Path, sets: Sequence[str], passages: int, vectors: Vectors) -> dict[str, Any]:
    settings = Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=vectors == "model"))
    core, steps, searches, lexical = Core(settings), Steps(), [], vectors == "none"
    if vectors == "hashes":
        core.embedder = HashEmbedder()
    questions = [query.text for query in load_golden(Path(sets[0]), limit=QUESTIONS).queries]
    steps.time_all(core)
    total = 0.0
    try:
        documents = -(-passages // CHAPTERS) if phase == "first" else 0
        due = [round(share * documents) for share in SHARES]
        for number, (name, text) in enumerate(_files(sets, passages) if documents else (), start=1):
            started = perf_counter()
            await core.ingestor.accept(OPERATOR, text.encode(), file_name=name, collection="default", permission_groups=["*"])
            await core.ingestor.work_one()
            total += perf_counter() - started
            if number in due and lexical:
                searches.append(found := await _search(core, questions, steps))
                sizes = f"index {_megabytes(folder / 'index.db'):.0f} MB, peak memory {_peak()[0]:.0f} MB"
                log_progress(f"{number} of {documents} documents, {total:.0f} s; search of {found[0]} chunks {found[1]:.1f} ms; {sizes}")
        started = perf_counter()
        if phase == "again":
            for document in await _documents(core):
                await core.ingestor.requeue(document)
            while await core.ingestor.work_one():
                pass
        while await core.ingestor.embed_some(AT_ONCE):
            pass
        total += perf_counter() - started
        view = await core.index.view(OPERATOR, "default")
        if not lexical:
            searches.append(await _search(core, questions, steps))
    finally:
        await core.close()
    names = ("index.db", "vector_cache.db", "store.db", "files")
    disk = {name: _megabytes(folder / name) for name in names if (folder / name).exists()}
    disk["vectors-*.f32"] = sum(_megabytes(path) for path in folder.glob("vectors-*"))
    own, children = _peak()
    return {
        "total": total,
        "steps": dict(steps.seconds) | {"the rest": total - sum(steps.seconds.values())},
        "embedded": steps.embedded,
        "chunks": sum(view.languages.values()),
        "memory": own,
        "parser_memory": children,
        "disk": disk,
        "searches": searches,
    }


def _peak() -> tuple[float, float]:
    """Peak memory in MB: of this process, and of the largest of the parsers that have ended."""
    own, children = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own, children


async def _documents(core: Core) -> list[Any]:
    found: list[Any] = []
    after = None
    while True:
        page = await core.ledger.list(OPERATOR, limit=1000, after=after)
        found += page.data
        if not page.has_more:
            return found
        after = page.last_id


async def _search(core: Core, questions: Sequence[str], steps: Steps) -> tuple[int, float, float]:
    """(chunks, p50, p95 in ms). It is not counted to the steps of ingest."""
    times, steps.on = [], False
    for question in questions:
        started = perf_counter()
        await core.retrieve.finish(core.new_turn(Request(question, "default"), OPERATOR, PROFILE))
        times.append((perf_counter() - started) * 1000)
    steps.on = True
    view = await core.index.view(OPERATOR, "default")
    return sum(view.languages.values()), percentile(times[10:], 0.5), percentile(times[10:], 0.95)


def _files(sets: Sequence[str], passages: int) -> Iterator[tuple[str, str]]:
    """(name, Markdown) of documents of CHAPTERS chapters, each about one passage long."""
    texts = [document.text for folder in sets for document in load_golden(Path(folder)).documents]
    chance = random.Random(1)
    sentences = [text[start:end] for text in texts for start, end in split_sentences(text, "en")]
    for number in range(-(-passages // CHAPTERS)):
        wanted = range(number * CHAPTERS, min(passages, (number + 1) * CHAPTERS))
        chapters = [texts[at] if at < len(texts) else " ".join(chance.choices(sentences, k=SENTENCES)) for at in wanted]
        body = "\n\n".join(f"## Section {at}\n\n{chapter}" for at, chapter in zip(wanted, chapters, strict=True))
        yield f"record-{number}.md", f"# Record {number}\n\n{body}\n"


def _megabytes(path: Path) -> float:
    paths = path.rglob("*") if path.is_dir() else [path, *path.parent.glob(f"{path.name}-*")]
    return sum(each.stat().st_size for each in paths if each.is_file()) / 2**20


def main() -> int:
    """Prints the figures of one size as they are measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description="Measures ingest.")
    parser.add_argument("--data-sets", type=Path, required=True, help="folder of test sets in BEIR's format")
    parser.add_argument("--passages", type=int, default=PASSAGES)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--lexical", dest="vectors", action="store_const", const="none", help="by words only, searched while it grows")
    kind.add_argument("--hashed", dest="vectors", action="store_const", const="hashes", help="vectors made of hashes, not by the model")
    parser.add_argument("--folder", type=Path, help="where the data folder is made; default: the system's temporary folder")
    options = parser.parse_args()
    free = shutil.disk_usage(options.folder or Path("/tmp")).free / 2**30
    log_progress(f"{free:.0f} GB free")
    for figure in run(Setup(options.data_sets, options.folder or Path()), options.passages, options.vectors or "model", options.folder):
        print(f"{figure.name:60} {figure.measured:>12}  {figure.asked}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
