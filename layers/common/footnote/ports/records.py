"""Records that admins and users change at runtime: prompts, settings, terms, preferences, sessions, accounts, golden cases, weights,
names of conversations, links to them, which files are attached to them, the audit log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from footnote.types import Page

T = TypeVar("T")
Kind = Literal[
    "prompt", "prompt_version", "setting", "setting_change", "term", "preference", "session", "account", "audit", "source", "source_lease",
    "collection", "experiment", "golden", "weights", "conversation", "share", "attachment", "places",
]  # fmt: skip
"""Kinds of records."""


@dataclass(frozen=True, slots=True)
class Record:
    """A stored record. `version`: number of changes of this key, from 1; a delete does not reset it. `value`: JSON."""

    key: str
    value: Mapping[str, Any]
    version: int
    changed_at: float
    changed_by: str


class Records(Protocol):
    """Small JSON documents by kind and key. Reads see the last write."""

    async def get(self, kind: Kind, key: str) -> Record | None:
        """The record; None if there is none."""

    async def put(self, kind: Kind, key: str, value: Mapping[str, Any], *, by: str, expected: int | None = None) -> Record:
        """Writes a record. `expected`: the version that it replaces, 0 = there must be none; Conflict if it is another.
        `by`: the user who changes it."""

    async def delete(self, kind: Kind, key: str) -> bool:
        """Deletes a record; False if there was none."""

    async def list(
        self, kind: Kind, *, prefix: str = "", limit: int = 50, after: str | None = None, newest_first: bool = False
    ) -> Page[Record]:
        """Records in ascending or descending order of their keys. `after`: the `last_id` of the previous page; that record may
        have been deleted."""

    async def changes(self, kind: Kind) -> int:
        """A number that grows with every put and delete of this kind, to detect stale copies."""


async def read_all(read: Callable[[str | None], Awaitable[Page[T]]]) -> list[T]:
    """The items of all pages of a list. `read(after)` returns one page."""
    page = await read(None)
    found = [*page.data]
    while page.has_more:
        page = await read(page.last_id)
        found += page.data
    return found
