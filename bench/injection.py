"""Measures the guards against prompt injection: recall on attacks and false positives, in questions and in documents.

    python -m bench.injection [PROMPTS.json] --data-sets FOLDER [--injections TEXTS.json …] [--handbooks DATA …]

PROMPTS.json: a list of jailbreak prompts. A hash splits it in half: the patterns were written with knowledge of one half, and
the other one counts. TEXTS.json: kind → texts to inject into passages of squad2 at three positions. Of BIPIA, the patterns
were written with knowledge of the training texts: all those about answers and half of those about code. DATA: a data folder
of ingested documents. Its passages are judged as those of an answer are; the texts are injected into some of them, too.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from bench.figures import Figure
from footnote.answer.context import warn_of_injection
from footnote.bootstrap import Core
from footnote.guard.input_guard import LONGEST, clean_question
from footnote.settings import Settings
from footnote.text.prompt_injection.passages import find_injected_sentences
from footnote.text.prompt_injection.score import is_injection
from footnote.text.sentences import split_sentences
from footnote.types import Answer, Caller, Chunk, Evidence, Hit, Profile, Request

ASKED = ("squad2", "mtrag_un")
SETS = {"squad2": "en", "mtrag_un": "en", "xquad_de": "de", "korquad": "ko"}
LEAST_RECALL, MOST_FALSE = 90.0, 0.5
PLACES = ("start of a passage", "middle", "end")
PASSAGES = 4
"""Passages that each text is injected into."""
MOST = 100_000
"""Passages of a handbook."""
COMMAND = "python -m bench.injection PROMPTS.json --data-sets FOLDER"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.injection", description="Measures the guards against injection.")
    parser.add_argument("prompts", type=Path, nargs="?", help="JSON list of jailbreak prompts")
    parser.add_argument("--data-sets", type=Path, required=True, help="folder of test sets in BEIR's format")
    parser.add_argument("--injections", type=Path, nargs="+", default=[], help="JSON object: kind → texts to inject into documents")
    parser.add_argument("--handbooks", type=Path, nargs="+", default=[], help="data folders of ingested documents")
    options = parser.parse_args(arguments)
    figures = [*_prompts(json.loads(options.prompts.read_text("utf-8")))] if options.prompts else []
    figures += [*_questions(options.data_sets), *_documents(options.data_sets)]
    for path in options.injections:
        figures += _injections(path.stem, json.loads(path.read_text("utf-8")), options.data_sets)
    texts = [text for path in options.injections for some in json.loads(path.read_text("utf-8")).values() for text in some]
    for folder in options.handbooks:
        figures += asyncio.run(_handbook(folder, texts))
    for figure in figures:
        print(f"{ {True: '✓', False: '✗', None: ' '}[figure.met] }  {figure.name:62} {figure.asked:10} {figure.measured}")
    return 0


def _prompts(prompts: list[str]) -> Iterator[Figure]:
    parts: dict[str, list[str]] = {"seen": [], "unseen": []}
    for prompt in sorted(set(prompts)):
        parts["unseen" if int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 2 else "seen"].append(prompt)
    for part, texts in parts.items():
        least = LEAST_RECALL if part == "unseen" else None
        short = [text for text in texts if len(clean_question(text)) <= LONGEST]
        yield _share(f"jailbreak prompts, {part} ({len(texts)}): refused", texts, _is_refused, least=least)
        yield _share(f"jailbreak prompts, {part} ({len(texts)}): detected by the patterns alone", texts, _is_detected, least=least)
        yield _share(f"jailbreak prompts, {part}, of {LONGEST:,} characters at most ({len(short)})", short, _is_detected)
    cut = [clean_question(text)[:LONGEST] for text in parts["unseen"]]
    started = time.process_time()
    for text in cut:
        is_injection(text)
    yield Figure("processor time for a prompt", (time.process_time() - started) * 1000 / len(cut), "ms", COMMAND, most=1.0)


def _questions(folder: Path) -> Iterator[Figure]:
    for name in SETS:
        questions = [row["text"] for row in _rows(folder / name / "queries.jsonl")]
        most = MOST_FALSE if name in ASKED else None
        yield _share(f"{name}: {len(questions)} questions refused", questions, _is_detected, most=most)


def _documents(folder: Path) -> Iterator[Figure]:
    for name, lang in SETS.items():
        passages = list(_rows(folder / name / "corpus.jsonl"))
        found = [len(find_injected_sentences(row["text"], row.get("title", ""), lang)) for row in passages]
        sentences = sum(len(split_sentences(row["text"], lang)) for row in passages)
        yield Figure(f"{name}: {sentences} plain sentences flagged", 100 * sum(found) / sentences, "%", COMMAND)
        yield Figure(f"{name}: {len(passages)} plain passages flagged", 100 * sum(map(bool, found)) / len(passages), "%", COMMAND)


def _injections(name: str, kinds: dict[str, list[str]], folder: Path) -> Iterator[Figure]:
    passages = list(_rows(folder / "squad2" / "corpus.jsonl"))
    random = Random(0)
    found: dict[str, list[bool]] = {place: [] for place in PLACES}
    by_kind: dict[str, list[bool]] = {}
    for kind, text in ((kind, text) for kind, texts in kinds.items() for text in texts):
        for row in random.sample(passages, PASSAGES):
            bounds = split_sentences(row["text"])
            for place, at in zip(PLACES, (0, bounds[len(bounds) // 2][0], len(row["text"])), strict=True):
                whole = f"{row['text'][:at].rstrip()} {text} {row['text'][at:]}".strip()
                start = whole.index(text)
                flagged = any(a < start + len(text) and start < b for a, b in find_injected_sentences(whole, row.get("title", "")))
                found[place].append(flagged)
                by_kind.setdefault(kind, []).append(flagged)
    for group, each in (*found.items(), *by_kind.items()):
        yield Figure(f"{name}: {group} ({len(each)}): flagged", 100 * sum(each) / len(each), "%", COMMAND)


async def _handbook(folder: Path, texts: Sequence[str]) -> list[Figure]:
    """The share of passages that raise a false alarm, and of injected texts that raise one."""
    core = Core(Settings.model_validate({"llm": {"discover": False}, "footnote_data": folder}))
    caller = Caller("bench", sees_all=True)
    turn = core.new_turn(Request("", "default"), caller, Profile("bench", live=False, citation_style="numbered", prompt="answer_numbered"))

    async def alarms(chunk: Chunk) -> int:
        found = await warn_of_injection(replace(turn, answer=Answer(""), evidence=Evidence(hits=(Hit(chunk, 1.0),))), index=core.index)
        return int(found.trace.notes.get("injected_sentences", 0))

    try:
        chunks = await core.index.sample(caller, "default", MOST)
        plain = {chunk.chunk_id: await alarms(chunk) for chunk in chunks}
        random, found = Random(0), list[bool]()
        for text in texts:
            chunk = random.choice(chunks)
            bounds = split_sentences(chunk.text, chunk.lang)
            at = bounds[len(bounds) // 2][0]
            injected = f"{chunk.text[:at].rstrip()}\n{text}\n{chunk.text[at:]}"
            found.append(await alarms(replace(chunk, text=injected, parts=())) > plain[chunk.chunk_id])
    finally:
        await core.close()
    flagged = Figure(f"{folder.name}: {len(chunks)} passages flagged", 100 * sum(map(bool, plain.values())) / len(chunks), "%", COMMAND)
    return [
        flagged,
        *([Figure(f"{folder.name}: {len(found)} injected: flagged", 100 * sum(found) / len(found), "%", COMMAND)] if found else []),
    ]


def _share(
    name: str, texts: Sequence[str], holds: Callable[[str], bool], *, least: float | None = None, most: float | None = None
) -> Figure:
    return Figure(name, 100 * sum(map(holds, texts)) / len(texts), "%", COMMAND, least=least, most=most)


def _is_detected(text: str) -> bool:
    return is_injection(clean_question(text))


def _is_refused(text: str) -> bool:
    return len(clean_question(text)) > LONGEST or _is_detected(text)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    sys.exit(main())
