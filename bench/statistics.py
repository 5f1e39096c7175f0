"""Measures statistics on generated turns: exactness against a recount, the time of roll-ups, and the time of statistics before and after.

`python -m bench.statistics [--turns 100000] [--mongodb URI]`. The turns are generated: no person's questions are needed to add up figures.
Their records have the size of usual ones. Percentiles may be off by 2 %, everything else not at all.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.feedback import MongoFeedbackStore
from footnote.adapters.mongodb.records import MongoRecords
from footnote.adapters.mongodb.statistics import MongoStatisticsStore
from footnote.adapters.mongodb.turns import MongoTurnStore
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.feedback import SqliteFeedbackStore
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.adapters.sqlite.store import open_store
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.learn.rollups import read_tallies, store_rollups
from footnote.learn.stats import By, figures_of, roll_up
from footnote.plan import make_plan
from footnote.ports import Clock, FeedbackStore, Records, StatisticsStore, TurnStore
from footnote.settings import Settings
from footnote.turn_records.days import DAY_S, day_of
from footnote.turn_records.make import make_record
from footnote.types import (
    Answer,
    Caller,
    Chunk,
    Citation,
    Feedback,
    Hit,
    Mode,
    ModelCall,
    Outcome,
    Profile,
    Request,
    Trace,
    TurnRecord,
    Usage,
    begin_turn,
)

ADMIN = Caller("boss", role="admin")
START = 1_735_689_600.0
"""2025-01-01."""
YEAR = 365
PROFILE = Profile("trd", live=False, citation_style="numbered", prompt="answer_numbered")
SETTINGS = Settings()
MODES: tuple[Mode, ...] = ("rag", "gpt", "pa")
OUTCOMES: tuple[Outcome | None, ...] = (*(None,) * 12, "closest", "closest", "no_hits", "refused", "forbidden", "blocked", "cached", "faq")
TEXT = "The bridge over the river was built in the year in which the ferry was given up, as the town's records say. " * 6
BYS: tuple[By, ...] = ("day", "user", "room", "search_type", "llm", "collection", "outcome")
T = TypeVar("T")
Groups = dict[tuple[str | None, ...], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Made:
    """A generated turn, and the feedback on it."""

    record: TurnRecord
    feedback: tuple[Feedback, ...]

    @property
    def caller(self) -> Caller:
        return Caller(self.record["user_id"])


def generate(count: int, days: int, seed: int, *, users: int = 200, documents: int = 500) -> Iterator[Made]:
    """Turns of `days` from START on, in order."""
    chance = random.Random(seed)
    plan = make_plan(Request("?"), PROFILE, SETTINGS)
    for number, second in enumerate(sorted(chance.random() * days * DAY_S for _ in range(count))):
        at = START + math.floor(second * 1000) / 1000
        user = f"user{min(int(chance.expovariate(0.02)), users - 1)}"
        room = f"{user}-{day_of(at)}-{chance.randrange(2)}" if chance.random() < 0.7 else None
        mode: Mode = chance.choices(MODES, (8, 1, 1))[0]
        collection = chance.choice(("default", "town", "harbour"))
        asked = Request(f"How long is bridge {chance.randrange(400)}?", collection, mode=mode, room_id=room)
        outcome = chance.choice(OUTCOMES)
        failed = outcome is None and chance.random() < 0.05
        models = chance.sample(("small", "large", "other"), chance.randrange(3))
        calls = tuple(ModelCall("answer", model, Usage(chance.randrange(4000), chance.randrange(500)), 1.0) for model in models)
        hits = tuple(_hit(chance.randrange(documents), chance.random()) for _ in range(5))
        cited = tuple(Citation(place, hit, TEXT[:200], 1) for place, hit in enumerate(hits[: chance.randrange(3)], start=1))
        answer = None if failed else Answer(TEXT, cited, model=models[0] if models else None)
        turn = begin_turn(f"t{number}", Caller(user), PROFILE, asked, plan)
        notes = {"search_cache": {"hits": 1}} if chance.random() < 0.1 else {}
        turn = replace(
            turn,
            outcome=outcome,
            answer=answer,
            evidence=replace(turn.evidence, hits=hits),
            trace=Trace(started_at=at, calls=calls, notes=notes),
        )
        record = make_record(turn, "error" if failed else "done", now=at + chance.lognormvariate(0, 1.2))
        rated = (Feedback(f"t{number}", user, chance.choice(("up", "down")), created_at=at + 60),) if chance.random() < 0.1 else ()
        yield Made(record, rated)


def _hit(number: int, score: float) -> Hit:
    doc_id = f"doc.{number}"
    return Hit(Chunk(f"{doc_id}|1|0", doc_id, 1, 0, 2, f"Document {number}", TEXT, "en", "default"), score)


# --- the recount ------------------------------------------------------------------------------------


def recount(made: Iterable[Made], by: By | None) -> Groups:
    """The figures of each group, straight from the records; None = all turns. By model, tokens count for the model that used them."""
    groups: dict[tuple[str | None, ...], list[Made]] = {}
    tokens: dict[tuple[str | None, ...], Counter[str]] = {}
    for each in made:
        record, used = each.record, each.record["result"]["usage"]["models"]
        llm = (
            record["llm"] or max(used, key=lambda part: part["prompt_tokens"] + part["completion_tokens"], default={"model": None})["model"]
        )
        ended = record["outcome"] or ("error" if record["is_error"] else "answered")
        key: tuple[str | None, ...] = {
            "day": (record["created_at"][:10],),
            "user": (record["user_id"],),
            "room": (record["user_id"], record["room_id"]),
            "search_type": (record["search_type"],),
            "llm": (llm,),
            "collection": (record["collection"],),
            "outcome": (ended,),
        }.get(by or "", ())
        groups.setdefault(key, []).append(each)
        tokens.setdefault(key, Counter())
        for part in used:
            own = tokens.setdefault((part["model"],) if by == "llm" else key, Counter())
            own.update(prompt_tokens=part["prompt_tokens"], completion_tokens=part["completion_tokens"])
    return {
        key: _count(groups.get(key, [])) | {name: tokens[key][name] for name in ("prompt_tokens", "completion_tokens")} for key in tokens
    }


def _count(made: Sequence[Made]) -> dict[str, float]:
    records = [each.record for each in made]
    ratings = Counter(given.rating for each in made for given in each.feedback)
    latencies = sorted(record["latency_ms"] for record in records)
    outcomes = Counter(record["outcome"] or ("error" if record["is_error"] else "answered") for record in records)
    cached = sum(record["outcome"] == "cached" or "search_cache" in record["private"] for record in records)
    return {
        "turns": len(records),
        "errors": sum(record["is_error"] for record in records),
        "answered": outcomes["answered"] + outcomes["cached"] + outcomes["faq"],
        "closest": outcomes["closest"],
        "refusals": sum(outcomes[name] for name in ("no_hits", "refused", "blocked", "forbidden")),
        "forbidden": outcomes["forbidden"],
        "cache_hits": cached,
        "feedback_up": ratings["up"],
        "feedback_down": ratings["down"],
        "latency_p50_ms": latencies[max(0, math.ceil(0.5 * len(latencies)) - 1)] if latencies else 0,
        "latency_p95_ms": latencies[max(0, math.ceil(0.95 * len(latencies)) - 1)] if latencies else 0,
    }


def differences(
    shown: dict[tuple[str | None, ...], dict[str, float]], counted: dict[tuple[str | None, ...], dict[str, float]]
) -> list[str]:
    """What is shown and not counted; percentiles may differ by 2 %."""
    if shown.keys() != counted.keys():
        return [f"groups: {sorted(map(str, shown.keys() ^ counted.keys()))[:5]}"]
    return [
        f"{key} {name}: {shown[key][name]} instead of {value}"
        for key, figures in counted.items()
        for name, value in figures.items()
        if abs(shown[key][name] - value) > (0.02 * value if name.startswith("latency") else 0)
    ]


async def compare(statistics: StatisticsStore, made: Sequence[Made], caller: Caller, first: str, last: str) -> list[str]:
    """Where the statistics of a period differ from a recount of these turns, which are all that the caller should see."""
    within = [each for each in made if first <= each.record["created_at"][:10] <= last]
    found: list[str] = []
    for by in (None, *BYS):
        tallies = await read_tallies(caller, first, last, statistics=statistics, people=by in ("user", "room"))
        if by is None:
            shown: dict[Any, dict[str, float]] = {(): asdict(figures_of(tallies))} if tallies else {}
        else:
            shown = {tuple(group.key.values()): asdict(group.figures) for group in roll_up(tallies, by)}
        found += [f"{by} {difference}" for difference in differences(shown, recount(within, by))]
    return found


# --- stores -----------------------------------------------------------------------------------------


class Stores(NamedTuple):
    """What keeps turns, and what is about them, in one engine."""

    turns: TurnStore
    feedback: FeedbackStore
    statistics: StatisticsStore
    records: Records


def on_sqlite(database: Database, clock: Clock, keep_s: float | None = None) -> Stores:
    """The stores in store.db. `keep_s`: how long turns are kept; None = for good."""
    return Stores(
        SqliteTurnStore(database, clock, keep_s=keep_s),
        SqliteFeedbackStore(database, clock, keep_s=keep_s),
        SqliteStatisticsStore(database, clock, keep_s=keep_s),
        SqliteRecords(database, clock),
    )


def on_mongodb(databases: Databases, clock: Clock, keep_s: float | None = None) -> Stores:
    """The stores in MongoDB; `keep_s` as above."""
    return Stores(
        MongoTurnStore(databases, clock, keep_s=keep_s),
        MongoFeedbackStore(databases, clock, keep_s=keep_s),
        MongoStatisticsStore(databases, clock, keep_s=keep_s),
        MongoRecords(databases, clock),
    )


# --- times ------------------------------------------------------------------------------------------


async def timed(work: Callable[[], Awaitable[T]]) -> tuple[T, float]:
    start = perf_counter()
    result = await work()
    return result, perf_counter() - start


async def measure(stores: Stores, made: Sequence[Made]) -> None:
    """Fills the store, measures, and prints what was measured."""
    _, took = await timed(lambda: _fill(stores, made))
    _say("turns stored", f"{len(made)} in {took:.0f} s")
    last = START + YEAR * DAY_S + DAY_S / 2
    today = day_of(last)
    periods = (("a year", day_of(START)), ("30 days", day_of(last - 29 * DAY_S)))

    async def show(what: str, bys: Sequence[By]) -> None:
        for name, first in periods:
            for by in bys:
                _, took = await timed(partial(_show, stores, first, today, by))
                _say(f"/stats of {name} by {by}, {what}", f"{took * 1000:.0f} ms")

    await show("before", ("day",))
    done, took = await timed(lambda: store_rollups(ADMIN, last, statistics=stores.statistics))
    _say("roll-up of all days", f"{len(done)} days, {sum(done.values())} roll-ups in {took:.1f} s")
    _, took = await timed(lambda: store_rollups(ADMIN, last, statistics=stores.statistics))
    _say("roll-up when nothing has changed", f"{took * 1000:.0f} ms")
    await show("after", ("day", "user", "room"))
    found = await compare(stores.statistics, made, ADMIN, day_of(START), today)
    _say("differences from a recount", str(len(found)))
    for each in found[:5]:
        _say("difference", each)


def _say(name: str, value: str) -> None:
    print(f"  {name}: {value}", flush=True)


async def _show(stores: Stores, first: str, last: str, by: By) -> None:
    roll_up(await read_tallies(ADMIN, first, last, statistics=stores.statistics, people=by in ("user", "room")), by)


async def _fill(stores: Stores, made: Sequence[Made]) -> None:
    for each in made:
        await stores.turns.save(each.record)
        for given in each.feedback:
            await stores.feedback.put(each.caller, given)


async def _main(options: argparse.Namespace) -> None:
    made = list(generate(options.turns, YEAR, options.seed))
    print(f"{len(made)} generated turns of {YEAR} days", file=sys.stderr)
    if options.mongodb:
        databases = Databases(options.mongodb, "footnote_bench", "footnote_bench_statistics")
        print("MongoDB", flush=True)
        await measure(on_mongodb(databases, lambda: START), made)  # a year ago, when no day was over
        await databases.close()
        return
    with TemporaryDirectory() as folder:
        database = open_store(Path(folder), durable=False)
        print("SQLite", flush=True)
        await measure(on_sqlite(database, lambda: START), made)
        database.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.statistics", description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--mongodb", metavar="URI", help="Measures on this server instead of SQLite, in databases of its own.")
    asyncio.run(_main(parser.parse_args()))
