"""Which stored turns may their owner still read? An answer quotes documents, so a turn is withheld from a caller who may not
read one of these any more. A document that was only replaced by a new version does not withhold the turns that quote the old one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import NotFound
from footnote.ports import Index, Ledger
from footnote.turn_records.read import quoted_in
from footnote.types import OUTSIDE, Caller, Chunk, Outcome, TurnRecord

WITHDRAWN: Outcome = "withdrawn"


@dataclass(frozen=True, slots=True)
class Readable:
    """Turns as their owner may read them now, and those of their passages that the index still holds, by the index's own ids."""

    records: Sequence[TurnRecord]
    chunks: Mapping[str, Chunk]

    @property
    def texts(self) -> Mapping[str, str]:
        """Of the passages."""
        return {chunk_id: chunk.text for chunk_id, chunk in self.chunks.items()}


async def read_again(records: Sequence[TurnRecord], caller: Caller, *, index: Index, ledger: Ledger) -> Readable:
    """The records, in their order. One that quotes a document that the caller may not read is withheld: only its question is left."""
    passages = {each["passage"]: each["doc_id"] for record in records for each in quoted_in(record)}
    chunks = {chunk.chunk_id: chunk for chunk in await index.read(caller, list(passages))}
    missing = {passage: doc_id for passage, doc_id in passages.items() if passage not in chunks and not passage.startswith(OUTSIDE)}
    documents = sorted(set(missing.values()))
    readable = dict(zip(documents, await asyncio.gather(*(_is_readable(doc_id, caller, ledger) for doc_id in documents)), strict=True))

    def shown(record: TurnRecord) -> TurnRecord:
        gone = any(each["passage"] in missing and not readable[each["doc_id"]] for each in quoted_in(record))
        return _withheld(record) if gone else record

    return Readable([shown(record) for record in records], chunks)


def _withheld(record: TurnRecord) -> TurnRecord:
    """Without everything that may quote documents."""
    return {
        **record,
        "outcome": WITHDRAWN,
        "conversations": record["conversations"][:1],
        "result": {**record["result"], "final_response": "", "references": [], "search_decision": {"rewritten_query": []}},
        "hits": [],
        "leans_on": [],
        "suggested_questions": [],
        "private": {},
    }


async def _is_readable(doc_id: str, caller: Caller, ledger: Ledger) -> bool:
    try:
        await ledger.get(caller, doc_id)
    except NotFound:
        return False
    return True
