"""Who asks, and what a list of theirs looks like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeVar

EVERYONE = "*"
"""The permission group that every caller belongs to."""
ADMINS = "role:admin"
"""The permission group of those who may look after the system."""

Role = Literal["user", "admin"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. No document is read without one. `sees_all` is for the one local user only."""

    user_id: str
    groups: frozenset[str] = frozenset()
    sees_all: bool = False
    role: Role = "user"
    ticket: str | None = field(default=None, compare=False, repr=False)
    """What the request brought for the model's gateway; it says nothing of who asks, and is kept nowhere."""

    def narrowed(self, groups: tuple[str, ...]) -> Caller:
        """The same caller with at most these groups; no groups given = unchanged."""
        if not groups:
            return self
        wanted = frozenset(groups)
        kept = wanted if self.sees_all else wanted & self.groups
        return replace(self, groups=kept, sees_all=False)

    def may_read(self, permission_groups: frozenset[str]) -> bool:
        """True when a document with these groups is visible. No groups on a document = nobody."""
        if not permission_groups:
            return False
        return self.sees_all or EVERYONE in permission_groups or not self.groups.isdisjoint(permission_groups)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list, newest first. `last_id` goes into the next call's `after`."""

    data: tuple[T, ...]
    has_more: bool = False
    last_id: str | None = None
