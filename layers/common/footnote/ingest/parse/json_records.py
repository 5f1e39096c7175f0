"""Parses JSON and JSON lines: flat records become a table, others readable `key: value` lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from footnote.ingest.parse import markdown
from footnote.ingest.parse.decode import decode, spaced
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block, Parsed

_NAMES = ("title", "name", "id", "question", "subject", "key")
"""Keys whose value identifies a record and becomes its heading."""
_MAX_COLUMNS = 50
_LONG_TEXT = 200
_MAX_DEPTH = 100
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
    return Parsed(tuple(_blocks(values[0] if len(values) == 1 else values, 1)))


def _read(text: str) -> list[Any]:
    """One JSON value, or one per line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _blocks(value: Any, level: int) -> Iterator[Block]:
    if isinstance(value, list):
        records = [item for item in value if isinstance(item, dict)]
        if records and len(records) == len(value):
            yield from [_table(records)] if _are_flat(records) else (block for record in records for block in _record(record, level))
        elif lines := list(_lines(value)):
            yield Block("list", "\n".join(lines))
    elif isinstance(value, dict):
        plain = {key: item for key, item in value.items() if not _is_table(item)}
        yield from _record(plain, level)
        for key, item in value.items():
            if _is_table(item):
                yield Block("heading", spaced(str(key)) or "–", level)
                yield from _blocks(item, level + 1)
    elif text := _plain(value):
        yield Block("paragraph", text)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(item, dict) for item in value)


def _are_flat(records: list[dict[str, Any]]) -> bool:
    columns = {key for record in records for key in record}
    values = [value for record in records for value in record.values()]
    short = all(not isinstance(value, (dict, list)) and len(_plain(value)) <= _LONG_TEXT for value in values)
    return len(records) > 1 and short and len(columns) <= _MAX_COLUMNS


def _table(records: list[dict[str, Any]]) -> Block:
    columns = list(dict.fromkeys(key for record in records for key in record))
    return Block("table", to_markdown([columns, *([_plain(record.get(column)) for column in columns] for record in records)]))


def _record(record: dict[str, Any], level: int) -> Iterator[Block]:
    name = next((_plain(record[key]) for key in _NAMES if isinstance(record.get(key), (str, int)) and _plain(record[key])), "")
    if name and len(name) <= _LONG_TEXT:
        yield Block("heading", name, level)
    if lines := list(_lines(record)):
        yield Block("paragraph", "\n".join(lines))


def _lines(value: Any, depth: int = 0) -> Iterator[str]:
    indent = "  " * depth
    if depth > _MAX_DEPTH:
        yield indent + spaced(json.dumps(value, ensure_ascii=False))
        return
    for key, item in value.items() if isinstance(value, dict) else (("-", item) for item in value):
        label = "-" if key == "-" else f"{spaced(str(key))}:"
        if isinstance(item, (dict, list)) and item:
            yield indent + label
            yield from _lines(item, depth + 1)
        elif text := _plain(item):
            yield f"{indent}{label} {text}"


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return spaced(value.replace("\n", "\0"))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


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
