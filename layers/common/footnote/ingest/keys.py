"""Keys of a document's stored files, one for each generation."""

from __future__ import annotations

FOLDERS = ("sources", "parsed")


def source_key(doc_id: str, generation: int) -> str:
    """The key of the original file."""
    return f"sources/{doc_id}/{generation}"


def parsed_key(doc_id: str, generation: int) -> str:
    """The key of the parsed text, as written by `footnote.ingest.parsed.pack`."""
    return f"parsed/{doc_id}/{generation}"


def generation_of(key: str) -> int:
    """The generation in a key."""
    return int(key.rpartition("/")[2])
