"""Do the patterns see what kind of question is asked, and what does a strategy of the search cost?

    python -m bench.intents                                                     # agreement with people, by language and half
    python -m bench.intents --data-sets FOLDER [--sets squad2 korquad] [--limit 500]    # nDCG@10 of every strategy, too

`questions/intents.jsonl` holds questions with the intent and the type that a person gives them; half of them (`test`) were not looked at
while the patterns were written. For each set: nDCG@10 and the share of questions whose gold answer is in the sentences that would be
quoted, searched without a router, with it, and with each strategy for every question; without a language model, at level standard. The
strategy decides how many passages there are, at most ten count. With “random kinds” a scripted model draws intent, type and whether there
are several steps (option `classify_by_model`), and the router follows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

from bench.figures import log_progress
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.learn.golden import GoldenQuery, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.pipeline import CLASSIFY, EMBED, LANGUAGE, READING, SEARCH
from footnote.ports import Delta, LanguageModel
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.steps import Runner
from footnote.text.question_kinds import classify
from footnote.types import Intent, Message, ModelSource, QuestionType, Request, Strategy
from footnote.understand.classify import classify_by_model
from footnote.understand.route import STRATEGIES, follow, route
from footnote_local.evaluate import CALLER, PROFILE, TOP, answer_query, build_index

QUESTIONS = Path(__file__).parent / "questions" / "intents.jsonl"
SETS = ("squad2", "korquad")
UNROUTED, ROUTED, RANDOM = "no router", "router", "router, random kinds"
PIPELINE = "router of /v1/chat"


class RandomKinds:
    """`ports.Models` and `ports.LanguageModel` that draws the kind of a question."""

    name = "random"
    address = None
    source = ModelSource("configured")

    def __init__(self) -> None:
        self._draw = Random(7)

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        kind = {"intent": self._draw.choice(get_args(Intent)), "type": self._draw.choice(get_args(QuestionType))}
        yield Delta(json.dumps(kind | {"needs_steps": self._draw.random() < 0.5}))


def agreement() -> dict[tuple[str, str], dict[str, float]]:
    """(language, half) → number of questions, and the shares whose intent and type are those that a person gives."""
    right: dict[tuple[str, str], Counter[str]] = {}
    for line in QUESTIONS.read_text("utf-8").splitlines():
        asked = json.loads(line)
        kind = classify(asked["text"], asked["lang"])
        count = right.setdefault((asked["lang"], asked["half"]), Counter())
        count.update({"questions": 1, "intent": kind.intent == asked["intent"], "type": kind.type == asked["type"]})
    return {
        key: {"questions": count["questions"], **{name: count[name] / count["questions"] for name in ("intent", "type")}}
        for key, count in right.items()
    }


class Bench:
    """One set with its index."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._random = RandomKinds()
        self._understand = Runner((LANGUAGE, CLASSIFY), Deps, core.turn_deps)
        self._search = Runner((READING, EMBED, *SEARCH), Deps, core.turn_deps)

    async def score(self, query: GoldenQuery, strategy: Strategy | str) -> tuple[float, bool, str]:
        """(nDCG@10, whether a gold answer would be quoted, the strategy of the search)."""
        profile = replace(PROFILE, limit=TOP, routed=strategy != UNROUTED, facts_by_vectors=strategy == PIPELINE)
        request = Request(query.text, "default", levels=(2,))
        turn = await self._understand.finish(self._core.new_turn(request, CALLER, profile, trace_id="bench"))
        if strategy == RANDOM:
            turn = await classify_by_model(turn, models=self._random, prompts=Prompts())
        if strategy in (ROUTED, PIPELINE, RANDOM):
            turn = await route(turn, embedder=self._core.embedder)
        elif strategy in STRATEGIES:
            turn = follow(turn, next(name for name in STRATEGIES if name == strategy), "bench", self._core.embedder)
        done = await self._search.finish(turn)
        ranked = list(dict.fromkeys(hit.chunk.doc_id for hit in done.evidence.hits))[:TOP]
        quoted = bool(query.answers) and (await answer_query(self._core, done, query)).shown
        return ndcg(ranked, query.relevance), quoted, turn.plan.strategy or UNROUTED


async def measure(golden: GoldenSet, limit: int) -> list[dict[str, Any]]:
    """A row for each way to search: figures, and the difference to no router with its 95 % interval."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    queries = golden.queries[:: max(1, len(golden.queries) // limit)]
    rows: list[dict[str, Any]] = []
    plain: list[float] = []
    try:
        bench = Bench(core)
        for way in (UNROUTED, ROUTED, PIPELINE, RANDOM, *STRATEGIES):
            made = [await bench.score(query, way) for query in queries]
            scores = [score for score, _, _ in made]
            plain = plain or scores
            gain, low, high = mean_interval([score - before for score, before in zip(scores, plain, strict=True)])
            answers = sum(quoted for _, quoted, _ in made) / len(made)
            rows.append(
                {
                    "set": golden.name,
                    "way": way,
                    "queries": len(made),
                    "ndcg@10": round(sum(scores) / len(scores), 4),
                    "gain": round(gain, 4),
                    "gain_interval": [round(low, 4), round(high, 4)],
                    "answer_shown": round(answers, 4),
                    "strategies": dict(Counter(strategy for _, _, strategy in made).most_common()),
                }
            )
            log_progress(json.dumps(rows[-1]))
    finally:
        await core.close()
    return rows


def main() -> None:
    """Prints the agreement, then a row for each set and way to search."""
    parser = argparse.ArgumentParser(prog="python -m bench.intents", description="Measures the kinds of questions and the router.")
    parser.add_argument("--data-sets", default=os.environ.get("DATA_SETS"), metavar="FOLDER", help="folder of test sets in BEIR's format")
    parser.add_argument("--sets", nargs="+", default=list(SETS), metavar="NAME")
    parser.add_argument("--limit", type=int, default=500, help="questions of a set")
    options = parser.parse_args()
    for (lang, half), shares in agreement().items():
        print(f"{lang} {half}: {shares['questions']} questions, intent {shares['intent']:.1%}, type {shares['type']:.1%}")
    for name in options.sets if options.data_sets else ():
        log_progress(f"— {name}")
        for row in asyncio.run(measure(load_golden(Path(options.data_sets).expanduser() / name), options.limit)):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
