"""What a question loses when a story stands before it: the answers shown to labelled questions alone → after a story.

    python -m bench.stories FOLDER... [--data DIR]    # with EMBEDDING__BUILTIN=false: by words alone

`questions/stories.jsonl` holds 24 stories of two or three sentences, each written for one question of a folder of `bench/labels`, in
English, German and Korean. Every question of these folders that follows no other is asked alone, and after a story of its folder.

    right      the answer is shown; certain: as an answer, not among the closest passages
    wrong      certain answers that are wrong, those to unanswerable questions among them
    first      of the questions to which something is shown alone, those whose first passage is the same
    own        right, of the questions for which the stories were written
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.answers import ask
from bench.labelled import Label, opened, read_labels
from footnote.bootstrap import Core
from footnote.types import tier_of

STORIES = Path(__file__).parent / "questions" / "stories.jsonl"


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown to a message. `first`: the id of the first passage, “” = none."""

    right: bool
    certain: bool
    first: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what is shown to it alone and after a story. `own`: the story was written for it."""

    label: Label
    own: bool
    shown: tuple[Shown, Shown]


async def measure(folder: Path, data: Path) -> list[Asked]:
    """The questions of a folder; [] if there are no stories for it."""
    rows = [row for row in map(json.loads, STORIES.read_text("utf-8").splitlines()) if row["folder"] == folder.name]
    labels = [label for label in read_labels(folder) if not label.before] if rows else []
    asked: list[Asked] = []
    async with opened(folder, data) as core:
        for at, label in enumerate(labels):
            own = next((row for row in rows if row["question"] == label.question), None)
            story = (own or rows[at % len(rows)])["story"]
            message = f"{story} {label.question[:1].upper()}{label.question[1:]}"
            asked.append(Asked(label, own is not None, (await _show(core, label, label.question), await _show(core, label, message))))
    return asked


async def _show(core: Core, label: Label, message: str) -> Shown:
    turn = await ask(core, message)
    answer, tier = turn.answer, tier_of(turn.outcome)
    if answer is None or tier == "nothing":
        return Shown(right=False, certain=False, first="")
    right = label.key is not None and label.judge(answer.unmarked) != "wrong"
    return Shown(right, tier == "answer", answer.citations[0].hit.chunk.chunk_id if answer.citations else "")


def shown(name: str, asked: Sequence[Asked]) -> str:
    """The figures as a line."""

    def change(counts: Callable[[Shown], bool], among: Sequence[Asked]) -> str:
        return " → ".join(str(sum(counts(each.shown[at]) for each in among)) for at in (0, 1))

    of, own = [each for each in asked if each.label.key is not None], [each for each in asked if each.own]
    same = [each.shown[0].first == each.shown[1].first for each in of if each.shown[0].first]
    return (
        f"{name}: {len(of)} of {len(asked)} questions are answered; right {change(lambda each: each.right, of)}"
        f", certain {change(lambda each: each.right and each.certain, of)}"
        f", wrong {change(lambda each: not each.right and each.certain, asked)}, first {sum(same)} of {len(same)}"
        f", own {change(lambda each: each.right, own)} of {len(own)}"
    )


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.stories", description="Asks questions after a story.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the data folders are made and kept; default: a temporary one")
    options = parser.parse_args()
    every: list[Asked] = []
    with tempfile.TemporaryDirectory() as temporary:
        for folder in options.folders:
            every += (asked := await measure(folder, (options.data or Path(temporary)) / folder.name))
            print(shown(folder.name, asked), flush=True)
    print(shown("all", every))


if __name__ == "__main__":
    asyncio.run(_main())
