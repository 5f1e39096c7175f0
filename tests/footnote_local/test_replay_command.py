"""`footnote replay`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from tests.fakes import FakeModels
from tests.footnote_local.conftest import Footnote
from tests.footnote_local.test_explain_command import QUESTION, Writer


def asked(footnote: Footnote) -> str:
    return str(json.loads(footnote("ask", QUESTION, "--json").stdout)["trace_id"])


@pytest.mark.usefixtures("ingested")
def test_a_replay_shows_both_turns_and_what_has_changed(footnote: Footnote, docs: Path, tmp_path: Path) -> None:
    trace_id = asked(footnote)
    same = footnote("replay", trace_id)
    assert same.exit_code == 0
    assert same.stdout.startswith(f"Question: {QUESTION}\n\n")
    assert "{+" not in same.stdout
    (docs / "new.txt").write_text("When was the lighthouse lit? The lighthouse was lit in 1901.")
    footnote("ingest", docs)
    changed = footnote(
        "replay", trace_id, "--level", "basic", "--set", "retriever=bm25", "--set", "num_result_doc=2", "--set", "spelling=false"
    )
    lines = [line.split() for line in changed.stdout.splitlines()]
    assert ["level", "standard", "basic"] in lines
    assert ["passages", "5", "2"] in lines
    assert "spelling is off now (request)" in changed.stdout
    assert ["–", "1"] in [line[:2] for line in lines]
    assert "1901" in changed.stdout
    assert max(map(len, changed.stdout.splitlines()[3:])) <= 120


@pytest.mark.usefixtures("ingested")
def test_the_steps_show_what_they_used_of_a_model(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Core, "models", FakeModels(Writer()))
    monkeypatch.setenv("LLM__PRICES", '{"writer": {"input": 10, "output": 20}}')
    trace_id = asked(footnote)
    shown = footnote("replay", trace_id).stdout
    (answer,) = [line for line in shown.splitlines() if line.split()[:2] == ["answer", "generate"]]
    assert answer.split()[-6:] == ["110", "→", "110", "0.0012", "→", "0.0012"]
    found = json.loads(footnote("replay", trace_id, "--json").stdout)
    assert (found["old"]["cost"], found["new"]["cost"]) == (0.0012, 0.0012)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "footnote: There is no such turn.\n"),
        (("--set", "retriever=best"), "footnote: --set is wrong. retriever: Input should be 'cc', 'rrf', 'bm25' or 'knn'.\n"),
        (("--set", "colour=blue"), "footnote: --set is wrong. colour: Extra inputs are not permitted.\n"),
    ],
)
def test_an_unknown_turn_or_setting_is_refused(options: tuple[str, ...], said: str, footnote: Footnote) -> None:
    result = footnote("replay", "0" * 32, *options)
    assert (result.exit_code, result.stderr) == (2, said)
