"""The extra fields of log lines."""

from __future__ import annotations

import ast
from pathlib import Path

from footnote.tracing import FIELDS

ROOT = Path(__file__).parents[2]


def names_in(source: str) -> set[str]:
    """The keys of every `extra={…}`."""
    given = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword) and node.arg == "extra"]
    keys = [key for value in given if isinstance(value, ast.Dict) for key in value.keys]
    return {str(key.value) for key in keys if isinstance(key, ast.Constant)}


def test_every_extra_field_of_a_log_call_is_in_the_log_line() -> None:
    sources = [path.read_text("utf-8") for folder in ("layers", "functions", "footnote_local") for path in (ROOT / folder).rglob("*.py")]
    named = set().union(*map(names_in, sources))
    assert "trace_id" in named
    assert named - set(FIELDS) == set()
