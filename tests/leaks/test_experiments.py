"""Experiments are a channel: nobody but admins learns of an experiment or the arm of a turn, whichever API answered it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from footnote_query import experiment_replay, my_data
from tests.leaks.channels import ASK, CHEAP, DEAR
from tests.leaks.mutants import Mutant, is_admin, seed
from tests.leaks.world import PEOPLE, SECRET, World, open_world

NAMES = {"zqtrial0x", "zqplain0x", "zqother0x"}
ARMS = [{"name": "zqplain0x"}, {"name": "zqother0x", "options": {"refine": False}}]


async def check_experiment(folder: Path) -> None:
    """Everybody's turns have an arm, and no reply to them says so; an admin sees it."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        await world.put(0, frozenset({"*"}))
        await world.put(1, frozenset({"*"}), "voices")
        made = await world.call("root", "query", "POST", "/experiments", json={"name": "zqtrial0x", "arms": ARMS, "start": True})
        assert made.status_code == 201, made.text
        for person in PEOPLE:
            debugged = await world.call(person, "query", "POST", "/ask", json=ASK | {"debug": True})
            assert not _named(debugged.text), debugged.text
            for channel in (*DEAR, *CHEAP):
                async for reply in channel(world, person):
                    assert not _named(reply.text + str(reply.headers)), (channel.__name__, reply.request.url.path, reply.text[:400])
        shown = (await world.call("root", "query", "GET", "/experiments/zqtrial0x")).json()
        assert sum(arm["users"] for arm in shown["results"]) == len(PEOPLE)
        await _admin_sees(world)
        await _replay_withholds(world)


async def _replay_withholds(world: World) -> None:
    """A replay takes no turn that depends on what the admin may not read, and tells nothing of it."""
    await world.put(2, frozenset({"red"}))
    await world.sign_in("ann", frozenset({"red"}))
    asked = await world.call("ann", "query", "POST", "/ask", json=ASK)
    rating = {"trace_id": asked.json()["trace_id"], "rating": "up"}
    assert (await world.call("ann", "feedback", "POST", "/feedback", json=rating)).status_code == 200
    told = []
    for groups in (frozenset[str](), frozenset({"red"})):
        await world.sign_in("root", groups)
        reply = await world.call("root", "query", "POST", "/experiments/zqtrial0x/replay", json={})
        told.append((reply.json()["left_out"]["withheld"], reply.json()["liked"]))
    (withheld, without), (none, whole) = told
    assert (withheld, none, whole - without) == (1, 0, 1), told
    reply = await world.call("bob", "query", "POST", "/experiments/zqtrial0x/replay", json={})
    assert reply.status_code == 403, reply.text


async def _admin_sees(world: World) -> None:
    await world.call("root", "query", "POST", "/ask", json=ASK)
    exported = await world.call("root", "query", "GET", "/me/data")
    assert "zqtrial0x" in _named(exported.text), exported.text[:400]


def _named(text: str) -> set[str]:
    return NAMES & set(SECRET.findall(text.lower()))


@pytest.mark.slow("everybody asks every channel")
@pytest.mark.timeout(300)
async def test_nobody_but_admins_learns_of_an_experiment(tmp_path: Path) -> None:
    await check_experiment(tmp_path)


async def _all_documents(doc_ids: Iterable[str], *_: Any) -> frozenset[str]:
    return frozenset(doc_ids)


MUTANTS: dict[str, Mutant] = {
    "an export holds the arm": ((my_data, "_line", is_admin),),
    "a replay takes any turn": ((experiment_replay, "readable_documents", lambda _: _all_documents),),
}


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        await check_experiment(tmp_path)
