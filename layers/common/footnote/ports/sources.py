"""Places outside Footnote whose files `footnote sync` keeps as documents: a folder, a bucket, an archive, a web site."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a source. `key`: its name there, unique within the source."""

    key: str
    size: int | None
    """Bytes; None = not known before it is read."""
    fingerprint: str
    """Differs when the file may have changed, e.g. its time of modification or its ETag; "" = only the content tells."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the document, e.g. the `url` of a page."""


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A part of the source that could not be listed: the files whose keys begin with `prefix`. `reason`: a sentence."""

    prefix: str
    reason: str


class Source(Protocol):
    """A place with files. Another kind of source is another implementation of this."""

    address: str
    """Identifies the source: a URL without fragment, the same for every way to name the same place."""

    def entries(self) -> AsyncIterator[Entry | Unlisted]:
        """All files, without those that are hidden. BadRequest if the place does not exist or is not of this kind, Unavailable
        if it cannot be reached: nothing is then known about its files."""

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        """The file as it is now, and its bytes: the entry is of exactly these bytes. NotFound if it does not exist (any more),
        UnreadableFile if it cannot be read, is larger, or does not stop changing."""

    async def close(self) -> None:
        """Closes files and connections."""
