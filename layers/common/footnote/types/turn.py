"""`Turn`: the state of one question while it is answered, and the conversation before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from footnote.types.answer import Answer, Message, Tier
from footnote.types.caller import Caller
from footnote.types.copies import replace
from footnote.types.evidence import Evidence
from footnote.types.plan import Plan
from footnote.types.query import ASKED, MOST_DERIVED, Query, QueryKind
from footnote.types.reading import MessageKind, Reading
from footnote.types.request import Profile, Request
from footnote.types.trace import Trace
from footnote.types.vectors import Vector

Outcome = Literal["no_hits", "closest", "refused", "blocked", "forbidden", "cached", "faq", "withdrawn"]
"""The outcome of a turn that ended early; None at the end = answered. closest: the closest passages are shown instead of an answer;
blocked: a check could not be made; forbidden: a check refused the question; cached, faq: the answer existed already; withdrawn: a stored
turn that its owner may no longer read."""


def tier_of(outcome: Outcome | None) -> Tier:
    """The tier of a turn that ended like this."""
    if outcome in (None, "cached", "faq"):
        return "answer"
    return "closest" if outcome == "closest" else "nothing"


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation, and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Conversation:
    """The exchanges of the room before this turn."""

    exchanges: tuple[Exchange, ...] = ()
    """Oldest first."""
    trace_ids: tuple[str, ...] = ()
    """The trace ids of the stored turns that they came from."""
    asked: str = ""
    """The question that the last answer from documents was given to, in a form that needs no conversation; “” = none is stored."""
    passages: tuple[str, ...] = ()
    """The ids of the passages of that answer, the cited ones first, in the order of their numbers."""
    is_asked_about: bool = False
    """The question is about the last answer, or about the conversation."""
    other_reading: str = ""
    """The other reading of the question, if it is unclear whether it is a follow-up: completed by the conversation, or as it was asked; “”
    = there is one reading."""
    quoted: tuple[tuple[str, str], ...] = ()
    """(passage id, doc id) of the passages they quote, one for each document: the answer may quote them again."""
    system: str | None = None
    """The system prompt that stays in force in the room; None = the current one."""
    keeps_system: bool = False
    """True: `system` is stored with this turn, the first of the room that has it."""


@dataclass(frozen=True)
class Turn:
    """The state of one question while it is answered. Steps return a changed copy (`dataclasses.replace`)."""

    trace_id: str
    caller: Caller
    profile: Profile
    request: Request
    plan: Plan
    queries: tuple[Query, ...]
    """The texts to search for. Never empty; the queries to answer come first."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """The languages of the passages that the caller may read → their number; none = not looked up."""
    message_kind: MessageKind | None = None
    """The kind of the message, by its words and its vector; None = by its words alone."""
    conversation: Conversation = Conversation()
    reading: Reading = Reading()
    """What the question asks."""
    evidence: Evidence = Evidence()
    messages: tuple[Message, ...] = ()
    """The messages sent to the answering model."""
    quoted: Turn | None = None
    """The turn as it would end without a model, which stands in if the model gives no answer; None = not made."""
    answer: Answer | None = None
    outcome: Outcome | None = None
    trace: Trace = Trace()

    @property
    def room_id(self) -> str:
        """The conversation that the turn belongs to; its own trace id if the request names none."""
        return self.request.room_id or self.trace_id

    @property
    def shows_quotes(self) -> bool:
        """Whether its reader is shown the quotes made without a model."""
        return self.quoted is not None and tier_of(self.quoted.outcome) != "nothing"

    @property
    def began(self) -> datetime:
        """When the turn began, in the reader's time zone; in the server's, where the request names none or one that is not known here."""
        from zoneinfo import ZoneInfo

        try:
            zone = ZoneInfo(self.caller.time_zone) if self.caller.time_zone else None
        except (LookupError, OSError, ValueError):
            zone = None
        return datetime.fromtimestamp(self.trace.started_at, zone).astimezone(zone)

    @property
    def query_texts(self) -> tuple[str, ...]:
        """The texts of all queries."""
        return tuple(query.text for query in self.queries)

    @property
    def answered(self) -> tuple[Query, ...]:
        """The queries that are answered, cached and checked. The others only find evidence."""
        return tuple(query for query in self.queries if query.kind in ASKED)

    @property
    def asked(self) -> str:
        """The question that is answered, in a form that needs no conversation."""
        return " ".join(query.text for query in self.answered)

    @property
    def rewritten(self) -> tuple[str, ...]:
        """The queries that replace the question; () = the question is answered as it was asked."""
        return tuple(query.text for query in self.answered if query.kind != "original")

    @property
    def lang(self) -> str:
        """The language of the question."""
        return self.queries[0].lang

    @property
    def foreign_share(self) -> float:
        """The share of the passages that the caller may read which are in other languages than the question, 0..1."""
        passages = sum(self.languages.values())
        return 1 - self.languages.get(self.lang, 0) / passages if passages else 0.0

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """The vector of each query that is answered; () if any of them lacks one."""
        vectors = tuple(query.vector for query in self.answered if query.vector is not None)
        return vectors if len(vectors) == len(self.answered) else ()

    @property
    def embedder(self) -> str:
        """The name of the embedder that computed the vectors."""
        return self.queries[0].embedder

    def ask(self, question: str) -> Turn:
        """A copy with another question, before any search."""
        query = Query(question, lang=self.lang)
        return replace(self, request=replace(self.request, question=question), queries=(query,), reading=Reading(), evidence=Evidence())

    def again(self, *, limit: int | None = None) -> Turn:
        """A copy as before the search, with the vectors of its queries."""
        plan = self.plan if limit is None else replace(self.plan, limit=limit)
        return replace(self, plan=plan, evidence=Evidence(), trace=replace(self.trace, spans=()))

    def rewrite(self, *texts: str) -> Turn:
        """A copy that answers these texts instead: one is the standalone question, several are its parts. Without texts, the question
        itself. Derived queries stay."""
        kind: QueryKind = "standalone" if len(texts) == 1 else "sub_question"
        written = tuple(Query(text, kind, lang=self.lang) for text in texts)
        derived = tuple(query for query in self.queries if query.kind not in ASKED)
        return replace(self, queries=(*(written or (Query(self.request.question, lang=self.lang),)), *derived))

    def derive(self, kind: QueryKind, texts: Iterable[str], weight: float = MOST_DERIVED) -> Turn:
        """A copy with these texts as further queries, which only find evidence and share the weight. Empty texts and repeated ones are
        left out."""
        earlier = {query.text.casefold() for query in self.queries}
        new: list[str] = []
        for text in texts:
            if text and text.casefold() not in earlier:
                earlier.add(text.casefold())
                new.append(text)
        return replace(self, queries=(*self.queries, *(Query(text, kind, weight / len(new), self.lang) for text in new)))

    def with_vectors(self, vectors: Iterable[Vector], embedder: str) -> Turn:
        """A copy with these vectors, one for each query."""
        queries = tuple(replace(query, vector=vector, embedder=embedder) for query, vector in zip(self.queries, vectors, strict=True))
        return replace(self, queries=queries)

    @property
    def broke_off(self) -> bool:
        """The turn failed, or was stopped before its answer was complete."""
        return self.trace.partial is not None or (self.answer is not None and self.answer.cut == "stopped")

    def with_notes(self, **notes: Any) -> Turn:
        """A copy with further notes for the turn's owner."""
        return replace(self, trace=replace(self.trace, notes={**self.trace.notes, **notes}))


def begin_turn(trace_id: str, caller: Caller, profile: Profile, request: Request, plan: Plan, *, started_at: float = 0.0) -> Turn:
    """A turn before its first step."""
    return Turn(trace_id, caller, profile, request, plan, (Query(request.question),), trace=Trace(started_at=started_at))
