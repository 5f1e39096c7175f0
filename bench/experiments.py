"""Measures experiments: how often the better arm wins and how often one of two equal arms does, for somebody who looks after every
rating; and what assigning an arm, or ordering passages by weights from feedback, adds to a turn. Users and ratings are simulated; the
arms are drawn by the product's code."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Literal

from bench.figures import Figure, Setup, log_progress
from bench.follow_up import Prompt
from footnote.bootstrap import Core
from footnote.learn.experiment_stats import Bet, Rated
from footnote.learn.experiments import Experiment, create_experiment, even_shares, join_experiment
from footnote.learn.feedback_weights import FIELDS, DocumentWeight, Weight, Weights, dump_weights
from footnote.learn.weigh import weigh
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Arm, Caller, Request
from footnote_query.dialects.trd.ask import LIVE
from tests.fakes import make_document, put_document
from tests.footnote.learn.simulations import simulate

COMMAND = "python -m bench --only experiments"
BETTER, EQUAL = 100, 1000
TURNS = 2000
WEIGHTED = 1000


def measure(setup: Setup) -> Iterator[Figure]:
    kinds: tuple[Literal["cohort", "bandit"], ...] = ("cohort", "bandit")
    for kind in kinds:
        won = [simulate(seed, {"a": 0.60, "b": 0.75}, kind) for seed in range(BETTER)]
        right = sum(winner == "b" for winner, _ in won)
        yield Figure(f"{kind}, .60 against .75, 2000 ratings: the better arm wins, of {BETTER}", right, "", COMMAND, least=95)
        yield Figure(f"{kind}, .60 against .75: ratings until it wins, p50", median(number for _, number in won), "", COMMAND)
        log_progress(f"{kind}: {EQUAL} runs with equal arms")
        false = sum(simulate(seed, {"a": 0.6, "b": 0.6}, kind)[0] is not None for seed in range(EQUAL))
        yield Figure(f"{kind}, equal arms, 2000 ratings: false winners", 100 * false / EQUAL, "%", COMMAND, most=5)
    yield Figure("60 users with habits, 20 ratings each, equal arms: false winners", 100 * _habits(once=True), "%", COMMAND, most=5)
    yield Figure("… if every rating of theirs counted", 100 * _habits(once=False), "%", COMMAND)
    with TemporaryDirectory() as folder:
        yield Figure("what an experiment adds to a turn, p50", median(asyncio.run(_added(Path(folder)))), "ms", COMMAND, most=0.2)
    with TemporaryDirectory() as folder:
        weighed = median(asyncio.run(_weighed(Path(folder))))
        yield Figure(f"what weights of {WEIGHTED} documents and of all fields add to a turn with 20 passages, p50", weighed, "ms", COMMAND)


def _habits(*, once: bool, runs: int = EQUAL) -> float:
    """The share of runs with a winner, where a user is content with 20 % or with 90 % of all answers, whatever the arm."""
    winners = 0
    for seed in range(runs):
        rng, bet, seen = random.Random(seed), Bet("a", "b"), set()
        arms = (Arm("a"), Arm("b"))
        experiment = Experiment("simulated", f"{seed:016x}", arms, even_shares(arms))
        contents = {f"user {number}": rng.choice((0.2, 0.9)) for number in range(60)}
        for user in rng.sample(list(contents) * 20, 60 * 20):
            drawn = experiment.draw(user)
            if not once or user not in seen:
                bet.add(Rated(drawn.arm.name, rng.random() < contents[user], drawn.shares))
            seen.add(user)
        winners += bet.better is not None
    return winners / runs


async def _added(folder: Path) -> list[float]:
    """Milliseconds of the row in turns of different users."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False)), models=Prompt())
    arms = (Arm("plain"), Arm("basic", level="basic", options={"refine": False}, retriever="bm25"))
    await create_experiment(Experiment("bench", "00ff", arms, even_shares(arms), state="RUNNING", started_at=1.0), core.records)
    await core.load_changes()
    join = partial(join_experiment, experiments=core.experiments, settings=core.settings)
    times = []
    for number in range(TURNS):
        turn = core.new_turn(Request("When was the bridge built?"), Caller(f"user {number}"), LIVE)
        started = perf_counter()
        await join(turn)
        times.append((perf_counter() - started) * 1000)
    await core.close()
    return times


async def _weighed(folder: Path) -> list[float]:
    """Milliseconds of the row that orders the 20 passages of a turn."""
    core = Core(Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False)), models=Prompt())
    for number in range(20):
        text = f"The bridge over the river was built in 18{number:02}, as the records of the town say. " * 6
        await put_document(core.generations, make_document(f"record-{number}", groups=("*",)), [text])
    documents = {f"record-{number}": DocumentWeight(0.9 + number / 10_000, 9, 0.5, 1, ("*",)) for number in range(WEIGHTED)}
    weights = Weights(documents, {name: Weight(1.01, 9, 0.5) for name in FIELDS})
    await core.records.put("weights", "default", dump_weights(weights), by="bench")
    asked = core.new_turn(Request("When was the bridge built?", "default", limit=20), Caller("user"), LIVE)
    turn = await core.retrieve.finish(asked)
    if len(turn.evidence.pool) != 20:
        raise RuntimeError(f"{len(turn.evidence.pool)} passages were found")
    times = []
    for _ in range(TURNS // 10):
        started = perf_counter()
        await weigh(turn, index=core.index, records=core.records)
        times.append((perf_counter() - started) * 1000)
    await core.close()
    return times
