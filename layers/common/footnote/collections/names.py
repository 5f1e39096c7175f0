"""The directory of all collections with a record: which name leads to which collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from footnote.errors import BadRequest
from footnote.types import ATTACHED, Collection, CollectionSettings, StoredName

NAME = re.compile(r"[\w][\w.-]{0,63}")
NOT_IN_NAMES = "~"
"""Occurs in stored names only, so that none of them is ever the name of another collection."""


def check_collection(name: str) -> str:
    """The name, if it is valid; else BadRequest."""
    if not NAME.fullmatch(name):
        raise BadRequest("An index name has 1 to 64 letters, digits, dots, dashes or underscores and starts with a letter or digit.")
    return name


@dataclass(frozen=True)
class Directory:
    """All collections with a record, deleted ones too, by their stored names. `version`: of the record that holds them."""

    collections: Mapping[str, Collection] = field(default_factory=dict)
    version: int = 0

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The stored names of deleted collections."""
        return frozenset(stored for stored, each in self.collections.items() if each.deleted_at is not None)

    @cached_property
    def _stored(self) -> Mapping[str, str]:
        return {name: stored for stored, each in self.collections.items() if stored not in self.deleted for name in each.names}

    def find(self, name: str) -> Collection | None:
        """The collection with this name or alias, unless it is deleted; None also if it has no record."""
        stored = self._stored.get(name)
        return None if stored is None else self.collections[stored]

    def find_deleted(self, name: str) -> Collection | None:
        """The collection that had this name or alias and was deleted, most recently if there are several; of those that were deleted at
        the same time, the one that was created last."""
        found = [each for stored, each in self.collections.items() if stored in self.deleted and name in each.names]
        return max(reversed(found), key=lambda each: (each.deleted_at or 0.0, each.created_at), default=None)

    def resolve(self, name: str) -> StoredName:
        """The stored name of the collection. Nothing is stored under that of a name that leads nowhere."""
        if isinstance(name, StoredName):
            return name
        if name in self._stored:
            return StoredName(self._stored[name])
        # A renamed or deleted collection may be stored under this name, and no name leads to what is attached.
        return StoredName(f"{name}{NOT_IN_NAMES}" if name in self.collections or name == ATTACHED else name)

    def may_hold(self, stored: StoredName) -> bool:
        """Whether documents may be added under this stored name: its collection is neither deleted nor purged. That a purged one was
        stored under a plain name is not known any more; a new collection of this name is stored under it as well."""
        known = stored in self.collections or stored == ATTACHED
        return stored not in self.deleted and (known or NOT_IN_NAMES not in stored)

    def name_of(self, stored: str) -> str:
        """The current name of a collection."""
        found = self.collections.get(stored)
        return stored if found is None else found.name

    def settings(self, stored: str) -> CollectionSettings:
        """The settings of a collection; the defaults without a record."""
        found = self.collections.get(stored)
        return CollectionSettings() if found is None else found.settings

    def with_collection(self, collection: Collection) -> Directory:
        """The directory after a change of one collection."""
        return replace(self, collections={**self.collections, collection.stored: collection})

    def without(self, stored: str) -> Directory:
        """The directory without this collection."""
        return replace(self, collections={key: each for key, each in self.collections.items() if key != stored})


def load_directory(value: Mapping[str, Any], version: int) -> Directory:
    """The directory as it was stored by `dump_directory`."""
    return Directory({stored: _load(stored, fields) for stored, fields in value["collections"].items()}, version)


def dump_directory(directory: Directory) -> dict[str, Any]:
    """The stored form of a directory."""
    return {"collections": {stored: _dump(each) for stored, each in directory.collections.items()}}


def _load(stored: str, fields: Mapping[str, Any]) -> Collection:
    told = fields["settings"]
    settings = CollectionSettings(
        told["chunker"],
        told["embedder"],
        tuple(told["languages"]),
        tuple(told["permission_groups"]),
        told.get("columns", {}),
        told.get("knowledge", {}),
    )
    return Collection(StoredName(stored), **{**fields, "aliases": tuple(fields["aliases"]), "settings": settings})


def _dump(collection: Collection) -> dict[str, Any]:
    told = collection.settings
    return {
        "name": collection.name,
        "aliases": list(collection.aliases),
        "title": collection.title,
        "description": collection.description,
        "settings": {
            "chunker": told.chunker,
            "embedder": told.embedder,
            "languages": list(told.languages),
            "permission_groups": list(told.permission_groups),
            "columns": dict(told.columns),
            "knowledge": dict(told.knowledge),
        },
        "created_at": collection.created_at,
        "changed_at": collection.changed_at,
        "deleted_at": collection.deleted_at,
        "is_purged": collection.is_purged,
    }
