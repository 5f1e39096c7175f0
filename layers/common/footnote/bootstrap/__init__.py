"""The composition root: builds the pipeline and its adapters from the settings.

Everything is created at first use, so an entry point never builds parts that it does not use. `shared()`
is the Core of the process.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.adapters.local.secret import load_secret
from footnote.bootstrap import health
from footnote.bootstrap.backends import Backends, Closable
from footnote.bootstrap.deps import Deps
from footnote.bootstrap.suggestions import Trials, list_collections
from footnote.checkpoints import TurnCheckpoint, take_checkpoint
from footnote.errors import StoreUnavailable
from footnote.events import Event
from footnote.guard.audit import audit
from footnote.learn.experiments import Experiments
from footnote.learn.follow_ups import Trial
from footnote.live_settings import LiveSettings
from footnote.memory.stored_turn import replay, stored_turn
from footnote.pipeline import ANSWER, CLASSIFY, LANGUAGE, LOOK_UP, RETRIEVE, SPEND, UNDERSTAND
from footnote.plan import make_plan
from footnote.ports import Clock, Embedder, Models, Parser, RankedLists, RequestKey
from footnote.refresher import Refresher
from footnote.retrieve.fuse import lists_counted
from footnote.settings import Settings
from footnote.settings.saved_model import SavedModel
from footnote.steps import Row, Runner, Step
from footnote.steps.explain import Explanation, explain, with_results
from footnote.text.pii import mask_pii
from footnote.tracing import new_trace_id
from footnote.types import Caller, Profile, Request, Turn, begin_turn
from footnote.types.copies import replace

if TYPE_CHECKING:  # what a process that only answers does without is imported where it is made
    from footnote.answer.voice_tool import VoiceTool
    from footnote.bootstrap.voice_search import RankedVoices
    from footnote.ingest.describe_by_model import DocumentModel
    from footnote.ingest.describing import Descriptions
    from footnote.ingest.drops import Bucket
    from footnote.ingest.ingestor import Ingestor
    from footnote.ingest.knowledge import KnowledgeBuilder
    from footnote.ingest.sources import Sources
    from footnote.ingest.wiki import WikiPages
    from footnote.voices.service import Voices
    from footnote.voices.voice import Voice


class Core(Backends):
    """The services that entry points use: turns, ingest, sources, and the ports themselves."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = time.time,
        models: Models | None = None,
        parser: Parser | None = None,
        saved_model: Path | None = None,
    ) -> None:
        """`saved_model`: as in LiveSettings."""
        super().__init__(clock, models, parser)
        self.live = LiveSettings(settings, saved_model)
        self._runners: list[Runner[Deps]] = []
        self._old_endpoints: list[Models] = []
        self.checks: dict[str, Callable[[], Awaitable[Any]]] = {}
        """Additional probes for `check`, by name; each raises a FootnoteError while its part is not ready."""
        self._settings_copy = Refresher(self._load_settings, clock)
        self._prompts_copy = Refresher(self._load_prompts, clock)
        self._experiments = Experiments(clock)
        self.is_shared = False
        """Whether other processes serve the same data folder: what they change applies here from the next request on."""
        self.is_asked_elsewhere: Callable[[], bool] = lambda: False
        """Whether one of them is asked now, as far as is known."""
        self._changes = -1

    @property
    def settings(self) -> Settings:
        """The current settings. Objects that were created from earlier ones do not change."""
        return self.live.current

    async def refresh(self, *, prompts: bool = True) -> None:
        """Called before each request: brings settings and prompts to a state that is at most seconds old."""
        before = self.settings
        self.live.read_saved_model()
        self._renew(before)
        if self.is_shared:
            await self._expire_changed()
        if prompts:
            self._prompts_copy.start()  # so that both refresh at the same time
        await self._settings_copy.refresh()
        if prompts:
            await self._prompts_copy.refresh()

    async def _expire_changed(self) -> None:
        """Expires the copies of records if any have been changed since the last call."""
        with suppress(StoreUnavailable):  # they expire by their age
            changes = await self.count_changes()
            if changes == self._changes:
                return
            self._changes = changes
            self._settings_copy.expire()
            self._prompts_copy.expire()
            if "collections" in vars(self):
                self.collections.expire()
            if "terms" in vars(self):
                self.terms.expire()

    async def load_changes(self) -> None:
        """Loads the current settings and prompts now."""
        await self._load_settings()
        await self._load_prompts()

    async def save_model(self, caller: Caller, saved: SavedModel | None) -> None:
        """Saves the language model's endpoint, which the next question uses; None removes it. The audit log has it first, without the key.
        Conflict where the endpoint is a part of the deployment."""
        self.live.check_model_file()
        facts = {"url": saved.base_url, "model": saved.model, "with_key": saved.api_key is not None} if saved else {}
        await audit(self.records, caller, "model.set" if saved else "model.remove", "model", now=self.clock(), **facts)
        before = self.settings
        self.live.save_model(saved)
        self._renew(before)

    @property
    def experiments(self) -> Experiments | None:
        """The running experiments; None = there are none, or the store is down."""
        return self._experiments if self._experiments.are_running else None

    async def _load_prompts(self) -> None:
        """Loads the prompts, and the experiments, whose arms may use other versions of them."""
        await self.prompts.load(self.records, self.cache)
        await self._experiments.load(self.records, self.collections, self.prompts)

    async def _load_settings(self) -> None:
        before = self.settings
        await self.live.load(self.records)
        self._renew(before)

    def _renew(self, before: Settings) -> None:
        """Drops what was created from settings that are different now; it is created again when it is next asked for."""
        if self.settings.conversation != before.conversation:
            with suppress(AttributeError):  # not created yet
                del self.turns
            with suppress(AttributeError):
                del self.feedback
            with suppress(AttributeError):
                del self.statistics
        if self.settings.model_endpoint != before.model_endpoint:
            with suppress(AttributeError):
                del self.models
            if "endpoints" in vars(self):
                self._old_endpoints += self.endpoints  # turns that are running still use them
                del self.endpoints

    @cached_property
    def answer(self) -> Runner[Deps]:
        """Answers a question."""
        return self._runner(ANSWER)

    @cached_property
    def retrieve(self) -> Runner[Deps]:
        """Searches the index without answering."""
        return self._runner(RETRIEVE)

    @cached_property
    def lookup(self) -> Runner[Deps]:
        """Searches for an agent, external systems included."""
        return self._runner(LOOK_UP)

    def _runner(self, rows: Sequence[Row]) -> Runner[Deps]:
        self._runners.append(runner := Runner(rows, Deps, self.turn_deps))
        return runner

    @property
    def is_asked(self) -> bool:
        """Whether a question is being answered or searched for now."""
        return any(runner.is_busy for runner in self._runners)

    def turn_deps(self, turn: Turn, checkpoint: TurnCheckpoint | None = None) -> Deps:
        """The dependencies of the steps of this turn."""
        return Deps(self, turn, checkpoint)

    async def run_once(self, turn: Turn, request: RequestKey | None) -> tuple[Turn, AsyncGenerator[Event, None]]:
        """The turn that answers the request, and its events. Without a key, this is the given turn. A request repeated with the same
        key keeps its trace id: an interrupted turn is resumed, a finished one is read from the store. BadRequest and StillRunning
        as in `Checkpoints.take`; NotFound if the stored turn has been deleted."""
        if request is None:
            return turn, self.answer.run(turn)
        checkpoint = await take_checkpoint(self.checkpoints, request, turn)
        kept = checkpoint.kept
        turn = replace(turn, trace_id=kept.trace_id, trace=replace(turn.trace, started_at=kept.started_at))
        if kept.finished:
            turn = await stored_turn(turn, turns=self.turns, index=self.index, ledger=self.ledger)
            return turn, replay(turn)
        return turn, self.answer.run(turn, self.turn_deps(turn, checkpoint))

    def new_turn(self, request: Request, caller: Caller, profile: Profile, *, trace_id: str | None = None) -> Turn:
        """A new turn before its first step. A request without a collection uses the configured one; external systems that are not
        connected are skipped. BadRequest for a model that clients may not choose. `trace_id`: None = a new one."""
        self.llm.check_model(request.model)
        request = replace(
            request,
            collection=request.collection or self.settings.index_name,
            tool_scope=request.tool_scope if self.mcp.mcp_enabled else "",
            ask_kdb=request.ask_kdb and self.kdb.url is not None,
        )
        plan = make_plan(request, profile, self.settings)
        return begin_turn(new_trace_id() if trace_id is None else trace_id, caller, profile, request, plan, started_at=self.clock())

    async def explain(self, turn: Turn) -> Explanation:
        """Explains what this turn will do. Runs only the steps that amend its plan, and what they need."""
        return self._explain(await self._planned.finish(turn))

    def explain_ended(self, turn: Turn) -> Explanation:
        """Explains what a finished turn did, and why."""
        return with_results(self._explain(turn), turn, self.settings.llm.cost)

    def _explain(self, turn: Turn) -> Explanation:
        deps = self.turn_deps(turn)
        return explain(ANSWER, turn, deps, lists=lists_counted(turn, deps.embedder, deps.rag))

    @cached_property
    def _planned(self) -> Runner[Deps]:
        amending = tuple(row for row in UNDERSTAND if isinstance(row, Step) and row.amends_plan and row is not LANGUAGE)
        return Runner((LANGUAGE, CLASSIFY, *amending, SPEND), Deps, self.turn_deps)  # the last one returns what is held

    def question_embedder(self, collection: str) -> Embedder | None:
        """What embeds questions that are asked of the collection with this name, as the collections were last read."""
        choice = self.collections.last_read(collection).embedder
        return self.embedder if choice is None else self.embedders.asking(choice)

    async def document_embedder(self, stored: str) -> Embedder | None:
        """What makes the vectors of a collection, by its stored name; None = it is searched by words only."""
        return self.embedders.of((await self.collections.get(stored)).embedder)

    @cached_property
    def ingestor(self) -> Ingestor:
        """Ingests uploaded files."""
        from footnote.ingest.ingestor import Ingestor

        return Ingestor(
            self.ledger,
            self.lifecycle,
            self.origins,
            self.files,
            self.queue,
            self.index,
            self.generations,
            self.vectors,
            self.parser,
            self.embedder,
            self.settings.ingest,
            self.clock,
            self.collections,
            self.vector_cache,
            self._document_model,
            self.named_embedders,
            self.apart,
        )

    @cached_property
    def ranked_lists(self) -> Mapping[str, RankedLists]:
        """What searches the knowledge that collections have built, by the name of its kind."""
        from footnote.knowledge.graph import Graph
        from footnote.knowledge.summary_tree import SummaryTree
        from footnote.knowledge.token_search import TokenSearch

        return {
            "graph": Graph(self.knowledge),
            "late_interaction": TokenSearch(self.knowledge, self.question_embedder),
            "summary_tree": SummaryTree(self.knowledge, self.index),
        }

    @cached_property
    def knowledge_builder(self) -> KnowledgeBuilder:
        """Builds knowledge in the background."""
        from footnote.ingest.knowledge import KnowledgeBuilder

        return KnowledgeBuilder(self.knowledge, self.index, self.collections, lambda: self.embedders, self._document_model)

    @cached_property
    def _document_model(self) -> DocumentModel:
        from footnote.bootstrap.describing import make_document_model

        return make_document_model(self)

    @cached_property
    def descriptions(self) -> Descriptions:
        """Describes documents by a model, in the background."""
        from footnote.ingest.describing import Descriptions

        return Descriptions(self.ingestor, self._document_model)

    @cached_property
    def bucket(self) -> Bucket:
        """Ingests files from the drop bucket."""
        from footnote.ingest.drops import Bucket

        return Bucket(self.drops, self.ingestor, self.cache, self.uploads, self.settings.index_name)

    @cached_property
    def wiki_pages(self) -> WikiPages | None:
        """Adds pages of Confluence; None = it is not configured."""
        from footnote.ingest.wiki import WikiPages

        account = self.settings.confluence_account
        return WikiPages(self.wiki, account[0], self.settings.confluence, self.ingestor) if self.wiki and account else None

    @cached_property
    def sources(self) -> Sources:
        """Reads the sources of citations."""
        from footnote.ingest.sources import Sources

        return Sources(self.ledger, self.files, self.index)

    @cached_property
    def voices(self) -> Voices:
        """What customers say."""
        from footnote.voices.service import Voices

        return Voices(
            *(self.index, self.ledger, self.collections, lambda: self.feedback, lambda: self.statistics),
            *(lambda: self.embedders, self.clock, mask_pii),
        )

    async def rank_voices(self, query: str, voices: Sequence[Voice], *, embeds: bool = True) -> RankedVoices:
        """The product's own voices by how well they fit a query, as in `bootstrap.voice_search`."""
        from footnote.bootstrap.voice_search import rank_voices

        return await rank_voices(query, voices, embedder=self.embedder, cache=self.vector_cache, rag=self.rag, embeds=embeds)

    @cached_property
    def voice_tool(self) -> VoiceTool:
        """The agent's search of voices."""
        from footnote.bootstrap.voice_finder import VoiceFinder

        return VoiceFinder(self.voices)

    @cached_property
    def signing_key(self) -> bytes:
        """The key that signs upload addresses of this machine."""
        return load_secret(self.settings.data)

    async def list_collections(self, caller: Caller, lang: str | None = None) -> list[dict[str, Any]]:
        """The collections visible to the caller, as in `bootstrap.suggestions`."""
        return await list_collections(self, caller, lang)

    @cached_property
    def trial(self) -> Trial:
        """Tries a question before it is suggested."""
        return Trials(self)

    async def check(self, *names: str) -> dict[str, str]:
        """Probes these parts, by default all: name → "ok" or what is wrong. The embedded store is one part, which has to take writes."""
        return await health.check(self, names)

    async def check_databases(self) -> None:
        """Reads the embedded databases as a whole. Unavailable, with the remedy, if one is damaged."""
        await health.check_databases(self)

    async def close(self) -> None:
        """Waits for turns that are still being saved, then closes files, connections and processes."""
        made = vars(self)
        for copy in (self._settings_copy, self._prompts_copy):
            await copy.close()
        for runner in self._runners:
            await runner.drain()
        if "announcer" in made:
            await self.announcer.drain()
        if "collections" in made:
            await self.collections.close()
        several = (*made.get("endpoints", ()), *self._old_endpoints, *made.get("named_embedders", {}).values())
        for part in (*(part for name, part in made.items() if name != "store"), *several):
            if isinstance(part, Closable):
                await part.close()
        if "store" in made:
            self.store.close()


@cache
def shared() -> Core:
    """The Core of this process, configured by its environment."""
    return Core(Settings())
