"""Who asks? A token becomes a Caller, or nobody does: without an identity nothing is read."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from footnote.errors import NotFound, Unauthorized, Unavailable
from footnote.ports import Cache, Records, Tokens
from footnote.settings import ApiKey, Auth
from footnote.types import ADMINS, Caller, Page, Role

LOCAL = Caller("local", sees_all=True, role="admin")
"""Everyone who reaches a server without sign-in."""
TOKEN_BYTES = 32
ID_LENGTH = 16
LONGEST_ID = 200
"""Characters of a user's or a group's name."""
MISSING = "Sign in first: send a token as `Authorization: Bearer …`."
REFUSED = "This token is unknown or its time is over. Sign in again."


@dataclass(frozen=True, slots=True)
class Session:
    """Who a session's token stands for."""

    user_id: str
    groups: tuple[str, ...] = ()
    role: Role = "user"


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as lists show it: its id is no token, nobody signs in with it."""

    session_id: str
    user_id: str
    groups: tuple[str, ...]
    role: Role
    created_at: float
    expires_at: float


async def identify(token: str | None, *, auth: Auth, cache: Cache, tokens: Tokens | None = None, on_behalf_of: str | None = None) -> Caller:
    """Unauthorized for a missing, unknown or expired token. A store that is down lets nobody in. `on_behalf_of`: the user whom
    a program asks for; counts with a key that may say so, and means nothing otherwise."""
    if auth.mode == "none":
        return LOCAL
    if not token:
        raise Unauthorized(MISSING)
    if auth.mode == "api_key":
        for user_id, key in auth.api_keys.items():
            if hmac.compare_digest(key.key.get_secret_value().encode(), _bytes(token)):
                return make_caller(_session_of_key(user_id, key, on_behalf_of))
        raise Unauthorized(REFUSED)
    if auth.mode == "jwt":
        if tokens is None:
            raise Unavailable("Nobody can sign in yet. Set AUTH__ISSUER, AUTH__AUDIENCE and AUTH__JWKS_URL.")
        return make_caller(_session_of(await tokens.claims(token), auth))
    stored = await cache.get(_key(_digest(token)))
    if stored is None:
        raise Unauthorized(REFUSED)
    return make_caller(Session(stored["user_id"], tuple(stored["groups"]), stored["role"]))


async def open_session(session: Session, valid_s: float, *, cache: Cache, records: Records, now: float, by: str = LOCAL.user_id) -> str:
    """A new token. Only its hash is stored: who reads the store cannot sign in with what is there."""
    token = secrets.token_hex(TOKEN_BYTES)  # it never begins with a dash, which a command line would take for an option
    digest = _digest(token)
    # The list first: no session is good that nobody can see and end.
    entry = {**asdict(session), "digest": digest, "created_at": now, "expires_at": now + valid_s}
    await records.put("session", session_id_of(token), entry, by=by)
    await cache.put(_key(digest), asdict(session), valid_s)
    return token


async def close_session(token: str, *, cache: Cache, records: Records) -> None:
    """By its token. Unknown tokens are fine."""
    digest = _digest(token)
    await cache.delete(_key(digest))
    await records.delete("session", session_id_of(token))


async def revoke_session(session_id: str, *, cache: Cache, records: Records) -> OpenSession:
    """By its id; NotFound for one that does not exist."""
    record = await records.get("session", session_id)
    if record is None:
        raise NotFound("There is no such session.")
    await cache.delete(_key(record.value["digest"]))
    await records.delete("session", session_id)
    return _listed(session_id, record.value)


async def list_sessions(now: float, *, records: Records, limit: int = 50, after: str | None = None) -> Page[OpenSession]:
    """Those that are good now, in the order of their ids. What is over is forgotten on the way."""
    page = await records.list("session", limit=limit, after=after)
    good = []
    for record in page.data:
        if record.value["expires_at"] > now:
            good.append(_listed(record.key, record.value))
        else:
            await records.delete("session", record.key)
    return Page(tuple(good), page.has_more, page.last_id)


def is_name(text: str) -> bool:
    """Of a user: it stands in lists, in the audit and in keys of stores."""
    return 0 < len(text) <= LONGEST_ID and text.isprintable()


def session_id_of(token: str) -> str:
    return _digest(token)[:ID_LENGTH]


def make_caller(session: Session) -> Caller:
    own = {f"user:{session.user_id}", *session.groups}
    return Caller(session.user_id, frozenset(own | {ADMINS} if session.role == "admin" else own), role=session.role)


def _session_of_key(user_id: str, key: ApiKey, on_behalf_of: str | None) -> Session:
    """A program's users have names below its own, so that none of them is anybody else, and its groups, never its role."""
    if not (key.forwards_users and on_behalf_of):
        return Session(user_id, tuple(key.groups), key.role)
    if not is_name(name := f"{user_id}:{on_behalf_of}"):
        raise Unauthorized("The user whom this program asks for cannot be told by that name.")
    return Session(name, tuple(key.groups))


def _session_of(claims: Mapping[str, Any], auth: Auth) -> Session:
    """Groups that only we give, such as `user:…`, mean nothing in a token that others made."""
    user_id, named = claims["sub"], claims.get(auth.groups_claim, [])
    if not isinstance(user_id, str) or not is_name(user_id):
        raise Unauthorized(REFUSED)
    if not isinstance(named, list):
        raise Unauthorized(REFUSED)
    groups = {group for group in named if isinstance(group, str) and 0 < len(group) <= LONGEST_ID}
    role: Role = "admin" if auth.admin_group is not None and auth.admin_group in groups else "user"
    return Session(user_id, tuple(sorted(group for group in groups if not group.startswith(("user:", "role:")))), role)


def _listed(session_id: str, value: Mapping[str, Any]) -> OpenSession:
    return OpenSession(
        session_id, value["user_id"], tuple(value["groups"]), value["role"], float(value["created_at"]), float(value["expires_at"])
    )


def _digest(token: str) -> str:
    return hashlib.sha256(_bytes(token)).hexdigest()


def _key(digest: str) -> str:
    return f"session:{digest}"


def _bytes(token: str) -> bytes:
    return token.encode(errors="surrogatepass")
