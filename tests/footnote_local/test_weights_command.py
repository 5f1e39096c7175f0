"""`footnote weights`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from footnote.guard.identity import LOCAL
from footnote.learn.feedback_weights import DocumentWeight, Weight, Weights, dump_weights
from tests.fakes import work_all
from tests.footnote_local.conftest import Footnote, open_core


async def _fill(folder: Path) -> str:
    core = open_core(folder)
    added = await core.ingestor.accept(LOCAL, b"Plan", file_name="plan.txt", collection="default", permission_groups=["*"])
    await work_all(core)
    weights = Weights({added.doc_id: DocumentWeight(0.95, 12, 0.25, 1, ("*",))}, {"title": Weight(1.021, 30, 0.8)})
    await core.records.put("weights", "default", dump_weights(weights), by="weights")
    await core.close()
    return added.doc_id


def test_weights_are_shown_and_reset(footnote: Footnote, tmp_path: Path) -> None:
    assert footnote("weights", "show").stderr == "Nothing has been learned from feedback yet.\n"
    doc_id = asyncio.run(_fill(tmp_path / "data"))
    lines = footnote("weights", "show").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["default:", "documents", "1,", "fields", "1"],
        ["title", "1.021", "80%", "positive,", "30", "users"],
        [doc_id, "plan", "0.950", "25%", "positive,", "12", "users"],
        "They are not used: RAG__SWITCHED_ON does not name feedback_weights.".split(),
    ]
    assert json.loads(footnote("weights", "show", "--json").stdout)["data"][0]["documents"][0]["doc_id"] == doc_id
    assert footnote("weights", "reset", "default").stderr == "The weights are reset.\n"
    assert footnote("weights", "show").stdout.splitlines()[0] == "default: documents 0, fields 0"
    assert footnote("weights", "reset", "nowhere").exit_code == 2
