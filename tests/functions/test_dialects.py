"""The APIs depend only on the neutral events of a turn."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
READERS = ("functions", "layers/common/footnote_http", "layers/common/footnote/learn", "footnote_local")


def test_events_that_name_steps_are_read_by_the_one_api_whose_contract_has_them() -> None:
    readers = {
        str(file.relative_to(ROOT))
        for folder in READERS
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and {"StepStarted", "StepFinished"} & {name.name for name in node.names}
    }
    assert readers == {"functions/query/footnote_query/dialects/trd/replies.py"}
