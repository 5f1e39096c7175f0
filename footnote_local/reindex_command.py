"""`footnote reindex`: rebuilds the index in OpenSearch with the current mapping, compares it with the old one, and swaps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.opensearch.reindex import Reindex
from footnote.adapters.opensearch.reindex_copy import NO_EMBEDDER, Build, Progress
from footnote.bootstrap import Core
from footnote.errors import BadRequest, SearchUnavailable
from footnote.learn.golden import GoldenQuery, load_golden
from footnote.learn.ranking_metrics import ndcg
from footnote.ports import Embedder
from footnote.types import Request, Turn
from footnote_local.evaluate import CALLER, DEPTH, PROFILE
from footnote_local.terminal import progress_bar, say

MOST_LOST = 0.01
"""Accepted drop of nDCG@10 from the old index to the new one."""


async def run_reindex(core: Core, collection: str | None, judged: Path | None, roll_back: bool) -> list[dict[str, Any]]:
    """Returns one report per collection; `collection` None = all of them."""
    if core.settings.opensearch.url is None:
        say("Nothing to do: only an index in OpenSearch needs reindexing, and this data folder uses the embedded index.")
        return []
    reindex = Reindex(core.settings.opensearch)
    try:
        stored = None if collection is None else await core.collections.resolve(collection)
        names = [stored] if stored is not None else await reindex.collections()
        queries = await _queries(reindex, judged, names) if judged is not None else ()
        return [await _renew(core, reindex, name, queries, roll_back) for name in names]
    finally:
        await reindex.close()
        await core.close()


async def _queries(reindex: Reindex, folder: Path, collections: Sequence[str]) -> Sequence[GoldenQuery]:
    if len(collections) != 1:
        raise BadRequest("--judge needs a single collection. Name it: footnote reindex COLLECTION --judge FOLDER.")
    queries = load_golden(folder).queries
    if not await reindex.documents({doc_id for query in queries for doc_id in query.relevance}):
        raise BadRequest("The index contains none of the documents in the qrels of --judge. Documents must be named by their doc_id.")
    return queries


async def _renew(core: Core, reindex: Reindex, name: str, queries: Sequence[GoldenQuery], roll_back: bool) -> dict[str, Any]:
    embedder = await core.document_embedder(name)
    build = await reindex.begin(name, embedder, roll_back=roll_back)
    try:
        with progress_bar() as bar:
            await reindex.fill(build, bar)
            old, new = await reindex.sizes(build)
            judged = await _judge(core, build, embedder, queries, bar) if queries else {}
        was = judged.get("old_ndcg@10")
        worse = was is not None and (judged["ndcg@10"] or 0) < was - MOST_LOST
        await (reindex.abandon(build) if worse else reindex.swap(build, embedder))
    except BaseException:
        await reindex.abandon(build)
        raise
    return {
        "collection": name,
        "swapped": not worse,
        "index": build.old if worse else build.new,
        "old": old._asdict(),
        "new": new._asdict(),
        **judged,
    }


async def _judge(
    core: Core, build: Build, embedder: Embedder | None, queries: Sequence[GoldenQuery], progress: Progress
) -> dict[str, float | None]:
    """nDCG@10 of both indexes; None for the old one if this version of Footnote cannot read it."""
    new, old = (_reader(core, build, embedder, upcoming=upcoming) for upcoming in (True, False))
    scores: list[float] = []
    old_scores: list[float] = []
    try:
        for number, query in enumerate(queries, start=1):
            turn = await new.retrieve.finish(new.new_turn(Request(query.text, build.collection, limit=DEPTH), CALLER, PROFILE))
            scores.append(_score(turn, query))
            with suppress(SearchUnavailable):
                old_scores.append(_score(await old.retrieve.finish(turn.again()), query))
            progress("asking", number, len(queries))
    finally:
        await new.close()
        await old.close()
    whole = len(old_scores) == len(scores)
    return {"old_ndcg@10": round(fmean(old_scores), 4) if whole else None, "ndcg@10": round(fmean(scores), 4)}


def _score(turn: Turn, query: GoldenQuery) -> float:
    return ndcg(list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits)), query.relevance)


def _reader(core: Core, build: Build, embedder: Embedder | None, *, upcoming: bool) -> Core:
    """A Core that searches one of the two indexes; by keyword only if the vectors' length has changed."""
    reader = Core(core.settings)
    reader.index = OpenSearchIndex(core.settings.opensearch, upcoming=upcoming)
    reader.embedder = None if build.embedder == NO_EMBEDDER else embedder
    reader.named_embedders = {}  # every collection is asked by it
    return reader


def sentences(reports: Sequence[dict[str, Any]], roll_back: bool) -> Iterator[str]:
    """The reports as lines of text."""
    for report in reports:
        counts = [f"{name} {was} → {report['new'][name]}" for name, was in report["old"].items()]
        if "ndcg@10" in report:
            was = report["old_ndcg@10"]
            counts.append(f"nDCG@10 {'unknown' if was is None else was} → {report['ndcg@10']}")
        yield f"“{report['collection']}”: {', '.join(counts)}."
        if not report["swapped"]:
            yield "The new index ranks worse and was discarded. The old index stays active."
    if not roll_back and any(report["swapped"] for report in reports):
        yield "To switch back to the old index: footnote reindex --roll-back"
