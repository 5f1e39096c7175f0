"""Reads voices: of a collection as the caller may read it, and the product's own, which are for admins only.

The product's own voices are the ratings of answers, with their reasons and proposed answers, and questions that were not answered.
Questions that a check refused are not among them, nor ratings of such turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.errors import Forbidden
from footnote.ports import Index, TurnStore
from footnote.text.language import detect_language
from footnote.types import Caller, TurnFigures
from footnote.types.voices import is_voice
from footnote.voices.voice import Voice, voice_of

MOST = 20_000
"""Voices of a collection that are read; of a larger one, the first of each file."""
UNANSWERED = "unanswered"
"""The channel of questions that were not answered."""
FEEDBACK = "feedback"
"""The channel of ratings."""
RATINGS = {"up": 5.0, "down": 1.0}
NOT_ANSWERED = ("no_hits", "closest", "refused")
REFUSED_BY_CHECK = ("forbidden", "blocked")


@dataclass(frozen=True, slots=True)
class Read:
    """Voices as they were read. `cut`: there are more."""

    voices: tuple[Voice, ...]
    cut: bool = False


async def read_collection(caller: Caller, collection: str, *, index: Index) -> Read:
    """The voices of a collection that the caller may read."""
    chunks = await index.sample(caller, collection, MOST + 1)
    return Read(tuple(voice_of(chunk) for chunk in chunks[:MOST] if is_voice(chunk.metadata)), len(chunks) > MOST)


async def read_product(caller: Caller, now: float, *, turns: TurnStore) -> Read:
    """The product's own voices. Forbidden unless the caller is an admin."""
    if caller.role != "admin":
        raise Forbidden("What people said about the answers is for admins.")
    figures = await turns.figures(caller, 0, now)
    voices = [voice for turn in figures for voice in _voices_of(turn)]
    return Read(tuple(voices[-MOST:]), len(voices) > MOST)


def _voices_of(turn: TurnFigures) -> Iterator[Voice]:
    if turn.outcome in REFUSED_BY_CHECK or turn.is_error or not turn.question.strip():
        return
    lang = detect_language(turn.question)
    if turn.outcome in NOT_ANSWERED:
        yield Voice(f"turn|{turn.trace_id}", turn.question, lang, turn.started_at, UNANSWERED, turn.search_type)
    for each in turn.feedback:
        said = "\n".join(filter(None, (turn.question, each.reason, each.proposed_answer, ", ".join(each.tags))))
        at = each.created_at or turn.started_at
        yield Voice(f"feedback|{turn.trace_id}|{each.user_id}", said, lang, at, FEEDBACK, turn.search_type, RATINGS[each.rating])


def chosen_by(ids: Sequence[str], voices: Sequence[Voice]) -> list[Voice]:
    """The voices with these ids, in this order."""
    known = {voice.voice_id: voice for voice in voices}
    return [known[each] for each in ids if each in known]
