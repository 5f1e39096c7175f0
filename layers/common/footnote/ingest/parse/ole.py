"""Reads the streams of OLE containers (Outlook messages, Hangul files) one by one in memory, within limits."""

from __future__ import annotations

import io
from typing import Any

from footnote.ingest.parse.package import damaged

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of a container."""
MAX_STREAM = 200 * 1024 * 1024
"""Maximum bytes of a stream that is read, and of what one unpacks to."""


class Container:
    """An opened OLE container. The parts of a stream's name are separated by slashes. UnreadableFile for a damaged one."""

    def __init__(self, data: bytes) -> None:
        import olefile

        try:
            self._ole: Any = olefile.OleFileIO(io.BytesIO(data))
            self.names: list[str] = ["/".join(path) for path in self._ole.listdir(streams=True, storages=False)]
        except MemoryError:
            raise
        except Exception as exc:  # olefile raises arbitrary exceptions for damaged files
            raise damaged() from exc

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def read(self, name: str, most: int = MAX_STREAM) -> bytes:
        """A stream's bytes, at most `most`; b"" if there is no such stream."""
        if name not in self.names:
            return b""
        try:
            with self._ole.openstream(name) as stream:
                data: bytes = stream.read(most)
                return data
        except MemoryError:
            raise
        except Exception as exc:
            raise damaged() from exc

    def property(self, stream: str, number: int) -> str:
        """A text of a stream of document properties; "" if there is none."""
        try:
            found = self._ole.getproperties(stream).get(number) if stream in self.names else ""
        except MemoryError:
            raise
        except Exception:  # a title is not worth a refusal
            return ""
        return found.partition("\0")[0] if isinstance(found, str) else ""
