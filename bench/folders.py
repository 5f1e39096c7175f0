"""Asks folders of documents the questions that were written for them: where is the passage that answers, and what is shown?

    python -m bench.folders FOLDER... [--data DIR]

A folder holds `docs/` and `labels.jsonl`, one label a line: `question`, `kind` (answerable, unanswerable, follow-up), `file` and `also`
below `docs/`, and the patterns `key` and `part` of a text that is right, or right but incomplete. Found: a passage of the file that matches
the key, or part, among the first 3, 10 and 30 of a search, whether or not it would be refused. Shown: how `POST /ask` ends without a model.
Data folders are made below `--data` and read there the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import footnote
from bench.figures import log_progress
from bench.natural import CALLER, PROFILE, ask, tier_of
from bench.with_model import Label
from footnote.bootstrap import Core
from footnote.settings import LLM, Settings
from footnote.types import Request, Turn

DEPTHS = (3, 10, 30)


def matches(label: dict[str, Any], text: str) -> bool:
    """Whether the text is right, or partly."""
    return Label(label["question"], label["key"], label.get("part")).judge(text) != "wrong"


def rank_of(label: dict[str, Any], turn: Turn) -> int | None:
    """The place of the passage that answers among the hits, from 1."""
    files = {label["file"], *label.get("also", ())}
    held = (
        at
        for at, hit in enumerate(turn.evidence.hits, 1)
        if any(str(hit.chunk.metadata.get("file_name", "")).endswith(file) for file in files)
        and matches(label, " ".join((*hit.chunk.headings, hit.chunk.text)))
    )
    return next(held, None)


async def measure(folder: Path, data: Path) -> tuple[list[float], Counter[str]]:
    """(share found among the first of each of DEPTHS, how many ended how) of a folder's questions."""
    if not data.exists():
        async with footnote.open(data, llm__discover=False) as library:
            await library.ingest(folder / "docs")
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text("utf-8").splitlines()]
    core = Core(Settings(footnote_data=data, llm=LLM(discover=False)))
    while await core.ingestor.embed_some(32):
        pass
    ranks, ended = list[int | None](), Counter[str]()
    for label in labels:
        if label["kind"] == "answerable":
            found = await core.retrieve.finish(core.new_turn(Request(label["question"], "default", limit=max(DEPTHS)), CALLER, PROFILE))
            ranks.append(rank_of(label, found))
        if label["kind"] != "follow-up":
            ended[_end(label, await ask(core, label["question"]))] += 1
    await core.close()
    return [sum(rank is not None and rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS], ended


def _end(label: dict[str, Any], turn: Turn) -> str:
    tier, text = tier_of(turn), turn.answer.text if turn.answer else ""
    if label["kind"] == "unanswerable" or tier == "nothing":
        return f"{label['kind']}: {tier}"
    if tier == "closest" and turn.answer:
        text = " ".join(citation.hit.chunk.text for citation in turn.answer.citations)
    return f"{label['kind']}: {tier}, {'right' if matches(label, text) else 'wrong'}"


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.folders", description="Asks folders the questions that were written for them.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the data folders are made; default: a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        shares = list[list[float]]()
        for folder in options.folders:
            log_progress(f"— {folder.name}")
            found, ended = await measure(folder, (options.data or Path(temporary)) / folder.name)
            shares.append(found)
            print(folder.name, " ".join(f"{share:.2f}" for share in found), json.dumps(dict(sorted(ended.items()))), flush=True)
        print("mean", " ".join(f"{sum(column) / len(column):.2f}" for column in zip(*shares, strict=True)))


if __name__ == "__main__":
    asyncio.run(_main())
