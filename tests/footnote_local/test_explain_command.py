"""`footnote explain`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.footnote_local.conftest import Footnote

QUESTION = "When was the lighthouse lit?"


def rows(text: str) -> dict[str, list[str]]:
    """Step → its line, in words."""
    return {line.split()[1]: line.split() for line in text.splitlines()[2:] if len(line.split()) > 2}


def test_a_plan_says_what_runs_what_does_not_and_why(footnote: Footnote, docs: Path) -> None:
    footnote("ingest", docs)
    result = footnote("explain", QUESTION, "--level", "basic")
    assert result.exit_code == 0
    head = (
        "level basic (request) · strategy DENSE_ONLY (level basic; words are searched for: there is no embedder) · retriever rrf"
        " · 5 passages · model none (the documents are quoted)"
    )
    assert result.stdout.splitlines()[0] == head
    lines = rows(result.stdout)
    assert lines["support"] == ["check", "support", "no", "level", "basic"]
    assert lines["extract"][:3] == ["answer", "extract", "yes"]
    assert lines["search"][:3] == ["retrieve", "search", "depends"]
    assert "MCP__GATEWAY is not set" in result.stdout


def test_analyze_asks_and_stores_nothing(footnote: Footnote, docs: Path) -> None:
    footnote("ingest", docs)
    plan = json.loads(footnote("explain", QUESTION, "--analyze", "--json").stdout)
    steps = {step["step"]: step for step in plan["steps"]}
    assert (steps["search"]["runs"], steps["search"]["out"]["lexical"]) == ("yes", 1)
    assert steps["search"]["ms"] > 0
    assert (steps["answer"]["runs"], "ms" in steps["answer"]) == ("no", False)
    assert steps["save"]["runs"] == "no"
    assert "lexical 1" in footnote("explain", QUESTION, "--analyze").stdout


def test_a_level_or_a_collection_that_does_not_exist_is_refused(footnote: Footnote, docs: Path) -> None:
    footnote("ingest", docs)
    assert footnote("explain", QUESTION, "--level", "high").exit_code == 2
    result = footnote("explain", QUESTION, "--collection", "laws")
    assert (result.exit_code, result.stderr) == (2, "footnote: There is no collection “laws”. Existing collections: default.\n")
