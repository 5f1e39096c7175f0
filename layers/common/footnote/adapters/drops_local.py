"""The bucket's twin on one machine: `<folder>/<bucket>/<key>`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from footnote.errors import NotFound, StoreUnavailable


class LocalDrops:
    """`ports.Drops`. A key that points outside of its bucket's folder does not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, bucket: str, key: str) -> bytes:
        try:
            root = (self._folder / bucket).resolve()
            path = (root / key).resolve()
            if not path.is_relative_to(root) or root.parent != self._folder.resolve():
                raise NotFound("There is no such file.")
            return await asyncio.to_thread(path.read_bytes)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError) as exc:
            raise NotFound("There is no such file.") from exc
        except OSError as exc:
            raise StoreUnavailable("The folder of dropped files cannot be read. Check its permissions.") from exc
