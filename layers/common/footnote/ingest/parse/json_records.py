"""Parses JSON and JSON lines into records, as `records` writes them, and notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from footnote.ingest.parse import markdown
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.records import blocks_of
from footnote.types import Block, Parsed

_LONGEST_OUTPUT = 4_000
"""Characters that are kept of what a notebook's cell printed."""
_PICTURES = frozenset(("image/png", "image/jpeg", "image/svg+xml"))
_ESCAPE = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
"""A code that colours text in a terminal."""


def parse(data: bytes) -> Parsed:
    """Parses JSON or JSON lines; invalid JSON is read as plain text."""
    text = decode(data)
    try:
        values = _read(text)
    except (ValueError, RecursionError):  # e.g. comments in a configuration file, or a truncated record
        return Parsed(
            (Block("code", text.strip()),),
            reason="This is not valid JSON; it was read as text.",
            remedy="Check that it was saved completely.",
        )
    if len(values) == 1 and isinstance(values[0], dict) and isinstance(values[0].get("cells"), list) and "nbformat" in values[0]:
        return Parsed(tuple(_notebook(values[0]["cells"])))
    return Parsed(tuple(blocks_of(values[0] if len(values) == 1 else values)))


def _read(text: str) -> list[Any]:
    """One JSON value, or one per line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _notebook(cells: list[Any]) -> Iterator[Block]:
    """The text and code of a Jupyter notebook, and what the code printed."""
    for cell in cells:
        text = _joined(cell.get("source")) if isinstance(cell, dict) else ""
        cell_type = cell.get("cell_type") if isinstance(cell, dict) else None
        if cell_type == "markdown":
            yield from markdown.parse(text.encode("utf-8", "replace")).blocks
        elif cell_type and text.strip():
            yield Block("code", text.strip("\n"))
        outputs = cell.get("outputs") if cell_type == "code" else None
        texts = map(_printed, outputs) if isinstance(outputs, list) else ()
        printed = "\n".join(text.strip("\n") for text in texts if text.strip())
        if printed := _ESCAPE.sub("", printed)[:_LONGEST_OUTPUT].strip("\n"):
            yield Block("code", printed)


def _printed(output: Any) -> str:
    """What an output of a cell says in plain text; "" for errors and pictures."""
    if not isinstance(output, dict) or output.get("name") == "stderr":
        return ""
    data = output.get("data")
    return _joined(data.get("text/plain") if isinstance(data, dict) and not data.keys() & _PICTURES else output.get("text"))


def _joined(text: Any) -> str:
    """A text that may be given as a list of lines."""
    return "".join(map(str, text)) if isinstance(text, list) else text if isinstance(text, str) else ""
