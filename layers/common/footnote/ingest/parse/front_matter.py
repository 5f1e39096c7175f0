"""Reads front matter, the YAML or TOML at the top of a Markdown file, as lines of text: `owner: Facility team`.

Front matter is what is a mapping between two lines `---` or `+++`; after a blank line, the first of them is a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

_FENCED = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?![ \t]*\n)(.*?)\n?(?:^\1|^\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r"(?P<key>[^\s:#-][^:\n]{0,80}):(?:[ \t]+(?P<value>.*))?")
_MOST = 64_000
"""Characters of front matter."""
_MOST_LINES, _LONGEST_LINE = 200, 2_000
_MOST_VISITS = 5_000
"""Values that are looked at: aliases make exponentially many of a few."""
_DEEPEST = 8
_MOST_FIELDS, _LONGEST_FIELD = 30, 100


class FrontMatter(NamedTuple):
    """`title`: "" without one. `lines`: all other values, a line for each. `end`: where the text begins. `fields`: the values without
    mappings, as texts and lists of texts."""

    title: str
    lines: tuple[str, ...]
    end: int
    fields: Mapping[str, Any] = {}


def read(text: str) -> FrontMatter | None:
    """The front matter of a text; None if it has none."""
    found = _FENCED.match(text)
    if found is None or len(found[2]) > _MOST:
        return None
    values = _toml(found[2]) if found[1] == "+++" else _yaml(found[2])
    if not values:
        return None if found[2].strip() else FrontMatter("", (), found.end())
    key = next((key for key in values if key.lower() == "title"), None)
    title = values[key] if key is not None else ""
    rest = {name: value for name, value in values.items() if name != key or not isinstance(title, str)}
    lines = [line[:_LONGEST_LINE] for line in islice(_lines("", rest, 0), _MOST_VISITS) if line]
    return FrontMatter(" ".join(title.split()) if isinstance(title, str) else "", tuple(lines[:_MOST_LINES]), found.end(), _fields(rest))


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a search can filter by."""
    found: dict[str, Any] = {}
    for name, value in islice(values.items(), _MOST_FIELDS):
        if isinstance(value, list):
            texts = [text for item in value[:_MOST_FIELDS] if not isinstance(item, (list, Mapping)) and (text := _scalar(item))]
        else:
            texts = [] if isinstance(value, Mapping) else [_scalar(value)]
        if texts and all(0 < len(text) <= _LONGEST_FIELD for text in (name.strip(), *texts)):
            found[name.strip()] = texts if isinstance(value, list) else texts[0]
    return found


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _yaml(text: str) -> Mapping[str, Any]:
    """The values as they are written: a date is no time stamp, and "no" no truth value."""
    import yaml

    try:
        values = yaml.BaseLoader(text).get_single_data()  # texts, lists and mappings only; the loader in C crashes on deep nesting
    except (yaml.YAMLError, RecursionError, ValueError):
        return _pairs(text)
    return {str(key): value for key, value in values.items()} if isinstance(values, dict) else {}


def _pairs(text: str) -> Mapping[str, Any]:
    """The pairs of front matter that is not quite YAML, such as `title: Pumps: a guide`; nothing if a line is no part of one."""
    values: dict[str, str] = {}
    key = ""
    for line in text.split("\n"):
        if pair := _PAIR.fullmatch(line.rstrip()):
            key = pair["key"].strip()
            values[key] = (pair["value"] or "").strip().strip("\"'")
        elif key and line[:1] in (" ", "\t", "-"):
            values[key] += f" {line.strip()}"
        elif line.strip() and not line.startswith("#"):
            return {}
    return values


def _lines(name: str, value: Any, depth: int) -> Iterator[str]:
    """A line for each value, and "" for each list and mapping. Names within a mapping follow those of the mappings around it."""
    if not isinstance(value, (list, Mapping)):
        yield f"{name}: {text}" if (text := _scalar(value)) else ""
        return
    yield ""
    if depth == _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _lines(f"{name} {_readable(str(key))}".strip()[:_LONGEST_LINE], inner, depth + 1)
    elif any(isinstance(item, (list, Mapping)) for item in value):
        for item in value:
            yield from _lines(name, item, depth + 1)
    elif text := ", ".join(filter(None, map(_scalar, value))):
        yield f"{name}: {text}"


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split()) if value is not None else ""


def _readable(key: str) -> str:
    """A name as words: review_date → review date."""
    return " ".join(re.split(r"[_\s]+|(?<=\w)-(?=\w)", key))
