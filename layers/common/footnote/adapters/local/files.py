"""Source files in a folder of this machine. A file is stored completely or not at all."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from footnote.adapters.shared.disk import remedy
from footnote.adapters.shared.files import KEY, check_key
from footnote.errors import NotFound, StoreUnavailable

_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class LocalFiles:
    """`ports.Files` on the file system. Keys as in `shared.files`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, key: str, data: bytes) -> None:
        """The file is synced to the disk when this returns."""
        path = self._path(key)
        try:
            await asyncio.to_thread(_write, path, data)
        except OSError as exc:
            raise _unavailable(exc) from exc

    async def get(self, key: str) -> bytes:
        path = self._path(key)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except _ABSENT as exc:
            raise NotFound("There is no such file.") from exc
        except OSError as exc:
            raise _unavailable(exc) from exc

    async def delete(self, key: str) -> None:
        path = self._path(key)
        try:
            await asyncio.to_thread(path.unlink)
        except _ABSENT:
            return
        except OSError as exc:
            raise _unavailable(exc) from exc

    async def keys(self, prefix: str) -> AsyncIterator[str]:
        try:
            found = await asyncio.to_thread(_keys, self._folder, prefix)
        except OSError as exc:
            raise _unavailable(exc) from exc
        for key in found:
            yield key

    async def link(self, key: str, valid_s: float, *, content_type: str, disposition: str) -> str | None:
        """None: files of a folder have no URL."""
        check_key(key)
        return None

    def _path(self, key: str) -> Path:
        check_key(key)
        return self._folder / key


def _unavailable(exc: OSError) -> StoreUnavailable:
    reason = exc.strerror or type(exc).__name__
    return StoreUnavailable(f"The folder of source files cannot be used ({reason})." + f" {remedy(exc)}")


def _keys(folder: Path, prefix: str) -> list[str]:
    start = prefix.rpartition("/")[0]
    if start and not KEY.fullmatch(start):
        return []  # no key has this prefix
    paths = (Path(parent, name) for parent, _, names in os.walk(folder / start, onerror=_raise) for name in names)
    keys = (path.relative_to(folder).as_posix() for path in paths)
    return sorted(key for key in keys if key.startswith(prefix) and KEY.fullmatch(key))


def _raise(exc: OSError) -> None:
    if not isinstance(exc, _ABSENT):
        raise exc


def _write(path: Path, data: bytes) -> None:
    """Writes a temporary file and renames it, so that neither a reader nor a crash leaves half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes a rename survive a power cut, on systems where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
