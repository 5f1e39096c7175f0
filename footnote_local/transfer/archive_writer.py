"""Writes an archive."""

from __future__ import annotations

import hashlib
import os
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from footnote.ports import ChunkVectors
from footnote_local.transfer.archive import (
    FORMAT,
    VERSION,
    ChunkEntry,
    CollectionEntry,
    Counts,
    DocumentEntry,
    EmbedderEntry,
    Manifest,
    NameEntry,
)
from footnote_local.transfer.copies import Copy


class ArchiveWriter:
    """Writes an archive beside its place and moves it there when it is complete: an unfinished archive never appears under its name.
    `embedder`: of the vectors; None = there are none."""

    def __init__(self, path: Path, collection: CollectionEntry, embedder: EmbedderEntry | None, now: float) -> None:
        self._path, self._part = path, path.with_name(f"{path.name}.part")
        self._collection, self._embedder, self._now = collection, embedder, now
        self._documents = self._chunks = self._vectors = self._files = 0
        self._sha = hashlib.sha256()
        descriptor = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file: IO[bytes] = os.fdopen(descriptor, "w+b")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)

    def add(self, copy: Copy) -> None:
        """Appends a document."""
        self._documents += 1
        vectors = [vector for vector in copy.vectors if vector is not None]
        parts = {"source": copy.source, "parsed": copy.parsed}
        if copy.chunks:
            parts |= {"chunks.jsonl": _chunk_lines(copy), "vectors.bin": b"".join(map(_pack, vectors))}
        digests = {name: self._write(name, data) for name, data in parts.items() if data is not None}
        entry = _document_entry(copy, digests).model_dump_json().encode()
        self._write("document.json", entry)
        self._sha.update(entry)
        self._chunks += len(copy.chunks)
        self._vectors += len(vectors)
        self._files += copy.source is not None

    def _write(self, part: str, data: bytes) -> str:
        self._zip.writestr(f"documents/{self._documents}/{part}", data)
        return hashlib.sha256(data).hexdigest()

    def finish(self) -> Counts:
        """Writes the manifest and gives the archive its name."""
        counts = Counts(
            documents=self._documents, chunks=self._chunks, vectors=self._vectors, files=self._files, sha256=self._sha.hexdigest()
        )  # fmt: skip
        manifest = Manifest(
            format=FORMAT, version=VERSION, made_at=self._now, collection=self._collection, embedder=self._embedder, counts=counts
        )  # fmt: skip
        self._zip.writestr("manifest.json", manifest.model_dump_json(indent=1))
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self._path)
        return counts

    def abandon(self) -> None:
        """Removes the unfinished file."""
        with suppress(OSError):  # the disk may be full
            self._zip.close()
        self._file.close()
        self._part.unlink(missing_ok=True)


def _document_entry(copy: Copy, digests: dict[str, str]) -> DocumentEntry:
    document = copy.document
    kept = {name: getattr(document, name) for name in DocumentEntry.model_fields if hasattr(document, name)}
    shown = copy.chunks[0] if copy.chunks else None
    return DocumentEntry(
        **kept | {"permission_groups": tuple(sorted(document.permission_groups)), "metadata": dict(document.metadata)},
        names=tuple(NameEntry(**name._asdict()) for name in copy.names),
        indexed_title=shown.title if shown else document.title,
        indexed_metadata=copy.shared_metadata,
        indexed_at=shown.created_at if shown else document.created_at,
        sha256=digests,
    )


def _chunk_lines(copy: Copy) -> bytes:
    lines, shared = [], copy.shared_metadata
    for chunk, bounds, vectors in zip(copy.chunks, copy.bounds, copy.vectors, strict=True):
        kept = {name: getattr(chunk, name) for name in ChunkEntry.model_fields if hasattr(chunk, name)}
        kept["metadata"] = {name: value for name, value in chunk.metadata.items() if name not in shared}
        lines.append(ChunkEntry(**kept, bounds=bounds, has_vectors=vectors is not None).model_dump_json())
    return "\n".join(lines).encode()


def _pack(vectors: ChunkVectors) -> bytes:
    sentences = b"" if vectors.sentences is None else vectors.sentences.astype("i1").tobytes()
    return vectors.vector.astype("<f4").tobytes() + sentences
