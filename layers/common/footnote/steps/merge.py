"""Merges the parallel branches of a turn.

A branch may append queries, candidate lists and model calls, add notes under names of its own, mark the turn as degraded, and
settle it. Any other change is a defect, because the other branches would overwrite it.

From a branch that failed or was late, spans, calls and notes are merged, but not its results: a check of them may have been due
later. A check in it that was not made blocks the turn, and one that refused the question ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from footnote.errors import FootnoteError
from footnote.steps.rows import BLOCK, Row, steps_of
from footnote.types import Turn
from footnote.types.copies import replace

Branch = tuple[Row, Turn, FootnoteError | None]
"""(its row, the turn at its end, the error that stopped it)."""

ENDS = ("blocked", "forbidden")
"""Outcomes of a branch that settle the whole turn, together with the branch's answer."""


def merge(before: Turn, branches: Sequence[Branch]) -> tuple[Turn, FootnoteError | None]:
    """Returns (the turn, the error that ends it). Branches are merged in the table's order. TypeError if a branch changed anything
    that it must not change."""
    turn = before
    for branch in branches:
        turn = _joined(before, turn, *branch)
    errors = [(row, left, error) for row, left, error in branches if error is not None]
    if turn.outcome is not None or not errors:
        return turn, None
    refusals = [error for row, left, error in errors if "failed" in _checks(row, left)]
    if refusals or len(errors) == len(branches):
        failed = [error for _, left, error in errors if all(span.status != "late" for span in left.trace.spans)]
        return turn, [*refusals, *failed, errors[0][2]][0]
    return turn, None


def _joined(before: Turn, turn: Turn, row: Row, left: Turn, error: FootnoteError | None) -> Turn:
    """`turn` with the additions of one branch."""
    if changed := next(_changes(before, left, turn), None):
        raise TypeError(f"the branch {row.name!r} changed {changed}, which a branch must not change")
    old, new, trace = before.trace, left.trace, turn.trace
    spans = trace.spans + new.spans[len(old.spans) :]
    notes = {**trace.notes, **new.notes}
    calls = trace.calls + new.calls[len(old.calls) :]
    degraded = trace.degraded or new.degraded or error is not None
    turn = replace(turn, trace=replace(trace, spans=spans, calls=calls, notes=notes, degraded=degraded))
    if error is None:
        lists = turn.evidence.lists + left.evidence.lists[len(before.evidence.lists) :]
        queries = turn.queries + left.queries[len(before.queries) :]
        turn = replace(turn, queries=queries, evidence=replace(turn.evidence, lists=lists))
    elif None in _checks(row, left):
        left = replace(left, outcome="blocked")
    if left.outcome in ENDS and turn.outcome is None:
        turn = replace(turn, outcome=left.outcome, answer=left.answer)
    return turn


def _checks(row: Row, left: Turn) -> set[str | None]:
    """The statuses of the branch's checks; None = a check was not made."""
    went = {span.name: span.status for span in left.trace.spans if span.status != "late"}
    return {went.get(step.name) for step in steps_of([row]) if step.on_error is BLOCK}


def _changes(before: Turn, left: Turn, turn: Turn) -> Iterator[str]:
    """The changes of a branch that are not allowed."""
    settled = {"outcome", "answer"} if left.outcome is not None else set()
    yield from _other(before, left, {"queries", "evidence", "trace", *settled})
    yield from (f"evidence.{name}" for name in _other(before.evidence, left.evidence, {"lists"}))
    yield from (f"trace.{name}" for name in _other(before.trace, left.trace, {"spans", "calls", "notes", "degraded"}))
    if not _begins_with(left.queries, before.queries):
        yield "queries"
    if not _begins_with(left.trace.calls, before.trace.calls):
        yield "trace.calls"
    if not _begins_with(left.evidence.lists, before.evidence.lists):
        yield "evidence.lists"
    noted, notes = turn.trace.notes, left.trace.notes
    if before.trace.notes.keys() - notes.keys() or any(noted.get(name, value) is not value for name, value in notes.items()):
        yield "trace.notes"


def _other(before: Any, after: Any, own: set[str]) -> list[str]:
    names = (field.name for field in fields(before) if field.name not in own)
    return [name for name in names if getattr(before, name) is not getattr(after, name) and getattr(before, name) != getattr(after, name)]


def _begins_with(items: Sequence[object], first: Sequence[object]) -> bool:
    return len(items) >= len(first) and all(new is old for new, old in zip(items, first, strict=False))
