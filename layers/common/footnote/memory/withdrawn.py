"""What of a stored turn may still be told? An answer quotes documents: who may not read one of them any more is not told
it either. A document that was only replaced by a new version of it is no reason to withhold what its reader was told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.errors import NotFound
from footnote.ports import Block, Index, Ledger, quoted_in
from footnote.types import OUTSIDE, Caller

WITHDRAWN = "withdrawn"
"""Outcome of a turn that is withheld; it is never stored."""


@dataclass(frozen=True, slots=True)
class Readable:
    """Blocks as their owner may read them now, and the texts of their passages, by passage."""

    blocks: Sequence[Block]
    texts: Mapping[str, str]


async def read_again(blocks: Sequence[Block], caller: Caller, *, index: Index, ledger: Ledger) -> Readable:
    passages = dict.fromkeys(hit["passage"] for block in blocks for hit in quoted_in(block))
    texts = {chunk.chunk_id: chunk.text for chunk in await index.read(caller, list(passages))}
    missing = {hit["passage"]: hit["doc_id"] for block in blocks for hit in quoted_in(block) if not _stands(hit["passage"], texts)}
    documents = sorted(set(missing.values()))
    readable = dict(zip(documents, await asyncio.gather(*(_is_readable(doc_id, caller, ledger) for doc_id in documents)), strict=True))

    def told(block: Block) -> Block:
        gone = any(hit["passage"] in missing and not readable[hit["doc_id"]] for hit in quoted_in(block))
        return _withheld(block) if gone else block

    return Readable([told(block) for block in blocks], texts)


def _withheld(block: Block) -> Block:
    """Without what quotes documents."""
    return {
        **block,
        "outcome": WITHDRAWN,
        "conversations": block["conversations"][:1],
        "result": {**block["result"], "final_response": "", "references": [], "search_decision": {"rewritten_query": []}},
        "hits": [],
        "leans_on": [],
        "suggested_questions": [],
        "private": {},
    }


def _stands(passage: str, texts: Mapping[str, str]) -> bool:
    return passage in texts or passage.startswith(OUTSIDE)


async def _is_readable(doc_id: str, caller: Caller, ledger: Ledger) -> bool:
    try:
        await ledger.get(caller, doc_id)
    except NotFound:
        return False
    return True
