"""Accounts of people who sign in by name and password.

Nobody but its owner ever knows a password: an account begins, and begins anew after a reset, with an invitation that works once.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from footnote.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized
from footnote.guard.identity import LONGEST_ID, Session, end_sessions, is_user_name
from footnote.types import Page, Role

if TYPE_CHECKING:
    from footnote.ports import Cache, Clock, Passwords, Record, Records

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 256
"""Characters. Twelve cannot be guessed at the rate that `RateLimiter.count_try` allows."""
FEWEST_DIFFERENT = 5
INVITATION_BYTES = 24
WRONG = "The name or the password is wrong."
NOT_VALID = "This invitation was used already, has expired or was withdrawn. Ask for a new one."


@dataclass(frozen=True, slots=True)
class Account:
    """A person who may sign in. `password`: its hash; None until an invitation is used. `invitation`: the hash of a pending one, which
    is valid until `invited_until` (seconds since 1970)."""

    name: str
    groups: tuple[str, ...]
    role: Role
    created_at: float
    created_by: str
    password: str | None = None
    invitation: str | None = None
    invited_until: float = 0.0

    @property
    def session(self) -> Session:
        """Whom a sign-in makes the caller."""
        return Session(self.name, self.groups, self.role)


class Accounts:
    """The accounts, whose changes end sessions. Names are compared without regard to capital letters."""

    def __init__(self, records: Records, cache: Cache, passwords: Passwords, clock: Clock) -> None:
        self._records = records
        self._cache = cache
        self._passwords = passwords
        self._clock = clock

    async def find(self, name: str) -> Account | None:
        """The account of this name; None if there is none."""
        found = await self._records.get("account", canonical(name))
        return _account_of(found.value) if found else None

    async def list(self, limit: int = 50, after: str | None = None) -> Page[Account]:
        """A page of accounts and pending invitations, by name."""
        page = await self._records.list("account", limit=limit, after=after)
        return Page(tuple(_account_of(record.value) for record in page.data), page.has_more, page.last_id)

    async def invite(self, person: Session, valid_s: float, *, by: str) -> str:
        """Invites a person, and returns the secret of the invitation, of which only a hash is stored. A pending invitation of the same
        name is replaced. Conflict if the name has a password already."""
        found = await self._records.get("account", canonical(person.user_id))
        if found and found.value["password"]:
            raise Conflict("There is an account of this name. A forgotten password is reset on the server: `footnote user reset`.")
        return await self._invite(Account(person.user_id, person.groups, person.role, self._clock(), by), valid_s, found, by=by)

    async def reset(self, name: str, valid_s: float, *, by: str) -> tuple[Account, str]:
        """Removes the password of an account, ends its sessions, and returns it with the secret of an invitation to choose another
        password. NotFound without an account."""
        found, account = await self._get(name)
        secret = await self._invite(replace(account, password=None), valid_s, found, by=by)
        await self._end_sessions(account)
        return account, secret

    async def accept(self, name: str, invitation: str, password: str) -> Account:
        """Uses an invitation: the account gets its password, and other sessions of this name end. Unauthorized if it is not valid,
        BadRequest for a bad password."""
        found = await self._records.get("account", canonical(name))
        account = _account_of(found.value) if found else None
        right = hmac.compare_digest((account.invitation if account else None) or "", _digest(invitation))
        if not (found and account and right and account.invited_until > self._clock()):
            raise Unauthorized(NOT_VALID)
        check_password(password, account.name)
        account = replace(account, password=await self._passwords.hash(password), invitation=None, invited_until=0.0)
        try:
            await self._put(account, by=account.name, expected=found.version)
        except Conflict:  # used at the same time
            raise Unauthorized(NOT_VALID) from None
        await self._end_sessions(account)
        return account

    async def sign_in(self, name: str, password: str) -> Account:
        """The account of this name and password. Unauthorized otherwise, with the same words and after the same work for an unknown
        name."""
        account = await self.find(name)
        if not await self._passwords.verify(password, account.password if account else None) or account is None:
            raise Unauthorized(WRONG)
        return account

    async def change_password(self, name: str, old: str, new: str, *, stay: str) -> None:
        """Replaces a password by its owner, who gives the old one, and ends the sessions except that with the id `stay`. Forbidden if the
        old one is wrong, NotFound without an account, Conflict if it changed meanwhile."""
        found, account = await self._get(name)
        if not await self._passwords.verify(old, account.password):
            raise Forbidden("The current password is wrong.")
        check_password(new, account.name)
        await self._put(replace(account, password=await self._passwords.hash(new)), by=account.name, expected=found.version)
        await self._end_sessions(account, but=stay)

    async def remove(self, name: str) -> None:
        """Removes an account or withdraws an invitation, and ends its sessions; what the person asked and added stays. NotFound if there
        is none."""
        found, account = await self._get(name)
        await self._records.delete("account", found.key)
        await self._end_sessions(account)

    async def _invite(self, account: Account, valid_s: float, found: Record | None, *, by: str) -> str:
        secret = secrets.token_urlsafe(INVITATION_BYTES)
        account = replace(account, invitation=_digest(secret), invited_until=self._clock() + valid_s)
        await self._put(account, by=by, expected=found.version if found else 0)
        return secret

    async def _end_sessions(self, account: Account, but: str | None = None) -> None:
        await end_sessions(account.name, cache=self._cache, records=self._records, but=but)

    async def _get(self, name: str) -> tuple[Record, Account]:
        found = await self._records.get("account", canonical(name))
        if found is None:
            raise NotFound("There is no account of this name.")
        return found, _account_of(found.value)

    async def _put(self, account: Account, *, by: str, expected: int) -> None:
        await self._records.put("account", canonical(account.name), asdict(account), by=by, expected=expected)


def canonical(name: str) -> str:
    """The name as accounts are compared: nobody gets one that reads like that of another."""
    return unicodedata.normalize("NFKC", name.strip()).casefold()


def check_name(name: str) -> str:
    """The name without space around it. ValueError if it is not one line of 1 to 200 printable characters."""
    if not (is_user_name(name.strip()) and len(canonical(name)) <= LONGEST_ID):
        raise ValueError(f"must be a single line of 1 to {LONGEST_ID} characters")
    return name.strip()


def check_password(password: str, name: str) -> None:
    """BadRequest if the password is too short or too long, holds the name, or repeats few characters."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadRequest(f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters. Several words are easy to remember.")
    if len(set(password)) < FEWEST_DIFFERENT or canonical(name) in canonical(password):
        raise BadRequest("This password is easy to guess. Choose one without your name and with more different characters.")


def _account_of(value: Mapping[str, Any]) -> Account:
    return Account(**{**value, "groups": tuple(value["groups"])})


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
