"""Under which key is a document's file kept? One for each of its generations."""

from __future__ import annotations

FOLDERS = ("sources", "parsed")


def source_key(doc_id: str, generation: int) -> str:
    """The file as it was added."""
    return f"sources/{doc_id}/{generation}"


def parsed_key(doc_id: str, generation: int) -> str:
    """What was read of it, by `footnote.ingest.parsed.pack`."""
    return f"parsed/{doc_id}/{generation}"


def generation_of(key: str) -> int:
    return int(key.rpartition("/")[2])
