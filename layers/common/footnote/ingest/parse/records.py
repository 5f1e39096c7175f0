"""Writes the values of JSON, YAML and XML as text that keeps each record whole, with its name and its keys.

Records with short values become a table, so that a question can ask for those that meet a condition. Of any other value each record is a
list of `key: value` lines below its name. Keys of inner objects are paths (`size › depth: 80`), lists of short values are one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block

NAMES = ("title", "name", "id", "question", "subject", "key")
"""Keys whose value identifies a record and becomes its heading."""
_MAX_COLUMNS = 50
_LONG_TEXT = 200
"""Characters of a value that is too long for a table, of a name, and of a list in one line."""
_MAX_DEPTH = 100
_MOST_LINES = 12
"""Lines of an inner object that are told with their paths; a longer one gets a heading."""
_PATH = " › "

Line = tuple[str, str]
"""The path of a value, and the value."""


def blocks_of(value: Any, path: str = "", level: int = 1) -> Iterator[Block]:
    """The blocks of a value as `json.loads` returns it. `path`: what it is called, in all headings, because a citation names the last one;
    `level`: of its headings."""
    if is_table(value):
        rows = [flat(record) for record in value]
        if table := None if None in rows else table_of([row for row in rows if row is not None]):
            yield from _below(path, level, table)
        else:
            for number, record in enumerate(value, start=1):
                name = name_of(record) or ("" if len(value) == 1 else str(number))
                yield from _record(record, joined(path, name) if name else path, level, is_item=True)
    elif isinstance(value, dict):
        if table := named_table(value):
            yield from _below(path, level, table)
        else:
            yield from _record(value, path or name_of(value), level)
    elif text := _in_list(value):
        yield from _below(path, level, Block("list" if isinstance(value, list) else "paragraph", text))


def name_of(record: Mapping[str, Any]) -> str:
    """What a record is called; "" if nothing identifies it."""
    name = next((_plain(record[key]) for key in NAMES if isinstance(record.get(key), (str, int)) and _plain(record[key])), "")
    return name if len(name) <= _LONG_TEXT else ""


def table_of(rows: Sequence[Mapping[str, str]]) -> Block | None:
    """The table of records with short values; None for a single one, and for those that have too little in common."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if len(rows) < 2 or len(columns) > _MAX_COLUMNS:
        return None
    return Block("table", to_markdown([columns, *([row.get(column, "") for column in columns] for row in rows)]))


def named_table(value: Mapping[str, Any]) -> Block | None:
    """The table of an object whose values are records of one kind, with most keys in common, by their names; None for anything else."""
    rows = [(name, flat(record)) for name, record in value.items() if isinstance(record, dict) and record]
    if len(rows) < max(2, len(value)):
        return None
    known = [(name, row) for name, row in rows if row]
    columns = {key for _, row in known for key in row}
    if len(known) < len(rows) or any(2 * len(row) <= len(columns) for _, row in known):
        return None
    return table_of([{"": _plain(name), **row} for name, row in known])


def flat(record: Mapping[str, Any]) -> dict[str, str] | None:
    """Path → value of a record with short values, which fits into a row of a table; None for any other."""
    row: dict[str, str] = {}
    for path, text in _lines(record, most=_MAX_COLUMNS + 1):
        if len(text) > _LONG_TEXT or path in row or len(row) == _MAX_COLUMNS:
            return None
        row[path] = text
    return None if any(map(is_table, record.values())) else row


def flat_paths(record: Any) -> set[str]:
    """The paths of the values in a record, without those that are empty."""
    return {path for path, _ in _lines(record)}


def joined(path: str, key: Any) -> str:
    """The path of what `key` names below `path`."""
    return _PATH.join(filter(None, (path, spaced(str(key)) or "–")))


def is_table(value: Any) -> bool:
    """Whether it is a list of records."""
    return isinstance(value, list) and len(value) > 0 and all(isinstance(item, dict) for item in value)


def _record(record: Mapping[str, Any], path: str, level: int, *, is_item: bool = False) -> Iterator[Block]:
    """A record below its path: its own values, then its larger parts, each below its own path. `is_item`: it is one of a list, and so keeps
    its short lists of records, too."""
    has_values = any(not isinstance(item, (dict, list)) for item in record.values())
    large = {key for key, item in record.items() if _is_large(item, has_values, is_item)} if level < _MAX_DEPTH else set()
    if lines := _lines({key: item for key, item in record.items() if key not in large}):
        yield from _below(path, level, Block("list", "\n".join(_item(path, text) for path, text in lines)))
    for key, item in record.items():
        if key in large:
            yield from blocks_of(item, joined(path, key), level + bool(path))


def _below(path: str, level: int, block: Block) -> Iterator[Block]:
    if path:
        yield Block("heading", path, level)
    yield block


def _is_large(value: Any, has_values: bool, is_item: bool) -> bool:
    """Whether a part of a record gets a heading: a list of records, or an object, unless it is short and stands beside plain values."""
    if isinstance(value, dict) and value:
        return not has_values or len(_lines(value, most=_MOST_LINES + 1)) > _MOST_LINES or any(map(is_table, value.values()))
    return is_table(value) and not (has_values and is_item and len(value) <= _MOST_LINES and all(map(_in_one_line, value)))


def _in_one_line(record: Mapping[str, Any]) -> str:
    """A record within another one; "" if it is too long for that."""
    text = ", ".join(f"{path}: {value}" for path, value in (flat(record) or {}).items())
    return text if len(text) <= _LONG_TEXT else ""


def _lines(value: Any, most: int | None = None) -> list[Line]:
    """The paths and values in a record, without those that are empty, unless it says something by nothing but the names of empty lists
    and objects, as `{"apiKey": []}` does; `most`: how many at most."""
    found: list[Line] = []
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack and (most is None or len(found) < most):
        path, item, depth = stack.pop()
        if isinstance(item, dict) and depth < _MAX_DEPTH:
            stack += [(joined(path, key), inner, depth + 1) for key, inner in reversed(item.items())]
        elif is_table(item) and all(map(_in_one_line, item)):
            found += [(path, _in_one_line(inner)) for inner in item]
        elif isinstance(item, list) and depth < _MAX_DEPTH and not _is_short(item):
            stack += [(path, inner, depth + 1) for inner in reversed(item)]
        elif text := _plain(item) if not isinstance(item, list) else ", ".join(filter(None, map(_plain, item))):
            found.append((path, text))
    if not found and isinstance(value, dict):
        return [(joined("", key), _json(inner)) for key, inner in value.items() if isinstance(inner, (dict, list))]
    return found


def _is_short(items: Sequence[Any]) -> bool:
    """Whether a list is told in one line."""
    plain = not any(isinstance(item, (dict, list)) for item in items)
    return plain and sum(len(_plain(item)) + 2 for item in items[:_LONG_TEXT]) <= _LONG_TEXT


def _in_list(value: Any) -> str:
    return "\n".join(_item(path, text) for path, text in _lines(value)) if isinstance(value, list) else _plain(value)


def _item(path: str, text: str) -> str:
    """A line of a list; further lines of a long text are indented below it."""
    text = text.replace("\n", "\n  ")
    return f"- {path}: {text}" if path else f"- {text}"


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return spaced(value.replace("\n", "\0"))
    return "" if value is None else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
