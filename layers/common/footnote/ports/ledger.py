"""Which documents exist, and in which state each of them is.

`Ledger` is what steps ask. The rules behind it are in `footnote.ledger`, written once; an engine only keeps entries, as a `LedgerStore`."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from footnote.types import Caller, Document, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file that is to become a document, or a document's next generation."""

    file_name: str
    collection: str
    permission_groups: frozenset[str]
    content_hash: str
    size: int
    title: str = ""
    """"" = the file name."""
    owner: str = ""
    """Who owns the document if it is new; a document that exists keeps its owner."""
    metadata: Mapping[str, Any] | None = None
    """None = what the document has already."""
    doc_id: str | None = None
    """An id from `Lifecycle.reserve`. If the file ends up in another document, this id becomes an alias of that one."""
    chosen_id: bool = False
    """The client chose `doc_id`. It identifies the document in place of the name, and the document has no name."""
    origin: str | None = None
    """Where the file is, e.g. `s3://bucket/key`. It then identifies the file in place of `file_name`, which is only shown:
    an upload with the same name is another file."""
    version: str = ""
    """Which version of the origin's file this is."""


class Held(NamedTuple):
    """What an origin holds: a version of a file, and the document made from it."""

    doc_id: str
    version: str


class Target(NamedTuple):
    """What an origin is to lead to: a document, as this version of the file, shown under this name."""

    doc_id: str
    version: str
    file_name: str


class Name(NamedTuple):
    """A name of a document. `file_name`: as it is shown. `origin`, `version`: as in `NewFile`; None for an upload's name."""

    file_name: str
    origin: str | None = None
    version: str = ""


MOST_REDIRECTED = 20
"""Origins that one `Origins.redirect` may change."""


class Ledger(Protocol):
    """The documents that a caller may see: those that they may read, outside deleted collections and ended attachments, under the
    names that their collections have now. SYSTEM sees all, under stored names."""

    async def get(self, caller: Caller, doc_id: str) -> Document:
        """The document of this id or alias. NotFound for one that does not exist, is deleted, or is not visible to the caller."""

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """Newest first, without deleted documents. `after`: the `last_id` of the previous page; NotFound if the caller may not
        read that document."""

    async def collections(self, caller: Caller) -> dict[str, int]:
        """Visible collection → number of visible READY documents."""

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        """State → number of visible documents of a collection, with those that are READY if some are RECEIVED or PROCESSING; {} where
        all are READY. One look at the counters, for every question."""

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        """Visible FAILED documents of a collection, oldest first, at most `limit` of them."""

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """The deleted documents that the caller may restore, last deleted first. `after`: the `last_id` of the previous page; nothing
        follows a document that was restored meanwhile."""

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        """A deleted document that can be restored now. NotFound for any other, and as in `get`."""


# --- what engines implement ----------------------------------------------------------------------

Body = dict[str, Any]
"""The content of an entry, in JSON's types."""

R = TypeVar("R")


class DocumentScope(NamedTuple):
    """A collection with one exact set of permission groups. `groups`: a sorted JSON array, so that equal sets are equal strings."""

    collection: str
    groups: str


class Position(NamedTuple):
    """A place in a sorted list of entries. `at`: the sort key, of at most 1,024 bytes; documents never share one."""

    list: str
    at: str


class Overtaken(Exception):
    """A rule found that the entries it read do not belong together, or a store that they have changed since: the rule is run again."""


class Transaction(Protocol):
    """One run of a rule. Everything it writes is written at its end, all or nothing, and only if nothing that it read has changed."""

    def get(self, key: str) -> Body | None:
        """A copy of the entry, as this run would leave it; None if there is none."""

    def put(
        self,
        key: str,
        body: Body | None,
        *,
        scope: Position | None = None,
        kind: Position | None = None,
        counted: Mapping[tuple[DocumentScope, str], int] | None = None,
    ) -> None:
        """Sets the entry, and which lists of `LedgerStore.newest` and `LedgerStore.of_kind` have it; None deletes it. `counted`: what the
        change adds to the counters, by scope and state. TooLarge if the engine has no room for such an entry."""


class LedgerStore(Protocol):
    """Entries under keys, changed in transactions, with sorted lists of keys and with counters. It knows nothing of documents.

    Lists and counters may lag behind the entries by about a second; whoever reads a list checks the entries. Errors: StoreUnavailable."""

    @property
    def most_written(self) -> int:
        """Entries and counters that one transaction may read and write."""

    async def change(self, rule: Callable[[Transaction], R]) -> R:
        """Runs the rule in a transaction; again if it was `Overtaken`. What it raises takes everything back."""

    async def get_many(self, keys: Sequence[str]) -> dict[str, Body]:
        """Key → entry, as last written. Keys without an entry are left out, also those longer than any key."""

    async def newest(self, scopes: Sequence[str], after: str, limit: int) -> list[str]:
        """The first keys of these lists together, by position. `after`: begins behind this position; "" = at the beginning."""

    async def of_kind(self, kind: str, *, prefix: str = "", limit: int | None = None) -> list[str]:
        """The keys of this list by position, of those positions that begin with `prefix`."""

    async def counts(self, collection: str | None = None) -> dict[DocumentScope, Counter[str]]:
        """Scope → state → number, for the scopes of a collection or all."""

    async def close(self) -> None:
        """Closes connections."""
