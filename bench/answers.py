"""Asks folders of real documents what people would ask of them, without a language model: is the answer shown, and how sure?

    python -m bench.answers FOLDER... [--data DIR] [--sheet answers.jsonl]

A folder holds `docs/` and `labels.jsonl` (`bench/labels`); the first two letters of its name are its language. Questions are asked as by
`POST /ask`, a follow-up after its own first question. A text is judged by the patterns of its label, without the citations' markers.

    certain    shown as an answer: right, partly right or wrong; any answer to an unanswerable question is wrong
    closest    among the closest passages: right, partly, or without the answer
    refused    nothing is shown
    shown      right or partly right, in either tier, as a share of the answerable questions
    wrong      share of the certain answers that are wrong, and the upper bound of its 95 % interval
    lost       where the answers not shown were lost: not among the passages found (`missed`), or among them and not chosen
    marked     of the right ones shown, whose marked sentence is one that holds the answer
    found      share of the answerable questions whose passage is among the first 3, 10 and 30 of a search
    near miss  a question of the documents with a word turned to its neighbour: any certain answer is wrong
    own words  asked in the words of the documents: right and certain
    foreign    questions that no folder answers (`questions/unrelated.jsonl`) that are refused

`--sheet` writes every question with what was shown, for readers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from bench.figures import log_progress
from bench.labelled import CALLER, Label, opened, read_labels
from footnote.bootstrap import Core
from footnote.types import Request, Turn, tier_of
from footnote_query.dialects.trd.ask import HELD

PROFILE = replace(HELD, options={**HELD.options, "answer_cache": False})
DEPTHS = (3, 10, 30)
UNRELATED = Path(__file__).parent / "questions" / "unrelated.jsonl"
Z = 1.96


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of a question."""

    label: Label
    lang: str
    tier: str
    judgement: str
    text: str
    because: str
    words: int
    rank: int | None
    """The place of the passage that answers among the hits, from 1."""
    is_marked: bool
    """The marked sentences hold the answer."""
    score: float | None = None
    """Above the threshold of answers."""

    @property
    def is_right(self) -> bool:
        """The text holds the answer or a part of it."""
        return self.label.key is not None and self.judgement in ("right", "partly") and self.tier != "nothing"


def upper_bound(wrong: int, count: int) -> float:
    """The upper end of Wilson's 95 % interval."""
    if not count:
        return 1.0
    share, z = wrong / count, Z * Z / count
    return float((share + z / 2 + Z * (share * (1 - share) / count + z / (4 * count)) ** 0.5) / (1 + z))


async def ask(core: Core, question: str, *, room: str | None = None, limit: int | None = None) -> Turn:
    """The turn of a question."""
    request = Request(question, "default", room_id=room) if limit is None else Request(question, "default", limit=limit)
    ends = core.answer if limit is None else core.retrieve
    return await ends.finish(core.new_turn(request, CALLER, PROFILE))


async def show(core: Core, label: Label, lang: str) -> Shown:
    """Asks a question, and a follow-up after the question before it."""
    room = (await ask(core, label.before, room=uuid4().hex)).room_id if label.before else None
    turn = await ask(core, label.question, room=room)
    found = await ask(core, label.question, limit=max(DEPTHS)) if label.kind in ("answerable", "own-words") else None
    answer, tier = turn.answer, tier_of(turn.outcome)
    text = answer.unmarked if answer and tier != "nothing" else ""
    verdict = answer.verdict if answer else None
    marked = [each.hit.chunk.text[start:end] for each in (answer.citations if answer else ()) for start, end in each.bounds]
    return Shown(
        label,
        lang,
        tier,
        label.judge(text),
        text,
        verdict.because if verdict else "",
        len(text.split()),
        rank_of(label, found) if found else None,
        any(label.marks(each) for each in marked),
        None if verdict is None else round(verdict.score - verdict.answer_from, 2),
    )


def rank_of(label: Label, turn: Turn) -> int | None:
    """The place of the passage that answers among the hits, from 1."""
    held = (
        at
        for at, hit in enumerate(turn.evidence.hits, 1)
        if str(hit.chunk.metadata.get("file_name", "")).endswith(label.files)
        and label.judge(" ".join((*hit.chunk.headings, hit.chunk.text))) != "wrong"
    )
    return next(held, None)


def figures(shown: Sequence[Shown]) -> dict[str, Any]:
    """What the module's docstring names."""
    asked = [each for each in shown if each.label.kind == "answerable"]
    certain, near = ([each for each in asked if each.tier == tier] for tier in ("answer", "closest"))
    none = [each for each in shown if each.label.kind == "unanswerable"]
    follow, near_miss, own = ([each for each in shown if each.label.kind == kind] for kind in ("follow-up", "near-miss", "own-words"))
    judged = Counter((each.tier, each.judgement) for each in asked)
    wrong = judged["answer", "wrong"] + sum(each.tier == "answer" for each in none)
    answers = len(certain) + sum(each.tier == "answer" for each in none)
    right = [each for each in asked if each.is_right]
    lost = [each for each in asked if not each.is_right]
    return {
        "questions": len(asked),
        "certain": [judged["answer", judgement] for judgement in ("right", "partly", "wrong")],
        "closest": [judged["closest", judgement] for judgement in ("right", "partly", "wrong")],
        "refused": sum(each.tier == "nothing" for each in asked),
        "shown": _share(len(right), len(asked)),
        "partly": _share(sum(each.judgement == "partly" for each in right), len(right)),
        "unanswerable certain": f"{sum(each.tier == 'answer' for each in none)} of {len(none)}",
        "wrong": _share(wrong, answers),
        "at most": round(upper_bound(wrong, answers), 2),
        "lost": {
            "missed": sum(each.rank is None or each.rank > DEPTHS[1] for each in lost),
            "refused": sum(each.tier == "nothing" for each in lost if each.rank and each.rank <= DEPTHS[1]),
            "not chosen": sum(each.tier != "nothing" for each in lost if each.rank and each.rank <= DEPTHS[1]),
        },
        "marked": _share(sum(each.is_marked for each in right), len(right)),
        "words": [int(median([each.words for each in group] or [0])) for group in (certain, near)],
        "follow-ups": f"{sum(each.is_right for each in follow)} of {len(follow)}",
        "near misses certain": f"{sum(each.tier == 'answer' for each in near_miss)} of {len(near_miss)}",
        "own words certain": f"{sum(each.tier == 'answer' and each.is_right for each in own)} of {len(own)}",
        "found": [_share(sum(each.rank is not None and each.rank <= depth for each in asked), len(asked)) for depth in DEPTHS],
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


async def measure(folder: Path, data: Path) -> tuple[list[Shown], list[bool]]:
    """(what became of a folder's questions, for each foreign question whether it is refused)."""
    lang = folder.name[:2]
    async with opened(folder, data) as core:
        shown = [await show(core, label, lang) for label in read_labels(folder)]
        rows = map(json.loads, UNRELATED.read_text("utf-8").splitlines())
        foreign = [row["text"] for row in rows if row["lang"] == lang]
        refused = [tier_of((await ask(core, text)).outcome) == "nothing" for text in foreign]
    return shown, refused


def _print(name: str, shown: Sequence[Shown], refused: Sequence[bool]) -> None:
    told = figures(shown) | {"foreign": f"{sum(refused)} of {len(refused)}"}
    print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in told.items()), flush=True)


def _sheet(shown: Iterable[tuple[str, Shown]]) -> str:
    rows = (
        {
            "folder": name, "question": each.label.question, "before": each.label.before, "kind": each.label.kind, "tier": each.tier,
            "judged": each.judgement if each.label.key else "", "because": each.because, "above": each.score, "rank": each.rank,
            "marked": each.is_marked, "shown": each.text, "spans": each.label.spans,
        }
        for name, each in shown
    )  # fmt: skip
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description="Asks folders the questions that were written for them.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the data folders are made and kept; default: a temporary one")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="write what was shown, for readers")
    options = parser.parse_args()
    every: list[tuple[str, Shown]] = []
    by_lang: dict[str, tuple[list[Shown], list[bool]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for folder in options.folders:
            log_progress(f"— {folder.name}")
            shown, refused = await measure(folder, (options.data or Path(temporary)) / folder.name)
            _print(folder.name, shown, refused)
            every += [(folder.name, each) for each in shown]
            of_lang = by_lang.setdefault(folder.name[:2], ([], []))
            of_lang[0].extend(shown)
            of_lang[1].extend(refused)
    for lang, (shown, refused) in by_lang.items():
        _print(f"all {lang}", shown, refused)
    _print("all", [each for _, each in every], [each for _, refused in by_lang.values() for each in refused])
    if options.sheet:
        options.sheet.write_text(_sheet(every), "utf-8")


if __name__ == "__main__":
    asyncio.run(_main())
