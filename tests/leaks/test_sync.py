"""A folder or a prefix in S3 that is synced for other readers than before: its earlier readers see nothing of it from the moment the run
removes it."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest import sync_plan
from footnote.ingest.sync import Sync
from footnote.ingest.sync_state import Options
from footnote.ports import Entry, Source, Unlisted
from footnote.types import Document, StoredName
from tests.contracts.backends_sources import SOURCES, Place
from tests.leaks.channels import Channel, ask_retrieve, assert_finds_all, assert_permitted, logs_say_nothing, shares_of_channels
from tests.leaks.mutants import Mutant, giving, seed
from tests.leaks.world import Kept, World, name_of, open_world
from tests.nightly import DEEP

NAMES = ("a.txt", "b.txt", "closed.txt")


class Closing:
    """A source of which a file cannot be read any more after the first sync."""

    is_closed = False

    def __init__(self, source: Source) -> None:
        self._source = source
        self.address = source.address

    def entries(self) -> AsyncIterator[Entry | Unlisted]:
        return self._source.entries()

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        if self.is_closed and key == "closed.txt":
            raise UnreadableFile("The file cannot be opened (Permission denied).", "Check its permissions.")
        return await self._source.read(key, max_bytes)

    async def close(self) -> None:
        """The place closes it."""


def canaries_of(name: str) -> tuple[str, str, str, str]:
    number = 70 + NAMES.index(name)
    return f"zqbody{number}x", f"zqtitle{number}x", f"zqnumber{number}x", name_of(number)


async def write(place: Place) -> None:
    for name in NAMES:
        body, title, rare, keeper = canaries_of(name)
        built = f"The bridge over the river was built in the year {rare}. It is known as {body} to those who live there."
        text = f"Bridges {title}\n\n{built} Its keeper is {keeper}."
        await place.put(name, text.encode())


Shares = Iterator[tuple[Channel, ...]]
"""What each check asks, one after the other."""


async def check(world: World, shares: Shares, *people: str) -> None:
    channels = next(shares)
    for person in people:
        await assert_permitted(world, person, channels)
        await assert_finds_all(world, person)
    logs_say_nothing(world)


async def sync(world: World, shares: Shares, source: Closing, group: str, *losing: str) -> None:
    """Syncs the source for a group. `losing`: who may read nothing of it any more, from the first file that is added anew."""
    groups = frozenset({group})
    run = Sync(source, world.core.ingestor, Options(StoredName("default"), (group,)))
    for kept in list(world.documents.values()):
        if kept.slot >= 70:  # of this source
            world.gone.append(world.documents.pop(kept.doc_id))

    async def taken(key: str, document: Document) -> None:
        canaries = canaries_of(key)
        world.gone[:] = [kept for kept in world.gone if kept.canaries != canaries]
        world.documents[document.doc_id] = Kept(document.doc_id, 70 + NAMES.index(key), "default", groups, canaries, ready=False)
        await check(world, shares, *losing)

    await run.apply(await run.plan(), taken)
    await check(world, shares, *losing)
    await world.work()


async def narrow(kind: str, folder: Path, asked: Sequence[tuple[Channel, ...]]) -> None:
    """Everybody looks before and after the readers of a source change, and those who lose it in the middle of the run; each time at the
    next of what is `asked`."""
    shares = itertools.cycle(asked)
    async with AsyncExitStack() as stack:
        world = await open_world(folder / "data", stack)
        await world.put(0, frozenset({"*"}))
        await world.sign_in("ann", frozenset({"red"}))
        await world.sign_in("bob", frozenset({"blue"}))
        place = await stack.enter_async_context(SOURCES[kind](folder, time.time))
        await write(place)
        source = Closing(place.source)
        await sync(world, shares, source, "red")
        assert len(world.readable("ann")) == 4
        await check(world, shares, "ann", "bob", "cem")
        source.is_closed = True
        await sync(world, shares, source, "blue", "ann", "cem")
        assert (len(world.readable("ann")), len(world.readable("bob"))) == (1, 3)
        await check(world, shares, "ann", "bob", "cem")


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.nightly)])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of source; S3 needs its engine."""
    if request.param == "s3":
        request.getfixturevalue("aws_url")
    return str(request.param)


@pytest.mark.slow("everybody asks after every change")
async def test_whoever_loses_a_synced_source_sees_nothing_of_it_at_once(kind: str, tmp_path: Path) -> None:
    await narrow(kind, tmp_path, shares_of_channels(1 if DEEP else 6))


MUTANTS: dict[str, Mutant] = {
    "a sync does not ask who could read its documents": ((sync_plan, "_has_other_readers", giving(False)),),
    "whoever could read its documents may read the new ones": (
        (Sync, "_take", lambda take: lambda run, *args: take(replace(run, options=replace(run.options, groups=("red",))), *args)),
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):  # somebody is shown too much, or does not find what is theirs
        await narrow(kind, tmp_path, [(ask_retrieve,)])
