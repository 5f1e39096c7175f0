"""Feedback on earlier answers to the same question, or a similar one, as hints for the model that answers it again.

The reader's own ratings are used in their own words. Those of colleagues are used only in words that the page offers, never in free text,
and only if the reader may read every document that the rated answer depends on. A proposed answer is never a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from footnote.ports import Clock, FeedbackStore, Ledger, RatedTurn
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.turn_records.days import DAY_S
from footnote.turn_records.read import documents_of, question_of
from footnote.turn_records.readable import readable_documents
from footnote.types import DOWN_TAGS, REASONS, UP_TAGS, Caller, Feedback, FeedbackHints, Turn
from footnote.types.copies import replace

DAYS = 30
READ = 100
"""Rated turns that are compared, the newest; of the reader, and of colleagues."""
SIMILAR = 0.75
"""Cosine of the bigrams of two questions from which they are similar."""
MOST = 8
"""Words for good answers, and for bad ones."""
TAG = re.compile(r"\w[\w-]*(?: \w[\w-]*){0,3}")
"""A tag is one to four words. Anything else may be instructions to the model."""
OFFERED = frozenset({*REASONS, *UP_TAGS, *DOWN_TAGS})
"""Reasons and tags that the page offers."""
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "wrong": "wrong", "incomplete": "incomplete", "outdated": "outdated", "wrong_source": "wrong source", "unclear": "unclear",
        "complete": "complete", "clear": "clear", "exact": "exact", "concise": "concise", "too_long": "too long",
        "too_short": "too short", "too_technical": "too technical",
    },
    "de": {
        "wrong": "falsch", "incomplete": "unvollständig", "outdated": "veraltet", "wrong_source": "falsche Quelle",
        "unclear": "unverständlich", "complete": "vollständig", "clear": "verständlich", "exact": "genau", "concise": "knapp",
        "too_long": "zu lang", "too_short": "zu kurz", "too_technical": "zu technisch",
    },
    "ko": {
        "wrong": "틀림", "incomplete": "불완전함", "outdated": "오래된 내용", "wrong_source": "잘못된 출처", "unclear": "이해하기 어려움",
        "complete": "빠짐없음", "clear": "이해하기 쉬움", "exact": "정확함", "concise": "간결함", "too_long": "너무 김",
        "too_short": "너무 짧음", "too_technical": "너무 전문적임",
    },
}  # fmt: skip
"""Language of the prompt → word of OFFERED → its wording in the prompt. `other` adds nothing."""


async def add_hints(turn: Turn, *, feedback: FeedbackStore, ledger: Ledger, clock: Clock) -> Turn:
    """Sets `evidence.hints` to the feedback on similar questions in the last DAYS, first the reader's own words, the newest first. Notes
    them as `feedback_hints`."""
    since = clock() - DAYS * DAY_S
    own = await feedback.rated(turn.caller, since, READ)
    others = await feedback.rated_by_others(turn.caller, turn.request.collection, since, READ)
    pairs = bigrams(turn.asked)
    near = [given for question, given in own if _is_similar(question, pairs)]
    shared = [rated for rated in others if _is_similar(question_of(rated.record), pairs)]
    heard = await _heard(shared, turn.caller, ledger)
    good, bad = (_words(near, heard, rating, turn.lang) for rating in ("up", "down"))
    if not (good or bad):
        return turn
    evidence = replace(turn.evidence, hints=FeedbackHints(tuple(good), tuple(bad)))
    return replace(turn, evidence=evidence).with_notes(feedback_hints={"good": good, "bad": bad})


async def _heard(rated: Sequence[RatedTurn], caller: Caller, ledger: Ledger) -> list[Feedback]:
    """The feedback on turns all of whose documents the caller may read; on none that depends on no document."""
    documents = [frozenset(documents_of(turn.record)) for turn in rated]
    readable = await readable_documents(frozenset().union(*documents), caller, ledger)
    return [turn.feedback for turn, needed in zip(rated, documents, strict=True) if needed and needed <= readable]


def _is_similar(question: str, pairs: frozenset[str]) -> bool:
    return bigram_cosine(bigrams(question), pairs) >= SIMILAR


def _words(own: Iterable[Feedback], heard: Iterable[Feedback], rating: str, lang: str) -> list[str]:
    said = [word for feedback in own if feedback.rating == rating for word in _said(feedback) if word in OFFERED or TAG.fullmatch(word)]
    said += [word for feedback in heard if feedback.rating == rating for word in _said(feedback) if word in OFFERED]
    words = WORDS.get(lang, WORDS["en"])
    return list(dict.fromkeys(words.get(word, word) for word in said if word != "other"))[:MOST]


def _said(feedback: Feedback) -> list[str]:
    """The reason, if it is a usual one, and the tags."""
    return [*([feedback.reason] if feedback.reason in REASONS else []), *feedback.tags]
