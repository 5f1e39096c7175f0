"""Questions that were not answered: those with the same content words are one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.ports import Ledger, StatisticsStore
from footnote.text.normal_form import QuestionSet, normal_form
from footnote.text.particulars import count_negations
from footnote.text.tokens import content_terms
from footnote.turn_records.readable import readable_questions, withheld_questions
from footnote.types import Caller, Outcome, TurnFigures

UNANSWERED: tuple[Outcome, ...] = ("no_hits", "closest", "refused")
MOST_TURNS = 2_000
"""Number of turns examined, the newest."""
MOST_QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Questions with the same content words. `question`: as it was worded last."""

    question: str
    lang: str
    turns: tuple[TurnFigures, ...]
    """Newest first."""


async def unanswered_questions(
    caller: Caller,
    since: float,
    until: float,
    *,
    statistics: StatisticsStore,
    ledger: Ledger,
    wanted: Callable[[TurnFigures], bool] = lambda _: True,
) -> list[Unanswered]:
    """The questions of turns in [since, until) that showed the closest passages or nothing, the most frequent first, at most
    MOST_QUESTIONS. Questions with the words of a forbidden or blocked one are left out, and so are questions of others that depend on a
    document that the caller may not read."""
    candidates = await statistics.ended_as(caller, UNANSWERED, since, until, MOST_TURNS)
    withheld = QuestionSet(await withheld_questions(caller, statistics))
    groups = _group([turn for turn in candidates if wanted(turn) and not withheld.holds(turn.question, turn.lang)])
    groups.sort(key=lambda group: (-len(group), -group[0].started_at))
    shown = await readable_questions(groups, MOST_QUESTIONS, caller, ledger)
    return [Unanswered(group[0].question, group[0].lang, tuple(group)) for group in shown]


def _group(records: Sequence[TurnFigures]) -> list[list[TurnFigures]]:
    groups: dict[tuple[object, ...], list[TurnFigures]] = {}
    for record in records:
        groups.setdefault(_subject(record.question, record.lang), []).append(record)
    return list(groups.values())


def _subject(question: str, lang: str) -> tuple[object, ...]:
    """Content words in their order, without which the question's normal form, and how often something is negated."""
    return lang, tuple(content_terms(question, lang)) or normal_form(question, lang), count_negations(question)
