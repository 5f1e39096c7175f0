"""Settings → adapters → pipeline: the only place that chooses.

Everything is made at first use. `shared()` is the process's one Core; each function asks it for
what it needs, so a door never builds what it does not use.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any, cast

from footnote.adapters.local.secret import load_secret
from footnote.answer.extract import is_answerable
from footnote.answer.toolbox import Search
from footnote.bootstrap.backends import BACKENDS, Backends
from footnote.checkpoints import TurnCheckpoint, take_checkpoint
from footnote.deps import Deps, TurnDeps
from footnote.errors import FootnoteError, NotFound, StoreUnavailable
from footnote.events import Event
from footnote.guard.identity import LOCAL
from footnote.ingest.drops import Bucket
from footnote.ingest.pipeline import Ingestor
from footnote.ingest.sources import Sources
from footnote.learn.questions import suggest_questions
from footnote.live_settings import LiveSettings, Refresher
from footnote.memory.stored_turn import replay, stored_turn
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE, UNDERSTAND
from footnote.plan import make_plan
from footnote.ports import Clock, Models, Parser, RequestKey
from footnote.settings import Settings
from footnote.steps import Runner, Step
from footnote.steps.explain import Explanation, explain, with_spans
from footnote.tracing import new_trace_id
from footnote.types import Caller, Profile, Request, Turn, begin_turn

QUESTIONS_S = 24 * 3600.0
UNSAVED = Profile("none", live=False, citation_style="numbered", prompt="answer_numbered")


class Core(Backends):
    """What the functions ask for: turns, ingest, sources, and the parts themselves."""

    checkpoint: TurnCheckpoint | None = None
    """A turn has one of its own, or none."""

    def __init__(self, settings: Settings, *, clock: Clock = time.time, models: Models | None = None, parser: Parser | None = None) -> None:
        super().__init__(clock, models, parser)
        self.live = LiveSettings(settings)
        self.checks: dict[str, Callable[[], Awaitable[Any]]] = {}
        """More parts for `check`, by name; each raises a FootnoteError while it is not ready."""
        self._settings_copy = Refresher(self._load_settings, clock)
        self._prompts_copy = Refresher(lambda: self.prompts.load(self.records, self.cache), clock)

    @property
    def settings(self) -> Settings:
        """As they are now. What was made from them stays as it was made."""
        return self.live.current

    async def refresh(self, *, prompts: bool = True) -> None:
        """Called before a request is served: settings and prompts are as an admin left them some seconds ago or later."""
        if prompts:
            self._prompts_copy.start()  # both look at once
        await self._settings_copy.refresh()
        if prompts:
            await self._prompts_copy.refresh()

    async def load_changes(self) -> None:
        """The same as they are at this moment."""
        await self._load_settings()
        await self.prompts.load(self.records, self.cache)

    async def _load_settings(self) -> None:
        before = self.settings.conversation
        await self.live.load(self.records)
        if self.settings.conversation != before:
            self.__dict__.pop("turns", None)  # it was made with how long a turn is kept

    # --- what the functions ask for --------------------------------------------------------------

    @cached_property
    def answer(self) -> Runner[Deps]:
        return Runner(ANSWER, Deps, self.turn_deps)

    @cached_property
    def retrieve(self) -> Runner[Deps]:
        return Runner(RETRIEVE, Deps, self.turn_deps)

    @cached_property
    def lookup(self) -> Runner[Deps]:
        return Runner(LOOK_UP, Deps, self.turn_deps)

    @property
    def searcher(self) -> Search:
        """What an agent searches with."""
        return self.lookup.finish

    def turn_deps(self, checkpoint: TurnCheckpoint | None = None) -> Deps:
        """What the steps of one turn ask for."""
        return cast(Deps, TurnDeps(self, self.lookup.finish, checkpoint))

    async def run_once(self, turn: Turn, request: RequestKey | None) -> tuple[Turn, AsyncGenerator[Event, None]]:
        """The turn that answers the request, with its events. Without a key it is the one given. One that was asked before with
        this key keeps its trace: it goes on where it was cut off, or is read from the store. BadRequest and StillRunning as
        `Checkpoints.take`; NotFound for a stored turn that was deleted since."""
        if request is None:
            return turn, self.answer.run(turn)
        checkpoint = await take_checkpoint(self.checkpoints, request, turn)
        kept = checkpoint.kept
        turn = replace(turn, trace_id=kept.trace_id, record=replace(turn.record, started_at=kept.started_at))
        if kept.finished:
            turn = await stored_turn(turn, turns=self.turns, index=self.index, ledger=self.ledger)
            return turn, replay(turn)
        return turn, self.answer.run(turn, self.turn_deps(checkpoint))

    def new_turn(self, request: Request, caller: Caller, profile: Profile, *, trace_id: str | None = None) -> Turn:
        """A turn before its first step, that begins now. A request that names no collection asks the configured one; systems that are
        not connected are not asked. BadRequest for a model that may not be named. `trace_id`: the request's own, by default a new
        one."""
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
        """What this turn is going to do. The steps that amend its plan are run for it."""
        return explain(ANSWER, await self._planned.finish(turn), self.turn_deps())

    def explain_ended(self, turn: Turn) -> Explanation:
        """What a turn that is over did, and why."""
        return with_spans(explain(ANSWER, turn, self.turn_deps()), turn)

    @cached_property
    def _planned(self) -> Runner[Deps]:
        return Runner(tuple(row for row in UNDERSTAND if isinstance(row, Step) and row.amends_plan), Deps, self.turn_deps)

    @cached_property
    def ingestor(self) -> Ingestor:
        return Ingestor(self.ledger, self.files, self.queue, self.index, self.parser, self.embedder, self.settings.ingest, self.clock)

    @cached_property
    def bucket(self) -> Bucket:
        return Bucket(self.drops, self.ledger, self.ingestor, self.cache, self.uploads, self.settings.index_name)

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.ledger, self.files, self.index)

    @cached_property
    def signing_key(self) -> bytes:
        return load_secret(self.settings.data)

    async def collections(self, caller: Caller) -> list[dict[str, Any]]:
        """Visible collections with their sizes and three questions each; the questions are kept per version."""
        return [await self._collection(caller, name, documents) for name, documents in (await self.ledger.collections(caller)).items()]

    async def _collection(self, caller: Caller, name: str, documents: int) -> dict[str, Any]:
        info = await self.index.info(name)
        if info is None or not documents:
            return {"name": name, "documents": documents, "questions": []}
        readers = "*" if caller.sees_all else json.dumps(sorted(caller.groups))  # a group's name may hold any separator
        key = f"questions:{name}:{info.version}:{readers}"
        make = partial(suggest_questions, caller, name, index=self.index, answerable=partial(self._answerable, caller, name))
        try:
            questions = await self.optional_cache.get(key)
        except StoreUnavailable:  # nor is anything kept: a cache that hangs costs one wait
            return {"name": name, "documents": documents, "questions": await make()}
        if questions is None:
            questions = await make()
            with suppress(StoreUnavailable):
                await self.optional_cache.put(key, questions, QUESTIONS_S)
        return {"name": name, "documents": documents, "questions": questions}

    async def _answerable(self, caller: Caller, collection: str, question: str) -> bool:
        turn = await self.retrieve.finish(self.new_turn(Request(question, collection), caller, UNSAVED, trace_id=""))
        return await is_answerable(turn, index=self.index)

    async def check(self, *names: str) -> dict[str, str]:
        """Tries these parts, by default all: name → "ok" or what is wrong. What the embedded store holds is one part."""
        probes: dict[str, Callable[[], Awaitable[Any]]] = {
            "store": self.ledger.counts,
            "index": lambda: self.index.info(self.settings.index_name),
        }
        if self.settings.db.address:
            probes["conversations"] = lambda: self.turns.history(LOCAL, "ready", "ready", 1)
        if self.settings.aws.cache_table:
            probes["cache"] = lambda: self.cache.get("session:ready")  # a key that every function's role may read
        if self.settings.aws.files_bucket:
            probes["files"] = lambda: self.files.get("ready")
        if self.settings.aws.queue_url:
            probes["queue"] = self.queue.size
        probes = {name: probe for name, probe in probes.items() if not names or name in names} | self.checks
        told = await asyncio.gather(*(_try(probe) for probe in probes.values()))
        return dict(zip(probes, told, strict=True))

    async def close(self) -> None:
        """Waits for turns that are still being saved, then lets go of files and processes."""
        made = self.__dict__
        for copy in (self._settings_copy, self._prompts_copy):
            await copy.close()
        for name in ("answer", "retrieve", "lookup", "announcer"):
            if name in made:
                await made[name].drain()
        for backend in (*(made[name] for name in BACKENDS if name in made), *made.get("endpoints", ())):
            if hasattr(backend, "close"):
                await backend.close()
        if "_store" in made:
            self._store.close()


async def _try(probe: Callable[[], Awaitable[Any]]) -> str:
    try:
        await probe()
    except NotFound:
        pass  # it answered
    except FootnoteError as exc:
        return exc.detail
    return "ok"


@cache
def shared() -> Core:
    """The Core of this process, from its environment."""
    return Core(Settings())
