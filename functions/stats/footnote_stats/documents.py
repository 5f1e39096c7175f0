"""Which documents answer most, and which never."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.errors import NotFound
from footnote.types import Caller, Document

if TYPE_CHECKING:
    from footnote.ports import Ledger

MOST = 100
"""Documents of each kind."""
LOOKED_AT = 5_000
"""Documents among which those that are never cited are looked for, the newest."""
PAGE = 200


@dataclass(frozen=True, slots=True)
class Cited:
    """A document, the number of turns that cite it, and the feedback on these."""

    document: Document
    turns: int
    feedback_up: int
    feedback_down: int


async def cited_and_not(
    caller: Caller, cited: Mapping[str, tuple[int, int, int]], collection: str | None, *, ledger: Ledger
) -> list[Cited]:
    """The documents that are cited most, then the newest READY ones that are not cited at all: only those that the caller may read."""
    found: list[Cited] = []
    for doc_id, counts in sorted(cited.items(), key=lambda item: (-item[1][0], item[0])):
        document = await _readable(caller, doc_id, ledger)
        if document is not None and collection in (None, document.collection):
            found.append(Cited(document, *counts))
        if len(found) == MOST:
            break
    return found + [Cited(document, 0, 0, 0) for document in await _never(caller, cited, collection, ledger)]


async def _readable(caller: Caller, doc_id: str, ledger: Ledger) -> Document | None:
    try:
        return await ledger.get(caller, doc_id)
    except NotFound:
        return None


async def _never(caller: Caller, cited: Mapping[str, object], collection: str | None, ledger: Ledger) -> list[Document]:
    found: list[Document] = []
    after, looked_at = None, 0
    while len(found) < MOST and looked_at < LOOKED_AT:
        page = await ledger.list(caller, collection=collection, limit=PAGE, after=after)
        found += [each for each in page.data if each.state == "READY" and each.doc_id not in cited]
        looked_at += len(page.data)
        after = page.last_id
        if not page.has_more:
            break
    return found[:MOST]
