"""Files attached to a conversation are seen by who attached them, in that conversation alone, until it is deleted."""

from __future__ import annotations

import itertools
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.leaks.channels import (
    ALL_CHANNELS,
    assert_finds_all,
    assert_permitted,
    logs_say_nothing,
    read_attachments,
    shares_of_channels,
)
from tests.leaks.mutants import MUTANTS, seed
from tests.leaks.world import PEOPLE, World, open_world
from tests.nightly import DEEP

NAMES = [name for name in MUTANTS if "attached files" in name]


SHARES = shares_of_channels(1 if DEEP else 8)


async def attach_and_delete(folder: Path) -> World:
    """Two users with the same groups attach files to conversations of the same name; one of them is deleted."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        shares = itertools.cycle(SHARES)

        async def check() -> None:
            channels = {read_attachments, *next(shares)}
            for person in PEOPLE:
                await assert_permitted(world, person, tuple(channel for channel in ALL_CHANNELS if channel in channels))
                await assert_finds_all(world, person)
            logs_say_nothing(world)

        await world.put(0, frozenset({"*"}))
        for person in PEOPLE:
            await world.sign_in(person, frozenset({"red"}))
        for person in ("ann", "bob"):
            await world.attach(person)
            await check()
        await world.attach("ann")
        await check()
        await world.delete_conversation("ann")
        await check()
        await world.work()
        await check()
        return world


@pytest.mark.slow("everybody asks after every change")
async def test_nobody_else_and_no_other_conversation_sees_an_attached_file(tmp_path: Path) -> None:
    world = await attach_and_delete(tmp_path)
    assert (len(world.attached["ann"]), len(world.attached["bob"]), world.seen["attached"]) == (0, 1, 7)


@pytest.mark.nightly  # in the gate each is found in `test_defects`
@pytest.mark.parametrize("name", NAMES)
async def test_each_defect_of_attached_files_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        await attach_and_delete(tmp_path)
