"""Builds turns for tests from flat keyword arguments such as `hits=`, `lang=` and `model=`."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from footnote.answer.messages import message
from footnote.plan import make_plan
from footnote.settings import Settings
from footnote.turn_records.figures import figures_of
from footnote.turn_records.make import make_record
from footnote.types import (
    Answer,
    Caller,
    Citation,
    Conversation,
    Evidence,
    ModelCall,
    Plan,
    Profile,
    Reading,
    Request,
    Status,
    Trace,
    Turn,
    TurnFigures,
    TurnRecord,
    Verdict,
    begin_turn,
    lists_of,
)
from footnote.understand.read_question import reading_of

ME = Caller("me", frozenset({"staff"}))
HELD = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
LIVE = replace(HELD, live=True)
SETTINGS = Settings()

PARTS: dict[str, type] = {
    "plan": Plan, "conversation": Conversation, "evidence": Evidence, "trace": Trace, "request": Request, "reading": Reading,
}  # fmt: skip
"""A name that two parts share, such as `model`, belongs to the first; the field of the request is set, too."""


def make_turn(question: str = "How long?", profile: Profile = HELD, **changes: Any) -> Turn:
    request = Request(question, "default")
    turn = begin_turn("t1", ME, profile, request, make_plan(request, profile, SETTINGS))
    return with_(turn, **changes)


def stored(turn: Turn, status: Status = "done", *, ms: float = 0) -> TurnRecord:
    """The record of the turn, `ms` after it began."""
    return make_record(turn, status, now=turn.trace.started_at + ms / 1000)


def counted(turn: Turn) -> TurnFigures:
    """The figures of the turn."""
    return figures_of(stored(turn))


def as_closest(turn: Turn, *missing: str) -> Turn:
    """The turn as it ends where no sentence of its hits answers for certain: each hit's first sentence is shown."""
    text, citations = message("closest", turn.lang), []
    for number, hit in enumerate(turn.evidence.hits[:3], start=1):
        chunk = hit.chunk
        end = chunk.text.find(".") + 1 or len(chunk.text)
        text += f"\n\n**{' › '.join((chunk.title, *chunk.headings))}**: “{chunk.text[:end]}” [{number}]"
        citations.append(Citation(number, hit, chunk.text[:end], chunk.page, ((0, end),), ((len(text) - 3, len(text)),)))
    verdict = Verdict("closest", "unsure", 0.2, 0.6, 0.7, 0.5, missing, ("meaning-", "missing-"))
    return replace(turn, outcome="closest", answer=Answer(text, tuple(citations), extractive=True, verdict=verdict))


def with_(turn: Turn, **changes: Any) -> Turn:
    """A turn whose question was read. The plan follows from the profile, `settings` and `options`. `queries`: texts, () = the question
    itself; `vectors`: one for each query; `found`: an index's reply to each query; `usage`: tokens of one call of the answering model."""
    settings = changes.pop("settings", SETTINGS)
    planned = settings is not SETTINGS or {"profile", "options", "level"} & changes.keys()
    if "question" in changes:
        turn = replace(turn, request=replace(turn.request, question=changes["question"]))
        turn = turn if turn.rewritten else replace(turn, queries=(replace(turn.queries[0], text=changes.pop("question")),))
    if "queries" in changes:
        turn = turn.rewrite(*changes.pop("queries"))
    for name in ("lang", "embedder"):
        if name in changes:
            value = changes.pop(name)
            turn = replace(turn, queries=tuple(replace(query, **{name: value}) for query in turn.queries))
    if "vectors" in changes:
        vectors = changes.pop("vectors") or [None] * len(turn.queries)
        turn = turn.with_vectors(vectors, turn.embedder)
    if "found" in changes:
        found = zip(turn.queries, changes.pop("found"), strict=False)
        lists = tuple(each for query, candidates in found if candidates for each in lists_of(query.text, candidates))
        turn = replace(turn, evidence=replace(turn.evidence, lists=lists))
    if "level" in changes:  # of the request: the plan's follows from it
        turn = replace(turn, request=replace(turn.request, level=changes.pop("level")))
    if "model" in changes:
        turn = replace(turn, request=replace(turn.request, model=changes["model"]))
    for part, kind in PARTS.items():
        names = {each.name for each in fields(kind)}
        if own := {name: changes.pop(name) for name in names & changes.keys()}:
            turn = replace(turn, **{part: replace(getattr(turn, part), **own)})
    usage = changes.pop("usage", None)
    turn = replace(turn, **changes)
    turn = replace(turn, reading=reading_of(turn))
    if usage is not None:
        used = (turn.answer and turn.answer.model) or turn.plan.model or "fake"
        turn = replace(turn, trace=replace(turn.trace, calls=(ModelCall("answer", used, usage, 1.0),)))
    if planned:
        made = make_plan(turn.request, turn.profile, settings)
        turn = replace(turn, plan=replace(turn.plan, choices=made.choices, level=made.level, level_because=made.level_because))
    return turn
