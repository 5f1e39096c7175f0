"""Which documents exist, and in which state each of them is."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

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
    """An id from `Ledger.reserve`. If the file ends up in another document, this id becomes an alias of that one."""
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
"""Origins that one `Ledger.redirect` may change."""


class Ledger(Protocol):
    """The documents and their states. A document is found by its id, its name or its content.

    Callers check who may write before they call; reads by id check the caller here."""

    async def accept(self, caller: Caller, file: NewFile) -> tuple[Document, bool]:
        """Records a file → (its document, whether it has to be processed).

        Within one collection and set of groups: content that is known returns its document unchanged (False),
        whatever the name; a known name with new content, or known content with other metadata, is the document's
        next generation (True); anything else is a new document (True). A FAILED document is retried (True).
        A document with a single name keeps that name's new content, even if another document has this content
        already: otherwise the old content would still answer.

        With `chosen_id` the document of this id gets the file, in the file's scope, even if it was deleted. If the scope changes,
        `active_generation` becomes 0, as earlier generations may no longer answer. NotFound if the caller may not read the
        existing document, Forbidden if they may not write to its groups, Conflict if it came from a file or is in another
        collection."""
        ...

    async def get(self, caller: Caller, doc_id: str) -> Document:
        """NotFound for a document that does not exist, is deleted, or is not visible to the caller."""
        ...

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """Newest first, without deleted documents. `after`: the `last_id` of the previous page; NotFound if the caller may not
        read that document."""
        ...

    async def collections(self, caller: Caller) -> dict[str, int]:
        """Visible collection → number of visible READY documents."""
        ...

    async def readable_states(self, caller: Caller, collection: str) -> dict[str, int]:
        """State → number of visible documents of a collection, with those that are READY if some are RECEIVED or PROCESSING; {} where
        all are READY. One look at an index, for every question."""
        ...

    async def unreadable(self, caller: Caller, collection: str, limit: int) -> builtins.list[Document]:
        """Visible FAILED documents of a collection, at most `limit` of them."""
        ...

    async def undescribed(self, limit: int) -> builtins.list[Document]:
        """READY documents that wait for a model's description, oldest first."""
        ...

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        """The id of the document that a file of this name will become, before its content is known: the existing document's
        id if this is its only name, else an unused id for `NewFile.doc_id`."""
        ...

    async def unfinished(self) -> builtins.list[Document]:
        """All documents in RECEIVED or PROCESSING, oldest first."""
        ...

    async def failed(self) -> builtins.list[Document]:
        """All FAILED documents, oldest first."""
        ...

    async def counts(self) -> dict[str, int]:
        """State → number of documents over all collections, for /ready and progress; no names."""
        ...

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        """Writes fields of `Document`. Returns False and changes nothing if the document has another generation by now or
        was deleted. TypeError for a field that cannot be updated."""
        ...

    async def renew(self, doc_id: str, generation: int) -> bool:
        """Starts the next generation of a READY document from the same content; the active one answers until that is ready. Returns
        False and changes nothing if the document has another generation or state by now."""
        ...

    async def move(self, doc_id: str, generation: int, *, collection: str, permission_groups: frozenset[str]) -> bool:
        """Starts the next generation of a document from the same content, in another collection or for other readers; no earlier one may
        answer any more. Its names of uploads come along, unless they lead to another document there. Returns False and changes nothing
        if the document has another generation by now or was deleted. For at most MOST_REDIRECTED names."""
        ...

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        """True if the owner may work on this generation until `lease_s` from now: no other owner has a lease that is still
        valid. The same owner may renew its lease. An `update` of the state to RECEIVED, READY or FAILED, and a new
        generation, end the lease."""
        ...

    async def delete(self, caller: Caller, doc_id: str, *, keep: bool = False) -> Document:
        """Sets the state to DELETED; no generation can follow. The document's names are free again, but its origins still
        lead to it, so that the files there are not ingested again. NotFound as in `get`, except for a deleted document
        that is not purged yet: a delete that failed half-way can be repeated.

        `keep`: it can be restored for RESTORABLE_S, unless all its names lead to other documents by then, or it is deleted without
        `keep` or released."""
        ...

    async def deleted(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """The deleted documents that the caller may restore, last deleted first. `after`: the `last_id` of the previous page; nothing
        follows a document that was restored meanwhile."""
        ...

    async def find_deleted(self, caller: Caller, doc_id: str) -> Document:
        """A deleted document that can be restored now. NotFound for any other, and as in `get`."""
        ...

    async def undelete(self, doc_id: str, generation: int) -> bool:
        """Starts the next generation of a deleted document that can be restored, from the same content and with the same readers; no
        earlier one may answer. Returns False and changes nothing if it has another generation by now or cannot be restored any more.
        Conflict if another document of its scope has the content by now."""
        ...

    async def kept(self) -> builtins.list[Document]:
        """DELETED documents that are kept to be restored, also those whose time is over, oldest first."""
        ...

    async def give_up(self, doc_id: str) -> bool:
        """Ends the time in which a DELETED document can be restored, so that it can be purged. False if it is not DELETED."""
        ...

    async def release(self, origin: str, keep: str | None = None) -> builtins.list[Document]:
        """Removes the origin from every document except `keep`. Documents that have no name left are DELETED and returned."""
        ...

    async def redirect(self, origins: Mapping[str, Target | None]) -> builtins.list[Document]:
        """Lets each origin lead to this document alone, or to none, all in one change; at most MOST_REDIRECTED.

        So files can swap names and each document stays with its content. Documents that have no name left are DELETED and
        returned. A document that becomes a target and loses the name it is shown under starts its next generation, because the
        index holds that name: its file has to be accepted again."""
        ...

    async def purge(self, doc_id: str) -> None:
        """Marks a DELETED document as fully removed; its tombstone stays. Unknown ids are ignored."""
        ...

    async def unpurged(self) -> builtins.list[Document]:
        """DELETED documents that are not `kept` and may still have chunks or files, oldest first."""
        ...

    async def held(self, origin: str) -> Held | None:
        """What this origin holds as far as the ledger knows; the most recent one if several scopes have it."""
        ...

    async def origins(self, prefix: str) -> dict[str, Held]:
        """Every origin that begins with `prefix`."""
        ...

    async def names(self, doc_id: str) -> builtins.list[Name]:
        """All names of a document that is not deleted, in no particular order."""
        ...

    async def restore(self, document: Document, names: Sequence[Name]) -> bool:
        """Adds a document as another ledger had it, with its id, generation and dates. A name that leads to another document here
        keeps leading there. False, and nothing is changed, if the id is in use or belonged to a deleted document."""
        ...
