"""What fewer entries of each list cost a search, by either fusion.

    python -m bench.candidates --data-sets FOLDER [--limit 1000] [--sets squad2 cranfield]

nDCG@10 of ten passages with the entries that most APIs take, 100 of each list, and with the 15 of `/v1/chat`; the difference from
the default on the same questions with the 95 % interval, how many questions have other hits, and the processor time of a question
with its vector given.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

from bench.data_sets import chosen_sets, make_parser
from bench.ranking import run, scores, shown
from footnote.learn.golden import GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval
from footnote.settings import Settings
from footnote.types import Request, Retriever
from footnote_local.evaluate import CALLER, PROFILE, TOP, build_index

SETS = ("squad2", "xquad_en", "xquad_de", "korquad", "cranfield")
VARIANTS: Final[tuple[tuple[Retriever, int], ...]] = (("cc", 100), ("rrf", 100), ("rrf", 15), ("cc", 15))
"""The first is the default, to which the others are compared."""


async def measure(golden: GoldenSet) -> AsyncIterator[dict[str, Any]]:
    """A row for each of VARIANTS, as of `bench.ranking.measure`."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "eval", lambda *_: None)
    try:
        texts = [query.text for query in golden.queries]
        embedder = core.embedder
        vectors = await embedder.embed(texts, query=True) if embedder is not None else None
        base: tuple[list[list[str]], list[float]] | None = None
        for retriever, count in VARIANTS:
            profile = replace(PROFILE, candidates=count)
            asked = [Request(text, "default", retriever=retriever, limit=TOP) for text in texts]
            turns = [core.new_turn(request, CALLER, profile, trace_id="") for request in asked]
            if embedder is not None and vectors is not None:
                turns = [turn.with_vectors((vector,), embedder.name) for turn, vector in zip(turns, vectors, strict=True)]
            found, ms = await run(core, turns, None)
            made = scores(golden.queries, found)
            row = {"set": golden.name, "option": f"{retriever}, {count} + {count}", "ndcg@10": sum(made) / len(made), "ms": ms}
            if base is not None:
                difference, low, high = mean_interval([mine - its for mine, its in zip(made, base[1], strict=True)])
                changed = sum(mine != its for mine, its in zip(found, base[0], strict=True)) / len(found)
                kept = sum(map(bool, made)) / max(1, sum(map(bool, base[1])))
                row |= {"difference": difference, "interval": (low, high), "changed": changed, "kept": kept}
            base = base or (found, made)
            yield row
    finally:
        await core.close()


async def _main() -> None:
    parser = make_parser("candidates", "Measures what fewer entries of each list cost.", SETS)
    parser.add_argument("--limit", type=int, default=1000, help="questions of each set")
    given = parser.parse_args()
    for folder in chosen_sets(parser, given):
        async for each in measure(load_golden(folder, limit=given.limit)):
            print(shown(each), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
