"""Statistics are a channel, from the turns themselves and from roll-ups: nobody but admins learns of others' questions, rooms and
names, and an admin of no group learns nothing of documents that they may not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.guard.identity import Session, open_session
from footnote.learn import unanswered
from footnote.learn.rollups import store_rollups
from footnote.turn_records import readable
from footnote.types import Caller
from footnote_stats import app, read
from tests.leaks.channels import ASK, own_question
from tests.leaks.mutants import Mutant, is_admin, is_neighbour, seed
from tests.leaks.world import DAY_S, PEOPLE, ROOM, World, asked_by, open_world

ROLLER = Caller("schedule", role="admin")
EVERYONE, RED = frozenset({"*"}), frozenset({"red"})
BYS = ("user", "room", "day", "search_type", "llm", "collection", "outcome")
BANNED = "zqbanned0x"


async def sign_in_admin(world: World) -> None:
    """`eve` is an admin of no group."""
    stores: dict[str, Any] = {"cache": world.core.cache, "records": world.core.records}
    world.tokens["eve"] = await open_session(Session("eve", (), "admin"), 1e9, **stores, now=world.clock())


async def ask_all(world: World) -> None:
    """Everybody asks a question that is answered, and one that is not; bob asks for a forbidden term, twice: once it is let through."""
    for person in PEOPLE:
        room = f"{ROOM}-{asked_by(person)}"
        reply = await world.call(person, "query", "POST", "/ask", json=ASK | {"query_text": own_question(person), "room_id": room})
        assert reply.status_code == 200, reply.text
        await ask_in_vain(world, person, f"Why is nothing known of {asked_by(person)}?", "closest")
    for outcome in ("forbidden", "no_hits"):
        await ask_in_vain(world, "bob", f"What is {BANNED}?", outcome)


async def ask_in_vain(world: World, person: str, question: str, outcome: str) -> None:
    """A stored turn that ended so."""
    stored = [each async for each in world.core.turns.all_of(Caller(person))]
    record: Any = stored[0].record
    asked = {**record["conversations"][0], "content": question}
    await world.core.turns.save({**record, "trace_id": f"{person}-{outcome}", "outcome": outcome, "conversations": [asked]})


async def check(world: World) -> None:
    """The admin may read documents for everyone only."""
    secrets = [secret for kept in world.documents.values() if kept.groups == RED for secret in (kept.doc_id, *kept.canaries)]
    everybody = dict.fromkeys(PEOPLE, 0)
    for by in BYS:
        for options in ({}, {"format": "csv"}, {"collection": "default"}):
            for person in PEOPLE:
                reply = await world.call(person, "stats", "GET", "/stats", params={"by": by, **options})
                assert reply.status_code == 200, reply.text
                others = [other for other in PEOPLE if other != person]
                assert not [other for other in others if asked_by(other) in reply.text or f'"{other}"' in reply.text], reply.text
                if not options:
                    everybody[person] = reply.json()["total"]["turns"]
            shown = await world.call("eve", "stats", "GET", "/stats", params={"by": by, **options})
            assert not [secret for secret in (*secrets, BANNED) if secret in shown.text], shown.text
            if not options:
                assert shown.json()["total"]["turns"] == sum(everybody.values()), (by, shown.text)
    assert everybody == {"ann": 2, "bob": 4, "cem": 2}
    for options in ({}, {"format": "csv"}):
        for by in ("question", "document"):
            for person in PEOPLE:
                reply = await world.call(person, "stats", "GET", "/stats", params={"by": by, **options})
                assert reply.status_code == 403, reply.text
        questions = await world.call("eve", "stats", "GET", "/stats", params={"by": "question", **options})
        told = [asked_by(person) in questions.text for person in PEOPLE]
        assert told == [False, True, True], questions.text  # ann's depends on what is red
        assert BANNED not in questions.text, questions.text
        assert not [secret for secret in secrets if secret in questions.text], questions.text
        cited = await world.call("eve", "stats", "GET", "/stats", params={"by": "document", **options})
        assert not [secret for secret in secrets if secret in cited.text], cited.text
        for kept in world.documents.values():
            assert (kept.doc_id in cited.text) == (kept.groups == EVERYONE), cited.text


async def live_through_it(folder: Path) -> None:
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        await world.sign_in("ann", RED)
        await sign_in_admin(world)
        await world.put(0, EVERYONE)
        await world.put(1, RED)
        await world.put(2, RED, "side")  # which nobody asks
        await world.put(3, EVERYONE, "side")
        await ask_all(world)
        await check(world)
        world.clock.advance(DAY_S)
        await store_rollups(ROLLER, world.clock(), statistics=world.core.statistics)
        assert any(day.is_fresh for day in await world.core.statistics.rolled_days(ROLLER, "2000-01-01", "2100-01-01"))
        await check(world)


async def test_statistics_show_nobody_what_is_not_theirs(tmp_path: Path) -> None:
    await live_through_it(tmp_path)


def _as_admin(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda core, caller, wanted: original(core, replace(caller, role="admin"), wanted)


def _with_all_documents(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda caller, *args, **options: original(replace(caller, sees_all=True), *args, **options)


async def _all_documents(doc_ids: Any, *_: Any) -> frozenset[str]:
    return frozenset(doc_ids)


MUTANTS: Mapping[str, Mutant] = {
    "turns of today are everybody's": ((SqliteStatisticsStore, "figures", is_admin),),
    "turns of today are another's": ((SqliteStatisticsStore, "figures", is_neighbour),),
    "roll-ups are everybody's": ((SqliteStatisticsStore, "tallies", is_admin),),
    "roll-ups are another's": ((SqliteStatisticsStore, "tallies", is_neighbour),),
    "everybody gets an admin's statistics": ((app, "read_stats", _as_admin),),
    "cited documents are listed without their groups": ((read, "_readable", _with_all_documents),),
    "documents that are never cited are listed without their groups": ((read, "_never", _with_all_documents),),
    "forbidden questions are shown": (
        (unanswered, "UNANSWERED", lambda kinds: (*kinds, "forbidden")),
        (readable, "WITHHELD", lambda _: ("withdrawn",)),
    ),
    "a question is forbidden only the time that it was refused": ((readable, "WITHHELD", lambda _: ("withdrawn",)),),
    "questions are shown whatever they depend on": ((readable, "readable_documents", lambda _: _all_documents),),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        await live_through_it(tmp_path)
