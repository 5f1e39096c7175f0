"""The rules of the ledger, on SQLite: every store that passes `tests/contracts/test_ledger_store.py` runs the same ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.ledger_store import SqliteLedgerStore
from footnote.adapters.sqlite.store import open_store
from footnote.types import Caller
from tests.books import Books

Open = Callable[[], Awaitable[Books]]


@pytest.fixture
def me() -> Caller:
    return Caller("me", frozenset({"staff"}))


@pytest.fixture
def stranger() -> Caller:
    return Caller("stranger", frozenset({"guests"}))


@pytest.fixture
def open_books(tmp_path: Path, clock: Any) -> Iterator[Open]:
    """Opens one folder again and again, as other processes would."""
    opened: list[Database] = []

    async def books() -> Books:
        opened.append(open_store(tmp_path))
        return Books(SqliteLedgerStore(opened[-1]), clock)

    yield books
    for database in opened:
        database.close()


@pytest.fixture
async def books(open_books: Open) -> Books:
    return await open_books()
