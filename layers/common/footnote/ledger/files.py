"""A file as the ledger knows it: its name in comparable form, its scope, and the id that a document made from it gets.

A scope is a collection with one exact set of permission groups. Within a scope a name leads to one document, and a document may have
several names."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from footnote.ports import MOST_REDIRECTED, NewFile, Target
from footnote.ports.ledger import DocumentScope

SLUG_LENGTH = 40


@dataclass(frozen=True, slots=True)
class File:
    """A new file in its stored form, normalized so that names can be compared. `shown`: the name that people see."""

    name: str
    shown: str
    version: str | None
    """None for a file without an origin. A file with one is identified by it: `name` is the origin."""
    scope: DocumentScope
    content_hash: str
    size: int
    title: str
    owner: str
    metadata: dict[str, Any] | None
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
        metadata=None if new.metadata is None else json.loads(json.dumps(dict(new.metadata))),
        doc_id=new.doc_id,
        chosen_id=new.chosen_id,
    )


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


def make_scope(collection: str, groups: frozenset[str]) -> DocumentScope:
    """The scope of a document with these groups."""
    return DocumentScope(collection, json.dumps(sorted(groups)))
