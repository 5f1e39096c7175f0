"""Dropped files in folders of one machine: `<folder>/<bucket>/<key>`.

A version is the SHA-256 of the bytes and the time of the write, so the same bytes dropped again are a new file.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from footnote.errors import NotFound, StoreUnavailable
from footnote.ports import Dropped

T = TypeVar("T")


class LocalDrops:
    """`ports.Drops` on the file system. A key that points outside its bucket's folder does not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, bucket: str, key: str) -> tuple[bytes, str]:
        found = await self._look(bucket, key, _read)
        if found is None:
            raise NotFound("There is no such file.")
        return found

    async def head(self, bucket: str, key: str) -> Dropped | None:
        return await self._look(bucket, key, lambda path: _dropped(key, path))

    async def delete(self, bucket: str, key: str) -> None:
        await self._look(bucket, key, Path.unlink)

    async def list(self, bucket: str) -> AsyncIterator[Dropped]:
        for key in await self._look(bucket, ".", _keys) or ():
            found = await self.head(bucket, key)
            if found is not None:
                yield found

    async def _look(self, bucket: str, key: str, operation: Callable[[Path], T]) -> T | None:
        """The result of `operation(path)`; None if there is no such file."""

        def run() -> T | None:
            root = (self._folder / bucket).resolve()
            path = (root / key).resolve()
            inside = path.is_relative_to(root) and root.parent == self._folder.resolve()
            return operation(path) if inside else None

        try:
            return await asyncio.to_thread(run)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError):
            return None
        except OSError as exc:
            raise StoreUnavailable("The folder of dropped files cannot be used. Check its permissions.") from exc


def _read(path: Path) -> tuple[bytes, str]:
    with path.open("rb") as file:
        data = file.read()
        return data, _version(file, hashlib.sha256(data).hexdigest())


def _dropped(key: str, path: Path) -> Dropped:
    with path.open("rb") as file:
        return Dropped(key, _version(file, hashlib.file_digest(file, "sha256").hexdigest()), os.fstat(file.fileno()).st_size)


def _version(file: BinaryIO, digest: str) -> str:
    return f"{digest}-{os.fstat(file.fileno()).st_mtime_ns}"


def _keys(root: Path) -> list[str]:
    paths = (Path(parent, name) for parent, _, names in os.walk(root) for name in names)
    return sorted((path.relative_to(root).as_posix() for path in paths), key=os.fsencode)
