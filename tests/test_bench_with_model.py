"""The questions that are asked with a language model and without one, and how what is shown of them is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.labelled import Label
from bench.with_model import PROFILE, alone, ask, figures
from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from tests.fakes import FakeModel, FakeModels, make_document, put_document

WHEN = Label("When was the bridge built?", r"\b1894\b", "nineties")
LABELS = [
    {"question": "a", "kind": "answerable", "key": "A"},
    {"question": "b", "kind": "follow-up", "before": "a", "key": "B"},
    {"question": "c", "kind": "unanswerable"},
    {"question": "d", "kind": "answerable", "key": "D", "part": "d"},
    {"question": "e", "kind": "answerable", "key": "E"},
]


def test_questions_that_stand_alone_are_read_and_every_second_is_held_out(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in LABELS))
    d = Label("d", "D", "d")
    assert alone(tmp_path, None, None) == [Label("a", "A"), Label("c", None, kind="unanswerable"), d, Label("e", "E")]
    assert [label.question for label in alone(tmp_path, 2, None)] == ["a", "d"]
    assert [label.question for label in alone(tmp_path, None, "dev")] == ["a", "d"]
    assert [label.question for label in alone(tmp_path, None, "test")] == ["c", "e"]


@pytest.mark.parametrize(("text", "judged"), [("In 1894.", "right"), ("In the Nineties.", "partly"), ("In 1895.", "wrong")])
def test_a_text_is_judged_by_key_and_part(text: str, judged: str) -> None:
    assert WHEN.judge(text) == judged
    assert Label("Who?", None).judge(text) == "wrong"


@pytest.mark.parametrize(
    ("said", "shown", "by_model", "replaced"),
    [
        ("In 1894 [^bridge].", "right", True, False),
        ("The bridge was built in 1894 [^bridge]. Ferries cross hourly [^bridge].", "right", True, False),
        ("It was painted by the king in 1931.", "right", False, True),
        ("It was painted blue [^bridge].", "wrong", True, False),
        (None, "right", False, False),
    ],
)
async def test_shown_answers_are_distinguished_from_written_ones(
    said: str | None, shown: str, by_model: bool, replaced: bool, tmp_path: Path
) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    core = Core(settings, models=FakeModels(FakeModel([[said]]) if said else None))
    passages = ["The bridge was built in 1894. It was painted blue.", "Ferries cross hourly."]
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), passages)
    outcome = await ask(core, WHEN, PROFILE)
    await core.close()
    assert (outcome.shown, outcome.by_model, outcome.cited, outcome.replaced) == (shown, by_model, by_model, replaced)
    counted = figures([WHEN], [outcome])
    assert (counted[shown], counted["invented"], counted["replaced by quotes"]) == (1, int(by_model and shown == "wrong"), int(replaced))
