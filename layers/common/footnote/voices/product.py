"""Reads the product's own voices, which are for admins only: ratings of answers, with their reasons, comments and proposed answers, and
unanswered questions.

An admin gets those that they may read: no voice of a turn that depends on a document that they may not read, as in the list of feedback.
Nobody gets questions with the content words of one that a check ever refused, nor ratings of them. Personal data is masked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.errors import Forbidden
from footnote.ports import FeedbackFilter, FeedbackStore, Ledger, RatedTurn, StatisticsStore
from footnote.text.normal_form import QuestionSet
from footnote.turn_records.read import question_of
from footnote.turn_records.readable import WITHHELD, needed_to_show, needed_to_show_question, readable_documents, withheld_questions
from footnote.types import Caller, Feedback, Outcome, TurnFigures, TurnRecord
from footnote.types.copies import replace
from footnote.voices.voice import MOST_READ, Read, Voice

UNANSWERED = "unanswered"
"""The channel of questions that were not answered."""
FEEDBACK = "feedback"
"""The channel of ratings."""
RATINGS = {"up": 5.0, "down": 1.0}
NOT_ANSWERED: tuple[Outcome, ...] = ("no_hits", "closest", "refused")
AT_ONCE = 1000
"""Ratings that are in memory at once, with their turns."""
Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A voice, and what decides whether the caller gets it. `lang`: of the question."""

    voice: Voice
    question: str
    lang: str
    documents: frozenset[str]


async def read_product(
    caller: Caller, since: float, until: float, *, feedback: FeedbackStore, statistics: StatisticsStore, ledger: Ledger, mask: Mask
) -> Read:
    """The product's own voices of [since, until), the newest MOST_READ ratings and as many questions, oldest first. Forbidden unless the
    caller is an admin."""
    if caller.role != "admin":
        raise Forbidden("What people said about the answers is for admins.")
    unanswered = await statistics.ended_as(caller, NOT_ANSWERED, since, until, MOST_READ + 1)
    candidates = await asyncio.to_thread(_unanswered, unanswered[:MOST_READ], caller)
    ratings, more = await _ratings(caller, FeedbackFilter(since, until), feedback)
    withheld = QuestionSet(await withheld_questions(caller, statistics))
    candidates = await asyncio.to_thread(_without, [*candidates, *ratings], withheld)
    readable = await readable_documents(frozenset[str]().union(*(candidate.documents for candidate in candidates)), caller, ledger)
    voices = await asyncio.to_thread(_masked, [candidate.voice for candidate in candidates if candidate.documents <= readable], mask)
    return Read(tuple(voices[-MOST_READ:]), more or len(unanswered) > MOST_READ or len(voices) > MOST_READ)


def _without(candidates: Sequence[_Candidate], withheld: QuestionSet) -> list[_Candidate]:
    return [candidate for candidate in candidates if not withheld.holds(candidate.question, candidate.lang)]


def _masked(voices: Sequence[Voice], mask: Mask) -> list[Voice]:
    """Oldest first."""
    masked = (replace(voice, text=mask(voice.text)) for voice in voices)
    return sorted(masked, key=lambda voice: (voice.at or 0.0, voice.voice_id))


def _unanswered(turns: Sequence[TurnFigures], caller: Caller) -> list[_Candidate]:
    candidates = []
    for turn in turns:
        if turn.is_error or not turn.question.strip():
            continue
        voice = Voice(f"turn|{turn.trace_id}", turn.question, turn.lang, turn.started_at, UNANSWERED, turn.search_type)
        candidates.append(_Candidate(voice, turn.question, turn.lang, needed_to_show_question(turn, caller)))
    return candidates


async def _ratings(caller: Caller, criteria: FeedbackFilter, feedback: FeedbackStore) -> tuple[list[_Candidate], bool]:
    """(the newest MOST_READ ratings, whether there are more)."""
    candidates: list[_Candidate] = []
    after, more, read = None, True, 0
    while more and read < MOST_READ:
        page = await feedback.list(caller, criteria, min(AT_ONCE, MOST_READ - read), after)
        candidates += await asyncio.to_thread(_rated, page.data, caller)
        read, after, more = read + len(page.data), page.last_id, page.has_more and page.last_id is not None
    return candidates, more


def _rated(page: Sequence[RatedTurn], caller: Caller) -> list[_Candidate]:
    candidates = []
    for rated in page:
        record, given, question = rated.record, rated.feedback, question_of(rated.record)
        if record["outcome"] in WITHHELD or record["is_error"] or record["status"] == "idle" or not question.strip():
            continue
        name = f"feedback|{given.trace_id}|{given.user_id}"
        lang, rating = str(record["lang"]), RATINGS[given.rating]
        voice = Voice(name, _said(question, given), lang, given.created_at, FEEDBACK, record["search_type"], rating)
        candidates.append(_Candidate(voice, question, record["lang"], needed_to_show(record, caller)))
    return candidates


def voices_in(record: TurnRecord, given: Feedback | None) -> list[str]:
    """The texts of the possible voices of a stored turn, not masked: its question, and the content of its rating."""
    question = question_of(record)
    return [question] if given is None else [question, _said(question, given)]


def _said(question: str, given: Feedback) -> str:
    return "\n".join(filter(None, (question, given.reason, given.comment, given.proposed_answer, ", ".join(given.tags))))
