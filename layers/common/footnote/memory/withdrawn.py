"""Withholds stored turns whose documents their owner may no longer read, because answers quote documents. Turns that quote an
older version of a document are not withheld while the caller may read the current version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.ports import Index, Ledger
from footnote.turn_records.read import question_message, quoted_in
from footnote.turn_records.readable import readable_documents
from footnote.types import EXTERNAL_IDS, Caller, Chunk, Outcome, TurnRecord

WITHDRAWN: Outcome = "withdrawn"


@dataclass(frozen=True, slots=True)
class Readable:
    """Turns as their owner may read them now, and the passages that the index still holds, by their ids in the index."""

    records: Sequence[TurnRecord]
    chunks: Mapping[str, Chunk]

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the passages, by id."""
        return {chunk_id: chunk.text for chunk_id, chunk in self.chunks.items()}


async def read_again(records: Sequence[TurnRecord], caller: Caller, *, index: Index, ledger: Ledger) -> Readable:
    """The records, in the same order. If a record quotes a document that the caller may not read, only its question is left."""
    passages = {each["passage"]: each["doc_id"] for record in records for each in quoted_in(record)}
    chunks = {chunk.chunk_id: chunk for chunk in await index.read(caller, list(passages))}
    missing = {passage: doc_id for passage, doc_id in passages.items() if passage not in chunks and not passage.startswith(EXTERNAL_IDS)}
    readable = await readable_documents(missing.values(), caller, ledger)

    def shown(record: TurnRecord) -> TurnRecord:
        gone = any(each["passage"] in missing and each["doc_id"] not in readable for each in quoted_in(record))
        return _withheld(record) if gone else record

    return Readable([shown(record) for record in records], chunks)


def _withheld(record: TurnRecord) -> TurnRecord:
    """The record without everything that may quote documents."""
    return {
        **record,
        "outcome": WITHDRAWN,
        "conversations": [question_message(record)],
        "result": {**record["result"], "final_response": "", "references": [], "search_decision": {"rewritten_query": []}},
        "hits": [],
        "verdict": None,  # `missing` tells which words of the question the passages hold
        "spans": [{**span, "detail": {}} for span in record["spans"]],
        "leans_on": [],
        "suggested_questions": [],
        "private": {},
    }
