"""A question on its way to its answer: `Turn`, and what was said before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from footnote.types.answer import Answer, Message
from footnote.types.caller import Caller
from footnote.types.evidence import Evidence
from footnote.types.plan import Plan
from footnote.types.query import ASKED, Query, QueryKind
from footnote.types.record import Record
from footnote.types.request import Profile, Request

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Outcome = Literal["no_hits", "refused", "blocked", "forbidden", "cached", "faq", "withdrawn"]
"""What settled a turn before its answer; None at the end = answered. blocked: a check could not be made; forbidden: a
check said no; cached, faq: the answer was there already; withdrawn: only of a stored turn, which its owner may not read any more."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation, and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said in the room before this turn."""

    exchanges: tuple[Exchange, ...] = ()
    """Oldest first."""
    trace_ids: tuple[str, ...] = ()
    """Of the stored turns that they came from."""
    leans_on: tuple[tuple[str, str], ...] = ()
    """(passage, document) of what they quote, one of each document: the answer may quote it again."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question on its way to its answer. Steps return a `dataclasses.replace` of it, never change it."""

    trace_id: str
    caller: Caller
    profile: Profile
    request: Request
    plan: Plan
    queries: tuple[Query, ...]
    """What is searched for. Never empty; those that are answered stand first."""
    conversation: Conversation = Conversation()
    evidence: Evidence = Evidence()
    messages: tuple[Message, ...] = ()
    """What the model that answers reads."""
    answer: Answer | None = None
    outcome: Outcome | None = None
    record: Record = Record()

    @property
    def room_id(self) -> str:
        """The conversation that keeps the turn; of a turn that was given none, its trace id."""
        return self.request.room_id or self.trace_id

    @property
    def searched_for(self) -> tuple[str, ...]:
        return tuple(query.text for query in self.queries)

    @property
    def answered(self) -> tuple[Query, ...]:
        """The queries that are answered, cached and checked; the others only find evidence."""
        return tuple(query for query in self.queries if query.kind in ASKED)

    @property
    def asked(self) -> str:
        """What is answered: the question as somebody who knows nothing of the conversation would have to ask it."""
        return " ".join(query.text for query in self.answered)

    @property
    def rewritten(self) -> tuple[str, ...]:
        """What is answered in place of the question; () = the question as it is."""
        return tuple(query.text for query in self.answered if query.kind != "original")

    @property
    def lang(self) -> str:
        """Of the question."""
        return self.queries[0].lang

    @property
    def vectors(self) -> tuple[npt.NDArray[np.float32], ...]:
        """Of each query; () = not all of them have one."""
        made = tuple(query.vector for query in self.queries if query.vector is not None)
        return made if len(made) == len(self.queries) else ()

    @property
    def embedder(self) -> str:
        """Who made the vectors."""
        return self.queries[0].embedder

    def ask(self, question: str) -> Turn:
        """The same turn with another question, of which nothing is known yet."""
        query = Query(question, lang=self.lang)
        return replace(self, request=replace(self.request, question=question), queries=(query,), evidence=Evidence())

    def again(self, *, limit: int | None = None) -> Turn:
        """The same turn before its search, with the vectors of its queries."""
        request = self.request if limit is None else replace(self.request, limit=limit)
        return replace(self, request=request, evidence=Evidence(), record=replace(self.record, spans=()))

    def rewrite(self, *texts: str) -> Turn:
        """The same question in these words, several of them are its parts; the question as it is where there are none."""
        kind: QueryKind = "standalone" if len(texts) == 1 else "sub_question"
        written = tuple(Query(text, kind, lang=self.lang) for text in texts)
        return replace(self, queries=written or (Query(self.request.question, lang=self.lang),))

    def with_vectors(self, vectors: Iterable[npt.NDArray[np.float32]], embedder: str) -> Turn:
        """One of each query."""
        queries = tuple(replace(query, vector=vector, embedder=embedder) for query, vector in zip(self.queries, vectors, strict=True))
        return replace(self, queries=queries)

    def with_notes(self, **notes: Any) -> Turn:
        """The same turn with something more that its owner may read."""
        return replace(self, record=replace(self.record, notes={**self.record.notes, **notes}))


def begin_turn(
    trace_id: str, caller: Caller, profile: Profile, request: Request, plan: Plan, *, lang: str = "en", started_at: float = 0.0
) -> Turn:
    """A turn before its first step."""
    return Turn(trace_id, caller, profile, request, plan, (Query(request.question, lang=lang),), record=Record(started_at=started_at))
