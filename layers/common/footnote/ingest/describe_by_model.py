"""Lets a language model describe a document: a summary, topics, and the kind of text that it is. One call per document.

The document's text is material for the model, and its reply is only ever metadata: it is cleaned, cut, and dropped where it is not in
the document's language. Without a usable reply, what the patterns found stays.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, get_args

from pydantic import BaseModel, Field

from footnote.errors import FootnoteError, NoModel, UnusableReply
from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.text.language import detect_language
from footnote.text.prompt_injection.passages import find_injected_sentences
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.tracing import CallCollector, new_trace_id
from footnote.types import Block, Chunker, Document, Message, ModelCall, Parsed

log = logging.getLogger(__name__)

Enrichment = Literal["auto", "patterns", "descriptions", "questions"]
"""The setting `INGEST__ENRICHMENT`."""
Value = TypeVar("Value", bound=BaseModel)

USER = "system"
"""The user whose daily budget these calls count in, and who is named to a gateway."""
READ, HEADINGS = 6000, 2000
"""Characters of the beginning of the text, and of the headings after it, that the model is shown."""
LIMIT_S = 45.0
MOST_FAILURES, PAUSE_S = 3, 300.0
"""After so many calls in a row that had no reply, none is made for PAUSE_S seconds."""
REPLY_TOKENS = 1000
"""Enough for a model that thinks first."""
LONGEST, LONGEST_TOPIC, TOPICS = 400, 60, 6
"""Characters of a summary and of a topic, and the number of topics."""
MARKUP = re.compile(r"(?:https?://|www\.)\S+|\]\([^)]*\)|[*_`#\[\]|]+")

DocumentType = Literal[
    "article", "report", "manual", "policy", "contract", "law", "letter", "minutes", "form", "faq", "presentation", "table", "code",
    "story", "other",
]  # fmt: skip


class Description(BaseModel, defer_build=True):
    """The model's reply."""

    summary: str = Field(description="a text, the summary in one or two sentences")
    topics: list[str] = Field(description="a list of up to six topics, each of one to three words")
    type: DocumentType = Field(description=f"one of {', '.join(get_args(DocumentType))}")


Obstacle = Literal["pause", "slow", "time", "budget"]
"""Why no call is made. pause: the model failed several times in a row. slow: its calls take too long. time, budget: the day's is spent."""


class Allowance(Protocol):
    """What may be spent on documents today."""

    async def hold(self) -> Any | None:
        """What is held for one call until `spend`; None = the budget is spent or held."""

    async def spend(self, held: Any, calls: Sequence[ModelCall]) -> None:
        """Counts these calls, and returns what was held for them."""

    async def spent(self) -> Mapping[str, float]:
        """What was spent today: `tokens`, and `money` in the currency of the prices."""

    def limits(self) -> Mapping[str, float]:
        """The limits of `spent`; 0 = none."""


class Day(Protocol):
    """How long the model may work on documents today (UTC), and how fast it is."""

    async def obstacle(self) -> Literal["slow", "time"] | None:
        """Why no call is made now."""

    async def add(self, seconds: float, *, ended: bool) -> None:
        """Counts a call. `ended`: it was not given up for something else, so that it tells how fast the model is."""

    async def used_s(self) -> float:
        """Seconds of today's calls."""

    def limit_s(self) -> float:
        """The limit of `used_s`; 0 = none."""

    async def seconds_per_call(self) -> float | None:
        """Of the last calls on average; None = unknown."""


@dataclass(slots=True)
class Pause:
    """Whether a model that did not reply is left alone. `timer`: seconds, from any point on."""

    timer: Callable[[], float] = time.monotonic
    failures: int = 0
    until: float = float("-inf")

    @property
    def is_on(self) -> bool:
        """Whether no call is to be made now."""
        return self.timer() < self.until

    def count(self, *, failed: bool) -> None:
        """Reports a call."""
        self.failures = self.failures + 1 if failed else 0
        if self.failures >= MOST_FAILURES:
            self.failures, self.until = 0, self.timer() + PAUSE_S


@dataclass(frozen=True, slots=True)
class DocumentModel:
    """Asks the language model about documents. `models`: the current ones, since they may be configured while the server runs;
    `is_configured`: whether somebody did."""

    models: Callable[[], Models]
    prompts: Prompts
    allowance: Allowance
    day: Day
    is_configured: Callable[[], bool]
    pause: Pause = field(default_factory=Pause)
    missed: list[str] = field(default_factory=list)
    """Prompts that had no reply though another time they may have one, since whoever describes a document emptied this."""

    def is_wanted(self, enrichment: Enrichment, chunker: Chunker) -> bool:
        """Whether a model is to write something about the documents of a collection."""
        return chunker == "hierarchical" or self.describes(enrichment)

    async def obstacle(self) -> Obstacle | None:
        """Why no call is made now."""
        if self.pause.is_on:
            return "pause"
        if (found := await self.day.obstacle()) is not None:
            return found
        spent, limits = await self.allowance.spent(), self.allowance.limits()
        return "budget" if any(limits[unit] and spent[unit] >= limits[unit] for unit in limits) else None

    def describes(self, enrichment: Enrichment) -> bool:
        """Whether documents are to be described, by this setting."""
        return self.is_configured() if enrichment == "auto" else enrichment != "patterns"

    async def describe(self, document: Document, parsed: Parsed) -> Mapping[str, Any]:
        """The fields `summary`, `topics` and `type`, as far as the reply is usable; {} without a model, a reply or a budget."""
        sample = "\n".join(block.text for block in parsed.blocks[:200])[:READ]
        lang = detect_language(sample)
        values = {"title": untrusted_title(parsed.title or document.title), "text": untrusted(excerpt(parsed.blocks, lang))}
        made = await self.ask(document.doc_id, "describe_document", lang, values, Description, REPLY_TOKENS)
        return {} if made is None else clean(made, lang)

    async def ask(
        self, doc_id: str, prompt: str, lang: str, values: Mapping[str, Any], schema: type[Value], max_tokens: int
    ) -> Value | None:
        """The model's reply; None if it cannot be had or used, or today's budget is spent. What a document needs never fails by it."""
        try:
            return await self.reply(doc_id, prompt, lang, values, schema, max_tokens)
        except UnusableReply:
            return None

    async def reply(
        self, doc_id: str, prompt: str, lang: str, values: Mapping[str, Any], schema: type[Value], max_tokens: int
    ) -> Value | None:
        """The model's reply; None if it cannot be had now. Raises UnusableReply where asking for the same again would not help."""
        if (obstacle := await self.obstacle()) is not None:
            self._miss(doc_id, prompt, obstacle)
            return None
        collector, held, ended, started = CallCollector(prompt, new_trace_id(), USER), None, True, self.pause.timer()
        try:
            with collector:
                held = await self.allowance.hold()
                if held is None:
                    self._miss(doc_id, prompt, "budget")
                    return None
                messages = [Message("user", self.prompts.render(prompt, lang, values))]
                made = await ask(self.models(), None, messages, schema, max_tokens=max_tokens, timeout_s=LIMIT_S)
                self.pause.count(failed=False)
                return made
        except (FootnoteError, TimeoutError) as exc:
            is_final = isinstance(exc, UnusableReply | NoModel)
            self.pause.count(failed=not is_final)
            self._miss(doc_id, prompt, type(exc).__name__, again=not is_final)
            if isinstance(exc, UnusableReply):
                raise
            return None
        except asyncio.CancelledError:
            ended = False
            raise
        finally:
            for call in collector.calls:
                tokens = {"prompt_tokens": call.usage.prompt_tokens, "completion_tokens": call.usage.completion_tokens}
                log.info("model call", extra={"doc_id": doc_id, "step": prompt, "llm": call.model, "ms": round(call.ms), **tokens})
            if held is not None:
                await self._count(held, collector.calls, self.pause.timer() - started, ended)

    def _miss(self, doc_id: str, prompt: str, reason: str, *, again: bool = True) -> None:
        log.warning("document not described", extra={"doc_id": doc_id, "step": prompt, "reason": reason})
        if again:
            self.missed.append(prompt)

    async def _count(self, held: Any, calls: Sequence[ModelCall], seconds: float, ended: bool) -> None:
        try:
            await self.allowance.spend(held, calls)
            await self.day.add(seconds, ended=ended)
        except FootnoteError as exc:  # the call was made; only its count is lost
            log.warning("spending not counted", extra={"reason": type(exc).__name__})


def excerpt(blocks: Sequence[Block], lang: str) -> str:
    """The beginning of the text, then further headings. Sentences that are addressed to an assistant are left out."""
    shown: list[str] = []
    left, headings = READ, HEADINGS
    for block in blocks:
        if left > 0:
            text = block.text[:left]
            left -= len(text)
            for start, end in reversed(find_injected_sentences(text, lang=lang)):
                text = text[:start] + text[end:]
            shown.append(text)
        elif block.kind == "heading" and headings > 0:
            shown.append(block.text[:headings])
            headings -= len(block.text)
        elif headings <= 0:
            break
    return "\n\n".join(shown)


def clean(made: Description, lang: str) -> dict[str, Any]:
    """The fields that are usable."""
    found: dict[str, Any] = {}
    summary = plain(made.summary, LONGEST)
    if summary and detect_language(summary, [lang]) == lang:
        found["summary"] = summary
    topics = [topic for each in made.topics if (topic := plain(each.replace(",", " "), LONGEST_TOPIC))]
    if topics := list(dict.fromkeys(topics))[:TOPICS]:
        found["topics"] = topics
    if made.type != "other":
        found["type"] = made.type
    return found


def plain(text: str, longest: int) -> str:
    """One line without markup and addresses; what is longer is cut at a word."""
    plain = untrusted_title(MARKUP.sub(" ", text)).strip()
    return plain if len(plain) <= longest else plain[:longest].rpartition(" ")[0] or plain[:longest]
