"""Removes what differs from run to run from a recording, and compares the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

TOLERANCE = 0.005
"""Of a fraction. Scores that are fused from cosines differ by more than the cosines do."""
FRACTION = re.compile(r"-?\d+\.\d+")
"""A stored fraction, which may be text."""
WIDTH = 140
"""Characters of a line of a recording."""
ID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])")
MEASURED = re.compile(r"(^|_)(ms|took|latency)($|_)|^latency_map$")
"""Fields with times that a machine needs."""
ROWS = ("cache", "rollups", "turns")
"""Fields with rows of tables, whose order hangs on their keys: they are put in that of their contents."""
VECTORS = "vectors"
"""The field of a cached answer with the vectors of its question, as bytes in base64."""

PLAN = "model_calls_at_most"
"""A field of a plan, which names every step there is: a new one is no change of an API. `test_explain.py` looks at plans."""


class Normalizer:
    """The normalizer of one scene: each id becomes the same number wherever it appears."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def __call__(self, value: Any, key: str = "") -> Any:
        match value:
            case {"name": name, "status": status, "detail": detail, "ms": _, **others} if not others:  # a span
                return f"{name} {status} {json.dumps(self(detail), ensure_ascii=False)}".removesuffix(" {}")
            case dict() if PLAN in value:
                return "<plan>"
            case dict():
                return {self._name(name): self(value[name], key if MEASURED.search(key) else str(name)) for name in sorted(value)}
            case list() | tuple() if key == VECTORS:
                return ["<vector>" for _ in value]
            case list() if key in ROWS:
                return sorted((self(row) for row in sorted(value, key=lambda row: ID.sub("", lay_out(row)))), key=lay_out)
            case list() | tuple():
                return [self(each, key) for each in value]
            case bool() | None:
                return value
            case int() | float() if MEASURED.search(key):
                return "<ms>"
            case float():
                return round(value, 4)
            case str() if value.startswith(("{", "[")):
                try:
                    return self(json.loads(value), key)
                except ValueError:
                    pass
        return self._name(value) if isinstance(value, str) else value

    def _name(self, text: str) -> str:
        return ID.sub(lambda found: self._ids.setdefault(found[0], f"<id {len(self._ids) + 1}>"), text)


def lay_out(value: Any, indent: int = 0) -> str:
    """Formats JSON in lines of at most WIDTH unless a word is longer, with as many items per line as fit."""
    line = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or len(line) + indent < WIDTH:
        return line
    named = value.items() if isinstance(value, dict) else (("", each) for each in value)
    prefixed = isinstance(value, dict)
    lines: list[str] = []
    for name, each in named:
        item = (f"{json.dumps(name, ensure_ascii=False)}: " if prefixed else "") + lay_out(each, indent + 1)
        if lines and "\n" not in lines[-1] + item and len(lines[-1]) + len(item) + indent + 3 < WIDTH:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    opening, closing = "{}" if prefixed else "[]"
    return f"{opening}\n" + ",\n".join(" " * (indent + 1) + each for each in lines) + "\n" + " " * indent + closing


def differences(recorded: Any, played: Any, path: str = "") -> Iterator[str]:
    """The paths at which two recordings differ, with both values."""
    match recorded, played:
        case dict(), dict():
            for name in sorted({*recorded, *played}):
                if name in recorded and name in played:
                    yield from differences(recorded[name], played[name], f"{path}/{name}")
                else:
                    yield f"{path}/{name}: only {'recorded' if name in recorded else 'played'}"
        case list(), list():
            for number, (one, other) in enumerate(zip(recorded, played, strict=False)):
                yield from differences(one, other, f"{path}/{number}")
            if len(recorded) != len(played):
                yield f"{path}: {len(recorded)} items recorded, {len(played)} played"
        case (float(), int() | float()) | (int(), float()) if abs(recorded - played) <= TOLERANCE:
            pass
        case str(), str() if FRACTION.fullmatch(recorded) and FRACTION.fullmatch(played):
            yield from differences(float(recorded), float(played), path)
        case _ if recorded != played or isinstance(recorded, bool) != isinstance(played, bool):
            yield f"{path}: {json.dumps(recorded, ensure_ascii=False)} recorded, {json.dumps(played, ensure_ascii=False)} played"
