"""`ports.ledger.LedgerStore` in the memory of this process."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from footnote.adapters.shared.ledger import Attempt, Entry
from footnote.ports.ledger import Body, DocumentScope, Transaction

R = TypeVar("R")


class MemoryLedgerStore:
    """`ports.ledger.LedgerStore` for one process. Rules do not wait, so none comes between two others."""

    most_written = sys.maxsize

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._counts: Counter[tuple[DocumentScope, str]] = Counter()

    async def change(self, rule: Callable[[Transaction], R]) -> R:
        attempt = Attempt(lambda key: self._entries[key].body if key in self._entries else None)
        result = rule(attempt)
        for key, entry in attempt.entries.items():
            if entry.is_changed:
                self._entries.pop(key, None)
                self._counts.update(entry.counted)
                if entry.body is not None:
                    self._entries[key] = entry
        await asyncio.sleep(0)
        return result

    async def get_many(self, keys: Sequence[str]) -> dict[str, Body]:
        return {key: json.loads(self._entries[key].body or "") for key in keys if key in self._entries}

    async def newest(self, scopes: Sequence[str], after: str, limit: int) -> list[str]:
        listed = [(entry.scope.at, key) for key, entry in self._entries.items() if entry.scope and entry.scope.list in scopes]
        return [key for at, key in sorted(listed) if at > after][:limit]

    async def of_kind(self, kind: str, *, prefix: str = "", limit: int | None = None) -> list[str]:
        listed = [(entry.kind.at, key) for key, entry in self._entries.items() if entry.kind and entry.kind.list == kind]
        return [key for at, key in sorted(listed) if at.startswith(prefix)][:limit]

    async def counts(self, collection: str | None = None) -> dict[DocumentScope, Counter[str]]:
        scopes: dict[DocumentScope, Counter[str]] = {}
        for (scope, state), number in self._counts.items():
            if collection in (None, scope.collection):
                scopes.setdefault(scope, Counter())[state] = number
        return scopes

    async def close(self) -> None:
        """Nothing is open."""
