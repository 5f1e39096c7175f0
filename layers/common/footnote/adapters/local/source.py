"""A folder as a source of documents.

A file's fingerprint is its times of modification and of the last change of its status, and its inode: together they differ also
for a file that was restored with its old time of modification, or that took the name of another. Hidden files and folders, and
temporary files of editors, are left out. So are symbolic links, except to files within the folder: no link leads out of it or in a circle.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from footnote.errors import BadRequest, NotFound, UnreadableFile
from footnote.ports import Entry, Unlisted

TEMPORARY = re.compile(r"~\$.*|#.*#|.*(~|\.(tmp|swp|part|crdownload))", re.IGNORECASE | re.DOTALL)
"""Names of files that editors, Office and browsers write beside a file while it is open or arrives."""
TICK_S, COARSE_TICK_S = 0.02, 2.0
"""A file is read only if it was last written at least so long ago, so that a later write gets another time: the resolution of a
file's times, and of those on file systems that keep whole seconds."""
TRIES = 5
"""Reads of a file that changes meanwhile."""
CHANGING = UnreadableFile("The file changes while it is read.", "The next sync reads it again.")


class FolderSource:
    """`ports.Source` on a folder. Keys are paths relative to it, with slashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.address = self._folder.as_uri()

    async def entries(self) -> AsyncIterator[Entry | Unlisted]:
        if not self._folder.is_dir():
            raise BadRequest(f"There is no folder {self._folder}. If it is on another disk, is that mounted? Nothing was changed.")
        try:
            os.scandir(self._folder).close()
        except OSError as exc:
            raise BadRequest(f"The folder {self._folder} cannot be listed ({exc.strerror}). Nothing was changed.") from exc
        for found in await asyncio.to_thread(lambda: list(self._walk())):
            yield found

    def _walk(self) -> Iterator[Entry | Unlisted]:
        folders = [""]
        while folders:
            prefix = folders.pop()
            try:
                with os.scandir(self._folder / prefix) as found:
                    inside = [each for each in found if not each.name.startswith(".") and not TEMPORARY.fullmatch(each.name)]
                files = [(each.name, self._stat(Path(each.path))) for each in inside if not each.is_dir(follow_symlinks=False)]
            except OSError as exc:
                yield Unlisted(prefix, f"The folder cannot be listed ({exc.strerror}).")
                continue
            yield from (_entry(prefix + name, found) for name, found in files if found is not None)
            folders += (f"{prefix}{each.name}/" for each in inside if each.is_dir(follow_symlinks=False))

    def _stat(self, path: Path) -> os.stat_result | None:
        """None if it is not a file of this folder (any more). OSError if that cannot be told."""
        try:
            found = path.lstat()
            if stat.S_ISLNK(found.st_mode):
                if not path.resolve(strict=True).is_relative_to(self._folder):
                    return None
                found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError) as exc:
            if path.is_symlink():  # in a circle, or through a folder that may not be entered
                return None
            raise exc
        return found if stat.S_ISREG(found.st_mode) else None

    def _is_within(self, path: Path) -> bool:
        """Whether it leads to a file of this folder: since it was listed, a folder on the way may have become a symbolic link."""
        return Path(os.path.realpath(path, strict=True)).is_relative_to(self._folder)

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        """Reads the file again if it was written meanwhile."""
        for _ in range(TRIES):
            try:
                found = await asyncio.to_thread(self._read, key, max_bytes)
            except (FileNotFoundError, NotADirectoryError) as exc:
                raise NotFound("There is no such file.") from exc
            except OSError as exc:
                raise UnreadableFile(f"The file cannot be opened ({exc.strerror}).", "Check its permissions.") from exc
            if found is not None:
                return found
        raise CHANGING

    def _read(self, key: str, max_bytes: int) -> tuple[Entry, bytes] | None:
        """None if it was written meanwhile."""
        path = self._folder / key
        if self._stat(path) is None or not self._is_within(path):
            raise FileNotFoundError
        # Not blocked by a pipe that has taken the file's name since.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise FileNotFoundError
            if before.st_size > max_bytes:
                raise UnreadableFile(f"The file has {before.st_size / 2**20:.1f} MB; {max_bytes // 2**20} MB are allowed.", "Split it.")
            time.sleep(_too_young_s(before))
            data = file.read(max_bytes + 1)
            entry = _entry(key, os.fstat(file.fileno()))
        now = self._stat(path) if self._is_within(path) else None  # another file may have taken its name
        return (entry, data) if len(data) == entry.size and entry == _entry(key, before) == (now and _entry(key, now)) else None

    async def close(self) -> None:
        """A folder keeps nothing open."""


def _entry(key: str, found: os.stat_result) -> Entry:
    return Entry(key, found.st_size, f"{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_ino}")


def _too_young_s(found: os.stat_result) -> float:
    """How long to wait, in seconds, until a further write is sure to change the file's times."""
    coarse = found.st_mtime_ns % 10**9 == found.st_ctime_ns % 10**9 == 0
    tick_s = COARSE_TICK_S if coarse else TICK_S
    return min(max(max(found.st_mtime, found.st_ctime) + tick_s - time.time(), 0.0), tick_s)
