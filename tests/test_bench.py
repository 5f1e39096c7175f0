"""The benchmark's own workings; its figures are not tested here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import quality
from bench.__main__ import main
from bench.figures import Figure, NoDataSets, NotMeasured, Setup


@pytest.mark.parametrize(
    ("figure", "asked", "measured", "met"),
    [
        (Figure("a", 0.9142, "", "c", least=0.9), "≥ 0.9", "0.914", True),
        (Figure("a", 0.8999, "", "c", least=0.9), "≥ 0.9", "0.900", False),
        (Figure("a", 2.0, "ms", "c", most=2.0), "≤ 2 ms", "2.00 ms", True),
        (Figure("a", 351.2, "MB", "c", most=350), "≤ 350 MB", "351 MB", False),
        (Figure("a", 86.04, "%", "c"), "–", "86.0 %", None),
    ],
)
def test_a_figure_says_what_is_asked_and_whether_it_is_met(figure: Figure, asked: str, measured: str, met: bool | None) -> None:
    assert (figure.asked, figure.measured, figure.met) == (asked, measured, met)


def test_without_test_sets_it_says_how_to_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATA_SETS", raising=False)
    monkeypatch.setenv("DATA", str(tmp_path / "data"))
    assert main(["--only", "quality", "memory", "retrieval"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(".")[0] for line in lines[1:]] == [f"Not measured: {part}" for part in ("quality", "memory", "retrieval")]
    assert all("make bench DATA_SETS=FOLDER" in line for line in lines[1:])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("why", "code"), [(NoDataSets("no sets"), 0), (NotMeasured("no engine"), 1)])
def test_a_part_that_only_lacks_sets_nobody_named_is_left_out(why: NotMeasured, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(setup: Setup) -> Iterator[Figure]:
        raise why
        yield

    monkeypatch.setattr("bench.__main__.PARTS", {"quality": lacking})
    monkeypatch.setattr("bench.__main__.DEFAULT", ["quality"])
    assert main([]) == code


def test_without_an_engine_it_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("OPENSEARCH__URL", raising=False)
    assert main(["--only", "opensearch"]) == 1
    assert "OPENSEARCH__URL=" in capsys.readouterr().out


def test_a_folder_without_any_known_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotMeasured, match="none of squad2"):
        list(quality.measure(Setup(tmp_path, tmp_path / "cache")))


def test_a_set_is_measured_by_footnote_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "sets" / "xquad_de"
    folder.mkdir(parents=True)
    documents = {"a": "Die Brücke wurde 1901 in Köln gebaut.", "b": "Der Turm steht seit 1850 in Bonn."}
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": i, "title": "", "text": text}) + "\n" for i, text in documents.items()))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "Wann wurde die Brücke gebaut?", "answers": ["1901"]}) + "\n")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    monkeypatch.setenv("DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    assert main(["--only", "quality", "--json", "--data-sets", str(folder.parent)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["not_measured"] == {}
    assert [(row["name"], row["value"], row["met"]) for row in report["figures"]] == [
        ("xquad_de: nDCG@10", 1.0, True),
        ("xquad_de: gold answer shown", 100.0, True),
        ("xquad_de: wrong refusals", 0.0, True),
    ]
    assert {row["command"] for row in report["figures"]} == {"footnote eval $DATA_SETS/xquad_de --answers"}
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["bench"]
