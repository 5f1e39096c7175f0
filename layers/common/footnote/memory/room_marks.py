"""What users set on their conversations: a name, and whether it is pinned. Kept as records, one for each conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from urllib.parse import quote

from footnote.ports import Records, read_all

AT_ONCE = 200
"""Records that are read together."""


@dataclass(frozen=True, slots=True)
class RoomMark:
    """`title`: the conversation's name; None = its first question. `pinned`: it is listed before the others."""

    title: str | None = None
    pinned: bool = False


def key_of(user_id: str, room_id: str) -> str:
    """The record's key. A room's name may be any text, so its hash stands for it."""
    return _prefix(user_id) + sha256(room_id.encode(errors="surrogatepass")).hexdigest()


def _prefix(user_id: str) -> str:
    return quote(user_id, safe="", errors="surrogatepass") + "/"


async def load_marks(records: Records, user_id: str) -> dict[str, RoomMark]:
    """All of a user's marks by `key_of`."""
    prefix = _prefix(user_id)
    found = await read_all(lambda after: records.list("conversation", prefix=prefix, limit=AT_ONCE, after=after))
    return {each.key: RoomMark(**each.value) for each in found}


async def load_mark(records: Records, user_id: str, room_id: str) -> RoomMark:
    """The mark of one conversation."""
    found = await records.get("conversation", key_of(user_id, room_id))
    return RoomMark(**found.value) if found else RoomMark()


async def save_mark(records: Records, user_id: str, room_id: str, mark: RoomMark) -> None:
    """Replaces the mark of a conversation; one that says nothing is deleted."""
    key = key_of(user_id, room_id)
    if mark == RoomMark():
        await records.delete("conversation", key)
    else:
        await records.put("conversation", key, asdict(mark), by=user_id)


async def forget_marks(records: Records, marks: Mapping[str, RoomMark], kept: Iterable[str] = ()) -> None:
    """Deletes these marks, except those with the `kept` keys."""
    for key in marks.keys() - set(kept):
        await records.delete("conversation", key)
