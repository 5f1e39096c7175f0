"""What is counted: an answer quoted from documents and one written by a model, in-process and over HTTP, a search, and a document's way
into the index. Each is run some times before, so that caches are warm, then with other questions."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from types import SimpleNamespace

from bench.counts.counter import Counted, Counting, peak_bytes, top
from bench.counts.stubs import Connection, HashEmbedder, HereParser, connect_to_model
from footnote.adapters.sqlite.database import THREADS, Database
from footnote.bootstrap import Core
from footnote.collections import service
from footnote.guard.identity import LOCAL
from footnote.ingest.apart import in_thread
from footnote.settings import LLM, Settings
from footnote.types import Profile, Request
from footnote_local.server import create_app
from footnote_query.dialects.trd.ask import LIVE

TOWNS = [f"{first}{last}" for first in ("Ald", "Ash", "Bram", "Cold", "Elm", "Fern") for last in ("bury", "ford", "ham", "ton", "wick")]
THINGS = ("bridge", "ferry", "lighthouse", "market", "school", "mill", "library", "station")
WARM = 2
"""Runs before the one that is counted."""
SLOWER = 100
"""So much slower runs the clock of the event loop: on a busy machine, no time limit of a step may pass."""
NOW = 1_800_000_000.0
SEARCH = Profile("bench", live=False, citation_style="numbered", prompt="answer_numbered")


class SlowLoop(asyncio.SelectorEventLoop):
    def time(self) -> float:
        return time.monotonic() / SLOWER


@dataclass(frozen=True)
class Scene:
    """`run`: one run, by its number; returns counters of its own: `passages` that were added, `http_bytes` of a reply."""

    name: str
    run: Callable[[int], Awaitable[dict[str, int]]]
    peak: bool = False
    """Whether its peak of memory is measured: that of an answer depends on which threads work at once."""


def count_scenes(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, Counted]]:
    """By scene: the counters of one run; and all that was counted."""
    with asyncio.Runner(loop_factory=SlowLoop) as runner:
        return runner.run(_count(folder))


async def _count(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, Counted]]:
    connect_to_model()
    import_module("openai")  # else the first call does
    vars(service)["time"] = SimpleNamespace(monotonic=lambda: NOW)  # no copy grows old, so that none is read again
    async with _open(folder, LLM(discover=False)) as core, _open(folder, LLM(base_url="http://model.test/v1", model="stub")) as with_model:
        scenes = [*_without_model(core), *_with_model(with_model)]
        counting = Counting()
        counting.start()
        try:
            made = {scene.name: await _run(scene, counting) for scene in scenes}
        finally:
            counting.stop()
    return {name: counts for name, (counts, _) in made.items()}, {name: counted for name, (_, counted) in made.items()}


async def _run(scene: Scene, counting: Counting) -> tuple[dict[str, int], Counted]:
    for number in range(WARM):
        await _settled(scene.run(number))
    await _open_every_connection()
    with counting.during() as counted:
        made = await _settled(scene.run(WARM))
    totals = counted[0].totals() | made
    if scene.peak:
        totals["peak_bytes"] = await peak_bytes(lambda: _settled(scene.run(WARM + 1)))
    return totals, counted[0]


async def _settled(work: Awaitable[dict[str, int]]) -> dict[str, int]:
    """The work, with all that it leaves to the background."""
    before = asyncio.all_tasks()
    made = await work
    while tasks := asyncio.all_tasks() - before:
        await asyncio.wait(tasks)
    return made


async def _open_every_connection() -> None:
    """Else it depends on the pace of the threads when a database opens one more."""
    for database in [each for each in gc.get_referrers(Database) if type(each) is Database]:
        barrier = Barrier(THREADS)
        await asyncio.gather(*(database.run(lambda _: barrier.wait()) for _ in range(THREADS)))  # noqa: B023


@asynccontextmanager
async def _open(folder: Path, llm: LLM) -> AsyncIterator[Core]:
    core = Core(Settings(footnote_data=folder, llm=llm), clock=lambda: NOW, parser=HereParser())
    core.embedder = HashEmbedder()
    core.apart = in_thread
    try:
        yield core
    finally:
        await core.close()


def _without_model(core: Core) -> list[Scene]:
    async def ingest(number: int) -> dict[str, int]:
        towns = TOWNS[number * 2 : number * 2 + 2]
        before = await core.engine.view(LOCAL, "default")
        for town in towns:
            await core.ingestor.accept(LOCAL, _record(town), file_name=f"{town}.md", collection="default", permission_groups=["*"])
        while await core.ingestor.work_one() or await core.ingestor.embed_some():
            pass
        after = await core.engine.view(LOCAL, "default")
        return {"passages": sum(after.languages.values()) - sum(before.languages.values())}

    async def search(number: int) -> dict[str, int]:
        await core.retrieve.finish(core.new_turn(Request(_question(number, "ferry"), "default"), LOCAL, SEARCH))
        return {}

    connection = Connection(create_app(core))
    return [
        Scene("ingest", ingest, peak=True),
        Scene("search", search, peak=True),
        Scene("answer", lambda number: _answer(core, _question(number, "bridge"))),
        Scene("ask", lambda number: _ask(connection, "/ask", _question(number, "market"))),
    ]


def _with_model(core: Core) -> list[Scene]:
    connection = Connection(create_app(core))
    return [
        Scene("answer_by_model", lambda number: _answer(core, _question(number, "lighthouse"))),
        Scene("ask_stream", lambda number: _ask(connection, "/ask/stream", _question(number, "school"))),
    ]


async def _answer(core: Core, question: str) -> dict[str, int]:
    await core.answer.finish(core.new_turn(Request(question, "default"), LOCAL, LIVE))
    return {}


async def _ask(connection: Connection, path: str, question: str) -> dict[str, int]:
    body = {"query_text": question, "index_name": "default", "permission_groups": []}
    return {"http_bytes": len(await connection.post(path, json.dumps(body).encode()))}


def _question(number: int, thing: str) -> str:
    return f"When was the {thing} of {TOWNS[number]} opened?"


def _record(town: str) -> bytes:
    """A document of a town, with a section about each of its things."""
    at = TOWNS.index(town)
    sections = [
        f"## The {thing}\n\nThe {thing} of {town} was opened in {1800 + 3 * at + 11 * place}. It was paid for by {10 + at} families of the"
        f" parish, who had asked for it {2 + place} years before. On weekdays, {20 + at + place} people look after it, and visitors may"
        f" see it from {7 + place} o'clock until the evening. The {thing} was repaired in {1920 + at} after a storm, and painted again"
        f" in {1960 + place + at}. Most of its records are kept in the town hall, where anybody may read them.\n"
        for place, thing in enumerate(THINGS)
    ]
    return "\n".join([f"# Records of {town}\n", *sections]).encode()


def main() -> None:
    """Prints {"counts": as of `count_scenes`, "top": scene → the functions that are called most} as JSON."""
    with TemporaryDirectory() as folder:
        counts, every = count_scenes(Path(folder))
    most = {name: top(counted.calls) for name, counted in every.items()}
    print(json.dumps({"counts": counts, "top": most}))


if __name__ == "__main__":
    main()
