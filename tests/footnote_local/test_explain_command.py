"""`footnote explain`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ports import Delta
from footnote.types import Message, Usage
from tests.fakes import FakeModels
from tests.footnote_local.conftest import Footnote

QUESTION = "When was the lighthouse lit?"


class Writer:
    """A model that answers, and makes up what it is asked for. A call takes 100 tokens and writes 10."""

    name = "writer"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        fields = (options.get("schema") or {}).get("properties", {})
        made = {name: ["Which year?"] if field["type"] == "array" else QUESTION for name, field in fields.items()}
        yield Delta(json.dumps(made) if fields else "It was lit in 1874 [^tower].", usage=Usage(100, 10))


def rows(text: str) -> dict[str, list[str]]:
    """Step → its line, in words."""
    return {line.split()[1]: line.split() for line in text.splitlines() if len(line.split()) > 2}


@pytest.mark.usefixtures("ingested")
def test_a_plan_says_what_runs_what_does_not_and_why(footnote: Footnote) -> None:
    result = footnote("explain", QUESTION, "--level", "basic")
    assert result.exit_code == 0
    head = [
        "level basic (request) · strategy DENSE_ONLY (level basic; words are searched",
        "for: there is no embedder) · retriever cc over words · 5 passages · model none",
        "(the documents are quoted)",
    ]
    assert result.stdout.splitlines()[:3] == head
    lines = rows(result.stdout)
    assert lines["support_check"] == ["check", "support_check", "no", "level", "basic"]
    assert lines["quote"][:3] == ["answer", "quote", "yes"]
    assert lines["search"][:3] == ["retrieve", "search", "depends"]
    assert "MCP__GATEWAY is not set" in result.stdout


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    ("set_", "retriever"),
    [({}, "cc"), ({"RAG__FUSION": "rrf"}, "rrf"), ({"RAG__FUSION": "convex"}, "cc"), ({"RETRIEVER": "bm25"}, "cc")],
)
def test_the_retriever_shown_is_the_one_that_runs(
    set_: dict[str, str], retriever: str, footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in set_.items():
        monkeypatch.setenv(name, value)
    planned = json.loads(footnote("explain", QUESTION, "--json").stdout)
    analyzed = json.loads(footnote("explain", QUESTION, "--analyze", "--json").stdout)
    steps = {step["step"]: step for step in analyzed["steps"]}
    assert planned["retriever"] == analyzed["retriever"] == steps["fuse"]["out"]["retriever"] == retriever
    assert planned["lists"] == analyzed["lists"] == ["words"]


@pytest.mark.usefixtures("ingested")
def test_no_line_is_longer_than_eighty_characters(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Core, "models", FakeModels(Writer()))
    for level in ("basic", "maximum"):
        for options in ([], ["--analyze"]):
            lines = footnote("explain", QUESTION, "--level", level, *options).stdout.splitlines()
            assert max(map(len, lines)) <= 80
            assert len(lines) > 50


@pytest.mark.usefixtures("ingested")
def test_tokens_and_money_are_those_of_the_steps_that_used_them(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Core, "models", FakeModels(Writer()))
    question = QUESTION.replace("lit", "qxlitz")  # no correction is near, so a model is asked for one
    unpriced = footnote("explain", question, "--level", "enhanced", "--analyze").stdout
    assert unpriced.endswith("2 language model calls, 220 tokens, cost unknown: the model has no price\n(LLM__PRICES).\n")
    monkeypatch.setenv("LLM__PRICES", '{"writer": {"input": 10, "output": 20}}')
    analyzed = json.loads(footnote("explain", question, "--level", "enhanced", "--analyze", "--json").stdout)
    used = {
        step["step"]: (step["calls"], step["prompt_tokens"], step["completion_tokens"], step["cost"])
        for step in analyzed["steps"]
        if "calls" in step
    }
    assert used == {"reformulate": (1, 100, 10, 0.0012), "generate": (1, 100, 10, 0.0012)}
    assert (analyzed["calls"], analyzed["prompt_tokens"], analyzed["completion_tokens"], analyzed["cost"]) == (2, 200, 20, 0.0024)
    shown = footnote("explain", question, "--level", "enhanced", "--analyze").stdout
    lines = rows(shown)
    assert [lines[step][3:5] for step in used] == [["110", "0.0012"]] * 2
    assert shown.endswith("2 language model calls, 220 tokens, cost 0.0024.\n")


@pytest.mark.usefixtures("ingested")
def test_analyze_asks_and_stores_nothing(footnote: Footnote) -> None:
    plan = json.loads(footnote("explain", QUESTION, "--analyze", "--json").stdout)
    steps = {step["step"]: step for step in plan["steps"]}
    assert (steps["search"]["runs"], steps["search"]["out"]["lexical"]) == ("yes", 1)
    assert steps["search"]["ms"] > 0
    assert steps["classify"]["out"] == {"intent": "FACTUAL", "type": "temporal", "confidence": 0.8}
    assert (steps["generate"]["runs"], "ms" in steps["generate"]) == ("no", False)
    assert steps["save"]["runs"] == "no"
    assert "lexical 1" in footnote("explain", QUESTION, "--analyze").stdout


@pytest.mark.usefixtures("ingested")
def test_a_level_or_a_collection_that_does_not_exist_is_refused(footnote: Footnote) -> None:
    assert footnote("explain", QUESTION, "--level", "high").exit_code == 2
    result = footnote("explain", QUESTION, "--collection", "laws")
    assert (result.exit_code, result.stderr) == (2, "footnote: There is no collection “laws”. Existing collections: default.\n")
