"""What the knowledge that a collection can build is worth: search without it and with it.

    python -m bench.knowledge --sets FOLDER... [--kinds graph] [--half dev|held] [--limit N] [--work DIR]
    python -m bench.knowledge --questions FILE --folders FOLDER [--kinds graph] [--half dev|held] [--work DIR]

A set is a BEIR folder (`learn.golden`); its halves are every other question. FILE has a question a line: {"folder", "question", "lang",
"half", "right": [{"file", "span"}, …]}, over folders of documents as `bench.labelled` reads them; a passage is right if it is of the file
and has the span's words.

    all in N   share of the questions that need several passages, of which all are among the first N
    nDCG@10    of the sets, over documents

Each without → with, and the paired difference with the 95 % interval of a bootstrap. What is built: the time for each passage, and its
share of the time that cutting, indexing and embedding took where that was done now.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.labelled import opened
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg, percentile
from footnote.settings import Settings
from footnote.types import KNOWLEDGE, Chunk, CollectionSettings, KnowledgeKind, OptionName, Request
from footnote_local.evaluate import CALLER, PROFILE, build_index

DEPTHS, FOUND = (2, 5, 10), 30
SHARE = 0.8
"""Of a span's words that a right passage has: a file's mark-up is not in its passages."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A passage that a question needs: a document by its id, or a file and words in it."""

    document: str
    span: frozenset[str] = frozenset()

    def is_in(self, chunk: Chunk) -> bool:
        """Whether this passage is the one."""
        if not self.span:
            return chunk.doc_id == self.document
        name = str(chunk.metadata.get("path") or chunk.metadata.get("file_name", ""))
        held = words(" ".join((*chunk.headings, chunk.text)))
        return self.document.endswith(Path(name).name) and len(self.span & held) >= SHARE * len(self.span)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the passages that it needs."""

    text: str
    hops: tuple[Hop, ...]
    relevance: Mapping[str, int] = field(default_factory=dict)


def words(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(re.findall(r"\w+", re.sub(r"<[^>]*>|\]\([^)]*\)", " ", text).lower()))


def of_half(questions: Sequence[Asked], half: str | None) -> list[Asked]:
    """Every other question: dev has the first."""
    return [each for place, each in enumerate(questions) if half is None or (place % 2 == 0) == (half == "dev")]


@asynccontextmanager
async def of_set(folder: Path, work: Path, half: str | None, limit: int | None) -> AsyncIterator[tuple[Core, list[Asked], float]]:
    """A core on the documents of a set, its questions, and the seconds that indexing took."""
    golden = load_golden(folder, limit=limit)
    core, seconds = await build_index(golden, Settings.model_validate({"llm": {"discover": False}}), work, lambda *_: None)
    asked = [Asked(query.text, tuple(map(Hop, query.relevance)), query.relevance) for query in golden.queries]
    try:
        yield core, of_half(asked, half), seconds
    finally:
        await core.close()


def read_questions(file: Path, half: str | None) -> dict[str, list[Asked]]:
    """Folder → its questions."""
    found: dict[str, list[Asked]] = {}
    for row in map(json.loads, file.read_text("utf-8").splitlines()):
        if half in (None, row["half"]):
            hops = tuple(Hop(right["file"], words(right["span"])) for right in row["right"])
            found.setdefault(row["folder"], []).append(Asked(row["question"], hops))
    return found


async def build(core: Core, kinds: Sequence[KnowledgeKind]) -> tuple[int, float]:
    """(passages, seconds) of building these kinds for the collection `default`."""
    made = CollectionSettings(knowledge=dict.fromkeys(kinds, "rules"))
    if (await core.collections.directory()).find("default") is None:
        await core.collections.create("default", made, title="", description="", by="bench")
    else:
        await core.collections.edit(
            "default", lambda now: replace(now, settings=replace(now.settings, knowledge=made.knowledge)), by="bench"
        )
    stored = await core.collections.resolve("default")
    await core.knowledge_builder.drop(stored, kinds)
    started, count = time.perf_counter(), 0
    while some := await core.knowledge_builder.build_some():
        count += some
    return count, time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Searched:
    """The result for a question: the place of the last passage that it needs, nDCG@10, milliseconds."""

    place: int
    ndcg: float
    ms: float


async def search(core: Core, asked: Asked, options: Mapping[OptionName, bool]) -> Searched:
    """Searches for a question with these options."""
    request = Request(asked.text, "default", limit=FOUND, options=options)
    started = time.perf_counter()
    turn = await core.retrieve.finish(core.new_turn(request, CALLER, PROFILE, trace_id="bench"))
    ms = (time.perf_counter() - started) * 1000
    chunks = [hit.chunk for hit in turn.evidence.hits]
    first = [next((place for place, chunk in enumerate(chunks, 1) if hop.is_in(chunk)), FOUND + 1) for hop in asked.hops]
    documents = list(dict.fromkeys(chunk.doc_id for chunk in chunks))
    return Searched(max(first), ndcg(documents, asked.relevance) if asked.relevance else 0.0, ms)


async def measure(name: str, core: Core, questions: Sequence[Asked], kinds: Sequence[KnowledgeKind], indexed_s: float) -> None:
    """Prints the figures of one set."""
    count, seconds = await build(core, kinds)
    share = f", {seconds / indexed_s:.0%} of ingest" if indexed_s else ""
    print(f"{name}: {len(questions)} questions; built {count} passages, {1000 * seconds / max(1, count):.2f} ms each{share}")
    without, having = [[await search(core, each, dict.fromkeys(kinds, on)) for each in questions] for on in (False, True)]
    several = [place for place, each in enumerate(questions) if len(each.hops) > 1]
    for depth in DEPTHS if several else ():
        one, two = ([float(results[place].place <= depth) for place in several] for results in (without, having))
        _print(f"all in {depth:2}", one, two)
    if any(each.relevance for each in questions):
        _print("nDCG@10  ", [each.ndcg for each in without], [each.ndcg for each in having])
    print(f"  ms (median): {percentile([r.ms for r in without], 0.5):.1f} → {percentile([r.ms for r in having], 0.5):.1f}", flush=True)


def _print(what: str, one: Sequence[float], two: Sequence[float]) -> None:
    mean, low, high = mean_interval([b - a for a, b in zip(one, two, strict=True)])
    print(f"  {what}: {sum(one) / len(one):.4f} → {sum(two) / len(two):.4f}  ({mean:+.4f}, {low:+.4f} to {high:+.4f})")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, nargs="*", default=[])
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--folders", type=Path)
    parser.add_argument("--half", choices=("dev", "held"))
    parser.add_argument("--work", type=Path, default=Path(".cache/knowledge"))
    parser.add_argument("--kinds", nargs="*", default=["graph"], choices=KNOWLEDGE)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    for folder in args.sets:
        async with of_set(folder, args.work, args.half, args.limit) as (core, questions, seconds):
            await measure(folder.name, core, questions, args.kinds, seconds)
    for name, questions in (read_questions(args.questions, args.half) if args.questions else {}).items():
        async with opened(args.folders / name, args.work / name) as core:
            await measure(name, core, questions, args.kinds, 0.0)


if __name__ == "__main__":
    asyncio.run(main())
