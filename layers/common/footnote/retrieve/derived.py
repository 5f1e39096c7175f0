"""Derived queries: the common part of paraphrases, hypothetical texts and more general questions.

They only find evidence. `fuse_lists` adds their results to the scores of the question's own results, by their weights. The weights are so
low that texts about something else cost less than .02 of nDCG@10 (`python -m bench.expansion`)."""

from __future__ import annotations

from collections.abc import Iterable

from footnote.types import ASKED, LONGEST_QUERY, MOST_DERIVED, Query, QueryKind, Turn

LIMIT_S = 8.0
"""Of a model's call, within the row's time limit."""


def may_expand(turn: Turn) -> bool:
    """There is a language model, one question is searched for, and nothing has been found in other systems."""
    return turn.plan.model is not None and len(turn.answered) == 1 and not turn.evidence.is_complete


def is_derived(query: Query) -> bool:
    """Whether the query only finds evidence."""
    return query.kind not in ASKED


def has_derived(turn: Turn) -> bool:
    """Queries were derived from the question."""
    return any(map(is_derived, turn.queries))


def has_feedback(turn: Turn) -> bool:
    """Keywords of the first passages are searched for, too."""
    return any(query.kind == "feedback" for query in turn.queries)


def with_derived(
    turn: Turn, kind: QueryKind, written: Iterable[str], weight: float = MOST_DERIVED, *, longest: int = LONGEST_QUERY
) -> Turn:
    """The turn with these texts as queries (`Turn.derive`). Texts longer than `longest` characters are cut at a word."""
    return turn.derive(kind, (_cut(" ".join(text.split()), longest) for text in written), weight)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest + 1].rpartition(" ")[0] or text[:longest]
