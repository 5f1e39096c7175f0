"""Names and pins of conversations, in every store of records."""

from __future__ import annotations

from typing import Any

from footnote.memory.room_marks import RoomMark, forget_marks, key_of, load_mark, load_marks, save_mark


async def test_a_mark_is_kept_for_one_user_and_one_conversation(records: Any) -> None:
    await save_mark(records, "ann", "a/b\n다리\ud800", RoomMark("The bridge", pinned=True))
    await save_mark(records, "ann/x", "r1", RoomMark("Another's"))
    await save_mark(records, "ann", "r1", RoomMark(pinned=True))
    assert await load_mark(records, "ann", "a/b\n다리\ud800") == RoomMark("The bridge", pinned=True)
    assert await load_mark(records, "ben", "r1") == RoomMark()
    assert set((await load_marks(records, "ann")).values()) == {RoomMark("The bridge", pinned=True), RoomMark(pinned=True)}


async def test_a_mark_that_says_nothing_is_deleted(records: Any) -> None:
    await save_mark(records, "ann", "r1", RoomMark("A"))
    await save_mark(records, "ann", "r1", RoomMark())
    assert await load_marks(records, "ann") == {}


async def test_marks_are_forgotten_except_those_to_be_kept(records: Any) -> None:
    for room in ("r1", "r2"):
        await save_mark(records, "ann", room, RoomMark(room))
    await save_mark(records, "ben", "r1", RoomMark("Ben's"))
    await forget_marks(records, await load_marks(records, "ann"), kept=[key_of("ann", "r2")])
    assert list((await load_marks(records, "ann")).values()) == [RoomMark("r2")]
    assert len(await load_marks(records, "ben")) == 1
