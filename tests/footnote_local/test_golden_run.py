"""`footnote eval --golden` on a real folder: a change that breaks a case fails and names it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import BadRequest
from footnote.learn.golden_cases import GoldenCase, expect, read_passages, save_case
from footnote.types import Caller
from footnote_local.golden_run import ENOUGH, FORMAT, compare
from tests.footnote_local.conftest import Footnote, open_core

SEER = Caller("seer", sees_all=True)
LEAVE = "# Leave\n\nEmployees receive 28 days of annual leave each year. Leave that is not taken expires in March.\n"
TRAVEL = "# Travel\n\nThe finance team refunds travel expenses within two weeks. Receipts must be sent within a month.\n"
QUESTION = "How many days of annual leave do employees receive?"


@pytest.fixture
def files(tmp_path: Path, footnote: Footnote) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE)
    (folder / "travel.md").write_text(TRAVEL)
    assert footnote("ingest", folder).exit_code == 0
    return folder


def save_cases(data: Path, *cases: GoldenCase, citing: str | None = None) -> list[str]:
    """Stores the cases; `citing`: the start of the id of the document whose first passage they must cite."""

    async def work() -> list[str]:
        core = open_core(data)
        made = []
        for case in cases:
            if citing:
                doc_id = next(each.doc_id for each in (await core.ledger.list(SEER)).data if each.doc_id.startswith(citing))
                chunks = await read_passages(doc_id, SEER, index=core.index, ledger=core.ledger)
                case = GoldenCase(case.question, case.collection, passages=(expect(chunks[0]),), facts=case.facts)
            made.append((await save_case(core.records, case, by="me")).case_id)
        await core.close()
        return made

    return asyncio.run(work())


def test_without_cases_there_is_nothing_to_pass(footnote: Footnote, files: Path) -> None:
    result = footnote("eval", "--golden")
    assert (result.exit_code, "There are no golden cases for the collection “default”" in result.output) == (2, True)


def test_a_change_that_breaks_a_case_fails_and_names_it(footnote: Footnote, files: Path, tmp_path: Path) -> None:
    data, baseline = tmp_path / "data", tmp_path / "baseline.json"
    (kept,) = save_cases(data, GoldenCase(QUESTION, "default", facts=("28 days",)), citing="leave")
    refusal = GoldenCase("What does a lion weigh?", "default", expects="refusal")
    (refused,) = save_cases(data, refusal)
    assert footnote("eval", "--golden", "--save", baseline).exit_code == 0
    assert {each["case_id"]: each["passed"] for each in json.loads(baseline.read_text())["results"]} == {kept: True, refused: True}
    same = footnote("eval", "default", "--golden", "--baseline", baseline)
    assert (same.exit_code, "0 broken, 0 fixed, 0 new, 0 deleted" in same.output) == (0, True)

    (files / "leave.md").write_text(LEAVE.replace("28", "30"))
    (files / "zoo.md").write_text("# Zoo\n\nA lion weighs 190 kilograms. It eats meat.\n")
    footnote("ingest", files)
    dropped = footnote("eval", "--golden", "--baseline", baseline, "--json")
    changes = json.loads(dropped.stdout)["changes"]
    assert dropped.exit_code == 1
    assert {each["case_id"]: each["why"] for each in changes["broken"]} == {
        kept: ["the answer lacks “28 days”"], refused: ["it is answered"],
    }  # fmt: skip
    said = footnote("eval", "--golden", "--baseline", baseline)
    assert kept in said.output
    assert QUESTION in said.output


def test_a_passage_that_is_gone_is_named(footnote: Footnote, files: Path, tmp_path: Path) -> None:
    (case_id,) = save_cases(tmp_path / "data", GoldenCase(QUESTION, "default"), citing="leave")
    (files / "leave.md").write_text("# Leave\n\nThere is a new rule that nobody has read. Ask somebody else about it.\n")
    footnote("ingest", files)
    report = json.loads(footnote("eval", "--golden", "--json").stdout)
    (result,) = report["results"]
    assert (result["case_id"], result["passed"], len(result["gone"])) == (case_id, False, 1)
    assert "Expected passages that no longer exist: leave-" in footnote("eval", "--golden").output


def test_a_document_that_is_cut_differently_keeps_its_cases(footnote: Footnote, files: Path, tmp_path: Path) -> None:
    save_cases(tmp_path / "data", GoldenCase(QUESTION, "default", facts=("28 DAYS",)), citing="leave")
    (files / "leave.md").write_text(f"# Preface\n\n{'This is a long preface to the rules. ' * 150}\n\n{LEAVE}")
    footnote("ingest", files)
    report = json.loads(footnote("eval", "--golden", "--json").stdout)
    assert [(each["passed"], each["why"]) for each in report["results"]] == [(True, [])]


@pytest.mark.parametrize("content", [None, "{", "[]", '{"format": 0, "results": []}', '{"format": 1, "results": [{}]}'])
def test_a_baseline_that_is_none_is_refused(content: str | None, footnote: Footnote, files: Path, tmp_path: Path) -> None:
    save_cases(tmp_path / "data", GoldenCase(QUESTION, "default", facts=("28",)))
    path = tmp_path / "baseline.json"
    if content is not None:
        path.write_text(content)
    result = footnote("eval", "--golden", "--baseline", path)
    assert (result.exit_code, str(path) in result.output) == (2, True)


def test_baselines_belong_to_golden_cases(footnote: Footnote, files: Path) -> None:
    for arguments in ((), ("somewhere", "--baseline", "x"), ("somewhere", "--save", "x")):
        assert footnote("eval", *arguments).exit_code == 2


def report_of(*results: tuple[str, bool, float]) -> dict[str, Any]:
    rows = [{"case_id": name, "question": f"{name}?", "passed": passed, "score": score, "why": []} for name, passed, score in results]
    return {"format": FORMAT, "results": rows}


def test_a_baseline_of_another_collection_or_without_a_common_case_is_refused() -> None:
    here = report_of(("a", True, 1.0)) | {"collection": "default"}
    with pytest.raises(BadRequest, match="The baseline is of the collection “town”, not of “default”"):
        compare(here, here | {"collection": "town"})
    with pytest.raises(BadRequest, match="no case in common"):
        compare(here, report_of(("b", True, 1.0)) | {"collection": "default"})
    assert not compare(here, here)["dropped"]


def test_cases_are_broken_fixed_new_or_deleted() -> None:
    before = report_of(("a", True, 1.0), ("b", False, 0.5), ("c", True, 1.0), ("d", True, 1.0))
    now = report_of(("a", False, 0.5), ("b", True, 1.0), ("d", True, 1.0), ("e", False, 0.0))
    changes = compare(now, before)
    named = {name: [each["case_id"] for each in changes[name]] for name in ("broken", "fixed", "new", "deleted")}
    assert named == {"broken": ["a"], "fixed": ["b"], "new": ["e"], "deleted": ["c"]}
    assert (changes["dropped"], changes["score_change"], "score_change_interval" in changes) == (True, 0.0, False)


def test_with_enough_cases_a_certain_drop_of_the_score_fails_though_no_case_broke() -> None:
    names = [f"c{number}" for number in range(ENOUGH)]
    before = report_of(*((name, True, 1.0) for name in names))
    lower = report_of(*((name, True, 0.75) for name in names))
    noise = report_of(*((name, True, 0.75 if name == "c0" else 1.0) for name in names))
    assert compare(lower, before)["dropped"]
    assert compare(lower, before)["score_change_interval"] == [-0.25, -0.25]
    assert not compare(noise, before)["dropped"]
    assert not compare(before, lower)["dropped"]
