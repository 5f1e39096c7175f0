"""What ends in the prompt of a message that follows an answer.

    python -m bench.follow_ups [--half test]                    # what the model is shown, over the handbooks of tests/quality
    python -m bench.follow_ups --labels LABELS --data FOLDER    # the same for labelled follow-ups to the documents of a data folder

`questions/follow_ups.jsonl` holds 108 messages that follow a question to one of the handbooks, written before anybody looked at how they
are told apart: about the answer, about the conversation, to be searched for with the conversation (`search`) or alone (`new`). Every
second one is `test`, which was only looked at for its figure. 37 more (`found`) are what people wrote in examples and tests of public
repositories, found by beginnings such as `"role": "user", "content": "Are you sure`. `bench.message_kinds` fits the weights that tell them
apart, and counts how many are told.

Right is, about the answer: that answer and the passages that it cites are in the prompt; about the conversation: the question before is
in the prompt; else: the document that answers. The model is scripted. Follow-ups are
completed by words, as for small models. A line of LABELS has `before`, `question` and `spans`, words of the passage that answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.figures import ROOT
from bench.request_grammar import QUESTIONS
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.learn.golden import load_golden
from footnote.ports import Delta, LanguageModel
from footnote.settings import Settings
from footnote.types import Conversation, Exchange, Message, ModelSource, OptionName, Profile, Request, Turn
from footnote_local.evaluate import build_index

UNREAD = 0.1
"""Share of the words of a labelled passage that may be lost in reading its file."""
ANSWER = "This was the answer, number 4711 [1]."
OPTIONS: Mapping[OptionName, bool] = {"rewrite_by_size": True, "follow_up": False}
CHAT = Profile("bench", live=True, citation_style="numbered", prompt="answer_numbered", history=4, options=OPTIONS)


class Scripted:
    """`ports.Models` and `ports.LanguageModel`: a small model that says the same whatever it is asked."""

    name = "scripted:3b"
    address = None
    source = ModelSource("configured")

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        yield Delta(ANSWER)


def labelled(half: str | None = None) -> list[dict[str, Any]]:
    """The labelled messages."""
    rows = [json.loads(line) for line in (QUESTIONS / "follow_ups.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if half in (None, row["half"])]


async def prompts_of(rows: Sequence[dict[str, Any]], core: Core) -> Iterator[tuple[dict[str, Any], str, Turn]]:
    """Each message in a stored conversation and in one that the client sends: (its row, which of the two, its turn). `cited` of the row:
    the passages that the answer before it cites."""
    turns = []
    for number, row in enumerate(rows):
        first = Request(row["before"], "default", room_id=f"room {number}")
        answered = await core.answer.finish(core.new_turn(first, LOCAL, CHAT))
        stored = core.new_turn(replace(first, question=row["text"]), LOCAL, CHAT)
        row = row | {"cited": {citation.hit.chunk.chunk_id for citation in (answered.answer.citations if answered.answer else ())}}
        turns.append((row, "stored", await core.answer.finish(stored)))
        sent = replace(
            core.new_turn(Request(row["text"], "default"), LOCAL, replace(CHAT, history=0)),
            conversation=Conversation((Exchange(row["before"], answered.answer.text if answered.answer else ""),)),
        )
        turns.append((row, "sent", await core.answer.finish(sent)))
    return iter(turns)


def is_right(row: dict[str, Any], turn: Turn) -> bool:
    """As the module says."""
    prompt = "\n".join(message.content for message in turn.messages)
    if row["kind"] == "conversation":
        return row["before"] in prompt
    shown = [hit.chunk for hit in turn.evidence.citable]
    if row["kind"] == "answer":
        return "4711" in prompt and row["cited"] <= {chunk.chunk_id for chunk in shown}
    if "doc" in row:
        return row["doc"] in {chunk.doc_id for chunk in shown}
    held = [_words(" ".join((chunk.title, *chunk.headings, chunk.text))) for chunk in shown]
    return all(any(len(span - each) <= UNREAD * len(span) for each in held) for span in map(_words, row["spans"]))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


async def measure_prompts(half: str | None) -> None:
    """Prints, by half and kind, how many messages end with a right prompt, and those of `dev` that do not."""
    counts: dict[tuple[str, str, str], Counter[Any]] = {}
    for lang in ("en", "de", "ko"):
        settings = Settings.model_validate({"llm": {"discover": False}})
        with TemporaryDirectory() as folder:
            handbook = load_golden(ROOT / "tests" / "quality" / f"handbook_{lang}")
            core, _ = await build_index(handbook, settings, Path(folder), lambda *_: None)
            core = Core(core.settings, models=Scripted())
            rows = [row for row in labelled(half) if row["lang"] == lang and row["half"] != "found"]
            _count(await prompts_of(rows, core), counts)
            await core.close()
    _print(counts)


async def measure_labels(labels: Path, data: Path) -> None:
    """The same for the follow-ups of a file of labels."""
    rows = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    rows = [row | {"text": row["question"], "half": labels.parent.name} for row in rows if row.get("before")]
    core = Core(Settings.model_validate({"llm": {"discover": False}, "footnote_data": data}), models=Scripted())
    counts: dict[tuple[str, str, str], Counter[Any]] = {}
    _count(await prompts_of(rows, core), counts)
    await core.close()
    _print(counts)


def _count(turns: Iterator[tuple[dict[str, Any], str, Turn]], counts: dict[tuple[str, str, str], Counter[Any]]) -> None:
    for row, how, turn in turns:
        right = is_right(row, turn)
        counts.setdefault((row["half"], how, row["kind"]), Counter()).update({right: 1, "searched": bool(turn.evidence.lists)})
        if not right and row["half"] != "test":
            print(f"{row['half']} {how} {row['kind']}: {row['before']} → {row['text']} (searched for: {turn.asked})")


def _print(counts: dict[tuple[str, str, str], Counter[Any]]) -> None:
    for (half, how, kind), count in sorted(counts.items()):
        print(f"{half} {how:6} {kind:12} {count[True]} of {count[True] + count[False]} right, {count['searched']} searched for")
    for half in sorted({half for half, _, _ in counts}):
        for how in ("stored", "sent"):
            of = [count for (of, by, _), count in counts.items() if (of, by) == (half, how)]
            right, wrong = sum(count[True] for count in of), sum(count[False] for count in of)
            print(f"{half} {how:6} all          {right} of {right + wrong} right: {right / (right + wrong):.1%}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.follow_ups", description="What is shown to the model after an answer.")
    parser.add_argument("--half", choices=["dev", "test"])
    parser.add_argument("--labels", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder of the labelled documents")
    options = parser.parse_args(arguments)
    if options.labels:
        asyncio.run(measure_labels(options.labels, options.data))
    else:
        asyncio.run(measure_prompts(options.half))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
