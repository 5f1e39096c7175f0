"""Voices of customers: searches, counts, themes and the agent's tool show what the caller may read; every missing check is found."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite import index
from footnote.bootstrap.voice_finder import VoiceFinder
from footnote.collections.visible import VisibleIndex
from footnote.guard.identity import Session, open_session
from footnote.ports import Delta
from footnote.turn_records import readable
from footnote.types import Caller, Message, ToolCall
from footnote.voices import product, service
from footnote.voices.service import Voices
from tests.fakes import FakeModels
from tests.leaks.channels import QUESTION, V2, ask_voices, assert_permitted, own_question
from tests.leaks.mutants import Mutant, giving, is_admin, seed, sees_all
from tests.leaks.world import PEOPLE, EchoModel, World, asked_by, open_world


class VoiceModel(EchoModel):
    """Asks for voices, and repeats what it is told."""

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        names = {tool.name for tool in options.get("tools", ())}
        if "search_voices" in names and messages[-1].role != "tool":
            yield Delta(tool_calls=(ToolCall("c1", "search_voices", json.dumps({"query": QUESTION})),))
            return
        async for delta in super().stream(messages, **options):
            yield delta


async def ask_agent(world: World, person: str) -> AsyncIterator[Any]:
    """The counts that the model is told are those of readable voices; without any, it has no such tool."""
    told: list[str] = []

    class Watched(VoiceModel):
        async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
            told.extend(message.content for message in messages if message.role == "tool")
            async for delta in super().stream(messages, **options):
                yield delta

    world.core.models = FakeModels(Watched())
    reply = await world.call(person, "query", "POST", "/v2/pa/query", json=V2 | {"user_id": person, "room_id": "voices"})
    readable = sum(kept.ready for kept in world.readable(person, "voices"))
    counted = [text for text in told if "Voices that were chosen" in text]
    assert bool(counted) == bool(readable), told
    assert all(f"Voices that were chosen: {readable}." in text for text in counted), counted
    world.seen["told"] += len(counted)
    yield reply


CHANNELS = (ask_voices, ask_agent)
ADMINS = {"eve": frozenset[str](), "root": frozenset({"red"})}
BANNED, TOLD = "zqbanned0x", "zqtold0x"


async def check_product(world: World) -> None:
    """What is said about the product reaches an admin as far as they may read what it is about: `root` is of ann's group, `eve` of none.
    What was forbidden once reaches nobody."""
    asked = {"query_text": own_question("ann"), "index_name": "voices", "permission_groups": [], "num_result_doc": 20}
    reply = await world.call("ann", "query", "POST", "/ask", json=asked)
    trace_id = reply.json()["trace_id"]
    stored = await world.core.turns.get(Caller("ann"), trace_id)
    assert len(stored["hits"]) == 8, stored["hits"]
    await world.core.turns.save({**stored, "outcome": "closest"})
    rating = {"trace_id": trace_id, "rating": "down", "reason": TOLD, "comment": TOLD, "proposed_answer": TOLD, "tags": [TOLD]}
    assert (await world.call("ann", "feedback", "POST", "/feedback", json=rating)).status_code == 200
    said, said_words = stored["conversations"][0], (asked_by("ann"), TOLD, "known")
    for number, (question, outcome) in enumerate((("What is {}", "no_hits"), ("What is {}?", "forbidden"), ("Is {} known?", "no_hits"))):
        word = BANNED if number < 2 else asked_by("bob")
        record: Any = {**stored, "trace_id": f"b{number}", "outcome": outcome, "hits": [], "leans_on": [], "user_id": "bob"}
        await world.core.turns.save({**record, "conversations": [{**said, "content": question.format(word)}]})
    stores: Any = {"cache": world.core.cache, "records": world.core.records, "now": world.clock()}
    for admin, groups in ADMINS.items():
        world.tokens[admin] = await open_session(Session(admin, tuple(groups), "admin"), 1e9, **stores)
        may = admin == "root"
        searched = await world.call(admin, "query", "POST", "/voc/search", json={"source": "product"})
        counted = await world.call(admin, "query", "GET", "/voc/counts", params={"source": "product", "by": "channel"})
        grouped = await world.call(admin, "query", "GET", "/voc/themes", params={"source": "product"})
        assert asked_by("bob") in searched.text, searched.text
        rows = {row["key"]: row["voices"] for row in counted.json()["data"]}
        assert rows == ({"unanswered": 2, "feedback": 1} if may else {"unanswered": 1}), rows
        found = [await world.call(admin, "query", "POST", "/voc/search", json={"source": "product", "query": word}) for word in said_words]
        assert [asked_by("ann") in reply.text for reply in found] == [may, may, may], [reply.text for reply in found]
        text = "".join(reply.text for reply in (searched, counted, grouped, *found))
        assert [word in text for word in (BANNED, asked_by("ann"), TOLD)] == [False, may, may], text
    assert "zqbody" not in text


async def look(folder: Path) -> World:
    """All people ask in a world with voices for everybody, for red and for blue; then some are deleted, and all ask again."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        roots = world.tokens["root"]
        await world.sign_in("ann", frozenset({"red"}))
        await world.sign_in("bob", frozenset({"blue"}))
        slot = 0
        for readers in ("*", "red", "blue"):
            for _ in range(4):
                await world.put(slot, frozenset({readers}), "voices", work=False)
                slot += 1
        await world.work()
        for person in PEOPLE:
            await assert_permitted(world, person, CHANNELS)
        await check_product(world)
        world.tokens["root"] = roots
        for doc_id in list(world.documents)[::4]:
            await world.delete(doc_id)
        await world.sign_in("bob", frozenset({"red"}))
        for person in PEOPLE:
            await assert_permitted(world, person, CHANNELS)
        return world


async def test_everybody_sees_their_own_voices_alone(tmp_path: Path) -> None:
    world = await look(tmp_path)
    assert all(world.seen[what] for what in ("voices", "themes", "told")), world.seen


async def _all_documents(doc_ids: Any, *_: Any) -> frozenset[str]:
    return frozenset(doc_ids)


def _view_of_nobody(view: Any) -> Any:
    async def called(self: VisibleIndex, caller: Any, collection: str) -> Any:
        return replace(await view(self, caller, collection), groups=frozenset())

    return called


async def _unread(self: Voices, caller: Any, voices: Any) -> Any:
    return list(voices)


def _first(original: Any) -> Any:
    async def collection(self: VoiceFinder, turn: Any) -> str:
        return "voices"

    return collection


OWN: Mapping[str, Mutant] = {
    "voices are counted without their groups": ((service, "read_collection", sees_all),),
    "voices are read once for everybody": (
        (VisibleIndex, "view", _view_of_nobody),
        (Voices, "read_again", lambda _: _unread),
    ),
    "what is said about the product is everybody's": ((service, "read_product", is_admin),),
    "what is said about the product is shown whatever it is about": ((product, "readable_documents", lambda _: _all_documents),),
    "a forbidden question is a voice another time": ((readable, "WITHHELD", lambda _: ("withdrawn",)),),
    "the agent is told of all voices": ((VoiceFinder, "find", sees_all), (Voices, "themes", sees_all)),
    "the agent asks for voices that nobody may read": ((VoiceFinder, "collection", _first), (Voices, "read", sees_all)),
    "deleted voices are counted": ((VisibleIndex, "view", lambda view: _old(view)), (Voices, "read_again", giving([]))),
    "a sample sees all": ((index, "_visible_acls", giving(None)),),
    "themes are kept for everybody": ((service, "find_themes", lambda find: _once(find)),),
}


def _old(view: Any) -> Any:
    """The version of the collection is never another one."""

    async def called(self: VisibleIndex, caller: Any, collection: str) -> Any:
        return replace(await view(self, caller, collection), version=1)

    return called


def _once(find: Any) -> Any:
    made: list[Any] = []

    def called(*args: Any) -> Any:
        made[:] = made or [find(*args)]
        return made[0]

    return called


@pytest.mark.nightly
@pytest.mark.parametrize("name", OWN)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, OWN[name])
    with pytest.raises(AssertionError):
        await look(tmp_path)
