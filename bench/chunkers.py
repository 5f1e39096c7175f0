"""What the ways to cut documents into passages gain and cost.

    python -m bench.chunkers --data-sets FOLDER [--limit 200] [--sets squad2 korquad] [--flat | --running]
    python -m bench.chunkers --tables FOLDER          files whose tables another reader knows

The passages of one title become one document, each a paragraph. A passage is a hit if it contains an answer at its place in the judged
paragraph, which is known by the places of the passage in its document, not by searching for its words. Of a question's hits the first
counts: nDCG@10 = 1 / log2(1 + its rank). `within` is the share of questions with a hit among the first passages that have 1,000 tokens
together: longer passages hold more answers, and cost more. In brackets: the 95 % interval of the difference from the first row, from
the same questions.

`--flat`: documents without paragraphs, as in badly converted files. `--running`: three paragraphs a page, between a running header and
footer. `--tables`: the share of known cells that stand in a passage below their header.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from bench.data_sets import chosen_sets, make_parser
from bench.tables import measure_tables
from footnote.bootstrap import Core
from footnote.ingest import chunk as chunking
from footnote.ingest.aids import Helpers, find_aids
from footnote.ingest.prepare import cut
from footnote.ingest.sources import locate
from footnote.ingest.vectors import embed_chunks, pending_chunks
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval
from footnote.settings import Settings
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.text.tokens import count_tokens
from footnote.types import Block, Chunk, Chunker, CollectionSettings, Document, Parsed, Request
from footnote_local.evaluate import CALLER, PROFILE, TOP

SETS = ("squad2", "xquad_en", "xquad_de", "korquad")
ON_PAGE = 3
BUDGET = 1000
"""Tokens of the passages that `within` looks at."""
Spots = Mapping[str, tuple[str, int, int]]
"""Id of a passage of the set → (its document, its block, where it begins in the block)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to make an index."""

    chunker: Chunker = "structure"
    headings: bool = True
    """Whether title and headings are embedded with the text."""
    without_boilerplate: bool = True

    def __str__(self) -> str:
        named = "" if self.headings else ", text alone embedded"
        return f"{self.chunker}{named}{'' if self.without_boilerplate else ', boilerplate kept'}"


def make_documents(golden: GoldenSet, form: str) -> tuple[dict[str, Parsed], Spots]:
    """One document for each title, and where the set's passages are in them. `form`: "", "flat" or "running"."""
    titles: dict[str, list[GoldenDocument]] = {}
    for each in golden.documents:
        titles.setdefault(each.title, []).append(each)
    made: dict[str, Parsed] = {}
    spots: dict[str, tuple[str, int, int]] = {}
    for number, (title, passages) in enumerate(titles.items()):
        doc_id, blocks = f"d{number}", list[Block]()
        pages = math.ceil(len(passages) / ON_PAGE)
        for at, each in enumerate(passages):
            page = at // ON_PAGE + 1
            if form == "running" and at % ON_PAGE == 0:
                blocks.append(Block("paragraph", f"{title} – an encyclopedia article", page=page))
            if form == "flat" and blocks:
                spots[each.doc_id] = (doc_id, 0, len(blocks[0].text) + 1)
                blocks[0] = replace(blocks[0], text=f"{blocks[0].text} {each.text}")
            else:
                spots[each.doc_id] = (doc_id, len(blocks), 0)
                blocks.append(Block("paragraph", each.text, page=page if form == "running" else None))
            if form == "running" and (at % ON_PAGE == ON_PAGE - 1 or at + 1 == len(passages)):
                blocks.append(Block("paragraph", f"{title} · Confidential · Page {page} of {pages}", page=page))
        made[doc_id] = Parsed(tuple(blocks), title, format="text")
    return made, spots


def answers_of(golden: GoldenSet, spots: Spots) -> Iterator[tuple[GoldenQuery, list[tuple[str, int, int, int]]]]:
    """Questions with every place (document, block, start, end) of an answer in a judged passage; without one a question is left out."""
    texts = {each.doc_id: each.text for each in golden.documents}
    for query in golden.queries:
        places = []
        for passage in (each for each, gain in query.relevance.items() if gain > 0):
            doc_id, block, begin = spots[passage]
            for answer in filter(None, query.answers):
                at = texts[passage].find(answer)
                while at >= 0:
                    places.append((doc_id, block, begin + at, begin + at + len(answer)))
                    at = texts[passage].find(answer, at + 1)
        if places:
            yield query, places


async def build(documents: Mapping[str, Parsed], variant: Variant, folder: Path) -> tuple[Core, dict[str, list[Chunk]]]:
    """A Core on an index of the documents, and their passages."""
    core = Core(Settings.model_validate({"llm": {"discover": False}}).model_copy(update={"footnote_data": folder}))
    kept: dict[str, list[Chunk]] = {}
    tokens = core.settings.ingest.chunk_tokens
    for doc_id, parsed in documents.items():
        lang = detect_language("\n".join(block.text for block in parsed.blocks))
        document = Document(doc_id, parsed.title, "default", doc_id, "READY", "", 0, frozenset("*"), generation=1, lang=lang)
        aids, _ = await find_aids(document, parsed, CollectionSettings(variant.chunker), tokens, Helpers(core.embedder))
        if variant.without_boilerplate:
            chunks = cut(document, parsed, lang, tokens, aids=aids)
        else:
            with patch.object(chunking, "find_boilerplate", return_value={}):
                chunks = cut(document, parsed, lang, tokens, aids=aids)
        kept[doc_id] = [chunk for chunk in chunks if chunk.level == 2]
        await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
        await core.generations.activate(doc_id, 1)
    while core.embedder is not None and (waiting := await pending_chunks(core.vectors, core.embedder, 32)):
        if not variant.headings:
            waiting = [replace(each, title="", headings=()) for each in waiting]
        await core.vectors.put_vectors(core.embedder.name, await embed_chunks(core.embedder, waiting, core.vector_cache))
    return core, kept


async def ranks(
    core: Core, documents: Mapping[str, Parsed], asked: Iterable[tuple[GoldenQuery, list[tuple[str, int, int, int]]]]
) -> list[tuple[int | None, bool]]:
    """Of each question: (rank of the first hit among TOP, whether there is one within BUDGET)."""
    found = []
    for query, places in asked:
        done = await core.retrieve.finish(core.new_turn(Request(query.text, "default", limit=TOP), CALLER, PROFILE, trace_id=""))
        rank, tokens, within = None, 0, False
        for number, hit in enumerate(done.evidence.hits, start=1):
            tokens += count_tokens(hit.chunk.text)
            if any(holds(hit.chunk, documents[hit.chunk.doc_id], place) for place in places):
                rank, within = number, tokens <= BUDGET
                break
        found.append((rank, within))
    return found


def holds(chunk: Chunk, parsed: Parsed, place: tuple[str, int, int, int]) -> bool:
    """Whether the passage contains this place of its document as a whole."""
    doc_id, block, start, end = place
    return chunk.doc_id == doc_id and any(
        mark.block == block and mark.start <= start and end <= mark.end for mark in locate(chunk, parsed.blocks).marks
    )


def scores(found: Sequence[tuple[int | None, bool]]) -> dict[str, list[float]]:
    """The metrics of each question."""
    return {
        "ndcg@10": [1 / math.log2(1 + rank) if rank else 0.0 for rank, _ in found],
        "recall@10": [float(rank is not None) for rank, _ in found],
        "mrr@10": [1 / rank if rank else 0.0 for rank, _ in found],
        "within": [float(within) for _, within in found],
    }


async def measure(golden: GoldenSet, variants: Sequence[Variant], form: str) -> None:
    """Prints a row for each variant; all but the first with differences."""
    documents, spots = make_documents(golden, form)
    asked = list(answers_of(golden, spots))
    print(f"{golden.name} {form}: {len(documents)} documents, {len(asked)} questions")
    base: dict[str, list[float]] = {}
    for variant in variants:
        with TemporaryDirectory() as folder:
            core, passages = await build(documents, variant, Path(folder))
            try:
                made = scores(await ranks(core, documents, asked))
            finally:
                await core.close()
        lengths = [count_tokens(chunk.text) for each in passages.values() for chunk in each]
        row = [f"{variant!s:42} {len(lengths):5} of {sum(lengths) / len(lengths):4.0f} tokens"]
        base = base or made
        for name, values in made.items():
            row.append(f"{name} {sum(values) / len(values):.3f}" + difference(values, base[name]))
        print("  ".join(row), flush=True)


def difference(values: Sequence[float], base: Sequence[float]) -> str:
    """` +0.010 (−0.001–0.020)`, or nothing for the same values."""
    gain, low, high = mean_interval([mine - its for mine, its in zip(values, base, strict=True)], rounds=2000)
    return "" if values is base else f" {gain:+.3f} ({low:+.3f} – {high:+.3f})"


def variants_of(given: Any) -> list[Variant]:
    """What is compared."""
    if given.running:
        return [Variant(), Variant(without_boilerplate=False), Variant("fixed_size"), Variant("fixed_size", without_boilerplate=False)]
    cuts: tuple[Chunker, ...] = ("structure", "fixed_size", "semantic")
    return [*(Variant(each) for each in cuts), Variant(headings=False)]


async def _main() -> int:
    parser = make_parser("chunkers", "Measures what the ways to cut documents gain and cost.", SETS)
    parser.add_argument("--limit", type=int, default=200, help="questions of each set")
    parser.add_argument("--flat", action="store_true", help="documents without paragraphs")
    parser.add_argument("--running", action="store_true", help="pages with headers and footers, kept and left out")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="measure tables of files instead")
    given = parser.parse_args()
    if given.tables is not None:
        for line in measure_tables(given.tables):
            print(line)
        return 0
    for folder in chosen_sets(parser, given):
        golden = load_golden(folder, limit=given.limit)
        await measure(golden, variants_of(given), "flat" if given.flat else "running" if given.running else "")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
