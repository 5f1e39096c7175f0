"""What derived queries and further lists can gain and cost: a model that knows the passage, and one that writes about something else.

    python -m bench.expansion --data-sets FOLDER [--limit 500] [--sets squad2 xquad_en korquad] [--json]

Each question runs through the steps of the pipeline with a scripted model. perfect: its text is the first sentence of a passage that
answers; random: that of a passage drawn from the others, in one query with the whole weight, which is the worst case. nDCG@10, and its
difference from the same search without derived queries. Feedback queries need no model; they run for every question (forced) and for
those that are keywords. A rewrite may replace the question; the follow-ups of the other variants are completed by words of earlier
questions, as they are without a model. A further list (`retrieve.lists`) has a passage that answers first, or only passages drawn from the
others.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.data_sets import chosen_sets, make_parser
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.learn.golden import GoldenQuery, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.pipeline import EMBED, EXPAND, LANGUAGE, READING, REFORMULATE, REWRITE, SEARCH
from footnote.ports import Delta, Found, LanguageModel, Scope
from footnote.settings import Settings
from footnote.steps import Parallel, Row, Runner, Step
from footnote.text.sentences import split_sentences
from footnote.types import FURTHER, Candidate, Choice, Conversation, Message, ModelSource, OptionName, Query, Request, Turn, make_chunk_id
from footnote_local.evaluate import CALLER, PROFILE, build_index

SETS = ("squad2", "xquad_en", "korquad")
MOST_LOST = 0.02
BY_MODEL: Final[tuple[OptionName, ...]] = ("paraphrases", "hypothetical", "step_back")
REWRITES: Final[tuple[OptionName, ...]] = ("reformulate",)
"""Where a question has a conversation, its follow-up is rewritten, too."""
VARIANTS: Mapping[str, tuple[OptionName, ...]] = {
    **{name: (name,) for name in BY_MODEL},
    "all three": BY_MODEL,
    "rewrite": REWRITES,
    "a further list": FURTHER[:1],
    "three lists": FURTHER,
}
SMALL = "scripted:1b"
"""The model's name. With `rewrite_by_size`, a model of its size is not asked to rewrite."""
LISTED = 20
"""Passages of a further list."""


class Scripted:
    """`ports.Models` and `ports.LanguageModel` that always writes `text`, in the form of every schema."""

    name = SMALL
    address = None
    source = ModelSource("configured")
    text = ""

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        yield Delta(json.dumps({"queries": [self.text], "query": self.text, "text": self.text}))


class ScriptedList:
    """`ports.RankedLists` that finds these passages."""

    chunk_ids: Sequence[str] = ()

    async def search(self, query: Query, scope: Scope) -> Found:
        return Found(tuple(Candidate(chunk_id, 1.0) for chunk_id in self.chunk_ids))


def table(*, forced: bool) -> tuple[Row, ...]:
    """The steps of a search with derived queries. `forced`: also where a question does not call for them."""
    rows = (LANGUAGE, REWRITE, REFORMULATE, READING, EMBED, *EXPAND, *SEARCH)
    return tuple(_forced(row) for row in rows) if forced else rows


def _forced(row: Row) -> Row:
    if isinstance(row, Parallel):
        return replace(row, rows=tuple(map(_forced, row.rows)))
    return replace(row, when=None) if isinstance(row, Step) and row.name in ("hypothetical", "feedback_query") else row


def first_sentence(title: str, text: str, lang: str) -> str:
    """The first sentence of a passage; its title if it has no text."""
    bounds = split_sentences(text, lang)
    return text[bounds[0][0] : bounds[0][1]] if bounds else title


class Bench:
    """One set with its index and its model."""

    def __init__(self, golden: GoldenSet, core: Core, model: Scripted) -> None:
        lang = "ko" if golden.name.startswith("korquad") else "en"
        self._golden, self._core, self._model, self._list = golden, core, model, ScriptedList()
        core.__dict__["ranked_lists"] = dict.fromkeys(FURTHER, self._list)
        self._sentences = {each.doc_id: first_sentence(each.title, each.text, lang) for each in golden.documents}

    async def scores(self, options: Sequence[OptionName], script: str, *, forced: bool = True) -> list[float]:
        """nDCG@10 of each question."""
        runner, draw = Runner(table(forced=forced), Deps, self._core.turn_deps), Random(7)
        made = []
        for query in self._golden.queries:
            self._model.text = self._text(query, script, draw)
            others = [draw.choice(self._golden.documents).doc_id for _ in range(LISTED)] if set(options) & set(FURTHER) else []
            first = [max(query.relevance, key=query.relevance.__getitem__)] if script == "perfect" else []
            wrong = (doc_id for doc_id in others if not query.relevance.get(doc_id))
            self._list.chunk_ids = [make_chunk_id(doc_id, 1, 0) for doc_id in dict.fromkeys((*first, *wrong))]
            turn = await runner.finish(self._turn(query, options))
            ranked = list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits))
            made.append(ndcg(ranked, query.relevance))
        return made

    def _text(self, query: GoldenQuery, script: str, draw: Random) -> str:
        if script == "perfect":
            return self._sentences[max(query.relevance, key=query.relevance.__getitem__)]
        return self._sentences[draw.choice([key for key in self._sentences if not query.relevance.get(key)])]

    def _turn(self, query: GoldenQuery, options: Sequence[OptionName]) -> Turn:
        turn = self._core.new_turn(Request(query.text, "default", limit=30), CALLER, PROFILE, trace_id="bench")
        names = (*BY_MODEL, *REWRITES, "feedback_query", *FURTHER)
        switched: dict[OptionName, Choice] = {name: Choice(name in options, "bench") for name in names}
        switched["rewrite_by_size"] = Choice("reformulate" not in options, "bench")
        plan = replace(turn.plan, choices={**turn.plan.choices, **switched}, model=SMALL)
        return replace(turn, conversation=Conversation(query.history), plan=plan)


async def measure(folder: Path, limit: int, variants: Sequence[str] = tuple(VARIANTS)) -> AsyncIterator[dict[str, Any]]:
    """A row for each option and script of one set."""
    golden, model = load_golden(folder, limit=limit), Scripted()
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    try:
        core.__dict__["models"] = model
        bench = Bench(golden, core, model)
        base = await bench.scores((), "perfect")
        yield row(golden.name, "none", "", base, base)
        for name, options in ((name, VARIANTS[name]) for name in variants):
            for script in ("perfect", "random"):
                yield row(golden.name, name, script, await bench.scores(options, script), base)
        for script, forced in (("forced", True), ("keywords", False)):
            yield row(golden.name, "feedback_query", script, await bench.scores(("feedback_query",), "perfect", forced=forced), base)
    finally:
        await core.close()


def row(name: str, option: str, script: str, scores: Sequence[float], base: Sequence[float]) -> dict[str, Any]:
    """Mean, difference and the 95 % interval of the difference."""
    difference, low, high = mean_interval([mine - its for mine, its in zip(scores, base, strict=True)])
    mean = sum(scores) / len(scores)
    return {"set": name, "option": option, "script": script, "ndcg@10": mean, "difference": difference, "interval": (low, high)}


def shown(each: Mapping[str, Any]) -> str:
    """A row as text; ✗ where a random text costs more than MOST_LOST."""
    low, high = each["interval"]
    mark = "✗" if each["script"] == "random" and each["difference"] < -MOST_LOST else " "
    figures = f"{each['ndcg@10']:.4f}  {each['difference']:+.4f} ({low:+.4f} – {high:+.4f})"
    return f"{mark} {each['set']:9} {each['option']:15} {each['script']:9} {figures}"


async def _main() -> None:
    parser = make_parser("expansion", "Measures what derived queries gain and cost.", SETS)
    parser.add_argument("--limit", type=int, default=500, help="questions of each set")
    parser.add_argument("--variants", nargs="+", default=[*VARIANTS], metavar="NAME")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for folder in chosen_sets(parser, options):
        async for each in measure(folder, options.limit, options.variants):
            print(json.dumps(each) if options.json else shown(each), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
