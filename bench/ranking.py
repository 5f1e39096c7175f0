"""What the optional parts of the ranking gain and cost.

    python -m bench.ranking --data-sets FOLDER [--limit 1000] [--sets squad2 cranfield] [--options mmr] [--copies | --clutter | --judges]

nDCG@10 of ten passages with one option more than the default, its difference from the default on the same questions with the 95 %
interval, how many questions have other hits, and the processor time of a question with its vector given. `--copies`: every third
document is there twice; the first of the two counts as judged, the second as irrelevant. `--clutter`: every ten documents have a table
of contents, a glossary and image credits made of their sentences. `--judges`: what the step `judge_passages` gains with a perfect
model, and costs with one that draws, or calls everything irrelevant; and the same for a reranker of 30 passages.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from bench.data_sets import chosen_sets, make_parser
from footnote.bootstrap import Core
from footnote.learn.golden import GoldenQuery, GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg
from footnote.ports import Delta, LanguageModel
from footnote.prompts import Prompts
from footnote.rank.judge_passages import judge_passages
from footnote.rank.rerank import rerank
from footnote.settings import Settings
from footnote.types import OPTIONS as PLAN_OPTIONS
from footnote.types import Choice, Message, ModelSource, OptionName, Request, Turn
from footnote_local.evaluate import CALLER, PROFILE, TOP, build_index

SETS = ("squad2", "xquad_en", "xquad_de", "korquad", "cranfield", "mtrag_un")
COPY = "copy-"
OPTIONS: Final[tuple[OptionName, ...]] = ("drop_duplicates", "mmr")
RERANKED = PLAN_OPTIONS["rerank"].pool_size
JUDGES = ("perfect", "random", "none relevant")


def with_copies(golden: GoldenSet) -> GoldenSet:
    """The set with every third document twice."""
    copies = tuple(replace(each, doc_id=COPY + each.doc_id) for each in golden.documents[::3])
    return replace(golden, name=f"{golden.name}, copies", documents=(*golden.documents, *copies), digest=f"copies{golden.digest}")


def with_clutter(golden: GoldenSet) -> GoldenSet:
    """The set with a table of contents, a glossary and image credits for every ten documents."""
    made = []
    for at in range(0, len(golden.documents), 10):
        said = [" ".join(each.text.split())[:90] for each in golden.documents[at : at + 10]]
        pages = {
            "Contents": [f"{line} ........ {number}" for number, line in enumerate(said, start=1)],
            "Glossary": [f"{line.partition(' ')[0]}: {line}" for line in said],
            "Image credits": [f"Photo: {line} © archive" for line in said],
        }
        made += [
            replace(golden.documents[at], doc_id=f"{title}-{at}", title=title, text="\n".join(lines)) for title, lines in pages.items()
        ]
    return replace(golden, name=f"{golden.name}, clutter", documents=(*golden.documents, *made), digest=f"clutter{golden.digest}")


async def run(core: Core, turns: Sequence[Turn], option: OptionName | None) -> tuple[list[list[str]], float]:
    """(documents of the hits of each turn, processor time of a turn in ms)."""
    found = []
    started = time.process_time()
    for turn in turns:
        if option is not None:
            turn = replace(turn, plan=replace(turn.plan, choices={**turn.plan.choices, option: Choice(True, "bench")}))
        done = await core.retrieve.finish(turn)
        found.append(first_of_copies(dict.fromkeys(hit.chunk.doc_id for hit in done.evidence.hits)))
    return found, (time.process_time() - started) * 1000 / len(turns)


def first_of_copies(doc_ids: Iterable[str]) -> list[str]:
    """Ids as judged: the first of a document and its copy has the document's id, the second another."""
    named: list[str] = []
    for doc_id in doc_ids:
        original = doc_id.removeprefix(COPY)
        named.append(COPY + original if original in named else original)
    return named


class Judge:
    """`ports.Models` and `ports.LanguageModel` that judges the passages of one question as it is told."""

    name = "judge"
    address = None
    source = ModelSource("configured")
    relevant: Sequence[bool] = ()

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        numbers = {said: [at for at, each in enumerate(self.relevant, start=1) if each is said] for said in (True, False)}
        yield Delta(json.dumps({"relevant": numbers[True], "partly": [], "irrelevant": numbers[False]}))


async def judge(core: Core, turns: Sequence[Turn], queries: Sequence[GoldenQuery], kind: str) -> tuple[list[list[str]], float]:
    """(documents of the hits of each turn after this judge, 0 ms). random: half of the passages are relevant."""
    found, model, draw = [], Judge(), Random(7)
    for turn, query in zip(turns, queries, strict=True):
        done = await core.retrieve.finish(turn)
        right = [query.relevance.get(hit.chunk.doc_id, 0) > 0 for hit in done.evidence.hits]
        model.relevant = [kind == "perfect" and each if kind != "random" else draw.random() < 0.5 for each in right]
        done = await judge_passages(done, models=model, prompts=Prompts())
        found.append(first_of_copies(dict.fromkeys(hit.chunk.doc_id for hit in done.evidence.hits)))
    return found, 0.0


class ScriptedReranker:
    """`ports.Reranker` that scores the passages of one question as it is told."""

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = scores

    async def rerank(self, query: str, texts: Sequence[str]) -> Mapping[int, float]:
        return dict(enumerate(self._scores))

    async def close(self) -> None:
        pass


async def reorder(core: Core, turns: Sequence[Turn], queries: Sequence[GoldenQuery], kind: str) -> tuple[list[list[str]], float]:
    """(documents of the hits of each turn after this reranker, 0 ms)."""
    found, draw = [], Random(7)
    for turn, query in zip(turns, queries, strict=True):
        done = await core.retrieve.finish(replace(turn, request=replace(turn.request, limit=RERANKED)))
        pool = done.evidence.hits
        scored = [draw.random() if kind == "random" else query.relevance.get(hit.chunk.doc_id, 0) for hit in pool]
        done = await rerank(replace(done, evidence=replace(done.evidence, pool=pool)), reranker=ScriptedReranker(scored))
        found.append(first_of_copies(dict.fromkeys(hit.chunk.doc_id for hit in done.evidence.pool)))
    return found, 0.0


async def measure(golden: GoldenSet, options: Sequence[OptionName], judges: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
    """A row for the default, then one for each option and judge. `kept`: the share of questions with a judged passage that still
    have one."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    try:
        turns = [core.new_turn(Request(query.text, "default", limit=TOP), CALLER, PROFILE, trace_id="") for query in golden.queries]
        if core.embedder is not None:
            vectors = await core.embedder.embed([query.text for query in golden.queries], query=True)
            turns = [turn.with_vectors((vector,), core.embedder.name) for turn, vector in zip(turns, vectors, strict=True)]
        usual, ms = await run(core, turns, None)
        base = scores(golden.queries, usual)
        yield {"set": golden.name, "option": "default", "ndcg@10": sum(base) / len(base), "ms": ms}
        makers: dict[str, Callable[[], Awaitable[tuple[list[list[str]], float]]]] = {
            each: partial(run, core, turns, each) for each in options
        }
        makers |= {f"judge, {each}": partial(judge, core, turns, golden.queries, each) for each in judges}
        makers |= {f"reranker, {each}": partial(reorder, core, turns, golden.queries, each) for each in judges[:2]}
        for name, make in makers.items():
            found, ms = await make()
            made = scores(golden.queries, found)
            difference, low, high = mean_interval([mine - its for mine, its in zip(made, base, strict=True)])
            changed = sum(mine != its for mine, its in zip(found, usual, strict=True)) / len(found)
            kept = sum(map(bool, made)) / max(1, sum(map(bool, base)))
            row = {"set": golden.name, "option": name, "ndcg@10": sum(made) / len(made), "ms": ms}
            yield row | {"difference": difference, "interval": (low, high), "changed": changed, "kept": kept}
    finally:
        await core.close()


def scores(queries: Sequence[GoldenQuery], found: Sequence[Sequence[str]]) -> list[float]:
    """nDCG@10 of each question."""
    return [ndcg(ranked, query.relevance) for query, ranked in zip(queries, found, strict=True)]


def shown(each: Mapping[str, Any]) -> str:
    """A row as text."""
    begin = f"{each['set']:18} {each['option']:20} {each['ndcg@10']:.4f}  {each['ms']:5.2f} ms"
    if "interval" not in each:
        return begin
    low, high = each["interval"]
    return f"{begin}  {each['difference']:+.4f} ({low:+.4f} – {high:+.4f})  other hits: {each['changed']:.1%}  kept: {each['kept']:.1%}"


async def _main() -> None:
    parser = make_parser("ranking", "Measures what the optional parts of the ranking gain.", SETS)
    parser.add_argument("--options", nargs="+", default=OPTIONS, metavar="NAME")
    parser.add_argument("--limit", type=int, default=1000, help="questions of each set")
    parser.add_argument("--copies", action="store_true", help="add a copy of every third document")
    parser.add_argument("--judges", action="store_true", help="measure judges of the passages and rerankers instead of options")
    parser.add_argument("--clutter", action="store_true", help="add tables of contents, glossaries and image credits")
    given = parser.parse_args()
    for folder in chosen_sets(parser, given):
        golden = load_golden(folder, limit=given.limit)
        options, judges = ((), JUDGES) if given.judges else (given.options, ())
        golden = with_copies(golden) if given.copies else with_clutter(golden) if given.clutter else golden
        async for each in measure(golden, options, judges):
            print(shown(each), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
