"""What admins and users change while it runs: prompts, settings, terms, preferences, sessions, the audit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from footnote.types import Page

T = TypeVar("T")
Kind = Literal["prompt", "prompt_version", "setting", "term", "preference", "session", "audit"]


@dataclass(frozen=True, slots=True)
class Record:
    """`version` counts the changes of a key, from 1; it goes on after a delete. `value`: JSON."""

    key: str
    value: Mapping[str, Any]
    version: int
    changed_at: float
    changed_by: str


class Records(Protocol):
    """Small JSON documents by kind and key. Reads see the last write."""

    async def get(self, kind: Kind, key: str) -> Record | None: ...

    async def put(self, kind: Kind, key: str, value: Mapping[str, Any], *, by: str, expected: int | None = None) -> Record:
        """`expected`: the version that is to be replaced, 0 = there must be none; Conflict where it is another."""
        ...

    async def delete(self, kind: Kind, key: str) -> bool:
        """False where there was none."""
        ...

    async def list(
        self, kind: Kind, *, prefix: str = "", limit: int = 50, after: str | None = None, newest_first: bool = False
    ) -> Page[Record]:
        """In the order of the keys, or against it; `after` is the `last_id` of the page before, which may be gone."""
        ...

    async def changes(self, kind: Kind) -> int:
        """A number that grows with every put and delete of this kind: who keeps a copy sees by it whether it is stale."""
        ...


async def read_all(read: Callable[[str | None], Awaitable[Page[T]]]) -> list[T]:
    """What stands on all pages of a list. `read(after)` gives one."""
    page = await read(None)
    found = [*page.data]
    while page.has_more:
        page = await read(page.last_id)
        found += page.data
    return found
