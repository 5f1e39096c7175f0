"""Builds what collections have switched on beside words and vectors: a graph, a summary tree, token vectors.

It is built in the background, passage by passage, once passages have their vectors, and goes on where it stopped. What is built answers at
once; a passage that lacks it is found as without it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from footnote.collections import Collections
from footnote.collections.embedders import Embedders
from footnote.errors import UnusableReply
from footnote.ingest.describe_by_model import DocumentModel
from footnote.ingest.knowledge_by_model import graphs_by_model, summary_by_model
from footnote.knowledge.entities import PassageGraph, read_document
from footnote.knowledge.entities import pack as pack_graph
from footnote.knowledge.late_interaction import pack_tokens
from footnote.knowledge.recipes import EMBEDDED, scopes_of
from footnote.knowledge.tree import Leaf, Summary, group_passages, group_summaries
from footnote.knowledge.tree import pack as pack_summaries
from footnote.knowledge.tree import unpack as unpack_summaries
from footnote.ports import Built, Embedder, Index, Knowledge, LayerScope, TokenEmbedder, speaks
from footnote.text.embedded_texts import passage_of
from footnote.text.sentences import split_chunk
from footnote.text.tokens import count_tokens
from footnote.types import KNOWLEDGE, SYSTEM, Chunk, ChunkSentences, Collection, KnowledgeKind, Maker

AT_ONCE: dict[KnowledgeKind, int] = {"graph": 100, "late_interaction": 16, "summary_tree": 2000}
"""Passages that are built together. A tree is better the more passages are grouped at once."""
BY_MODEL: dict[KnowledgeKind, int] = {"graph": 8, "late_interaction": 16, "summary_tree": 64}
"""Passages of a step that may ask a model."""
SAMPLE: dict[KnowledgeKind, int] = {"graph": 30, "late_interaction": 4, "summary_tree": 300}
"""Passages that an estimate is made from."""
PROMPT = 350
"""Tokens of a prompt without its passages."""
REPLY: dict[KnowledgeKind, int] = {"graph": 800, "summary_tree": 100}
"""Tokens of a model's reply for BY_MODEL["graph"] passages, which are about a group of a tree."""
WRITTEN = 500
"""Passages that are written at once."""
GROUPS_AT_ONCE = 4
"""Groups that a model summarises in a step: what it wrote before a question cancels a step is lost."""
DECAYED, LOOK_S = 0.15, 600.0
"""A tree is grouped again as a whole once this share of the passages is outside it though they came later, or below summaries of which a
passage is gone; seconds between two looks."""
LATER, MOST_LATER = "later", 10_000
"""The key of passages that came after the tree was grouped as a whole, and how many of them are enough to group it again."""
NO_MODEL = "No language model is configured."
PAUSE_S = 30.0
"""Without a reply of the model, until it is asked again."""


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """How far a kind of knowledge is built. `made_by`: None = it is off. `built`, `total`: passages. `obstacle`: why it cannot be built
    here."""

    kind: KnowledgeKind
    made_by: Maker | None
    built: int
    total: int
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class KnowledgeEstimate:
    """What building a kind will take. `passages`: left to build; `tokens`: prompt and completion of a model; `seconds`: None = unknown."""

    passages: int
    tokens: tuple[int, int] = (0, 0)
    seconds: float | None = None


@dataclass
class KnowledgeBuilder:
    """Builds, counts and drops the knowledge of collections, by their stored names."""

    knowledge: Knowledge
    index: Index
    collections: Collections
    embedders: Callable[[], Embedders]
    model: DocumentModel
    _done: dict[LayerScope, int] = field(default_factory=dict)
    """The version of the collection when nothing was left to build: an idle worker asks five times a second."""
    _gone: dict[str, frozenset[KnowledgeKind]] = field(default_factory=dict)
    """Collection → the kinds of which it holds nothing."""
    _seconds_each: dict[tuple[KnowledgeKind, str], float] = field(default_factory=dict)
    """Kind and recipe → the seconds that a passage took when it was estimated."""
    _looked: dict[LayerScope, tuple[float, int]] = field(default_factory=dict)
    """Tree → when it was looked at last whether it has decayed, and the version of its collection then."""
    _paused_until: float = float("-inf")
    _graphs_at_once: int = BY_MODEL["graph"]
    """Passages that a model is shown at once: one after a reply that could not be used, then again more from reply to reply."""

    async def build_some(self, only: Maker | None = None, stored: str | None = None) -> int:
        """Builds a part of what is left → number of passages; 0 = nothing is left, or can be built now. `only`: what this makes; `stored`:
        of this collection."""
        for each in await self._wanted():
            if stored not in (None, each.stored):
                continue
            embedder = self.embedders().of(each.settings.embedder)
            for kind, maker in each.settings.knowledge.items():
                by = "model" if asks_model(kind, maker) else "rules"
                if only in (None, by) and (made := await self._build(each.stored, kind, maker, embedder)):
                    return made
        return 0

    async def states(self, stored: str, wanted: Maker | None = None) -> list[KnowledgeState]:
        """The state of each kind in a collection. The obstacles are those to what builds it now, or to `wanted`."""
        settings = await self.collections.get(stored)
        embedder = self.embedders().of(settings.embedder)
        found = []
        for kind in KNOWLEDGE:
            maker = settings.knowledge.get(kind)
            scope = scopes_of(stored, kind, maker or "rules", embedder)[0]
            built, total = await self.knowledge.layer_progress(scope)
            obstacle = obstacle_to(kind, embedder)
            if asks_model(kind, wanted or maker or "rules") and not self.model.is_configured():
                obstacle = obstacle or NO_MODEL
            found.append(KnowledgeState(kind, maker, built if maker else 0, total, obstacle))
        return found

    async def estimate(self, stored: str, kind: KnowledgeKind, maker: Maker) -> KnowledgeEstimate:
        """What building the kind will take, from a sample of what is left, which is built once and not stored. A model is not asked: its
        time is that of its last calls for documents, its tokens are counted in the passages."""
        embedder = self.embedders().of((await self.collections.get(stored)).embedder)
        scope = scopes_of(stored, kind, maker, embedder)[0]
        built, total = await self.knowledge.layer_progress(scope)
        left = total - built
        if not left or obstacle_to(kind, embedder):
            return KnowledgeEstimate(left)
        known = self._seconds_each.get((kind, scope.recipe))
        if known is not None:
            return KnowledgeEstimate(left, seconds=known * left)
        sample = await self.knowledge.unbuilt(scope, SAMPLE[kind])
        if asks_model(kind, maker):
            each, calls = sum(count_tokens(chunk.text) for chunk in sample) / len(sample), left / BY_MODEL["graph"]
            seconds = await self.model.day.seconds_per_call()
            tokens = round(left * each + calls * PROMPT), round(calls * REPLY[kind])
            return KnowledgeEstimate(left, tokens, None if seconds is None else calls * seconds)
        await self._make(kind, maker, sample[:1], embedder)  # which may load a model
        started = time.perf_counter()
        await self._make(kind, maker, sample, embedder)
        known = self._seconds_each[kind, scope.recipe] = (time.perf_counter() - started) / len(sample)
        return KnowledgeEstimate(left, seconds=known * left)

    async def tidy(self) -> None:
        """Removes what was built of kinds that collections have switched off."""
        directory = await self.collections.directory()
        for stored, each in directory.collections.items():
            off = frozenset(kind for kind in KNOWLEDGE if kind not in each.settings.knowledge)
            if stored not in directory.deleted and off - self._gone.get(stored, frozenset()):
                await self.drop(stored, sorted(off))
            self._gone[stored] = off

    async def drop(self, stored: str, kinds: Sequence[KnowledgeKind]) -> None:
        """Removes what was built of these kinds."""
        for kind in kinds:
            for scope in scopes_of(stored, kind, "rules", None):
                await self.knowledge.drop_built(stored, scope.layer)

    async def _wanted(self) -> list[Collection]:
        directory = await self.collections.directory()
        return [each for each in directory.collections.values() if each.stored not in directory.deleted and each.settings.knowledge]

    async def _build(self, stored: str, kind: KnowledgeKind, maker: Maker, embedder: Embedder | None) -> int:
        if obstacle_to(kind, embedder):
            return 0
        scope, *above = scopes_of(stored, kind, maker, embedder)
        version = (await self.index.view(SYSTEM, stored)).version
        by_model = asks_model(kind, maker)
        is_done = self._done.get(scope) == version and not (above and self._may_have_decayed(scope, version))
        if is_done or (by_model and time.monotonic() < self._paused_until):
            return 0
        at_once = self._graphs_at_once if by_model and kind == "graph" else (BY_MODEL if by_model else AT_ONCE)[kind]
        chunks = await self.knowledge.unbuilt(scope, at_once)
        built = await self._make(kind, maker, chunks, embedder)
        for some in _batches(built):
            await self.knowledge.put_built(scope, some)
        if not built and above and not chunks and (made := await self._themes(scope, above[0], version)):
            return made
        if not built and not (by_model and chunks):
            self._done[scope] = version
        return len(built)

    async def _make(self, kind: KnowledgeKind, maker: Maker, chunks: Sequence[Chunk], embedder: Embedder | None) -> list[Built]:
        match kind:
            case "graph":
                return await self._graphs(chunks, maker)
            case "late_interaction":
                return await _tokens(chunks, embedder) if isinstance(embedder, TokenEmbedder) else []
            case "summary_tree":
                return await self._tree(chunks, maker, embedder) if embedder else []

    async def _graphs(self, chunks: Sequence[Chunk], maker: Maker) -> list[Built]:
        by_rules = maker == "rules"
        graphs = await asyncio.to_thread(_graphs_by_rules, chunks) if by_rules else await self._graphs_by_model(chunks)
        return [Built(chunk_id, pack_graph(graph), graph.keys) for chunk_id, graph in graphs.items()]

    async def _graphs_by_model(self, chunks: Sequence[Chunk]) -> dict[str, PassageGraph]:
        """Chunk id → its graph; {} if the model does not reply. A passage for which it has no usable reply is read by rules."""
        try:
            graphs = await graphs_by_model(self.model, chunks)
        except UnusableReply:
            self._graphs_at_once = 1
            if len(chunks) > 1:
                return await self._graphs_by_model(chunks[:1])
            return await asyncio.to_thread(_graphs_by_rules, chunks)
        if chunks and not graphs:
            self._paused_until = time.monotonic() + PAUSE_S
        self._graphs_at_once = min(2 * self._graphs_at_once, BY_MODEL["graph"])
        return graphs

    async def _tree(self, chunks: Sequence[Chunk], maker: Maker, embedder: Embedder) -> list[Built]:
        """The summaries of the passages that have vectors by now, at the passages of their central sentences. A model writes other texts
        for them; while it does not reply, the passages of a summary wait. Passages that never get vectors, because the embedder does not
        know their language, are done."""
        ids = [chunk.chunk_id for chunk in chunks]
        sentences: dict[str, ChunkSentences] = {}
        for at in range(0, len(ids), WRITTEN):
            sentences |= await self.index.sentences(SYSTEM, ids[at : at + WRITTEN], embedder.name)
        leaves, done = [], [chunk.chunk_id for chunk in chunks if not speaks(embedder, chunk.lang)]
        for chunk in chunks:
            found = sentences.get(chunk.chunk_id)
            if found is not None and found.passage is not None and found.vectors is not None:
                texts = tuple(chunk.text[start:end] for start, end in found.bounds)
                leaves.append(Leaf(chunk.chunk_id, chunk.doc_id, chunk.permission_groups, found.passage, texts, found.vectors))
        summaries = await asyncio.to_thread(group_passages, leaves)
        waiting: set[str] = set()
        if maker == "model" and summaries:
            grouped = {chunk_id for each in summaries for chunk_id in each.chunk_ids}
            summaries = await self._written(summaries[:GROUPS_AT_ONCE], chunks, embedder)
            waiting = grouped.difference(chunk_id for each in summaries for chunk_id in each.chunk_ids)
        done += (leaf.chunk_id for leaf in leaves if leaf.chunk_id not in waiting)
        return _at_home(done, summaries)

    async def _written(self, summaries: Sequence[Summary], chunks: Sequence[Chunk], embedder: Embedder) -> list[Summary]:
        """The summaries with a model's texts, or as they are where its reply could not be used; without those that it gave none for."""
        by_id = {chunk.chunk_id: chunk for chunk in chunks}
        written: list[tuple[Summary, str]] = []
        for each in summaries:
            try:
                text = await summary_by_model(self.model, [by_id[chunk_id] for chunk_id in each.chunk_ids])
            except UnusableReply:
                text = each.text
            if text is not None:
                written.append((each, text))
        if len(written) < len(summaries):
            self._paused_until = time.monotonic() + PAUSE_S
        vectors = await embedder.embed([text for _, text in written]) if written else ()
        return [replace(each, text=text, vector=row) for (each, text), row in zip(written, vectors, strict=True)]

    def _may_have_decayed(self, tree: LayerScope, version: int) -> bool:
        """Whether it is time to look at a tree whose collection has changed."""
        at, seen = self._looked.get(tree, (float("-inf"), None))
        return seen != version and time.monotonic() >= at + LOOK_S

    async def _themes(self, tree: LayerScope, themes: LayerScope, version: int) -> int:
        """Summaries above all of the tree's, made when it is first there, and again at a look. A passage that came in between has none."""
        built, total = await self.knowledge.layer_progress(themes)
        if built == total:  # a look reads the whole tree: not at each start
            self._looked.setdefault(tree, (time.monotonic(), version))
        if not built and total and await self._look(tree, themes, total, version):
            return total
        made = 0
        while waiting := await self.knowledge.unbuilt(themes, WRITTEN):
            await self.knowledge.put_built(themes, [Built(chunk.chunk_id, b"", (LATER,) if built else ()) for chunk in waiting])
            made += len(waiting)
        if built and self._may_have_decayed(tree, version) and await self._look(tree, themes, total, version):
            return total
        return made

    async def _look(self, tree: LayerScope, themes: LayerScope, total: int, version: int) -> bool:
        """Drops a tree that has decayed, so that it is grouped again as a whole → True. Brings the summaries above others up to date."""
        self._looked[tree] = (time.monotonic(), version)
        whole, groups = await self._whole(tree)
        later = frozenset((await self.knowledge.keyed(SYSTEM, themes, [LATER], MOST_LATER)).get(LATER, ()))
        lost = (groups.keys() | later).difference(chunk_id for each in whole for chunk_id in each.chunk_ids)
        if len(lost) >= min(DECAYED * total, MOST_LATER):
            for scope in (tree, themes):
                await self.knowledge.drop_built(scope.collection, scope.layer)
            return True
        there = await self.knowledge.built_in(SYSTEM, themes)
        above = _at_home(list(there), await asyncio.to_thread(group_summaries, whole, groups))
        changed = [item for item in above if item.data != there.get(item.chunk_id, b"")]
        for some in _batches([replace(item, keys=(LATER,) if item.chunk_id in later else ()) for item in changed]):
            await self.knowledge.put_built(themes, some)
        return False

    async def _whole(self, tree: LayerScope) -> tuple[list[Summary], dict[str, frozenset[str]]]:
        """The summaries of which all passages are there, and the groups that may read these."""
        summaries = [each for data in (await self.knowledge.built_in(SYSTEM, tree)).values() for each in unpack_summaries(data)]
        below = list(dict.fromkeys(chunk_id for each in summaries for chunk_id in each.chunk_ids))
        groups: dict[str, frozenset[str]] = {}
        for at in range(0, len(below), WRITTEN):
            groups |= {chunk.chunk_id: chunk.permission_groups for chunk in await self.index.read(SYSTEM, below[at : at + WRITTEN])}
        return [each for each in summaries if groups.keys() >= set(each.chunk_ids)], groups


def asks_model(kind: KnowledgeKind, maker: Maker) -> bool:
    """Whether building the kind asks a language model."""
    return maker == "model" and kind != "late_interaction"


def obstacle_to(kind: KnowledgeKind, embedder: Embedder | None) -> str:
    """Why a collection with this embedder cannot build the kind; "" = it can."""
    if kind in EMBEDDED and embedder is None:
        return "It is made of vectors, and this collection has none."
    if kind == "late_interaction" and not isinstance(embedder, TokenEmbedder):
        return "Only the built-in embedding model gives a vector for each token."
    return ""


def _graphs_by_rules(chunks: Sequence[Chunk]) -> dict[str, PassageGraph]:
    documents = (list(some) for _, some in groupby(chunks, lambda chunk: chunk.doc_id))
    return {chunk.chunk_id: graph for some in documents for chunk, graph in zip(some, read_document(some), strict=True)}


async def _tokens(chunks: Sequence[Chunk], embedder: TokenEmbedder) -> list[Built]:
    texts = [passage_of(chunk.title, chunk.headings, chunk.text, split_chunk(chunk)).text for chunk in chunks]
    made = await embedder.embed_tokens(texts) if texts else []
    return [Built(chunk.chunk_id, pack_tokens(matrix)) for chunk, matrix in zip(chunks, made, strict=True)]


def _at_home(chunk_ids: Sequence[str], summaries: Sequence[Summary]) -> list[Built]:
    """The summaries at their passages, and nothing at the others."""
    at: dict[str, list[Summary]] = {chunk_id: [] for chunk_id in chunk_ids}
    for each in summaries:
        at.setdefault(each.home, []).append(each)
    return [Built(chunk_id, pack_summaries(some)) for chunk_id, some in at.items()]


def _batches(built: Sequence[Built]) -> Iterator[Sequence[Built]]:
    return (built[at : at + WRITTEN] for at in range(0, len(built), WRITTEN))
