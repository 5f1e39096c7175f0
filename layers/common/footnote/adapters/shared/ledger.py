"""The rules that every ledger shares: names, ids, scopes, and which fields an update may write.

A scope is a collection with one exact set of permission groups. Within a scope a name leads to one
document, and a document may have several names.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from footnote.errors import Conflict, Forbidden, NotFound
from footnote.ports import MOST_REDIRECTED, NewFile, Target
from footnote.types import Caller, Document, Page

SLUG_LENGTH = 40

CHANGEABLE = frozenset(
    {
        "title", "state", "size", "active_generation", "reason", "remedy", "pages", "chunks", "lang", "format", "cut", "digest",
        "words", "described_by", "metadata",
    }
)  # fmt: skip
"""The fields that `update` may write. Identity and content are changed by `accept` only."""

ENDS_A_LEASE = frozenset({"RECEIVED", "READY", "FAILED"})
"""States that end the lease of the worker."""


class Scope(NamedTuple):
    """`groups`: a sorted JSON array, so that equal sets are equal strings."""

    collection: str
    groups: str


@dataclass(frozen=True, slots=True)
class File:
    """A new file in its stored form, normalized so that names can be compared. `shown`: the name that people see."""

    name: str
    shown: str
    version: str | None
    """None for a file without an origin. A file with one is identified by it: `name` is the origin."""
    scope: Scope
    content_hash: str
    size: int
    title: str
    owner: str
    metadata: str | None
    doc_id: str | None
    chosen_id: bool


def make_file(new: NewFile) -> File:
    """The stored form of a new file."""
    return File(
        name=make_name(new.file_name) if new.origin is None else make_origin(new.origin),
        shown=make_name(new.file_name),
        version=None if new.origin is None else new.version,
        scope=make_scope(new.collection, new.permission_groups),
        content_hash=new.content_hash,
        size=new.size,
        title=new.title,
        owner=new.owner,
        metadata=None if new.metadata is None else json.dumps(dict(new.metadata)),
        doc_id=new.doc_id,
        chosen_id=new.chosen_id,
    )


def brings_metadata(file: File, known: Mapping[str, Any]) -> bool:
    """Whether the file comes with other metadata than the document has."""
    return file.metadata is not None and json.loads(file.metadata) != known


def check_overwrite(caller: Caller, known: Document, file: File, has_name: bool) -> None:
    """Raises unless the caller may replace this document by a file with a chosen id; see `ports.Ledger.accept`.

    `has_name`: a file's name leads to the document."""
    if not caller.may_read(known.permission_groups):
        raise NotFound("There is no such document.")
    if foreign := caller.not_writable(known.permission_groups):
        raise Forbidden(f"Only members of a group may overwrite its documents: {', '.join(sorted(foreign))}.")
    if has_name:
        raise Conflict("The document with this id was made from a file. Add a new version of the file, or choose another doc_id.")
    if known.state != "DELETED" and known.collection != file.scope.collection:
        raise Conflict(f"The document with this id is in the index “{known.collection}”. Delete it there, or choose another doc_id.")


def make_slug(file_name: str) -> str:
    """The readable part of a document's id: `Über uns.pdf` → `uber-uns`; `doc` for a name without a letter of a–z."""
    stem = PurePosixPath(file_name).stem
    folded = "".join(char for char in unicodedata.normalize("NFKD", stem.casefold()) if not unicodedata.combining(char))
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:SLUG_LENGTH].rstrip("-")
    return slug if re.search("[a-z]", slug) else "doc"


def make_name(file_name: str) -> str:
    """The name in Unicode's composed form (NFC), so that it is the same key on every system; bytes that are not valid text are escaped."""
    return unicodedata.normalize("NFC", file_name).encode(errors="backslashreplace").decode()


def make_origin(origin: str) -> str:
    """The origin as it is, not normalized: a bucket may hold a composed and a decomposed form of one name."""
    return origin.encode(errors="backslashreplace").decode()


def make_targets(origins: Mapping[str, Target | None]) -> dict[str, Target | None]:
    """Origins and file names in their stored form; ValueError if there are too many for one change."""
    if len(origins) > MOST_REDIRECTED:
        raise ValueError(f"{len(origins)} origins are too many for one change")
    return {make_origin(origin): target and target._replace(file_name=make_name(target.file_name)) for origin, target in origins.items()}


def make_scope(collection: str, groups: frozenset[str]) -> Scope:
    """The scope of a document with these groups."""
    return Scope(collection, json.dumps(sorted(groups)))


def check_same(found: object) -> None:
    """Conflict if there is another document with the content of one that is to be restored."""
    if found is not None:
        raise Conflict("The same file was added again meanwhile, so there is nothing to restore.")


def page_of(documents: Sequence[Document], limit: int, after: str | None) -> Page[Document]:
    """The documents after the one with this id; none if it is not among them."""
    ids = [document.doc_id for document in documents]
    start = 0 if after is None else ids.index(after) + 1 if after in ids else len(ids)
    data = tuple(documents[start : start + limit])
    return Page(data, has_more=start + limit < len(ids), last_id=data[-1].doc_id if data else None)


def check_changes(fields: Iterable[str]) -> None:
    """TypeError for a field that is not in CHANGEABLE."""
    unknown = set(fields) - CHANGEABLE
    if unknown:
        raise TypeError(f"fields that cannot be updated: {', '.join(sorted(unknown))}")
