"""The ledger over a store, without collections that are renamed or deleted."""

from __future__ import annotations

from typing import Any

from footnote.collections import Directory
from footnote.ledger import Documents, Lifecycle, Origins
from footnote.ports import Clock, LedgerStore


class AsStored:
    """Collections that are called as they are stored."""

    attachments = None

    async def directory(self) -> Directory:
        return Directory()


class Books:
    """All of the ledger. `ledger` applies permissions alone."""

    def __init__(self, store: LedgerStore, clock: Clock) -> None:
        collections: Any = AsStored()
        self.store = store
        self.ledger = Documents(store, collections, clock)
        self.lifecycle = Lifecycle(store, clock)
        self.origins = Origins(store, clock)
