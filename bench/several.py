"""What dividing a question that asks several things gains, and what it costs questions that ask one.

    python -m bench.several --data-sets FOLDER [--sets squad2 xquad_de korquad] [--pairs 300] [--json]

Made pairs: two questions of a set whose passages belong to different documents, one after the other. Both of their passages are wanted.
nDCG@10 and recall@10 with the option `split`, without it, and with the two questions as they were, which is the most that dividing can
reach; and the share of pairs for which an answer without a language model quotes both gold answers, or one. Then, of the questions as
people wrote them: the share that is divided, and the nDCG@10 of those with and without.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bench.data_sets import chosen_sets, language_of, make_parser
from footnote.answer.extract import quotes_of, read_parts
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.learn.golden import GoldenQuery, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg, recall
from footnote.pipeline import EMBED, LANGUAGE, READING, REWRITE, SEARCH
from footnote.pipeline.search import SPELLING, SPLIT
from footnote.settings import Settings
from footnote.steps import Runner
from footnote.types import Choice, Conversation, Exchange, Request
from footnote.understand.split import question_parts
from footnote_local.evaluate import CALLER, PROFILE, build_index, holds_answer

SETS = ("squad2", "xquad_de", "korquad")
ENDS = "?？. "


class Asked(NamedTuple):
    """A question with the documents that it wants, and the questions that it was made of with their gold answers."""

    text: str
    relevance: Mapping[str, int]
    parts: tuple[str, ...] = ()
    history: tuple[Exchange, ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()


def made_pairs(golden: GoldenSet, count: int) -> Iterator[Asked]:
    """`count` pairs. A document without a title is one of its own."""
    draw, titles = Random(7), {document.doc_id: document.title or document.doc_id for document in golden.documents}
    made = 0
    while made < count:
        one, other = draw.sample(list(golden.queries), 2)
        if _titles(one, titles) & _titles(other, titles):
            continue
        made += 1
        text, answers = f"{one.text.strip().rstrip(ENDS)}? {other.text.strip()}", (one.answers, other.answers)
        yield Asked(text, {**one.relevance, **other.relevance}, (one.text, other.text), answers=answers)


def _titles(query: GoldenQuery, titles: Mapping[str, str]) -> set[str]:
    return {titles[doc_id] for doc_id in query.relevance if doc_id in titles}


class Found(NamedTuple):
    """Documents, best first; whether the question was divided; how many of its gold answers are quoted."""

    documents: list[str]
    divided: bool
    quoted: int


class Bench:
    """One set with its index."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._runner = Runner((LANGUAGE, REWRITE, SPELLING, SPLIT, READING, EMBED, *SEARCH), Deps, core.turn_deps)

    async def find(self, asked: Asked, *, parts: Sequence[str] = (), divides: bool = False) -> Found:
        """What a question finds. `parts`: searched for in its place. A follow-up is completed by words of earlier questions."""
        turn = self._core.new_turn(Request(asked.text, "default", limit=30), CALLER, PROFILE, trace_id="bench")
        turn = replace(turn.rewrite(*parts) if parts else turn, conversation=Conversation(asked.history))
        choices = {**turn.plan.choices, "split": Choice(divides, "bench")}
        turn = await self._runner.finish(replace(turn, plan=replace(turn.plan, choices=choices)))
        made = await read_parts(turn, index=self._core.index) if asked.answers else []
        quotes = " \n ".join(quote.text for quote in quotes_of(made))
        quoted = sum(holds_answer(quotes, each, turn.lang) for each in asked.answers)
        return Found(list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits)), "divided" in turn.trace.notes, quoted)


async def measure(folder: Path, pairs: int) -> AsyncIterator[dict[str, Any]]:
    """A row for made pairs, and one for those of the questions as they are that are divided."""
    golden = load_golden(folder)
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    lang = language_of(golden.name)
    try:
        bench = Bench(core)
        yield {"set": golden.name, "questions": "pairs", **await compare(bench, list(made_pairs(golden, pairs)))}
        written = [Asked(query.text, query.relevance, history=query.history) for query in golden.queries]
        whole = [each for each in written if (await bench.find(each, divides=True)).divided]
        others = [query for query in golden.unanswerable if question_parts(query.text, lang)]
        yield {
            "set": golden.name,
            "questions": "as written",
            **(await compare(bench, whole) if whole else {}),
            "count": len(written),
            "divided": len(whole) / len(written),
            "unanswerable_divided": len(others) / len(golden.unanswerable) if golden.unanswerable else None,
        }
    finally:
        await core.close()


async def compare(bench: Bench, asked: Sequence[Asked]) -> dict[str, Any]:
    """nDCG@10 and recall@10 without, with and at best, and the interval of what `split` changes in nDCG@10."""
    found = {"without": [await bench.find(each) for each in asked], "with": [await bench.find(each, divides=True) for each in asked]}
    if asked[0].parts:
        found["best"] = [await bench.find(each, parts=each.parts) for each in asked]
    row: dict[str, Any] = {"count": len(asked), "divided": sum(each.divided for each in found["with"]) / len(asked)}
    scores: dict[str, list[float]] = {}
    for name, lists in found.items():
        scores[name] = [ndcg(one.documents, each.relevance) for one, each in zip(lists, asked, strict=True)]
        of_all = [recall(one.documents, each.relevance) for one, each in zip(lists, asked, strict=True)]
        row[name] = {"ndcg@10": sum(scores[name]) / len(asked), "recall@10": sum(of_all) / len(asked)}
        row[name] |= {"quotes_both": sum(one.quoted == 2 for one in lists) / len(asked)}
        row[name] |= {"quotes_one": sum(one.quoted == 1 for one in lists) / len(asked)}
    return row | {"gain": mean_interval([after - before for after, before in zip(scores["with"], scores["without"], strict=True)])}


def shown(row: Mapping[str, Any]) -> str:
    """A row as text."""
    told = f"{row['set']:9} {row['questions']:12} {row['count']:4} questions, {row['divided']:.2%} divided"
    if row.get("unanswerable_divided") is not None:
        told += f", {row['unanswerable_divided']:.2%} of the unanswerable ones"
    for name in ("without", "with", "best"):
        if name in row:
            told += f"  {name} {row[name]['ndcg@10']:.3f} / {row[name]['recall@10']:.3f}"
            told += f" [{row[name]['quotes_both']:.1%} both, {row[name]['quotes_one']:.1%} one]"
    return told + ("  ({:+.3f}, {:+.3f} – {:+.3f})".format(*row["gain"]) if "gain" in row else "")


async def _main() -> None:
    parser = make_parser("several", "Measures what dividing a question gains and costs.", SETS)
    parser.add_argument("--pairs", type=int, default=300, help="made pairs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in chosen_sets(parser, options):
        async for row in measure(folder, options.pairs):
            print(json.dumps(row) if options.json else shown(row), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
