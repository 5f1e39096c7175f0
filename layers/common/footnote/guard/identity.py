"""Authentication: tokens to callers, and sessions. Nothing can be read without a Caller."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from footnote.errors import NotFound, Unauthorized, Unavailable
from footnote.ports import read_all
from footnote.types import ADMINS, Caller, Page, Role

if TYPE_CHECKING:
    from footnote.ports import Cache, Records, Tokens
    from footnote.settings import ApiKey, Auth

LOCAL = Caller("local", sees_all=True, role="admin")
"""The caller if AUTH__MODE=none: anyone who can reach the server."""
TOKEN_BYTES = 32
ID_LENGTH = 16
LONGEST_ID = 200
"""Characters of a user's or group's name."""
MISSING = "Sign in first: send a token as `Authorization: Bearer …`."
REFUSED = "This token is unknown or has expired. Sign in again."


@dataclass(frozen=True, slots=True)
class Session:
    """The identity that belongs to a session's token."""

    user_id: str
    groups: tuple[str, ...] = ()
    role: Role = "user"


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as listed. Its id cannot be used to sign in."""

    session_id: str
    user_id: str
    groups: tuple[str, ...]
    role: Role
    created_at: float
    expires_at: float


async def identify(token: str | None, *, auth: Auth, cache: Cache, tokens: Tokens | None = None, on_behalf_of: str | None = None) -> Caller:
    """The caller of a request.

    `on_behalf_of`: the user for whom a program asks; ignored unless its API key has `forwards_users`. Raises Unauthorized for a
    missing, unknown or expired token, Unavailable if the session store is down.
    """
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
            raise Unavailable("Sign-in is not configured. Set AUTH__ISSUER, AUTH__AUDIENCE and AUTH__JWKS_URL.")
        return make_caller(_session_of(await tokens.claims(token), auth))
    stored = await cache.get(_key(_digest(token)))
    if stored is None:
        raise Unauthorized(REFUSED)
    return make_caller(Session(stored["user_id"], tuple(stored["groups"]), stored["role"]))


async def open_session(session: Session, valid_s: float, *, cache: Cache, records: Records, now: float, by: str = LOCAL.user_id) -> str:
    """Opens a session and returns its token. Only a hash is stored, so a leak of the store yields no usable token."""
    token = secrets.token_hex(TOKEN_BYTES)  # hex, because a token that begins with a dash would be taken for a command-line option
    digest = _digest(token)
    # The record first, so that every valid session can be listed and revoked.
    entry = {**asdict(session), "digest": digest, "created_at": now, "expires_at": now + valid_s}
    await records.put("session", session_id_of(token), entry, by=by)
    await cache.put(_key(digest), asdict(session), valid_s)
    return token


async def close_session(token: str, *, cache: Cache, records: Records) -> None:
    """Ends a session by its token. Unknown tokens are ignored."""
    digest = _digest(token)
    await cache.delete(_key(digest))
    await records.delete("session", session_id_of(token))


async def revoke_session(session_id: str, *, cache: Cache, records: Records) -> OpenSession:
    """Ends a session by its id. Raises NotFound if there is none."""
    record = await records.get("session", session_id)
    if record is None:
        raise NotFound("There is no such session.")
    await cache.delete(_key(record.value["digest"]))
    await records.delete("session", session_id)
    return _listed(session_id, record.value)


async def end_sessions(user_id: str, *, cache: Cache, records: Records, but: str | None = None) -> None:
    """Ends the sessions of a user, except the one with the id `but`."""
    open_ones = await read_all(lambda after: records.list("session", limit=200, after=after))
    for record in open_ones:
        if record.value["user_id"] == user_id and record.key != but:
            await cache.delete(_key(record.value["digest"]))
            await records.delete("session", record.key)


async def list_sessions(now: float, *, records: Records, limit: int = 50, after: str | None = None) -> Page[OpenSession]:
    """A page of the active sessions, by id. Deletes the expired ones that it meets."""
    page = await records.list("session", limit=limit, after=after)
    good = []
    for record in page.data:
        if record.value["expires_at"] > now:
            good.append(_listed(record.key, record.value))
        else:
            await records.delete("session", record.key)
    return Page(tuple(good), page.has_more, page.last_id)


def is_user_name(text: str) -> bool:
    """Whether `text` is a valid user name: it is used in lists, in the audit log and in store keys."""
    return 0 < len(text) <= LONGEST_ID and text.isprintable()


def session_id_of(token: str) -> str:
    """The id of a token's session: a prefix of its hash."""
    return _digest(token)[:ID_LENGTH]


def make_caller(session: Session) -> Caller:
    """The caller with the session's groups, the user's own group and, for admins, the admins' group."""
    own = {f"user:{session.user_id}", *session.groups}
    return Caller(session.user_id, frozenset(own | {ADMINS} if session.role == "admin" else own), role=session.role)


def _session_of_key(user_id: str, key: ApiKey, on_behalf_of: str | None) -> Session:
    """The session of an API key. A forwarded user is named `<program>:<user>`, so that names cannot collide, and gets the key's
    groups but not its role."""
    if not (key.forwards_users and on_behalf_of):
        return Session(user_id, tuple(key.groups), key.role)
    if not is_user_name(name := f"{user_id}:{on_behalf_of}"):
        raise Unauthorized("The name of the forwarded user is empty, too long or not printable.")
    return Session(name, tuple(key.groups))


def _session_of(claims: Mapping[str, Any], auth: Auth) -> Session:
    """The session of a JWT. Reserved groups such as `user:…` are dropped: only Footnote assigns these."""
    user_id, named = claims["sub"], claims.get(auth.groups_claim, [])
    if not isinstance(user_id, str) or not is_user_name(user_id):
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
