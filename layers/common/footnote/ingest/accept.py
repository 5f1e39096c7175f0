"""Validates a new file's name, groups, metadata and size; used by every entry point."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from footnote.errors import BadRequest, Forbidden, TooLarge
from footnote.text.surrogates import repair
from footnote.types import EVERYONE, Caller

GROUP = re.compile(r"\*|[\w][\w.:@-]{0,127}")
DRIVE = re.compile(r"[A-Za-z]:")
LONGEST_NAME = 300
"""Characters; a longer name is cut at its beginning, so that the extension is kept."""
LONGEST_FIELD, LONGEST_METADATA = 64, 8000
"""Maximum characters of a field's name, and of all fields as JSON."""


def check_file_name(name: str) -> str:
    """The file name as it is stored: NFC, without control characters; a path becomes `a/b.pdf`.

    It serves as a label and hints at the format; no file is ever written under it. `..`, drive letters and a leading
    slash are dropped. BadRequest if nothing is left."""
    printable = "".join(char for char in unicodedata.normalize("NFC", name) if char.isprintable())
    segments = [segment.strip() for segment in re.split(r"[/\\]", printable)]
    kept = "/".join(segment for segment in segments if segment.strip(".") and not DRIVE.fullmatch(segment))
    if not kept:
        raise BadRequest("The file has no usable name. Give it one, for example “report.pdf”.")
    return kept[-LONGEST_NAME:].lstrip("/")


def safe_file_name(name: str) -> str:
    """As `check_file_name`, for names from elsewhere, which may consist of dots and slashes only; then “unnamed”."""
    try:
        return check_file_name(name)
    except BadRequest:
        return "unnamed"


def check_groups(groups: list[str], caller: Caller, default: tuple[str, ...] = ()) -> frozenset[str]:
    """The permission groups of a new document. Without `groups`: `default`, which are those of its collection, or else the caller alone,
    or everyone if there is only one local user.

    BadRequest for an invalid name, Forbidden for a group that the caller may not write to."""
    wanted = frozenset(group.strip() for group in groups if group.strip())
    for group in wanted:
        if not GROUP.fullmatch(group) and not _is_own(group):
            raise BadRequest("A permission group has 1 to 128 letters, digits or . : @ _ - and starts with a letter or digit, or is “*”.")
    if wanted:
        if foreign := caller.not_writable(wanted):
            raise Forbidden(f"Only members of a group may add documents for it: {', '.join(sorted(foreign))}.")
        return wanted
    if caller.not_writable(frozenset(default)):
        raise Forbidden("Name permission_groups: without them, only members of this collection's default groups may add documents.")
    if default:
        return frozenset(default)
    return frozenset({EVERYONE}) if caller.sees_all else frozenset({f"user:{caller.user_id}"})


def _is_own(group: str) -> bool:
    """Whether it is the group of one user, whose id may hold any character: the default groups are checked again on arrival."""
    return group.startswith("user:") and group.isprintable()


def check_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The fields that a document can be filtered by: strings, numbers, booleans, or lists of them. None stays None.

    BadRequest for other values, invalid names or too much metadata."""
    if metadata is None:
        return None
    fields = {name.strip(): _field(name, value) for name, value in metadata.items()}
    if len(json.dumps(fields)) > LONGEST_METADATA:
        raise BadRequest(f"The metadata has more than {LONGEST_METADATA} characters as JSON.")
    if not re.match("https?://", str(fields.get("url", "https://"))):
        raise BadRequest("The metadata's url must start with http:// or https://.")
    return fields


def _field(name: str, value: Any) -> Any:
    if not 0 < len(name.strip()) <= LONGEST_FIELD or not name.isprintable():
        raise BadRequest(f"The name of a metadata field must have 1 to {LONGEST_FIELD} printable characters.")
    if isinstance(value, list):
        return [_scalar(name, item) for item in value]
    return _scalar(name, value)


def _scalar(name: str, value: Any) -> str | bool | float:
    if isinstance(value, str):
        return repair(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise BadRequest(f"The metadata's “{name.strip()}” must be a string, a number, true or false, or a list of these.")


def check_size(size: int, most_mb: int) -> None:
    """TooLarge if `size` in bytes exceeds `most_mb` MiB."""
    if size > most_mb * 2**20:
        raise TooLarge(f"The file has {size / 2**20:.1f} MB; {most_mb} MB are allowed. Split it, or raise INGEST__MAX_FILE_MB.")
