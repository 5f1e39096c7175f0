"""Asks natural questions without a language model: in which tier do they end, and is the answer in what is quoted?

    footnote ingest docs README.md --data /tmp/docs
    python -m bench.natural docs=/tmp/docs [files=DATA] [xquad_de=BEIR_DIR] [korquad=BEIR_DIR] [manuals=DATA] [--half test]
        [--sheet answers.jsonl]

A source is the data folder of ingested documents, or a BEIR folder, which is indexed first. The documents of `manuals` are files of
Debian packages, collected with `bench.manuals`, which says what to install:

    python -m bench.manuals /tmp/manuals
    footnote ingest /tmp/manuals --data /tmp/manuals-data
    python -m bench.natural manuals=/tmp/manuals-data

`questions/natural.jsonl` holds questions as people ask them, with keys written by hand; half of them (`test`) were not looked at while
the weights and thresholds were chosen. `questions/foreign.jsonl` holds questions that the documents have nothing on. A quote of a key
is kept as the digest of its words, so that no text of the files is copied here; an answer that contains it is right, one that does not
may still be right or partly right: `--sheet` writes the answers for readers.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.figures import log_progress
from footnote.bootstrap import Core
from footnote.learn.golden import load_golden
from footnote.settings import Settings
from footnote.types import Caller, Profile, Request, Turn
from footnote_local.evaluate import build_index

QUESTIONS = Path(__file__).parent / "questions"
CALLER = Caller("bench", sees_all=True)
PROFILE = Profile("bench", live=False, citation_style="numbered", prompt="answer_numbered")


def holds(text: str, quotes: Iterable[tuple[int, str]], lang: str) -> bool:
    """Whether the text contains one of the quotes: (length, digest) in words, in Korean in characters without spaces."""
    words = re.findall(r"\w+", text.lower())
    units: list[str] | str = "".join(words) if lang == "ko" else words
    glue = "" if lang == "ko" else " "
    return any(
        hashlib.sha256(glue.join(units[i : i + length]).encode()).hexdigest()[:12] == digest
        for length, digest in quotes
        for i in range(len(units) - length + 1)
    )


async def ask(core: Core, question: str) -> Turn:
    """The turn of a question without a language model."""
    return await core.answer.finish(core.new_turn(Request(question, "default"), CALLER, PROFILE))


def tier_of(turn: Turn) -> str:
    """The tier in which a question ended."""
    if turn.answer is not None and turn.answer.verdict is not None:
        return turn.answer.verdict.tier
    return "answer" if turn.outcome in (None, "faq") else "nothing"


async def measure(name: str, folder: Path, half: str | None, sheet: list[dict[str, Any]]) -> None:
    """Prints the figures of one source, and adds its answers to `sheet`."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    if (folder / "corpus.jsonl").exists():
        core, _ = await build_index(load_golden(folder), settings, settings.data / "bench", lambda *_: None)
    else:
        core = Core(settings.model_copy(update={"footnote_data": folder}))
    try:
        by_lang: dict[str, list[dict[str, Any]]] = {}
        for question in _read("natural"):
            if question["set"] == name and half in (None, question["half"]):
                by_lang.setdefault(question["lang"], []).append(question)
        for lang, questions in by_lang.items():
            await _natural(core, f"{name} {lang}", questions, sheet)
            await _foreign(core, f"{name} {lang}", lang)
    finally:
        await core.close()


async def _natural(core: Core, label: str, questions: list[dict[str, Any]], sheet: list[dict[str, Any]]) -> None:
    counts: Counter[str] = Counter()
    for question in questions:
        turn = await ask(core, question["text"])
        tier, text = tier_of(turn), turn.answer.text if turn.answer else ""
        sheet.append({"_id": question["_id"], "question": question["text"], "key": question["key"], "tier": tier, "text": text})
        if question["answerable"]:
            shown = " ".join(citation.hit.chunk.text for citation in turn.answer.citations) if turn.answer and tier == "closest" else text
            counts[f"{tier} {'with' if holds(shown, question['quotes'], question['lang']) else 'without'} the quote"] += 1
        else:
            counts[f"unanswerable: {tier}"] += 1
    print(label, json.dumps(dict(sorted(counts.items()))), flush=True)


async def _foreign(core: Core, label: str, lang: str) -> None:
    for kind in ("short", "long"):
        tiers = [tier_of(await ask(core, q["text"])) for q in _read("foreign") if q["lang"] == lang and q["kind"] == kind]
        print(label, f"foreign, {kind}: {tiers.count('nothing')} of {len(tiers)} refused", flush=True)


def _read(name: str) -> Iterator[dict[str, Any]]:
    for line in (QUESTIONS / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.natural", description="Asks natural questions without a language model.")
    parser.add_argument("sources", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--half", choices=["dev", "test"])
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="write the answers for readers")
    options = parser.parse_args()
    sheet: list[dict[str, Any]] = []
    for source in options.sources:
        name, _, folder = source.partition("=")
        log_progress(f"— {name}")
        await measure(name, Path(folder).expanduser(), options.half, sheet)
    if options.sheet:
        options.sheet.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in sheet), "utf-8")


if __name__ == "__main__":
    asyncio.run(_main())
