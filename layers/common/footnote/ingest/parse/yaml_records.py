"""Parses YAML: records with short values become a table, as in JSON; all else stays as it is written, with its comments and indentation,
below the path of its keys, because people copy settings and ask for what a comment says of them.

Only the events of the YAML parser are used, line by line: no tag is interpreted and no alias is expanded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from footnote.ingest.parse import code
from footnote.ingest.parse.decode import decode, spaced
from footnote.ingest.parse.records import NAMES, flat, flat_paths, is_table, joined, named_table, table_of
from footnote.types import Block, Parsed

_LONGEST_FILE = 4_000_000
"""Characters of a longer file are read as code, because a parsed one takes a hundred times as much memory."""
_MAX_DEPTH = 60
_LONG = 800
"""Characters of a part that is divided at its keys."""
_LONGEST_NAME = 200


@dataclass(slots=True)
class _Node:
    """A value and the line on which it begins. `text`: of a value that is neither an object nor a list. `items`: of a list, or the values
    of the `keys` of an object. `is_plain`: it can be told without its YAML, because it has no alias, anchor or tag and is in one line."""

    line: int
    text: str | None
    is_list: bool
    is_plain: bool
    keys: list[_Node] = field(default_factory=list)
    items: list[_Node] = field(default_factory=list)

    @property
    def parts(self) -> list[_Node]:
        """What begins its parts: the keys of an object, the items of a list."""
        return self.items if self.is_list else self.keys


class _TooDeep(Exception):
    pass


def parse(data: bytes) -> Parsed:
    """Parses YAML; what is no valid YAML, such as a template of it, is read as code."""
    import yaml

    text = decode(data)
    try:
        documents = list(_documents(text)) if len(text) <= _LONGEST_FILE else []
    except (yaml.YAMLError, _TooDeep, ValueError):
        documents = []
    if not documents:
        return code.parse(data)
    lines = text.split("\n")
    starts = [*(start for start, _ in documents[1:]), len(lines)]
    blocks: list[Block] = []
    for number, ((start, root), end) in enumerate(zip(documents, starts, strict=True), start=1):
        name = (_name(root) or str(number)) if len(documents) > 1 else ""
        blocks += _blocks(root, lines, start, end, name, 1)
    return Parsed(tuple(blocks))


def _documents(text: str) -> Iterator[tuple[int, _Node]]:
    """(first line, content) of each document. Not recursive, because a file may be nested to any depth."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[_Node] = []
    start, is_later = 0, False
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.DocumentStartEvent) and event.start_mark is not None:
            start = event.start_mark.line if is_later else 0
            is_later = True
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            node = stack.pop()
            if not stack:
                yield start, node
        elif isinstance(event, yaml.NodeEvent):
            node = _node(event)
            if not stack and node.text is not None:
                yield start, node
            elif stack:
                _add(stack[-1], node)
            if node.text is None:
                stack.append(node)
                if len(stack) > _MAX_DEPTH:
                    raise _TooDeep


def _node(event: Any) -> _Node:
    import yaml

    line = event.start_mark.line
    if isinstance(event, yaml.AliasEvent):
        return _Node(line, f"*{event.anchor}", is_list=False, is_plain=False)
    is_plain = line == event.end_mark.line and event.anchor is None and event.tag is None
    text = str(event.value) if isinstance(event, yaml.ScalarEvent) else None
    return _Node(line, text, isinstance(event, yaml.SequenceStartEvent), is_plain)


def _add(parent: _Node, node: _Node) -> None:
    is_key = not parent.is_list and len(parent.keys) == len(parent.items)
    (parent.keys if is_key else parent.items).append(node)


def _blocks(node: _Node, lines: Sequence[str], start: int, end: int, path: str, level: int) -> Iterator[Block]:
    """What is written from line `start` until before line `end`, below its path."""
    firsts = [_with_comments(lines, part.line, start) for part in node.parts]
    opening = node.parts[0].line if firsts else end
    if "#" not in "".join(lines[opening:end]) and (table := _table(node)):
        above = _written(lines, start, opening)
        yield from _below(path, level, *([Block("code", above)] if "#" in above else []), table)
        return
    written = _written(lines, start, end)
    has_records = node.is_list and all(item.keys for item in node.items)
    is_whole = (node.is_list and not has_records) or (path and not has_records and len(written) <= _LONG)
    if is_whole or not firsts or any(first >= second for first, second in pairwise(firsts)):
        yield from _below(path, level, *([Block("code", written)] if written else []))
        return
    short, large = [*lines[start : firsts[0]]], list[Iterator[Block]]()
    says_nothing = "#" not in "".join(short)  # but the key that names it
    for number, (item, first, last) in enumerate(zip(node.items, firsts, [*firsts[1:], end], strict=True)):
        if node.is_list:
            large.append(_below(joined(path, _name(item) or number + 1), level, Block("code", _written(lines, first, last))))
        elif item.text is None and item.items:
            large.append(_blocks(item, lines, first, last, joined(path, node.keys[number].text), level + bool(path)))
        else:
            short += lines[first:last]
            says_nothing = False
    if not says_nothing:
        yield from _below(path, level, Block("code", _written(short, 0, len(short))))
    for blocks in large:
        yield from blocks


def _below(path: str, level: int, *blocks: Block) -> Iterator[Block]:
    if path and blocks:
        yield Block("heading", path, level)
    yield from blocks


def _table(node: _Node) -> Block | None:
    """The table of records with short values; None for anything else, and if it would leave out a key that has no value in any record:
    such a key says something by being there, `- checkout:` or `emptyDir: {}`."""
    value = _value(node)
    records = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    if {path for record in records for path in _empty(record)} - {path for record in records for path in flat_paths(record)}:
        return None
    if is_table(value):
        rows = [flat(record) for record in value]
        return None if None in rows else table_of([row for row in rows if row is not None])
    return named_table(value) if isinstance(value, dict) else None


def _empty(value: Any, path: str = "") -> Iterator[str]:
    """The paths of keys without a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _empty(inner, joined(path, key))
    if not value and path:
        yield path


def _value(node: _Node) -> Any:
    """The value as `json.loads` would return it, but for plain texts, which stay as they are written; None if its YAML has to be seen."""
    if not node.is_plain or (node.text is None and any(key.text is None or not key.is_plain for key in node.keys)):
        return None
    if node.text is not None:
        return node.text
    values = [_value(item) for item in node.items]
    if any(value is None for value in values):
        return None
    return values if node.is_list else dict(zip((key.text for key in node.keys), values, strict=True))


def _name(node: _Node) -> str:
    """What identifies a record: the value of one of NAMES, or that of an object in it, such as the metadata of a Kubernetes object."""
    if node.is_list:
        return ""
    named = {key.text: item.text for key, item in zip(node.keys, node.items, strict=True) if item.text}
    own = next((spaced(named[name] or "") for name in NAMES if name in named), "")
    if own:
        return own if len(own) <= _LONGEST_NAME else ""
    return next((name for item in node.items if item.keys and (name := _name_of_inner(item))), "")


def _name_of_inner(node: _Node) -> str:
    return _name(replace(node, items=[item if item.text is not None else _EMPTY for item in node.items]))


def _with_comments(lines: Sequence[str], line: int, lowest: int) -> int:
    """The first line of what begins at `line`, with the comments directly above it."""
    while line > lowest and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _written(lines: Sequence[str], start: int, end: int) -> str:
    written = [line for line in lines[start:end] if line.strip() not in ("---", "...")]
    return textwrap.dedent("\n".join(written)).strip("\n").rstrip()


_EMPTY = _Node(0, "", is_list=False, is_plain=True)
