"""What every ledger agrees on, whatever it is kept in: names, ids, scopes, and what an update may write.

A scope is a collection with one exact set of permission groups. Inside a scope a name leads to one
document, and a document may have several names.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

SLUG_LENGTH = 40

CHANGEABLE = frozenset(
    {"title", "state", "size", "active_generation", "reason", "remedy", "pages", "chunks", "lang", "format", "digest", "metadata"}
)
"""The fields that `update` writes; identity, content and generation change by `accept` alone."""

ENDS_A_LEASE = frozenset({"RECEIVED", "READY", "FAILED"})


class Scope(NamedTuple):
    """`groups` is a sorted JSON array: equal sets are equal texts."""

    collection: str
    groups: str


@dataclass(frozen=True, slots=True)
class File:
    """A file as it arrives, in the form in which it is compared and stored. `shown`: the name that people see."""

    name: str
    shown: str
    version: str | None
    """Of a file that has an origin, which is its name then."""
    scope: Scope
    content_hash: str
    size: int
    title: str
    metadata: str | None
    doc_id: str | None


def make_file(
    *,
    file_name: str,
    collection: str,
    permission_groups: frozenset[str],
    content_hash: str,
    size: int,
    title: str,
    metadata: Mapping[str, Any] | None,
    doc_id: str | None,
    origin: str | None,
    version: str,
) -> File:
    return File(
        name=make_name(file_name) if origin is None else make_origin(origin),
        shown=make_name(file_name),
        version=None if origin is None else version,
        scope=make_scope(collection, permission_groups),
        content_hash=content_hash,
        size=size,
        title=title,
        metadata=None if metadata is None else json.dumps(dict(metadata)),
        doc_id=doc_id,
    )


def brings_metadata(file: File, known: Mapping[str, Any]) -> bool:
    """Whether it comes with other metadata than the document has."""
    return file.metadata is not None and json.loads(file.metadata) != known


def make_slug(file_name: str) -> str:
    """The readable part of a document's id: `Über uns.pdf` → `uber-uns`; `doc` for a name without a letter of a–z."""
    stem = PurePosixPath(file_name).stem
    folded = "".join(char for char in unicodedata.normalize("NFKD", stem.casefold()) if not unicodedata.combining(char))
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:SLUG_LENGTH].rstrip("-")
    return slug if re.search("[a-z]", slug) else "doc"


def make_name(file_name: str) -> str:
    """In Unicode's composed form, so that one name is one key on every system; bytes that are no text are spelled out."""
    return unicodedata.normalize("NFC", file_name).encode(errors="backslashreplace").decode()


def make_origin(origin: str) -> str:
    """As it is: a bucket may hold both forms of one name."""
    return origin.encode(errors="backslashreplace").decode()


def make_scope(collection: str, groups: frozenset[str]) -> Scope:
    return Scope(collection, json.dumps(sorted(groups)))


def check_changes(fields: Iterable[str]) -> None:
    """TypeError for a field that is not in CHANGEABLE."""
    unknown = set(fields) - CHANGEABLE
    if unknown:
        raise TypeError(f"not a field that can be updated: {', '.join(sorted(unknown))}")
