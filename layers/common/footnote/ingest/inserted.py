"""Documents whose text was sent as JSON (`POST /insert-doc`): the stored form of what was sent, and its text."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass

from footnote.errors import BadRequest
from footnote.ingest.fixed_size import FixedSize
from footnote.types import Block, Parsed

CHOSEN_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""It is part of keys, of URLs and of footnote marks."""
EMPTY_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
HASHED_AS = "inserted:"
"""Prefix of the content hash of such a document. Nobody can upload a file that has it."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """A document as it was sent, without groups and metadata, which the ledger holds."""

    doc_id: str
    title: str
    content: str
    chunk_factor: FixedSize


def check_chosen_id(doc_id: str) -> str:
    """The id, if it is valid; else BadRequest."""
    if not CHOSEN_ID.fullmatch(doc_id):
        raise BadRequest("data.doc_id: use 1 to 100 letters (a–z), digits, dots, dashes or underscores, starting with a letter or digit.")
    return doc_id


def pack_inserted(document: Inserted) -> bytes:
    """The stored form, as JSON: the document's original file."""
    return json.dumps(asdict(document), ensure_ascii=False).encode()


def unpack_inserted(data: bytes) -> Inserted:
    """The inverse of `pack_inserted`."""
    body = json.loads(data)
    return Inserted(body["doc_id"], body["title"], body["content"], FixedSize(**body["chunk_factor"]))


def parse_inserted(document: Inserted) -> Parsed:
    """The text as it was sent, in blocks that end at empty lines."""
    texts = (text.strip("\n") for text in EMPTY_LINES.split(document.content))
    blocks = tuple(Block("paragraph", text) for text in texts if text.strip())
    return Parsed(blocks, document.title or document.doc_id, format="text")
