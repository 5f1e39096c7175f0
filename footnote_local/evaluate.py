"""`footnote eval`: measures retrieval and extractive answers on a set of judged questions.

The documents are indexed by the regular ingest code, once per content. Every question runs through the regular pipeline
without being saved.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from footnote.adapters.opensearch.reindex import delete_indexes
from footnote.answer.extract import closest_of, quotes_of, read_parts
from footnote.answer.sub_questions import decisive
from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.errors import ModelUnavailable
from footnote.ingest.prepare import cut
from footnote.ingest.vectors import RECIPE, embedding_progress, pending_chunks
from footnote.learn.golden import GoldenQuery, GoldenSet
from footnote.learn.ranking_metrics import mean_interval, ndcg, percentile, recall, reciprocal_rank
from footnote.pipeline import LANGUAGE, REWRITE
from footnote.ports import ChunkVectors, Embedder
from footnote.settings import OpenSearch, Settings
from footnote.steps import Runner
from footnote.text.language import detect_language
from footnote.text.sentences import split_sentences
from footnote.types import Block, Caller, Conversation, Document, Parsed, Profile, Request, Retriever, Tier, Turn, make_chunk_id

CALLER = Caller("eval", sees_all=True)
PROFILE = Profile("eval", live=False, citation_style="numbered", prompt="answer_numbered")
DEPTH = 30
"""Chunks retrieved per question; several of them may belong to one document."""
TIMED = 500
"""About how many questions are repeated to time retrieval without embedding."""
ROUNDS = 3
TOP = 10
"""Passages retrieved by a timed question, the depth of the metrics."""
AT_ONCE = 100
"""Chunks whose vectors are copied in one request."""
FORMAT = "14"
"""Part of the cached index's name; increased when chunking, tokenization or the stored form changes."""

UNDERSTANDING = (LANGUAGE, REWRITE)

Progress = Callable[[str, int, int], None]
Rewriting = Literal["none", "heuristic", "model"]
"""How a follow-up is rewritten: not at all, with terms of earlier questions, or by the language model."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The judgement of an extractive answer: its tier, and whether a gold answer is in the excerpts shown."""

    tier: Tier
    shown: bool


async def build_index(golden: GoldenSet, settings: Settings, folder: Path, progress: Progress) -> tuple[Core, float]:
    """A Core on an index of the set, and the seconds it took to build (0 if it was cached).

    An OpenSearch index is built every time, under its own prefix, and deleted by `drop_index`. Its vectors are copied from the
    embedded index of the same set."""
    data = folder / f"{golden.digest[:16]}-{settings.ingest.chunk_tokens}-{FORMAT}"
    engine = settings.opensearch
    core = Core(settings.model_copy(update={"footnote_data": data, "opensearch": OpenSearch()}))
    started = time.perf_counter()
    worked = await _fill(core, golden, progress)
    if core.embedder is not None:
        while await core.ingestor.embed_some(32):
            worked = True
            progress("embedding", *await embedding_progress(core.vectors, core.embedder))
    if engine.url is None:
        return core, time.perf_counter() - started if worked else 0.0
    prefix = f"{engine.prefix}-eval-{golden.digest[:16]}"
    other = Core(core.settings.model_copy(update={"opensearch": engine.model_copy(update={"prefix": prefix})}))
    started = time.perf_counter()
    await drop_index(other)
    await _fill(other, golden, progress)
    if core.embedder is not None:
        await copy_vectors(core, other, core.embedder, progress)
    await core.close()
    return other, time.perf_counter() - started


async def drop_index(core: Core) -> None:
    """Deletes the set's index in OpenSearch. An embedded index stays cached."""
    if core.settings.opensearch.url is not None:
        await delete_indexes(core.settings.opensearch)


async def _fill(core: Core, golden: GoldenSet, progress: Progress) -> bool:
    """Indexes missing documents; False if there were none."""
    worked = False
    for number, source in enumerate(golden.documents, start=1):
        staged = await core.index.read(CALLER, [make_chunk_id(source.doc_id, 1, 0)])  # staged but not activated: interrupted
        if not staged and (source.text or source.title):
            lang = detect_language(source.text)
            document = Document(
                source.doc_id, source.title, "default", source.doc_id, "READY", "", 0, frozenset({"*"}), generation=1, lang=lang
            )
            block = Block("paragraph", source.text or source.title)
            chunks = cut(document, Parsed((block,), source.title), lang, core.settings.ingest.chunk_tokens)
            await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks])
            await core.generations.activate(source.doc_id, 1)
            worked = True
        progress("indexing", number, len(golden.documents))
    return worked


async def copy_vectors(source: Core, target: Core, embedder: Embedder, progress: Progress) -> None:
    """Copies the vectors that `target` lacks from the same chunks in `source`."""
    while waiting := await pending_chunks(target.vectors, embedder, AT_ONCE):
        sentences = await source.index.sentences(CALLER, [item.chunk_id for item in waiting], embedder.name)
        vectors = [
            ChunkVectors(chunk_id, item.passage, item.vectors, RECIPE) for chunk_id, item in sentences.items() if item.passage is not None
        ]
        if not vectors:  # the source has none either
            break
        await target.vectors.put_vectors(embedder.name, vectors)
        progress("copying vectors", *await embedding_progress(target.vectors, embedder))


async def run_query(core: Core, query: GoldenQuery, retriever: Retriever, rewriting: Rewriting = "none") -> tuple[Turn, float]:
    """Runs retrieval: (the turn with its hits, milliseconds)."""
    turn = core.new_turn(Request(query.text, "default", retriever=retriever, limit=DEPTH), CALLER, PROFILE, trace_id="eval")
    started = time.perf_counter()
    if query.history and rewriting != "none":
        model = await core.models.pick(None) if rewriting == "model" else None
        turn = replace(turn, conversation=Conversation(query.history), plan=replace(turn.plan, model=model.name if model else None))
        turn = await Runner(UNDERSTANDING, Deps, core.turn_deps).finish(turn)
    turn = await core.retrieve.finish(turn)
    return turn, (time.perf_counter() - started) * 1000


async def time_retrieval(core: Core, turns: Sequence[Turn]) -> list[float]:
    """Milliseconds per turn when retrieval is repeated with a given vector, that is, without embedding.
    Returns the round with the middle median of ROUNDS, because another process may have slowed one of them."""
    rounds = [await _time_round(core, turns) for _ in range(ROUNDS)]
    return sorted(rounds, key=lambda times: percentile(times, 0.5))[ROUNDS // 2]


async def _time_round(core: Core, turns: Sequence[Turn]) -> list[float]:
    times = []
    for turn in turns:
        started = time.perf_counter()
        await core.retrieve.finish(turn)
        times.append((time.perf_counter() - started) * 1000)
    return times


async def answer_query(core: Core, turn: Turn, query: GoldenQuery) -> Answered:
    """Judges the extractive answer from the turn's hits."""
    parts = await read_parts(turn, index=core.index)
    tier = decisive([part.verdict for part in parts]).tier
    quotes = quotes_of(parts) if tier == "answer" else closest_of(parts)
    shown = holds_answer(" \n ".join(quote.text for quote in quotes), query.answers, turn.lang)
    return Answered(tier, shown)


def holds_answer(text: str, answers: tuple[str, ...], lang: str) -> bool:
    """Whether the text contains a gold answer as whole words, ignoring case and punctuation, and in Korean also spaces."""

    def words(value: str) -> str:
        return " ".join(re.findall(r"\w+", value.lower()))

    if lang == "ko":
        return any(words(answer).replace(" ", "") in words(text).replace(" ", "") for answer in answers if words(answer))
    return any(f" {words(answer)} " in f" {words(text)} " for answer in answers if words(answer))


async def evaluate(
    core: Core,
    golden: GoldenSet,
    *,
    retriever: Retriever,
    answers: bool,
    foreign: GoldenSet | None,
    progress: Progress,
    rewriting: Rewriting = "heuristic",
) -> dict[str, object]:
    """The metrics of one set: retrieval always, extractive answers and refusals on request, and for a set with conversations
    the gain from rewriting. ModelUnavailable if `rewriting` is "model" and there is none."""
    if rewriting == "model" and await core.models.pick(None) is None:
        raise ModelUnavailable("--rewrite model needs a language model. Set LLM__BASE_URL and LLM__MODEL, or OPENAI_API_KEY.")
    gains: list[float] = []
    rewritten = 0
    scores: dict[str, list[float]] = {"ndcg@10": [], "recall@10": [], "mrr@10": []}
    times: list[float] = []
    timed: list[Turn] = []
    answered: list[Answered] = []
    for number, query in enumerate(golden.queries, start=1):
        turn, ms = await run_query(core, query, retriever, rewriting)
        times.append(ms)
        if number % max(1, len(golden.queries) // TIMED) == 0:
            timed.append(turn.again(limit=TOP))
        ranked = _ranked(turn)
        for name, metric in (("ndcg@10", ndcg), ("recall@10", recall), ("mrr@10", reciprocal_rank)):
            scores[name].append(metric(ranked, query.relevance))
        if query.history and rewriting != "none":
            rewritten += bool(turn.rewritten)
            original = _ranked((await run_query(core, query, retriever))[0]) if turn.rewritten else ranked
            gains.append(ndcg(ranked, query.relevance) - ndcg(original, query.relevance))
        if answers and query.answers:
            answered.append(await answer_query(core, turn, query))
        progress("asking", number, len(golden.queries))
    report: dict[str, object] = {
        "set": golden.name,
        "documents": len(golden.documents),
        "queries": len(golden.queries),
        "retriever": retriever,
    }
    for name, values in scores.items():
        mean, low, high = mean_interval(values)
        report[name] = round(mean, 4)
        report[f"{name}_interval"] = [round(low, 4), round(high, 4)]
    if gains:
        mean, low, high = mean_interval(gains)
        report |= {"rewrite": rewriting, "follow_ups": len(gains), "rewritten": rewritten}
        report |= {"ndcg@10_gain": round(mean, 4), "ndcg@10_gain_interval": [round(low, 4), round(high, 4)]}
    bare = await time_retrieval(core, timed)
    report |= {"p50_ms": round(percentile(times, 0.5), 2), "p95_ms": round(percentile(times, 0.95), 2)}
    report |= {"p50_ms_without_embedding": round(percentile(bare, 0.5), 2), "p95_ms_without_embedding": round(percentile(bare, 0.95), 2)}
    if answered:
        report["answers_judged"] = len(answered)
        report["wrong_refusals"] = _share(item.tier == "nothing" for item in answered)
        report["first_tier"] = _share(item.tier == "answer" for item in answered)
        report["answered_right"] = _share(item.shown and item.tier == "answer" for item in answered)
        report["answer_shown"] = _share(item.shown for item in answered)
    if answers and golden.unanswerable:
        tiers = await _tiers(core, golden.unanswerable, retriever, progress)
        report |= {"unanswerable": len(tiers), "unanswerable_refused": _share(tier == "nothing" for tier in tiers)}
        report |= {"unanswerable_first_tier": _share(tier == "answer" for tier in tiers)}
    if foreign is not None:
        tiers = await _tiers(core, foreign.queries, retriever, progress)
        report |= {"foreign_set": foreign.name, "foreign_queries": len(tiers), "foreign_refused": _share(t == "nothing" for t in tiers)}
    return report


async def _tiers(core: Core, queries: Sequence[GoldenQuery], retriever: Retriever, progress: Progress) -> list[Tier]:
    """The tiers of unanswerable questions."""
    tiers = []
    for number, query in enumerate(queries, start=1):
        turn, _ = await run_query(core, query, retriever)
        tiers.append((await answer_query(core, turn, replace(query, answers=()))).tier)
        progress("asking unanswerable questions", number, len(queries))
    return tiers


def _ranked(turn: Turn) -> list[str]:
    """Document ids, best first."""
    return list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits))


def _share(values: Iterable[bool]) -> float:
    kept = list(values)
    return round(sum(kept) / len(kept), 4) if kept else 0.0
