"""Measures a turn's overhead: thirty pipeline steps that do nothing and a model that answers at once. What remains is creating
and planning the turn, and running it with spans, timeouts and events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.figures import Figure, Setup
from bench.follow_up import Prompt
from footnote.answer.generate import generate
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.checkpoints import ReplayedModels, take_checkpoint
from footnote.events import Event, Token
from footnote.guard.identity import LOCAL
from footnote.pipeline import ANSWER, DOCUMENTS
from footnote.ports import Models, RequestKey
from footnote.settings import LLM, Settings
from footnote.steps import Runner, Step
from footnote.types import Message, Request, Turn
from footnote_query.dialects.trd.ask import LIVE

COMMAND = "python -m bench --only overhead"
STEPS, TURNS = 30, 500


def measure(setup: Setup) -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        times = asyncio.run(_run(Path(folder)))
        kept = asyncio.run(_kept(Path(folder)))
    yield Figure(f"a turn of {STEPS} steps that do nothing, p50", median(times), "ms", COMMAND, most=1)
    yield Figure("what a checkpoint adds to a call of a model, p50", median(kept), "ms", COMMAND, most=1)


async def _run(folder: Path) -> list[float]:
    """Runs turns → milliseconds of each."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False)), models=Prompt())
    runner = Runner(_rows(), Deps, core.turn_deps)
    times = []
    for number in range(-50, TURNS):
        started = perf_counter()
        async for _ in runner.run(core.new_turn(Request("When was the bridge built?"), LOCAL, LIVE)):
            pass
        if number >= 0:
            times.append((perf_counter() - started) * 1000)
    await core.close()
    return times


def _rows() -> tuple[Step, ...]:
    """The first rows of the step table, with their timeouts and policies; each of them runs."""
    rows = {row.name: row for row in (*ANSWER, *DOCUMENTS) if isinstance(row, Step)}
    made = [
        replace(row, run=_say if row.run is generate else _do_nothing, when=None, option=None, needs=None, always=False)
        for row in rows.values()
    ]
    return tuple(made[:STEPS])


async def _kept(folder: Path) -> list[float]:
    """Extra milliseconds of a model call for its checkpoint, with the results of a search before it."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False)), models=Prompt())
    entries = {name: [[f"document|1|{i}", 0.5] for i in range(100)] for name in ("lexical", "dense")}
    times = []
    for number in range(-20, TURNS // 5):
        turn = core.new_turn(Request("When was the bridge built?"), LOCAL, LIVE)
        checkpoint = await take_checkpoint(core.checkpoints, RequestKey("ann", str(number), ""), turn)
        checkpoint.keep_later("search", "digest", **entries, coverage=1.0, bare=[])
        plain = await _timed(turn, core.models)
        kept = await _timed(turn, ReplayedModels(core.models, checkpoint))
        if number >= 0:
            times.append(kept - plain)
    await core.close()
    return times


async def _timed(turn: Turn, models: Models) -> float:
    started = perf_counter()
    async for _ in _say(turn, models=models):
        pass
    return (perf_counter() - started) * 1000


async def _do_nothing(turn: Turn) -> Turn:
    return turn


async def _say(turn: Turn, *, models: Models) -> AsyncIterator[Event | Turn]:
    model = await models.pick(None)
    if model is not None:
        async for delta in model.stream((Message("user", turn.asked),)):
            yield Token(delta.text)
    yield turn
