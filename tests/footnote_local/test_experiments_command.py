"""`footnote experiments`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from footnote.guard.identity import LOCAL
from footnote.types import Feedback, Request
from footnote_local.experiments_command import replayed
from footnote_query.dialects.trd.ask import HELD
from footnote_query.experiment_replay import ArmReplayBody, IntervalBody, MeasureBody, ReplayBody
from tests.fakes import work_all
from tests.footnote_local.conftest import Footnote, open_core

PASSAGES = {
    "name": "reranked",
    "collection": None,
    "arms": [{"name": "as-it-is", "share": 0.5}, {"name": "by-words", "share": 0.5, "retriever": "bm25"}],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "experiment.json"
    path.write_text(json.dumps(PASSAGES))
    return path


def test_an_experiment_is_created_started_stopped_and_deleted(footnote: Footnote, file: Path) -> None:
    assert footnote("experiments", "list").stderr == "There are no experiments.\n"
    made = footnote("experiments", "create", file)
    assert (made.exit_code, made.stdout.splitlines()[0]) == (0, "reranked: DRAFT, cohort, 100% of the users, all collections")
    assert footnote("experiments", "start", "reranked").stdout.startswith("reranked: RUNNING, ")
    assert footnote("experiments", "stop", "reranked").stdout.startswith("reranked: STOPPED, ")
    shown = footnote("experiments", "show", "reranked").stdout.splitlines()
    assert shown[1:3] == [
        "  as-it-is: no changes",
        "    share 50% · 0 turns of 0 users · 0 up, 0 down · 0 count · no rating that counts",
    ]
    assert shown[-2] == "Undecided"
    assert footnote("experiments", "delete", "reranked").exit_code == 0
    assert json.loads(footnote("experiments", "list", "--json").stdout) == {"experiments": []}


async def _rate(folder: Path) -> None:
    """A good answer and a bad one."""
    core = open_core(folder)
    for name, text in (("ferry", "The ferry to the island takes 40 minutes."), ("bridge", "The harbour bridge was built in 1894.")):
        await core.ingestor.accept(LOCAL, text.encode(), file_name=f"{name}.txt", collection="default", permission_groups=["*"])
    await work_all(core)
    for question, rating in (("How long does the ferry to the island take?", "up"), ("When was the harbour bridge built?", "down")):
        turn = await core.answer.finish(core.new_turn(Request(question, "default"), LOCAL, HELD))
        await core.feedback.put(LOCAL, Feedback(turn.trace_id, LOCAL.user_id, rating, created_at=core.clock()))  # type: ignore[arg-type]
    await core.close()


def test_an_experiment_is_replayed_on_rated_questions(footnote: Footnote, file: Path, tmp_path: Path) -> None:
    footnote("experiments", "create", file)
    nothing = footnote("experiments", "replay", "reranked")
    assert (nothing.exit_code, nothing.stdout) == (0, "reranked: 0 good and 0 bad answers replayed\n")
    asyncio.run(_rate(tmp_path / "data"))
    assert footnote("experiments", "replay", "reranked").stdout.splitlines() == [
        "reranked: 1 good and 1 bad answers replayed",
        "  as-it-is",
        *(f"    {metric:10} 1.000 (1.000 to 1.000)" for metric in ("ndcg@10", "recall@10", "mrr@10", "cited")),
        "    dropped    0.000 (0.000 to 0.000)",
        "  by-words",
        *(
            f"    {metric:10} 1.000 (1.000 to 1.000)  change +0.000 (+0.000 to +0.000)"
            for metric in ("ndcg@10", "recall@10", "mrr@10", "cited")
        ),
        "    dropped    0.000 (0.000 to 0.000)  change +0.000 (+0.000 to +0.000)",
    ]
    told = json.loads(footnote("experiments", "replay", "reranked", "--turns", "1", "--days", "30", "--json").stdout)
    assert (told["liked"], told["disliked"]) == (0, 1)  # the one that was rated last


def test_significant_losses_of_an_arm_are_marked() -> None:
    certain, unsure = IntervalBody(mean=-0.4, low=-0.6, high=-0.2), IntervalBody(mean=0.1, low=-0.1, high=0.3)
    measures = [
        MeasureBody(metric="recall@10", questions=20, value=IntervalBody(mean=0.6, low=0.4, high=0.8), change=certain),
        MeasureBody(metric="cited", questions=20, value=IntervalBody(mean=0.6, low=0.4, high=0.8), change=unsure),
    ]
    arm = ArmReplayBody(arm="b", measures=measures, lost=["t1", "t2"])
    left_out = {"unusable": 0, "repeated": 2, "failed": 1}
    assert list(replayed(ReplayBody(name="x", liked=20, disliked=0, left_out=left_out, arms=[arm]))) == [
        "x: 20 good and 0 bad answers replayed; left out: 2 repeated, 1 failed",
        "  b",
        "    recall@10  0.600 (0.400 to 0.800)  change -0.400 (-0.600 to -0.200)  *",
        "    cited      0.600 (0.400 to 0.800)  change +0.100 (-0.100 to +0.300)",
        "    finds less of good answers: t1, t2",
        "* differs from the first arm: the 95 % interval does not include 0",
    ]


def test_an_experiment_can_be_started_as_it_is_created(footnote: Footnote, file: Path) -> None:
    assert json.loads(footnote("experiments", "create", file, "--start", "--json").stdout)["state"] == "RUNNING"


@pytest.mark.parametrize("text", ["no JSON", '{"name": "reranked"}', None])
def test_an_unusable_file_is_reported(footnote: Footnote, tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "experiment.json"
    if text is not None:
        path.write_text(text)
    result = footnote("experiments", "create", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("footnote: ")


def test_an_experiment_that_does_not_exist_is_reported(footnote: Footnote) -> None:
    result = footnote("experiments", "show", "nothing")
    assert (result.exit_code, result.stderr) == (2, "footnote: There is no such experiment.\n")
