"""Tokens to callers, and sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.errors import NotFound, StoreUnavailable, Unauthorized, Unavailable
from footnote.guard.identity import LOCAL, Session, close_session, identify, list_sessions, open_session, revoke_session
from footnote.settings import Auth
from footnote.types import Caller
from tests.conftest import HandClock

KEYS = Auth.model_validate({"mode": "api_key", "api_keys": {"ann": {"key": "k" * 32, "groups": ["staff"], "role": "admin"}}})
SESSIONS = Auth(mode="session")


@pytest.fixture
async def stores(tmp_path: Path, clock: HandClock) -> AsyncIterator[dict[str, Any]]:
    database = open_store(tmp_path)
    yield {"cache": SqliteCache(database, clock), "records": SqliteRecords(database, clock)}
    database.close()


@pytest.fixture
def cache(stores: dict[str, Any]) -> SqliteCache:
    return stores["cache"]


async def test_without_sign_in_everybody_is_the_local_user(cache: Any) -> None:
    assert await identify(None, auth=Auth(), cache=cache) == LOCAL


async def test_a_key_stands_for_its_user_with_their_groups(cache: Any) -> None:
    assert await identify("k" * 32, auth=KEYS, cache=cache) == Caller("ann", frozenset({"staff", "user:ann", "role:admin"}), role="admin")


@pytest.mark.parametrize("token", [None, "", "k", "k" * 31, "k" * 33, "ann", "한국어", "\udce9"])
@pytest.mark.parametrize("auth", [KEYS, SESSIONS, Auth(mode="api_key")], ids=["keys", "sessions", "no keys"])
async def test_any_other_token_is_refused(token: str | None, auth: Auth, cache: Any) -> None:
    with pytest.raises(Unauthorized):
        await identify(token, auth=auth, cache=cache)


async def test_a_refusal_keeps_nothing_of_whom_it_refused_before(cache: Any) -> None:
    """An error that is raised again keeps the frames of earlier raises, with their local variables."""
    refused = []
    for token in (None, None, "k", "k"):
        with pytest.raises(Unauthorized) as raised:
            await identify(token, auth=KEYS, cache=cache)
        refused.append(raised.value)
    assert len(set(map(id, refused))) == 4


async def test_a_session_lasts_until_its_time_is_over_or_it_is_closed(cache: Any, stores: Any, clock: HandClock) -> None:
    tokens = [await open_session(Session("ann", ("staff",)), 60, **stores, now=clock()) for _ in range(2)]
    for token in tokens:
        assert await identify(token, auth=SESSIONS, cache=cache) == Caller("ann", frozenset({"staff", "user:ann"}))
    await close_session(tokens[0], **stores)
    with pytest.raises(Unauthorized):
        await identify(tokens[0], auth=SESSIONS, cache=cache)
    clock.advance(60)
    with pytest.raises(Unauthorized):
        await identify(tokens[1], auth=SESSIONS, cache=cache)


async def test_sessions_are_listed_without_their_tokens_and_ended_by_their_ids(stores: Any, clock: HandClock) -> None:
    tokens = [await open_session(Session(user), wait, **stores, now=clock()) for user, wait in (("ann", 60), ("bob", 90))]
    listed = {each.user_id: each for each in (await list_sessions(clock(), records=stores["records"])).data}
    assert {user: (each.role, each.created_at, each.expires_at - clock()) for user, each in listed.items()} == {
        "ann": ("user", clock(), 60.0),
        "bob": ("user", clock(), 90.0),
    }
    assert not any(token in repr(listed) for token in tokens)
    for no_token in (listed["bob"].session_id, listed["ann"].session_id):
        with pytest.raises(Unauthorized):
            await identify(no_token, auth=SESSIONS, cache=stores["cache"])
    assert (await revoke_session(listed["bob"].session_id, **stores)).user_id == "bob"
    with pytest.raises(Unauthorized):
        await identify(tokens[1], auth=SESSIONS, cache=stores["cache"])
    with pytest.raises(NotFound):
        await revoke_session(listed["bob"].session_id, **stores)
    assert [each.user_id for each in (await list_sessions(clock(), records=stores["records"])).data] == ["ann"]
    clock.advance(60)
    assert (await list_sessions(clock(), records=stores["records"])).data == ()
    assert await stores["records"].get("session", listed["ann"].session_id) is None


class Issuer:
    """`ports.Tokens`: returns the same claims for every token."""

    def __init__(self, **claims: Any) -> None:
        self._claims = claims

    async def claims(self, token: str) -> dict[str, Any]:
        return self._claims


JWT = Auth(mode="jwt", admin_group="root")


@pytest.mark.parametrize(
    ("claims", "caller"),
    [
        ({"sub": "ann"}, Caller("ann", frozenset({"user:ann"}))),
        ({"sub": "ann", "groups": ["staff"]}, Caller("ann", frozenset({"user:ann", "staff"}))),
        ({"sub": "ann", "groups": ["root"]}, Caller("ann", frozenset({"user:ann", "root", "role:admin"}), role="admin")),
        ({"sub": "ann", "groups": ["user:bob", "role:admin", "", 3, None]}, Caller("ann", frozenset({"user:ann"}))),
    ],
)
async def test_a_jwt_identifies_its_subject_without_reserved_groups(claims: Any, caller: Caller, cache: Any) -> None:
    assert await identify("t", auth=JWT, cache=cache, tokens=Issuer(**claims)) == caller


async def test_without_an_issuer_the_error_names_the_settings(cache: Any) -> None:
    with pytest.raises(Unavailable, match="Set AUTH__ISSUER, AUTH__AUDIENCE and AUTH__JWKS_URL"):
        await identify("t", auth=JWT, cache=cache)


@pytest.mark.parametrize("unset", [None, ""])
async def test_without_an_admin_group_nobody_is_an_admin(unset: str | None, cache: Any) -> None:
    auth = JWT.model_copy(update={"admin_group": unset})
    assert (await identify("t", auth=auth, cache=cache, tokens=Issuer(sub="ann", groups=["", "root"]))).role == "user"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": ""},
        {"sub": 3},
        {"sub": None},
        {"sub": "a\n"},
        {"sub": "a" * 201},
        {"sub": "ann", "groups": "staff"},
        {"sub": "ann", "groups": {}},
    ],
)
async def test_a_jwt_without_a_valid_subject_is_refused(claims: Any, cache: Any) -> None:
    with pytest.raises(Unauthorized):
        await identify("t", auth=JWT, cache=cache, tokens=Issuer(**claims))


async def test_the_store_holds_no_token(stores: Any, tmp_path: Path) -> None:
    token = await open_session(Session("ann"), 60, **stores, now=0)
    assert not any(token.encode() in path.read_bytes() for path in tmp_path.iterdir())


async def test_nobody_can_sign_in_while_the_store_is_down() -> None:
    class Down:
        async def get(self, key: str) -> Any:
            raise StoreUnavailable("down")

    with pytest.raises(StoreUnavailable):
        await identify("a token", auth=SESSIONS, cache=Down())  # type: ignore[arg-type]
