"""Sessions that an admin creates are a channel: none opens what the admin may not read. The check is also left out once."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from footnote_query import sessions
from tests.leaks.channels import RETRIEVE
from tests.leaks.world import World, asked_by, open_world


async def seen_by(world: World, token: str) -> str:
    """All that the session's user finds, and their conversations."""
    headers = {"authorization": f"Bearer {token}"}
    replies = [await world.clients["query"].get(path, headers=headers) for path in ("/conversations", "/collections")]
    replies.append(await world.clients["query"].post("/retrieve-cc", json=RETRIEVE, headers=headers))
    replies.append(await world.clients["ingest"].get("/documents", headers=headers))
    return "".join(reply.text for reply in replies)


async def check_sessions(folder: Path) -> None:
    """ann has asked, bob is named as a reader, carl has nothing; the admin is in no group."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        await world.put(0, frozenset({"red"}))
        asked = {"query_text": f"What is {asked_by('ann')}?", "index_name": "default", "permission_groups": [], "room_id": "r"}
        await world.call("ann", "query", "POST", "/ask", json=asked)
        await world.sign_in("root", frozenset({"user:bob"}))
        await world.put(1, frozenset({"user:bob"}))
        await world.sign_in("root", frozenset())
        hidden = {canary for kept in world.documents.values() for canary in kept.canaries} | {asked_by("ann")}
        opened = 0
        for user in ("ann", "bob", "carl", "new"):
            for groups in ([], ["red"]):
                reply = await world.call(
                    "root", "query", "POST", "/sessions/new", json={"user_id": user, "groups": groups, "role": "admin"}
                )
                if reply.status_code == 201:
                    text = await seen_by(world, reply.json()["token"])
                    assert not [each for each in hidden if each in text], (user, groups)
                    opened += 1
        assert opened == 2  # carl's and the new one's, without a group


async def test_no_session_of_an_admins_making_opens_what_they_may_not_read(tmp_path: Path) -> None:
    await check_sessions(tmp_path)


async def test_a_session_of_somebody_with_data_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_known(*_: object) -> bool:
        return False

    monkeypatch.setattr(sessions, "_is_known", is_known)
    with pytest.raises(AssertionError):
        await check_sessions(tmp_path)
