"""Every seeded defect shows in one fixed course of events, asked through the channel or two where it is expected."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.leaks.channels import (
    Channel,
    ask_chat_core,
    ask_dify,
    ask_retrieve,
    ask_stream,
    ask_trd,
    ask_vexora,
    assert_permitted,
    list_collections,
    logs_say_nothing,
    open_shares,
    read_admins,
    read_attachments,
    read_conversations,
    read_deleted,
    read_documents,
    read_errors,
    read_figures,
    read_graph,
    replay_turns,
    shares_of_channels,
    show_closest,
)
from tests.leaks.mutants import MUTANTS, seed
from tests.leaks.world import open_world
from tests.nightly import DEEP

EVERYONE, RED, BLUE, NONE = frozenset({"*"}), frozenset({"red"}), frozenset({"blue"}), frozenset[str]()
TALKS = (ask_trd, read_conversations)
LINKS = (ask_trd, open_shares)
STAYING = (
    (2, RED, "default"), (3, EVERYONE, "default"), (1, RED, "side"), (0, BLUE, "vault"), (0, EVERYONE, "voices"), (1, RED, "voices"),
)  # fmt: skip

SHOWN_BY: Mapping[str, tuple[Channel, ...]] = {
    "a search sees all": (ask_retrieve,),
    "a search by words sees all": (ask_retrieve,),
    "a search by meaning sees all": (ask_retrieve,),
    "neither a search nor the gate behind it asks for groups": (ask_retrieve,),
    "what a graph finds is shown to everybody": (ask_vexora,),
    "the graph of a passage is shown to everybody": (read_graph,),
    "neither passages nor what is built of them asks for groups": (read_graph,),
    "a document is read without its groups": (read_documents,),
    "a document is deleted without its groups": (read_documents,),
    "documents are listed without their groups": (read_documents,),
    "deleted documents are listed without their groups": (read_deleted,),
    "a document is restored without its groups": (read_documents,),
    "collections count without groups": (list_collections,),
    "a collection is there for everybody": (ask_dify,),
    "everybody may read everything": (read_documents,),
    "a request gives itself groups": (ask_retrieve,),
    "a session has all groups": (read_documents,),
    "a session is the local user": (read_documents,),
    "a user's first groups are theirs for good": (read_documents,),
    "everybody is an admin": (read_admins,),
    "a session that was closed is good": (read_errors,),
    "users are who they say": (ask_chat_core,),
    "a turn is read without its owner": TALKS,
    "a room is read without its owner": TALKS,
    "the list of rooms is another's": TALKS,
    "an export is another's": TALKS,
    "history is another's": (ask_chat_core,),
    "figures are everybody's": (ask_trd, read_figures),
    "hints are from another's ratings": (ask_trd, read_figures),
    "feedback is taken on any turn": (ask_trd, read_figures),
    "a stream is anybody's": (ask_stream,),
    "a stream that ended is replayed whatever it quotes": (ask_stream,),
    "what was removed answers": (ask_retrieve,),
    "turns quote what was withdrawn": TALKS,
    "a replay shows what was withdrawn": (replay_turns, ask_trd),
    "a withdrawn turn keeps its verdict": (show_closest, read_conversations),
    "turns quote what earlier ones quoted": (ask_chat_core, read_conversations),
    "a link shows what its owner may read": LINKS,
    "a link shows the words between the sentences that are its reader's": (show_closest, open_shares),
    "a link shows what a model wrote from what its reader may not read": LINKS,
    "a link that was deleted opens its conversation": LINKS,
    "links are anybody's to delete": LINKS,
    "searches are kept without their groups": (ask_chat_core,),
    "answers are kept without their groups": (ask_trd,),
    "all see the same of a collection": (list_collections, ask_trd),
    "answers are kept without their groups, and given unread": (ask_trd,),
    "suggested questions are kept without their groups": (list_collections,),
    "collections are suggested from without groups": (list_collections,),
    "attached files are everybody's": (read_attachments,),
    "attached files are found by all conversations of their user": (read_attachments,),
    "attached files are documents like others": (read_attachments, read_documents),
    "attached files outlive their conversation": (read_attachments,),
    "a name leads to attached files": (read_attachments,),
    "files are read without their groups": (read_documents,),
    "nothing is found": (ask_retrieve,),
    "what is new does not answer": (ask_retrieve,),
    "answers are logged": (ask_trd,),
}
"""Defect → the channels that the course asks for it."""


async def live_through_it(folder: Path, *shares: tuple[Channel, ...]) -> Counter[str]:
    """Two users with the same groups and one without ask; then documents are deleted and replaced, groups are taken away, and a
    conversation ends. They ask through the next share of channels each time. → what happened how often (`World.seen`)."""
    asked = itertools.cycle(shares)
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)

        async def check(*people: str) -> None:
            channels = next(asked)
            for person in people:
                await assert_permitted(world, person, channels)
            logs_say_nothing(world)

        withdrawn = await world.put(0, EVERYONE, work=False)
        closed = await world.put(1, RED, work=False)
        for slot, groups, collection in STAYING:
            await world.put(slot, groups, collection, work=False)
        await world.work()
        for person in ("ann", "bob"):
            await world.sign_in(person, RED)
        if any(read_attachments in share for share in shares):
            for person in ("ann", "bob"):
                await world.attach(person)
        await check("ann", "bob", "cem")
        for doc_id in (withdrawn, closed):
            await world.delete(doc_id)
        await check("ann", "cem")
        await world.sign_in("bob", NONE)
        await world.put(2, RED)
        await world.delete_conversation("ann")
        await world.work()
        await check("bob", "ann", "cem")
        return world.seen


@pytest.mark.slow("everybody asks every channel")
async def test_nothing_leaks_in_the_course_of_events(tmp_path: Path) -> None:
    seen = await live_through_it(tmp_path, *shares_of_channels(1 if DEEP else 3))
    assert all(seen[what] for what in ("graph", "facts", "relations")), seen


@pytest.mark.nightly
@pytest.mark.parametrize("channels", dict.fromkeys(SHOWN_BY.values()), ids=lambda asked: "-".join(each.__name__ for each in asked))
async def test_few_channels_alone_show_no_leak(channels: tuple[Channel, ...], tmp_path: Path) -> None:
    await live_through_it(tmp_path, channels)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_shows_where_it_is_expected(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        await live_through_it(tmp_path, SHOWN_BY[name])
