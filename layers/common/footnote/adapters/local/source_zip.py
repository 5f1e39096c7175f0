"""A ZIP file as a source of documents. Nothing is unpacked to disk."""

from __future__ import annotations

import asyncio
import lzma
import stat
import zipfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from footnote.errors import BadRequest, NotFound, UnreadableFile
from footnote.ports import Entry, Unlisted

DAMAGED = UnreadableFile("The file is damaged in the archive.", "Make the archive again.")
ENCRYPTED = UnreadableFile("The file needs a password.", "Make an archive without one.")
ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError)


class ZipSource:
    """`ports.Source` on a ZIP file. Hidden files, symbolic links and what macOS adds are left out.

    A file's fingerprint is its checksum and time in the archive's directory."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self.address = self._path.as_uri()
        self._opened: zipfile.ZipFile | None = None

    async def entries(self) -> AsyncIterator[Entry | Unlisted]:
        for entry in {entry.key: entry for entry in await asyncio.to_thread(self._list)}.values():
            yield entry  # of two files with one name, the last one counts, as for other programs

    def _list(self) -> list[Entry]:
        if self._opened is not None:
            self._opened.close()
        try:
            self._opened = zipfile.ZipFile(self._path)
        except FileNotFoundError as exc:
            raise BadRequest(f"There is no file {self._path}. Nothing was changed.") from exc
        except ERRORS as exc:
            raise BadRequest(f"{self._path} cannot be read as a ZIP file. Nothing was changed.") from exc
        return [_entry(found) for found in self._opened.infolist() if _is_file(found) and not _is_hidden(found.filename)]

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        return await asyncio.to_thread(self._read, key, max_bytes)

    def _read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        if self._opened is None:
            self._list()
        assert self._opened is not None  # noqa: S101 (or else `_list` fails)
        try:
            found = self._opened.getinfo(key)
        except KeyError as exc:
            raise NotFound("There is no such file.") from exc
        if found.flag_bits & 1:
            raise ENCRYPTED
        if found.file_size > max_bytes:
            raise UnreadableFile(f"The file has {found.file_size / 2**20:.1f} MB; {max_bytes // 2**20} MB are allowed.", "Split it.")
        try:
            return _entry(found), self._opened.read(found)  # never more than the size in the directory; the checksum is compared
        except ERRORS as exc:
            raise DAMAGED from exc

    async def close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def _entry(found: zipfile.ZipInfo) -> Entry:
    return Entry(found.filename, found.file_size, f"{found.CRC:08x}-{'-'.join(map(str, found.date_time))}")


def _is_file(found: zipfile.ZipInfo) -> bool:
    """Whether it is neither a folder nor a symbolic link, of which the archive only holds where it leads to."""
    return not found.is_dir() and not stat.S_ISLNK(found.external_attr >> 16)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in name.replace("\\", "/").split("/"))
