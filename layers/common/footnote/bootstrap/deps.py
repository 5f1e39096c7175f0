"""The dependencies that a step can request by the name and type of a keyword-only argument: ports, settings groups, the clock."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from footnote.answer.toolbox import Search
from footnote.answer.voice_tool import VoiceTool
from footnote.checkpoints import ReplayedModels, ReplayedReranker, ReplayedSearches, TurnCheckpoint
from footnote.guard.budget import hold_of
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
    KnowledgeReads,
    Ledger,
    Meter,
    Models,
    ModelServer,
    RankedLists,
    Records,
    Reranker,
    Tools,
    TurnStore,
    Verifier,
)
from footnote.prompts import Prompts
from footnote.retrieve.attached import index_of
from footnote.retrieve.cached import CachedIndex
from footnote.settings import KDB, LLM, MCP, Budget, Conversation, Rag, Settings, Vision
from footnote.telemetry.announcements import Announcer
from footnote.types import Turn

if TYPE_CHECKING:
    from footnote.bootstrap import Core


class SettingGroups(Protocol):
    """The groups of `settings` that steps can request."""

    @property
    def settings(self) -> Settings:
        """All settings."""

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


class Deps(SettingGroups):
    """The dependencies of one turn; each member implements the port of the same name (`ports.Index`, `ports.Embedder`, …). A port that
    turns share is created when a step requests it. Settings stay as they were when the turn began."""

    index: Index
    prompts: Prompts
    checkpoint: TurnCheckpoint | None
    """None = the request has no `Idempotency-Key`."""
    hold: Hold | None
    """The turn's reservation in its user's budget, from which its model calls are taken; None = it has none."""

    def __init__(self, core: Core, turn: Turn, checkpoint: TurnCheckpoint | None) -> None:
        self._core, self._settings, self._collection = core, core.settings, turn.request.collection
        cached = CachedIndex(core.index, core.clock)
        index = index_of(turn, cached, attachments=core.collections.attachments, embedder=lambda: core.embedder)
        self.index = index if checkpoint is None else ReplayedSearches(index, checkpoint)
        self.prompts = core.prompts
        self.checkpoint = checkpoint
        self.hold = hold_of(turn, core.settings, lambda: core.spending)

    @property
    def settings(self) -> Settings:
        """The settings at the beginning of the turn."""
        return self._settings

    @cached_property
    def models(self) -> Models:
        """The language models. What is replayed costs nothing, so only other calls are held against the budget."""
        models = self._core.models if self.hold is None else HeldModels(self._core.models, self.hold)
        return models if self.checkpoint is None else ReplayedModels(models, self.checkpoint)

    @property
    def embedder(self) -> Embedder | None:
        """The collection's. The language of the question is found before anything is embedded, and reads the collections."""
        return self._core.question_embedder(self._collection)

    @property
    def reranker(self) -> Reranker | None:
        reranker = self._core.reranker
        return reranker if reranker is None or self.checkpoint is None else ReplayedReranker(reranker, self.checkpoint)

    @property
    def searcher(self) -> Search:
        """Runs an agent's searches, with the dependencies of its turn."""
        return lambda turn: self._core.lookup.finish(turn, self._asked_of(turn.request.collection))

    def _asked_of(self, collection: str) -> Deps:
        """The same dependencies for a question to another collection, which may have another embedder."""
        if collection == self._collection:
            return self
        other = copy(self)
        other._collection = collection
        return other

    @property
    def model_server(self) -> ModelServer | None:
        """None = what serves the models cannot be asked."""
        return self._core.model_server

    @property
    def turns(self) -> TurnStore:
        return self._core.turns

    @property
    def feedback(self) -> FeedbackStore:
        return self._core.feedback

    @property
    def ledger(self) -> Ledger:
        return self._core.ledger

    @property
    def records(self) -> Records:
        return self._core.records

    @property
    def terms(self) -> Terms:
        return self._core.terms

    @property
    def optional_cache(self) -> Cache:
        return self._core.optional_cache

    @property
    def announcer(self) -> Announcer:
        return self._core.announcer

    @property
    def experiments(self) -> Experiments | None:
        """None = no experiment is running."""
        return self._core.experiments

    @property
    def tools(self) -> Tools | None:
        return self._core.tools

    @property
    def knowledge_base(self) -> KnowledgeBase | None:
        return self._core.knowledge_base

    @property
    def verifier(self) -> Verifier | None:
        return self._core.verifier

    @property
    def ranked_lists(self) -> Mapping[str, RankedLists]:
        """One for each option of `types.FURTHER`."""
        return self._core.ranked_lists

    @property
    def knowledge(self) -> KnowledgeReads:
        return self._core.knowledge

    @property
    def images(self) -> Images:
        return self._core.images

    @property
    def meter(self) -> Meter:
        return self._core.meter

    @property
    def clock(self) -> Clock:
        return self._core.clock

    @property
    def voice_tool(self) -> VoiceTool:
        return self._core.voice_tool

    @property
    def trial(self) -> Trial:
        return self._core.trial
