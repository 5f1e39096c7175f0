"""What ledger stores share: the memory of one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from footnote.ports.ledger import Body, DocumentScope, Position


@dataclass(slots=True)
class Entry:
    """What a transaction knows of a key. `before`, `body`: as text of JSON, None = there is none."""

    before: str | None
    body: str | None
    scope: Position | None = None
    kind: Position | None = None
    counted: Counter[tuple[DocumentScope, str]] = field(default_factory=Counter)

    @property
    def is_changed(self) -> bool:
        """Whether it has to be written."""
        return self.body != self.before


class Attempt:
    """`ports.ledger.Transaction` that keeps what it read and is to write. `read`: the stored text of an entry."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self.entries: dict[str, Entry] = {}

    def get(self, key: str) -> Body | None:
        body = self._entry(key).body
        return None if body is None else json.loads(body)

    def put(
        self,
        key: str,
        body: Body | None,
        *,
        scope: Position | None = None,
        kind: Position | None = None,
        counted: Mapping[tuple[DocumentScope, str], int] | None = None,
    ) -> None:
        entry = self._entry(key)
        entry.body = None if body is None else json.dumps(body)
        entry.scope, entry.kind = scope, kind
        entry.counted.update(counted or {})

    def _entry(self, key: str) -> Entry:
        if key not in self.entries:
            stored = self._read(key)
            self.entries[key] = Entry(stored, stored)
        return self.entries[key]
