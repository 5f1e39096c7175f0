"""Who asks? A token becomes a Caller, or nobody does: without an identity nothing is read."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import asdict, dataclass

from footnote.errors import Unauthorized
from footnote.ports import Cache
from footnote.settings import Auth
from footnote.types import ADMINS, Caller, Role

LOCAL = Caller("local", sees_all=True, role="admin")
"""Everyone who reaches a server without sign-in."""
TOKEN_BYTES = 32
MISSING = Unauthorized("Sign in first: send a token as `Authorization: Bearer …`.")
REFUSED = Unauthorized("This token is unknown or its time is over. Sign in again.")


@dataclass(frozen=True, slots=True)
class Session:
    """Who a session's token stands for."""

    user_id: str
    groups: tuple[str, ...] = ()
    role: Role = "user"


async def identify(token: str | None, *, auth: Auth, cache: Cache) -> Caller:
    """Unauthorized for a missing, unknown or expired token. A store that is down lets nobody in."""
    if auth.mode == "none":
        return LOCAL
    if not token:
        raise MISSING
    if auth.mode == "api_key":
        for user_id, key in auth.api_keys.items():
            if hmac.compare_digest(key.key.get_secret_value().encode(), _bytes(token)):
                return _make_caller(Session(user_id, tuple(key.groups), key.role))
        raise REFUSED
    stored = await cache.get(_key(token))
    if stored is None:
        raise REFUSED
    return _make_caller(Session(stored["user_id"], tuple(stored["groups"]), stored["role"]))


async def open_session(session: Session, valid_s: float, *, cache: Cache) -> str:
    """A new token. Only its hash is stored: who reads the store cannot sign in with what is there."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    await cache.put(_key(token), asdict(session), valid_s)
    return token


async def close_session(token: str, *, cache: Cache) -> None:
    """Unknown tokens are fine."""
    await cache.delete(_key(token))


def _make_caller(session: Session) -> Caller:
    own = {f"user:{session.user_id}", *session.groups}
    return Caller(session.user_id, frozenset(own | {ADMINS} if session.role == "admin" else own), role=session.role)


def _key(token: str) -> str:
    return f"session:{hashlib.sha256(_bytes(token)).hexdigest()}"


def _bytes(token: str) -> bytes:
    return token.encode(errors="surrogatepass")
