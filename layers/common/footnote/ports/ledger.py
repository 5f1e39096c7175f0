"""Which files there are, and what became of each."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from footnote.types import Caller, Document, Page


class Held(NamedTuple):
    """What an origin holds: a version of a file, and the document that came of it."""

    doc_id: str
    version: str


class Ledger(Protocol):
    """The documents and what became of them. A document is found by its id, its name or its content."""

    async def accept(
        self,
        caller: Caller,
        *,
        file_name: str,
        collection: str,
        permission_groups: frozenset[str],
        content_hash: str,
        size: int,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        doc_id: str | None = None,
        origin: str | None = None,
        version: str = "",
    ) -> tuple[Document, bool]:
        """Records a file, and tells whether there is work to do.

        Within one collection and set of groups: the same content again returns the document as it is
        (False), under whatever name; a known name with new content, or content with other metadata, is
        the document's next generation (True); anything else is a new document (True). A FAILED document
        is tried again (True). `metadata` None: as it is known.
        `origin`: where the file lies, e.g. `s3://bucket/key`, and which version of it this is. It is the name in
        place of `file_name`, which is only shown then: an upload of that name is another file."""
        ...

    async def get(self, caller: Caller, doc_id: str) -> Document:
        """NotFound for what does not exist, is deleted, or may not be seen."""
        ...

    async def list(self, caller: Caller, *, collection: str | None = None, limit: int = 50, after: str | None = None) -> Page[Document]:
        """Newest first; `after` is the `last_id` of the page before. Deleted documents are not listed."""
        ...

    async def collections(self, caller: Caller) -> dict[str, int]:
        """Visible collection → number of visible READY documents."""
        ...

    async def reserve(self, caller: Caller, *, file_name: str, collection: str, permission_groups: frozenset[str]) -> str:
        """The id that a file of this name would get: the known document's, or a new one that is still free."""
        ...

    async def unfinished(self) -> builtins.list[Document]:
        """Documents in RECEIVED or PROCESSING, oldest first, whoever they belong to."""
        ...

    async def counts(self) -> dict[str, int]:
        """State → number of documents, over all collections; for /ready and progress, no names."""
        ...

    async def update(self, doc_id: str, generation: int, **changes: Any) -> bool:
        """Writes fields of `Document`; False (and no change) when the document moved on to another
        generation or was deleted meanwhile."""
        ...

    async def lease(self, doc_id: str, generation: int, owner: str, lease_s: float) -> bool:
        """True where the owner may work on this generation until `lease_s` from now: nobody else does, or their lease
        has run out. Once more by the same owner is fine. An `update` of the state to RECEIVED, READY or FAILED, and a
        new generation, end a lease."""
        ...

    async def delete(self, caller: Caller, doc_id: str) -> Document:
        """State DELETED; no further generation can follow. Its names are free again, but an origin goes on leading
        to it: what lies there is not to come back by itself. NotFound as in `get`, but not for a document that
        waits for its burial: there a delete that failed half-way may be asked for again."""
        ...

    async def release(self, origin: str, keep: str | None = None) -> builtins.list[Document]:
        """The origin is no name any more, but for the document `keep`. Documents that have no name left by that are
        DELETED at once, and returned."""
        ...

    async def bury(self, doc_id: str) -> None:
        """Nothing is left of this DELETED document. Unknown ids are fine."""
        ...

    async def unburied(self) -> builtins.list[Document]:
        """DELETED documents of which something may be left."""
        ...

    async def held(self, origin: str) -> Held | None:
        """What this origin holds as far as is known."""
        ...

    async def origins(self, prefix: str) -> dict[str, Held]:
        """Every origin that begins so."""
        ...
