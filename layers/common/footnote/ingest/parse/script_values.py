"""Reads values written in JavaScript: numbers, texts in quotation marks, lists and objects of them. They are read as YAML, which writes
them in nearly the same way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yaml.nodes import Node

_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", re.DOTALL)
_KEY = re.compile(r"([{,]\s*[\w$-]+)\s*:(?!\s)")
_NUMBER = re.compile(r"[-+]?\d[\d_]*(?:\.\d+)?")
_LONGEST = 20_000


class _Unknown(Exception):
    """The value depends on something else."""


def read(text: str) -> Any:
    """The value: a text (numbers as they are written), a list or a dict of values. None if it is anything else, such as a call, or
    contains it."""
    import yaml

    text = text.strip().rstrip(";").strip()
    if len(text) > _LONGEST or not text or text[0] not in "\"'[{-+0123456789":
        return None
    parts = [_as_yaml(part) if i % 2 else _KEY.sub(r"\1: ", part).replace("\t", " ") for i, part in enumerate(_QUOTED.split(text))]
    try:
        node = yaml.compose("".join(parts), Loader=yaml.SafeLoader)
        return _value(node) if node is not None else None
    except (yaml.YAMLError, _Unknown, RecursionError):
        return None


def _as_yaml(quoted: str) -> str:
    """A text in quotation marks as YAML writes it: with these within it doubled, or escaped."""
    if quoted[0] == '"':
        return quoted.replace("\\'", "'").replace("\\`", "`")
    return "'" + re.sub(r"\\(.)", lambda escape: {"n": "\n\n", "t": " "}.get(escape[1], escape[1]), quoted[1:-1]).replace("'", "''") + "'"


def _value(node: Node) -> Any:
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    if isinstance(node, ScalarNode):
        if node.style in ("'", '"') or _NUMBER.fullmatch(node.value):
            return str(node.value)
        if node.value in ("true", "false"):
            return "yes" if node.value == "true" else "no"
        if node.value in ("null", "undefined"):
            return ""
    elif isinstance(node, SequenceNode):
        return [_value(each) for each in node.value]
    elif isinstance(node, MappingNode):
        return {str(key.value): _value(value) for key, value in node.value}
    raise _Unknown
