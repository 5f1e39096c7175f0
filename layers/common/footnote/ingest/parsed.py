"""Serialises a parser's result as JSON: from the child process, and stored beside the source file."""

from __future__ import annotations

import json
import zlib
from typing import Any

from footnote.types import Block, Pair, Parsed, Place, Scans

# Fast rather than small: the text is rarely read.
_COMPRESSION = 1


def to_json(parsed: Parsed) -> str:
    """The result as JSON. Coordinates are rounded to tenths of a point."""
    blocks = [(b.kind, b.text, b.level, b.page, [_stored(place) for place in b.places]) for b in parsed.blocks]
    fields: dict[str, Any] = {
        "title": parsed.title,
        "pages": parsed.pages,
        "format": parsed.format,
        "reason": parsed.reason,
        "remedy": parsed.remedy,
    }
    fields["pairs"] = parsed.pairs
    fields["records"] = parsed.records
    fields["fields"] = dict(parsed.fields)
    if parsed.scans:
        fields["scans"] = parsed.scans
    return json.dumps({"blocks": blocks, **fields})


def from_json(text: str | bytes) -> Parsed:
    """The inverse of `to_json`."""
    body = json.loads(text)
    blocks = (
        Block(kind, text, level, page, tuple(Place(*place) for place in places)) for kind, text, level, page, places in body["blocks"]
    )
    pairs = tuple(Pair(*pair) for pair in body.get("pairs", ()))  # a file that was parsed earlier has none
    records = tuple(body.get("records", ()))
    scans = Scans(tuple(body["scans"][0]), body["scans"][1]) if "scans" in body else None
    more = (pairs, records, body.get("fields", {}), scans)
    return Parsed(tuple(blocks), body["title"], body["pages"], body["format"], body["reason"], body["remedy"], *more)


def _stored(place: Place) -> tuple[float, ...]:
    """Without a confidence where there is none, which is nearly always."""
    box = (place.offset, place.page, *(round(at, 1) for at in place[2:6]))
    return box if place.confidence is None else (*box, round(place.confidence, 2))


def pack(parsed: Parsed) -> bytes:
    """The result as compressed JSON."""
    return zlib.compress(to_json(parsed).encode(), _COMPRESSION)


def unpack(data: bytes) -> Parsed:
    """The inverse of `pack`."""
    return from_json(zlib.decompress(data))
