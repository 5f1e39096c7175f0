"""The dependencies that a step can request by the name and type of a keyword-only argument: ports, settings groups, the clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Protocol, cast

from footnote.answer.toolbox import Search
from footnote.answer.voice_tool import VoiceTool
from footnote.checkpoints import ReplayedModels, ReplayedReranker, ReplayedSearches, TurnCheckpoint
from footnote.guard.held_models import HeldModels
from footnote.guard.spending import Hold
from footnote.guard.terms import Terms
from footnote.learn.experiments import Experiments
from footnote.learn.follow_ups import Trial
from footnote.ports import (
    Cache,
    Clock,
    Embedder,
    FeedbackStore,
    Images,
    Index,
    KnowledgeBase,
    Ledger,
    Meter,
    Models,
    ModelServer,
    RankedLists,
    Records,
    Reranker,
    StatisticsStore,
    Tools,
    TurnStore,
    Verifier,
)
from footnote.prompts import Prompts
from footnote.retrieve.cached import CachedIndex
from footnote.settings import KDB, LLM, MCP, Budget, Conversation, Rag, Settings, Vision
from footnote.telemetry.announcements import Announcer
from footnote.types import Turn


class SettingGroups(Protocol):
    """The groups of `settings` that steps can request."""

    @property
    def settings(self) -> Settings:
        """All settings."""
        ...

    @property
    def rag(self) -> Rag:
        """`RAG__…`."""
        return self.settings.rag

    @property
    def llm(self) -> LLM:
        """`LLM__…`."""
        return self.settings.llm

    @property
    def mcp(self) -> MCP:
        """`MCP__…`."""
        return self.settings.mcp

    @property
    def kdb(self) -> KDB:
        """`KDB__…`."""
        return self.settings.kdb

    @property
    def budget(self) -> Budget:
        """`BUDGET__…`."""
        return self.settings.budget

    @property
    def conversation(self) -> Conversation:
        """`CONVERSATION__…`."""
        return self.settings.conversation

    @property
    def vision(self) -> Vision:
        """`VISION__…`."""
        return self.settings.vision


class Deps(SettingGroups, Protocol):
    """What steps may ask for; each member implements the port of the same name (`ports.Index`, `ports.Embedder`, …)."""

    @property
    def index(self) -> Index: ...

    @property
    def embedder(self) -> Embedder | None:
        """That of the collection that is asked."""
        ...

    @property
    def models(self) -> Models: ...

    @property
    def model_server(self) -> ModelServer | None:
        """None = what serves the models cannot be asked."""
        ...

    @property
    def prompts(self) -> Prompts: ...

    @property
    def turns(self) -> TurnStore: ...

    @property
    def feedback(self) -> FeedbackStore: ...

    @property
    def statistics(self) -> StatisticsStore: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def records(self) -> Records: ...

    @property
    def terms(self) -> Terms: ...

    @property
    def optional_cache(self) -> Cache: ...

    @property
    def announcer(self) -> Announcer: ...

    @property
    def hold(self) -> Hold | None:
        """What the turn holds of its user's budget; None = it has none."""
        ...

    @property
    def experiments(self) -> Experiments | None:
        """None = no experiment is running."""
        ...

    @property
    def tools(self) -> Tools | None: ...

    @property
    def knowledge_base(self) -> KnowledgeBase | None: ...

    @property
    def reranker(self) -> Reranker | None: ...

    @property
    def verifier(self) -> Verifier | None: ...

    @property
    def ranked_lists(self) -> Mapping[str, RankedLists] | None:
        """One for each option of `types.FURTHER` whose data there is; None = there is none."""
        ...

    @property
    def images(self) -> Images: ...

    @property
    def meter(self) -> Meter: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def searcher(self) -> Search: ...

    @property
    def voice_tool(self) -> VoiceTool: ...

    @property
    def trial(self) -> Trial: ...

    @property
    def checkpoint(self) -> TurnCheckpoint | None:
        """None = the request has no `Idempotency-Key`."""
        ...


class Services(Deps, Protocol):
    """The Core as `TurnDeps` sees it."""

    def embedder_for(self, collection: str) -> Embedder | None:
        """What embeds questions that are asked of this collection."""
        ...


class TurnDeps(SettingGroups):
    """The dependencies of one turn. Settings stay as they were when it began; a port is created when a step requests it.
    `collection`: its name in the request; `search`: runs the search of a turn with the given dependencies and returns it with its
    hits. `within`: adds to the index what else the turn searches. `hold`: what its calls of models are held against; None = nothing."""

    def __init__(
        self,
        core: Services,
        collection: str,
        search: Callable[[Turn, Deps], Awaitable[Turn]],
        checkpoint: TurnCheckpoint | None,
        within: Callable[[Index], Index],
        hold: Hold | None,
    ) -> None:
        self._core, self._settings, self._search = core, core.settings, search
        self._collection = collection
        self.checkpoint, self.hold = checkpoint, hold
        self._cached = CachedIndex(core.index, core.clock)
        self.index = within(self._cached)
        if checkpoint is not None:
            self.index = ReplayedSearches(self.index, checkpoint)
            self.reranker: Reranker | None = ReplayedReranker(core.reranker, checkpoint) if core.reranker is not None else None

    @property
    def settings(self) -> Settings:
        """The settings at the beginning of the turn."""
        return self._settings

    @cached_property
    def models(self) -> Models:
        """The language models. What is replayed costs nothing, so only other calls are held against the budget."""
        models: Models = self._core.models if self.hold is None else HeldModels(self._core.models, self.hold)
        return models if self.checkpoint is None else ReplayedModels(models, self.checkpoint)

    @property
    def embedder(self) -> Embedder | None:
        """The collection's. The language of the question is found before anything is embedded, and reads the collections."""
        return self._core.embedder_for(self._collection)

    @property
    def searcher(self) -> Search:
        """Runs an agent's searches, with the dependencies of its turn."""
        return lambda turn: self._search(turn, cast(Deps, self._asked_of(turn.request.collection)))

    def _asked_of(self, collection: str) -> TurnDeps:
        """The same dependencies for a question to another collection, which may have another embedder."""
        if collection == self._collection:
            return self
        other = object.__new__(TurnDeps)
        vars(other).update(vars(self), _collection=collection)
        return other

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)
