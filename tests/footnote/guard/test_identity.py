"""A token becomes a caller, or nobody does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.cache_sqlite import SqliteCache
from footnote.adapters.store_sqlite import open_store
from footnote.errors import StoreUnavailable, Unauthorized
from footnote.guard.identity import LOCAL, Session, close_session, identify, open_session
from footnote.settings import Auth
from footnote.types import Caller
from tests.conftest import HandClock

KEYS = Auth.model_validate({"mode": "api_key", "api_keys": {"ann": {"key": "k" * 32, "groups": ["staff"], "role": "admin"}}})
SESSIONS = Auth(mode="session")


@pytest.fixture
async def cache(tmp_path: Path, clock: HandClock) -> AsyncIterator[SqliteCache]:
    database = open_store(tmp_path)
    yield SqliteCache(database, clock)
    database.close()


async def test_without_sign_in_everybody_is_the_local_user(cache: Any) -> None:
    assert await identify(None, auth=Auth(), cache=cache) == LOCAL


async def test_a_key_stands_for_its_user_with_their_groups(cache: Any) -> None:
    assert await identify("k" * 32, auth=KEYS, cache=cache) == Caller("ann", frozenset({"staff", "user:ann", "role:admin"}), role="admin")


@pytest.mark.parametrize("token", [None, "", "k", "k" * 31, "k" * 33, "ann", "한국어", "\udce9"])
@pytest.mark.parametrize("auth", [KEYS, SESSIONS, Auth(mode="api_key")], ids=["keys", "sessions", "no keys"])
async def test_whoever_sends_anything_else_is_nobody(token: str | None, auth: Auth, cache: Any) -> None:
    with pytest.raises(Unauthorized):
        await identify(token, auth=auth, cache=cache)


async def test_a_session_lasts_until_its_time_is_over_or_it_is_closed(cache: Any, clock: HandClock) -> None:
    tokens = [await open_session(Session("ann", ("staff",)), 60, cache=cache) for _ in range(2)]
    for token in tokens:
        assert await identify(token, auth=SESSIONS, cache=cache) == Caller("ann", frozenset({"staff", "user:ann"}))
    await close_session(tokens[0], cache=cache)
    with pytest.raises(Unauthorized):
        await identify(tokens[0], auth=SESSIONS, cache=cache)
    clock.advance(60)
    with pytest.raises(Unauthorized):
        await identify(tokens[1], auth=SESSIONS, cache=cache)


async def test_the_store_holds_no_token(cache: Any, tmp_path: Path) -> None:
    token = await open_session(Session("ann"), 60, cache=cache)
    assert not any(token.encode() in path.read_bytes() for path in tmp_path.iterdir())


async def test_a_store_that_is_down_lets_nobody_in() -> None:
    class Down:
        async def get(self, key: str) -> Any:
            raise StoreUnavailable("down")

    with pytest.raises(StoreUnavailable):
        await identify("a token", auth=SESSIONS, cache=Down())  # type: ignore[arg-type]
