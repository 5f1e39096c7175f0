"""What a sync remembers of a source's file: the version of its origin in the ledger."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from footnote.errors import BadRequest
from footnote.ingest.accept import check_file_name
from footnote.ports import Entry, Target

UNDECODABLE = re.compile("[%\udc80-\udcff]+")
"""Bytes of a name that are not valid text, and the character that escapes them."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the files of a source become documents; the same for all of them."""

    collection: str
    groups: tuple[str, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Differs if an option differs."""
        told = json.dumps([self.collection, sorted(self.groups), dict(self.metadata)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was when it was read. `digest`: SHA-256 of its bytes. `options`: the digest of the options it was added with.

    `stored`: whether its bytes are stored and queued; if not, a sync ended there and the file has to be accepted again."""

    size: int
    fingerprint: str
    digest: str
    options: str
    stored: bool = True

    @property
    def version(self) -> str:
        """The form in which the ledger keeps it."""
        return json.dumps([self.size, self.fingerprint, self.digest, self.options, self.stored])


def read_version(version: str) -> Seen:
    """What `Seen.version` wrote."""
    return Seen(*json.loads(version))


def see(entry: Entry, data: bytes, options: Options) -> Seen:
    """A file that was read now."""
    return Seen(len(data), entry.fingerprint, hashlib.sha256(data).hexdigest(), options.digest)


def origin_prefix(address: str) -> str:
    """What the origins of a source's files begin with. Not the address alone: dropped files have such origins."""
    return f"sync:{address}#"


def origin_of(address: str, key: str) -> str:
    """The origin of a source's file; different for every key."""
    return origin_prefix(address) + UNDECODABLE.sub(lambda found: quote(found[0], safe="", errors="surrogateescape"), key)


def key_of(address: str, origin: str) -> str:
    """The key of which `origin_of` made this origin."""
    return unquote(origin.removeprefix(origin_prefix(address)), errors="surrogateescape")


def shown(key: str) -> str:
    """The file name of the document."""
    try:
        return check_file_name(key.encode(errors="replace").decode())
    except BadRequest:  # it may consist of dots and slashes only
        return "unnamed"


def target(doc_id: str, seen: Seen, key: str) -> Target:
    """Where the origin of a file leads to."""
    return Target(doc_id, seen.version, shown(key))
