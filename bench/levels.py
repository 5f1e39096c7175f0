"""Measures what level standard and its second stage add to the time of a search, without a language model.

Each question is searched for in turn at level basic, at standard, and at standard without the second stage, so that all of them meet the
same machine. Times include the question's own vector.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, Setup
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.learn.ranking_metrics import percentile
from footnote.settings import LLM, Settings
from footnote.types import IntelligenceLevel, Request
from footnote_local.evaluate import CALLER, PROFILE, TOP, build_index

SET = "squad2"
QUESTIONS, FIRST = 400, 20
"""Questions, and those of them that only warm up."""
STANDARD_MS, REFINE_MS = 5.0, 1.0
COMMAND = "python -m bench --only levels"


def measure(setup: Setup) -> Iterator[Figure]:
    basic, standard, without = asyncio.run(_measure(setup.need(SET), setup.cache))
    yield Figure(f"{SET}: search p50, basic", percentile(basic, 0.5), "ms", COMMAND)
    yield Figure(f"{SET}: search p50, standard", percentile(standard, 0.5), "ms", COMMAND)
    added = [more - less for more, less in zip(standard, basic, strict=True)]
    yield Figure(f"{SET}: standard beyond basic, p50 of the differences", percentile(added, 0.5), "ms", COMMAND, most=STANDARD_MS)
    refined = [more - less for more, less in zip(standard, without, strict=True)]
    yield Figure(f"{SET}: the second stage, p50 of the differences", percentile(refined, 0.5), "ms", COMMAND, most=REFINE_MS)


async def _measure(folder: Path, cache: Path) -> tuple[list[float], list[float], list[float]]:
    """The times of basic, standard, and standard without the second stage, in ms, by question."""
    golden = load_golden(folder, limit=QUESTIONS)
    settings = Settings(llm=LLM(discover=False))
    core, _ = await build_index(golden, settings, cache / "eval", lambda what, done, total: None)
    plain = Core(core.settings.model_copy(update={"rag": core.settings.rag.model_copy(update={"switched_off": ["refine"]})}))
    times: tuple[list[float], list[float], list[float]] = ([], [], [])
    ways: tuple[tuple[Core, IntelligenceLevel], ...] = ((core, "basic"), (core, "standard"), (plain, "standard"))
    try:
        for number, query in enumerate(golden.queries):
            for at in range(number, number + len(ways)):  # each of them is the first one in turn
                which, level = ways[at % len(ways)]
                found = await _time(which, query.text, level)
                if number >= FIRST:
                    times[at % len(ways)].append(found)
    finally:
        await plain.close()
        await core.close()
    return times


async def _time(core: Core, question: str, level: IntelligenceLevel) -> float:
    turn = core.new_turn(Request(question, "default", limit=TOP, level=level), CALLER, PROFILE)
    started = perf_counter()
    await core.retrieve.finish(turn)
    return (perf_counter() - started) * 1000
