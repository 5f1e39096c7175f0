"""The rule for the keys of source files, the same in every store."""

from __future__ import annotations

import re

from footnote.errors import BadRequest

# No segment starts with a dot: that rules out `.` and `..`, and keeps unfinished files out of reach.
KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def check_key(key: str) -> None:
    """BadRequest for a key that is not segments of `[A-Za-z0-9._-]` joined by `/`."""
    if not KEY.fullmatch(key):
        raise BadRequest("A file's key is made of letters, digits, '.', '_' and '-', in segments joined by '/'.")
