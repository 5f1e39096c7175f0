"""`Caller`, the identity behind a request, and `Page`, one page of a list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from footnote.types.copies import replace

EVERYONE = "*"
"""The permission group that every caller belongs to."""
ADMINS = "role:admin"
"""The permission group of administrators."""

Role = Literal["user", "admin"]


@dataclass(frozen=True, slots=True)
class Caller:
    """The identity behind a request; every read takes one. `sees_all` is only for the local user of an embedded installation."""

    user_id: str
    groups: frozenset[str] = frozenset()
    sees_all: bool = False
    role: Role = "user"
    ticket: str | None = field(default=None, compare=False, repr=False)
    """The request's credential for the model gateway. It does not identify the caller and is never stored."""
    time_zone: str | None = field(default=None, compare=False)
    """The reader's, such as `Europe/Berlin`, as the request names it; None = it names none. Unchecked."""

    @property
    def owner(self) -> str:
        """The owner of the documents that this caller adds; "" where nobody signs in, and for files that no person sent."""
        return "" if self.sees_all else self.user_id

    def narrowed(self, groups: tuple[str, ...]) -> Caller:
        """The same caller with at most these groups; no groups given = unchanged."""
        if not groups:
            return self
        requested = frozenset(groups)
        kept = requested if self.sees_all else requested & self.groups
        return replace(self, groups=kept, sees_all=False)

    def may_read(self, permission_groups: frozenset[str]) -> bool:
        """Whether the caller may see a document with these groups. A document without groups is visible to no one."""
        if not permission_groups:
            return False
        return self.sees_all or EVERYONE in permission_groups or not self.groups.isdisjoint(permission_groups)

    def not_writable(self, permission_groups: frozenset[str]) -> frozenset[str]:
        """The groups whose documents the caller may not add or overwrite; an admin may write to all."""
        if self.sees_all or self.role == "admin":
            return frozenset()
        return permission_groups - self.groups - {EVERYONE, f"user:{self.user_id}"}


SYSTEM = Caller("system", sees_all=True)
"""The caller as which ingest and its checks read documents of all owners, also those of deleted collections."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list, newest first. Pass `last_id` as `after` to get the next page."""

    data: tuple[T, ...]
    has_more: bool = False
    last_id: str | None = None
