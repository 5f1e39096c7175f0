"""Reads an archive, and trusts nothing in it."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from footnote.errors import BadRequest, TooLarge
from footnote.ingest.accept import GROUP, check_file_name, check_metadata
from footnote.ingest.inserted import CHOSEN_ID
from footnote.ports import ChunkVectors, Name
from footnote.types import Chunk, Document, make_chunk_id
from footnote_local.transfer.archive import MOST_MANIFEST, MOST_PART, PARTS, VERSION, ChunkEntry, Damaged, DocumentEntry, Manifest
from footnote_local.transfer.copies import Copy


class ArchiveReader:
    """Reads an archive. Everything raises Damaged, with the reason. `max_file_mb`: maximum size of a source file, in MiB."""

    def __init__(self, path: Path, max_file_mb: int) -> None:
        self._max_file_mb = max_file_mb
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError as exc:
            raise BadRequest(f"There is no file {path}.") from exc
        except (zipfile.BadZipFile, OSError) as exc:
            raise Damaged("it is not a whole ZIP file.") from exc
        self.manifest = self._read_manifest()
        self._check_names()

    def _read_manifest(self) -> Manifest:
        data = self._read("manifest.json", MOST_MANIFEST)
        if data is None:
            raise Damaged("it has no manifest.json, so it is not an export of Footnote or not whole.")
        try:
            manifest = Manifest.model_validate_json(data)
        except ValidationError as exc:
            raise Damaged(f"its manifest.json is not valid ({_first(exc)}). It may be of a newer Footnote: upgrade.") from exc
        if manifest.version != VERSION:
            raise Damaged(f"it has version {manifest.version} of the format, this Footnote reads version {VERSION}: upgrade.")
        return manifest

    def _check_names(self) -> None:
        names = self._zip.namelist()
        numbers = range(1, min(self.manifest.counts.documents, len(names)) + 1)
        expected = {f"documents/{number}/{part}" for number in numbers for part in PARTS}
        foreign = next((name for name in names if name != "manifest.json" and name not in expected), None)
        if foreign is not None:
            raise Damaged(f"it contains “{foreign[:100]!r}”, which no export contains.")
        if len(set(names)) != len(names):
            raise Damaged("it contains an entry twice.")

    def check(self) -> Iterator[int]:
        """Reads everything once, so that a damaged archive changes nothing. Yields the number of each intact document."""
        sha, chunks, vectors, files = hashlib.sha256(), 0, 0, 0
        ids: set[str] = set()
        for number in range(1, self.manifest.counts.documents + 1):
            copy, entry = self._load(number)
            sha.update(entry)
            if copy.document.doc_id in ids:
                raise Damaged(f"the document {copy.document.doc_id} is in it twice.")
            ids.add(copy.document.doc_id)
            chunks += len(copy.chunks)
            vectors += sum(vector is not None for vector in copy.vectors)
            files += copy.source is not None
            yield number
        counts = self.manifest.counts
        if (sha.hexdigest(), chunks, vectors, files) != (counts.sha256, counts.chunks, counts.vectors, counts.files):
            raise Damaged("its documents are not those that its manifest names.")

    def documents(self) -> Iterator[Copy]:
        """The documents, in the order in which they were written. Their collection is the archive's."""
        for number in range(1, self.manifest.counts.documents + 1):
            yield self._load(number)[0]

    def close(self) -> None:
        """Closes the file."""
        self._zip.close()

    def _load(self, number: int) -> tuple[Copy, bytes]:
        raw = self._read(f"documents/{number}/document.json", MOST_MANIFEST)
        if raw is None:
            raise Damaged(f"document {number} is missing.")
        try:
            entry = DocumentEntry.model_validate_json(raw)
        except ValidationError as exc:
            raise Damaged(f"document {number} is not valid ({_first(exc)}).") from exc
        parts = {part: self._part(number, part, entry) for part in PARTS[1:]}
        document = self._document(number, entry)
        lines = (parts["chunks.jsonl"] or b"").split(b"\n") if parts["chunks.jsonl"] else []
        try:
            rows = [ChunkEntry.model_validate_json(line) for line in lines]
        except ValidationError as exc:
            raise Damaged(f"a passage of document {number} is not valid ({_first(exc)}).") from exc
        if (entry.state == "READY") != bool(rows):
            raise Damaged(f"the passages of document {number} are missing.")
        chunks = [_chunk(document, entry, ordinal, row) for ordinal, row in enumerate(rows)]
        vectors = self._vectors(number, chunks, rows, parts["vectors.bin"] or b"")
        names = [Name(check_file_name(name.file_name), name.origin, name.version) for name in entry.names]
        return Copy(document, names, parts["source"], parts["parsed"], chunks, [row.bounds for row in rows], vectors), raw

    def _document(self, number: int, entry: DocumentEntry) -> Document:
        """The entry as a document. An archive has the same restrictions as an upload."""
        if not CHOSEN_ID.fullmatch(entry.doc_id):
            raise Damaged(f"document {number} has an id that is not allowed.")
        if not entry.permission_groups or any(not GROUP.fullmatch(group) for group in entry.permission_groups):
            raise Damaged(f"document {number} has permission groups that are not allowed.")
        if entry.active_generation > entry.generation or (entry.state == "READY") != (entry.active_generation > 0 and bool(entry.digest)):
            raise Damaged(f"the state of document {number} contradicts itself.")
        try:
            metadata, file_name = check_metadata(entry.metadata), check_file_name(entry.file_name)
        except BadRequest as exc:
            raise Damaged(f"document {number}: {exc.detail}") from exc
        kept = {name: getattr(entry, name) for name in DocumentEntry.model_fields if name in Document.__dataclass_fields__}
        return Document(
            **kept | {"permission_groups": frozenset(entry.permission_groups), "metadata": metadata or {}, "file_name": file_name},
            collection=self.manifest.collection.name,
        )

    def _vectors(self, number: int, chunks: list[Chunk], rows: list[ChunkEntry], data: bytes) -> list[ChunkVectors | None]:
        import numpy as np

        embedder = self.manifest.embedder
        size = embedder.dimension if embedder else 0
        if sum(4 * size + len(row.bounds) * size for row in rows if row.has_vectors) != len(data):
            raise Damaged(f"the vectors of document {number} are not whole.")
        loaded: list[ChunkVectors | None] = []
        at = 0
        for chunk, row in zip(chunks, rows, strict=True):
            if not row.has_vectors or embedder is None:
                loaded.append(None)
                continue
            vector = np.frombuffer(data, "<f4", size, at)
            sentences = np.frombuffer(data, "i1", len(row.bounds) * size, at + 4 * size).reshape(len(row.bounds), size)
            if not np.isfinite(vector).all():
                raise Damaged(f"a vector of document {number} is not a vector.")
            at += 4 * size + sentences.size
            loaded.append(ChunkVectors(chunk.chunk_id, vector, sentences, embedder.recipe))
        return loaded

    def _part(self, number: int, part: str, entry: DocumentEntry) -> bytes | None:
        most = self._max_file_mb * 2**20 if part == "source" else MOST_PART
        data = self._read(f"documents/{number}/{part}", most)
        if (None if data is None else hashlib.sha256(data).hexdigest()) != entry.sha256.get(part):
            raise Damaged(f"{part} of document {number} is not what was exported.")
        return data

    def _read(self, name: str, most: int) -> bytes | None:
        """An entry; None if there is none. TooLarge beyond `most` bytes, regardless of the header."""
        try:
            with self._zip.open(name) as file:
                data = file.read(most + 1)
        except KeyError:
            return None
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as exc:
            raise Damaged(f"{name} cannot be read.") from exc
        except Exception as exc:  # zlib.error and its like have no common base
            raise Damaged(f"{name} cannot be read.") from exc
        if len(data) > most:
            why = "Raise INGEST__MAX_FILE_MB to import it." if name.endswith("/source") else "No export is that large."
            raise TooLarge(f"{name} in this archive has more than {most // 2**20} MB. {why}")
        return data


def _chunk(document: Document, entry: DocumentEntry, ordinal: int, row: ChunkEntry) -> Chunk:
    if any(not 0 <= start <= end <= len(row.text) for start, end in row.bounds):
        raise Damaged(f"the sentences of a passage of {document.doc_id} are outside it.")
    return Chunk(
        chunk_id=make_chunk_id(document.doc_id, entry.active_generation, ordinal),
        doc_id=document.doc_id,
        generation=entry.active_generation,
        ordinal=ordinal,
        level=row.level,
        title=entry.indexed_title,
        text=row.text,
        lang=row.lang,
        collection=document.collection,
        headings=row.headings,
        page=row.page,
        parts=row.parts,
        kind=row.kind,
        content_type=row.content_type,
        questions=row.questions,
        permission_groups=document.permission_groups,
        metadata={**entry.indexed_metadata, **row.metadata},
        created_at=entry.indexed_at,
    )


def _first(exc: ValidationError) -> str:
    error = exc.errors(include_input=False)[0]
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
