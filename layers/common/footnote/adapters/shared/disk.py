"""What hinders reading or writing a folder of this machine, and what to do about it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

FULL = "The disk is full. Free disk space."
READ_ONLY = "The file system is read-only. Make it writable, or choose another data folder."
DENIED = "Footnote may not read or write there. Grant its user access, or choose another data folder."
FAULTY = "The disk fails. Check the disk."
UNKNOWN = "Check the disk and the data folder."

REMEDIES = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: DENIED,
    errno.EPERM: DENIED,
    errno.EIO: FAULTY,
}
PROBE_BYTES = 2**16
"""About what storing a turn takes."""


def remedy(exc: OSError) -> str:
    """The cause of the error and its remedy, in sentences."""
    return REMEDIES.get(exc.errno or 0, UNKNOWN)


def probe(folder: Path) -> None:
    """Writes a nameless file and drops it. OSError if the folder takes no more data."""
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        left = PROBE_BYTES
        while left:
            left -= file.write(bytes(left))  # on a disk that is nearly full, only a part is written before the error


def hindrance(path: Path) -> str | None:
    """What hinders writing this file, as in `remedy`; None = nothing that can be seen."""
    try:
        probe(path.parent)
    except OSError as exc:
        return remedy(exc)
    return DENIED if path.exists() and not os.access(path, os.R_OK | os.W_OK) else None
