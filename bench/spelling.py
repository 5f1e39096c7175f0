"""What one typo costs, and what the correction gives back.

    python -m bench.spelling --data-sets FOLDER [--limit 500] [--sets squad2 xquad_de korquad] [--json]

One content word of each question gets a random edit (a letter more, less or other, or two neighbours swapped; in Korean a consonant or
vowel of a syllable). nDCG@10 of the questions as people wrote them, with the typo, and with the typo and the correction; and the share
of unchanged questions among those as people wrote them.
"""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from bench.data_sets import chosen_sets, make_parser
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.learn.golden import GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.pipeline import RETRIEVE
from footnote.settings import Settings
from footnote.steps import Runner
from footnote.text.tokens import CJK, content_terms
from footnote.types import Choice, Request
from footnote.understand.spelling import WORD
from footnote_local.evaluate import CALLER, PROFILE, build_index

SETS = ("squad2", "xquad_de", "korquad")
SHORTEST = 4
LETTERS = "abcdefghijklmnopqrstuvwxyz"
JAMO = (range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3))
"""Initial consonants, vowels and final consonants."""


def misspelled(question: str, lang: str, draw: Random) -> str:
    """The question with one typo in a content word; as it is if it has no word that is long enough."""
    spans = [
        found.span()
        for found in WORD.finditer(question)
        if content_terms(found[0], lang) and len(found[0]) >= (2 if CJK.search(found[0]) else SHORTEST)
    ]
    if not spans:
        return question
    start, end = draw.choice(spans)
    word = question[start:end]
    edit = other_jamo if CJK.search(word) else one_edit
    while (made := edit(word, draw)) == word:
        pass
    return question[:start] + made + question[end:]


def one_edit(word: str, draw: Random) -> str:
    """A letter after the first is added, left out, replaced or swapped with the next."""
    at = draw.randrange(1, len(word))
    before, after = word[:at], word[at:]
    return draw.choice(
        (
            before + after[1:],
            before + draw.choice(LETTERS) + after,
            before + draw.choice(LETTERS) + after[1:],
            before + after[1::-1] + after[2:],
        )
    )


def other_jamo(word: str, draw: Random) -> str:
    """A consonant or vowel of one syllable is replaced."""
    at = draw.randrange(len(word))
    parts = list(unicodedata.normalize("NFD", word[at]))
    which = draw.randrange(len(parts))
    parts[which] = chr(
        draw.choice(next((jamo for jamo in JAMO if ord(parts[which]) in jamo), range(ord(parts[which]), ord(parts[which]) + 1)))
    )
    return word[:at] + unicodedata.normalize("NFC", "".join(parts)) + word[at + 1 :]


async def measure(folder: Path, limit: int) -> dict[str, Any]:
    """The figures of one set."""
    golden = load_golden(folder, limit=limit)
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    try:
        lang, draw = "ko" if golden.name.startswith("korquad") else golden.name[-2:] if golden.name.startswith("xquad") else "en", Random(7)
        typed = [misspelled(query.text, lang, draw) for query in golden.queries]
        written = [query.text for query in golden.queries]
        clean, _ = await scores(core, golden, written, corrects=False)
        lost, _ = await scores(core, golden, typed, corrects=False)
        mended, changed = await scores(core, golden, typed, corrects=True)
        _, wrongly = await scores(core, golden, written, corrects=True)
    finally:
        await core.close()
    means = {name: sum(each) / len(each) for name, each in (("clean", clean), ("typo", lost), ("corrected", mended))}
    gain = mean_interval([after - before for after, before in zip(mended, lost, strict=True)])
    regained = (means["corrected"] - means["typo"]) / (means["clean"] - means["typo"])
    share = {"corrected_questions": changed / len(typed), "clean_unchanged": 1 - wrongly / len(typed)}
    return {"set": golden.name, "questions": len(typed), **means, "gain": gain, "regained": regained, **share}


async def scores(core: Core, golden: GoldenSet, texts: Sequence[str], *, corrects: bool) -> tuple[list[float], int]:
    """nDCG@10 of each question, and how many were corrected."""
    runner, made, changed = Runner(RETRIEVE, Deps, core.turn_deps), list[float](), 0
    for query, text in zip(golden.queries, texts, strict=True):
        turn = core.new_turn(Request(text, "default", limit=30), CALLER, PROFILE, trace_id="bench")
        choices = {**turn.plan.choices, "spelling": Choice(corrects, "bench")}
        turn = await runner.finish(replace(turn, plan=replace(turn.plan, choices=choices)))
        made.append(ndcg(list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits)), query.relevance))
        changed += "corrected" in turn.trace.notes
    return made, changed


def shown(each: dict[str, Any]) -> str:
    """A row as text."""
    difference, low, high = each["gain"]
    return (
        f"{each['set']:9} {each['clean']:.4f} clean  {each['typo']:.4f} with a typo  {each['corrected']:.4f} corrected"
        f" ({difference:+.4f}, {low:+.4f} – {high:+.4f}; {each['regained']:.0%} of the loss)"
        f"  {each['corrected_questions']:.1%} of the typos corrected  {each['clean_unchanged']:.2%} of clean questions unchanged"
    )


async def _main() -> None:
    parser = make_parser("spelling", "Measures what the correction of typos gains and costs.", SETS)
    parser.add_argument("--limit", type=int, default=500, help="questions of each set")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in chosen_sets(parser, options):
        each = await measure(folder, options.limit)
        print(json.dumps(each) if options.json else shown(each), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
