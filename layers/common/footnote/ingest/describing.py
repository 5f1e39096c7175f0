"""Lets the language model describe documents that are READY, one after the other: nothing waits for it, and everything else goes first.

    what happens                                 result
    a question, a file or vectors to be made     the call is given up, and made again when they are done (`footnote.library.worker`)
    the process dies                             the document waits on, as it is noted in the ledger
    the document is deleted, or starts another   the description is dropped; a new generation waits for its own
    generation: new content, other readers
    the reply cannot be used                     the document stays described by patterns
    the model fails                              the document waits, others go first
    … MOST_FAILURES times in a row               no call for PAUSE_S seconds
    calls take SLOW_S seconds on average         no call until 0:00 UTC, or until another model is configured
    the day's time, tokens or money are spent    no call until 0:00 UTC

A description replaces the fields of the passages' metadata where they are. What the model writes for searches, questions and summaries of
sections, is in the passages: they are written again, as the same generation.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from footnote.errors import FootnoteError
from footnote.ingest.aids import Helpers
from footnote.ingest.describe import describe
from footnote.ingest.describe_by_model import PAUSE_S, DocumentModel, Obstacle
from footnote.ingest.ingestor import LEASE_S, Ingestor
from footnote.ingest.inserted import HASHED_AS
from footnote.ingest.keys import parsed_key
from footnote.ingest.making import make
from footnote.ingest.parsed import unpack
from footnote.ingest.questions_by_model import add_questions
from footnote.ingest.source_file import parse_source
from footnote.types import CollectionSettings, Document, Parsed

log = logging.getLogger(__name__)

LOOKED_AT = 50
"""Documents that are looked at for one that can be described."""
MOST_COUNTED = 1000
"""Waiting documents that are counted."""

DescribingState = Literal["off", "done", "waiting", "pause", "slow", "time", "budget"]
"""off: no model is to describe documents. done: none waits. waiting: some do, and are next when nothing else is to be done. Others: why
no call is made, as of `describe_by_model.Obstacle`."""


@dataclass(frozen=True, slots=True)
class DescribingStatus:
    """How far the descriptions are. Limits: 0 = none. `waiting`: documents, MOST_COUNTED at most. `seconds`: of the last calls on average,
    None = unknown. `minutes`, `tokens`, `money`: spent today (UTC)."""

    state: DescribingState
    waiting: int
    seconds: float | None
    minutes: float
    minutes_limit: float
    tokens: int
    tokens_limit: float
    money: float
    money_limit: float


@dataclass(slots=True)
class Descriptions:
    """Describes documents that wait for it."""

    ingestor: Ingestor
    model: DocumentModel
    _owner: str = field(default_factory=lambda: f"describing-{uuid.uuid4().hex}")
    _again_at: dict[tuple[str, int], float] = field(default_factory=dict)
    """(doc id, generation) of what was given up for now → when it is tried again, by the timer of the model."""

    async def describe_next(self) -> bool:
        """Describes the document that has waited longest. False if none waits that can be described now."""
        if await self.model.obstacle() is not None:
            return False
        now = self.model.pause.timer()
        self._again_at = {key: at for key, at in self._again_at.items() if at > now}
        for document in await self.ingestor.lifecycle.of_kind("undescribed", LOOKED_AT + len(self._again_at)):
            given_up = (document.doc_id, document.generation) in self._again_at
            if not given_up and await self.ingestor.lifecycle.lease(document.doc_id, document.generation, self._owner, LEASE_S):
                await self._describe(document)
                return True
        return False

    async def status(self) -> DescribingStatus:
        """How far the descriptions are, and what they cost today."""
        waiting = len(await self.ingestor.lifecycle.of_kind("undescribed", MOST_COUNTED))
        obstacle: Obstacle | None = await self.model.obstacle()
        is_on = waiting or self.model.describes(self.ingestor.settings.enrichment)
        state: DescribingState = obstacle or "waiting" if waiting else "done" if is_on else "off"
        spent, limits = await self.model.allowance.spent(), self.model.allowance.limits()
        seconds_limit, used_s = self.model.day.limit_s(), await self.model.day.used_s()
        return DescribingStatus(
            state=state,
            waiting=waiting,
            seconds=await self.model.day.seconds_per_call(),
            minutes=used_s / 60,
            minutes_limit=seconds_limit / 60,
            tokens=round(spent["tokens"]),
            tokens_limit=limits["tokens"],
            money=spent["money"],
            money_limit=limits["money"],
        )

    async def _describe(self, document: Document) -> None:
        doc_id, generation = document.doc_id, document.generation
        settings = await self.ingestor.collections.get(document.collection)
        self.model.missed.clear()
        try:
            done = await self._write(document, settings)
        except FootnoteError as exc:
            log.warning("document not described", extra={"doc_id": doc_id, "reason": type(exc).__name__})
            done = False
        except Exception as exc:  # it would fail again
            log.error("document not described", exc_info=exc, extra={"doc_id": doc_id})
            done = True
            self.model.missed.clear()
        if done or not self.model.missed:
            by = "model" if done else "patterns"
            await self.ingestor.lifecycle.update(doc_id, generation, described_by=by)
        else:
            self._again_at[doc_id, generation] = self.model.pause.timer() + PAUSE_S

    async def _write(self, document: Document, settings: CollectionSettings) -> bool:
        """Whether the model wrote anything about the document."""
        ingestor, enrichment = self.ingestor, self.ingestor.settings.enrichment
        parsed = unpack(await ingestor.files.get(parsed_key(document.doc_id, document.active_generation)))
        written = await self.model.describe(document, parsed) if self.model.describes(enrichment) else None
        in_passages = settings.chunker == "hierarchical" or enrichment == "questions"
        if in_passages and await self._write_passages(document, parsed, settings, written):
            return True
        if not written:
            return False
        made = describe(parsed, document.lang or "", document.metadata, written)
        await ingestor.generations.amend(document.doc_id, document.generation, {name: made[name] for name in AMENDED if name in made})
        log.info("document described", extra={"doc_id": document.doc_id})
        return True

    async def _write_passages(
        self, document: Document, parsed: Parsed, settings: CollectionSettings, written: Mapping[str, Any] | None
    ) -> bool:
        """Writes the passages again, with what the model writes for searches. False if there is nothing of it."""
        ingestor = self.ingestor
        sent = document.content_hash.startswith(HASHED_AS)
        fixed = (await parse_source(ingestor.files, ingestor.parser, document))[1] if sent else None
        helpers = Helpers(ingestor.embedders.of(settings.embedder), self.model, written, ingestor.apart)
        ready, parsed = await make(document, parsed, fixed, settings, ingestor.settings.chunk_tokens, helpers)
        if ready.document.cut != document.cut:  # its embedder fails now, or the settings have changed: passages stay as they are
            return False
        if ingestor.settings.enrichment == "questions":
            ready = replace(ready, chunks=await add_questions(self.model, ready.document, ready.chunks))
        is_same = document.digest == f"{len(ready.chunks)}:{ready.digest}" and not any(chunk.questions for chunk in ready.chunks)
        if is_same and not written:
            return False
        if await ingestor.publish(ready, parsed, "model"):
            log.info("document described", extra={"doc_id": document.doc_id, "count": len(ready.chunks)})
            await ingestor.embed_some(doc_id=document.doc_id)
        return True


AMENDED = ("additional_field", "topics", "type")
"""The fields of passages that a model's description changes."""
