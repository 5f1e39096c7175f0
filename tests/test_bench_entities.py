"""The measurement of names; its figures are not tested here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from bench.entities import QUESTIONS, bare, compare, main
from bench.names_fit import by_capitals, by_translation, framed, read_frames
from footnote.text.names import Part


def test_a_name_is_right_but_for_case_article_and_ending() -> None:
    assert [bare(name) for name in ("The Red Cross", "LUTHERS", "Anna's", "베를린에서", "독도")] == [
        "red cross",
        "luther",
        "anna",
        "베를린",
        "독도",
    ]
    assert compare("Compare Berlin and London", "en", ["berlin", "Rome|Roma"]) == (1, ["London"], ["Rome|Roma"])


def test_the_labels_hold_100_questions_and_no_text() -> None:
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    assert Counter(row["lang"] for row in rows) == {"en": 34, "de": 33, "ko": 33}
    assert {tuple(row) for row in rows} == {("_id", "from", "lang", "entities", "half")}
    assert len({row["from"] for row in rows}) == 100


def test_figures_are_printed_for_a_folder_of_test_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for row in map(json.loads, QUESTIONS.read_text("utf-8").splitlines()):
        name, _, number = row["from"].partition("/")
        asked = f"Where is {' or '.join(each.split('|')[0] for each in row['entities'])}?"
        if name != "natural":
            (tmp_path / name).mkdir(exist_ok=True)
            with (tmp_path / name / "queries.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps({"_id": number, "text": asked}) + "\n")
            continue
        path = tmp_path / name / number.split("/")[0] / "labels.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps({"question": "?"}) + "\n" for _ in range(200)), "utf-8")
    assert main(["--data-sets", str(tmp_path)]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines() if not line.startswith("dev ")]
    assert lines[:2] == [["all", "dev"], ["all", "test"]]


def test_capitals_in_an_english_sentence_mark_names_and_a_translation_their_likes() -> None:
    words, parts = by_capitals("Did Dutch ships reach Nova Zembla's coast?")
    assert dict(zip(words, parts, strict=True)) == {
        "Did": None, "Dutch": None, "ships": None, "reach": None, "Nova": Part("Nova", ""), "Zembla's": Part("Zembla", "'s"),
        "coast": None, "?": None,
    }  # fmt: skip
    words, parts = by_translation("Wann war Alberts Fahrt?", "When was the voyage of Albert?")
    assert [part for part in parts if part] == [Part("Albert", "s")]


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_frames_are_filled_with_names(lang: str) -> None:
    frames, own = read_frames(lang)
    made = [next(framed([frame], own, own, Random(1))) for frame in frames]
    assert all(part is None or part.stem for _, parts in made for part in parts if not isinstance(part, str))
    assert sum(any(parts) for _, parts in made) > len(frames) / 3
