"""The policy for answers, regardless of the documents.

forbidden      a forbidden term, or a synonym of one
personal_data  an address, a telephone or an account number that is in no passage, or the number of a card or a person
instruction    a sentence addressed to a model: it was planted in a document. Advice that shares no word with the rest is not one"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Literal

from footnote.guard.forbidden_words import BLOCKING
from footnote.guard.term_hits import match_of, match_terms
from footnote.guard.terms import LEAST, TermCopy, Terms
from footnote.prompts import Prompts
from footnote.text.pii import find_pii
from footnote.text.prompt_injection.passages import find_suspects
from footnote.text.sentences import split_sentences
from footnote.types import Answer, Evidence, Outcome, Turn
from footnote.types.copies import replace

Violation = Literal["forbidden", "personal_data", "instruction"]
WARNINGS: Mapping[Violation, str] = {"forbidden": "forbidden", "personal_data": "personal_data", "instruction": "injection"}
NEVER = frozenset(("card", "tax_id", "korean_id", "us_ssn"))
"""Kinds of personal data that an answer does not repeat although a document has it."""
SEPARATOR = re.compile(r"[\s()./-]+")


def has_answer(turn: Turn) -> bool:
    """There is an answer from passages, the model's or quotes."""
    return turn.answer is not None and turn.outcome is None


def shows_closest(turn: Turn) -> bool:
    """The closest passages are shown, which settled the turn."""
    return turn.answer is not None and turn.outcome == "closest"


async def find_violations(turn: Turn, *, terms: Terms) -> Turn:
    """Sets `review.violations`, the sentences that break the policy, for the revision; notes them by kind."""
    violations = await _violations(turn, terms)
    if not violations:
        return turn
    review = replace(turn.trace.review, violations=tuple(chain.from_iterable(violations.values())))
    return replace(turn, trace=replace(turn.trace, review=review)).with_notes(violations=violations)


async def enforce_policy(turn: Turn, *, terms: Terms, prompts: Prompts) -> Turn:
    """Warns of remaining violations of the policy. An answer with a forbidden term that has not been shown is withheld: its owner finds it
    in the trace (`rejected_answer`)."""
    violations, answer = await _violations(turn, terms), turn.answer
    if answer is None or not violations:
        return turn
    if "forbidden" in violations and not turn.profile.live:
        guidance = prompts.render("forbidden_guidance", turn.lang, {"topic": None}).strip()
        return _withheld(turn.with_notes(forbidden={"topic": None}), answer, "forbidden", Answer(guidance, model=answer.model))
    warnings = (WARNINGS[kind] for kind in violations if WARNINGS[kind] not in answer.warnings)
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, *warnings)))


async def check_quotes(turn: Turn, *, terms: Terms) -> Turn:
    """Drops the quotes shown until the answer comes, if they break the policy: unlike a live answer they have not been shown yet."""
    return await drop_quotes(turn) if turn.quoted is not None and await _violations(turn.quoted, terms) else turn


async def drop_quotes(turn: Turn) -> Turn:
    """Quotes that cannot be checked are not shown, nor made again where they would stand in for the model."""
    return replace(turn, quoted=replace(turn.quoted, answer=None, outcome="refused")) if turn.quoted else turn


async def withhold(turn: Turn) -> Turn:
    """Withholds an answer that cannot be checked, unless it has been shown."""
    if turn.profile.live or turn.answer is None:
        return turn
    return _withheld(turn, turn.answer, "blocked", None)


def _withheld(turn: Turn, answer: Answer, outcome: Outcome, instead: Answer | None) -> Turn:
    """The turn without its answer and its passages, which may contain the same."""
    kept = Evidence(lists_missing=turn.evidence.lists_missing)
    return replace(turn.with_notes(rejected_answer=answer.text), outcome=outcome, answer=instead, evidence=kept)


async def _violations(turn: Turn, terms: Terms) -> dict[Violation, list[str]]:
    """Raises if the forbidden terms cannot be read."""
    copy = await terms.current() if turn.plan.wants("forbidden_check") else None
    violations: dict[Violation, list[str]] = {}
    for kind, sentence in await asyncio.to_thread(lambda: list(_find(turn, copy))):
        violations.setdefault(kind, []).append(sentence)
    return violations


def _names_forbidden(sentence: str, copy: TermCopy) -> bool:
    """Whether a term or a synonym of it occurs."""
    return any(match_of(hit.similarity) in BLOCKING for hit in match_terms(sentence, None, copy, LEAST["synonym"]))


def _find(turn: Turn, copy: TermCopy | None) -> Iterator[tuple[Violation, str]]:
    answer = turn.answer or Answer("")
    text = answer.unmarked

    @cache  # few answers have personal data, and passages are long
    def known() -> str:
        given = (turn.request.question, turn.request.attached, *(hit.chunk.text for hit in turn.evidence.citable))
        return SEPARATOR.sub("", "\n".join(given))

    planted = {(start, end) for start, end, foreign in find_suspects(text, lang=turn.lang) if not foreign}
    for start, end in split_sentences(text, turn.lang):
        sentence = text[start:end]
        if copy is not None and _names_forbidden(sentence, copy):
            yield "forbidden", sentence
        if any(kind in NEVER or SEPARATOR.sub("", sentence[first:last]) not in known() for kind, first, last in find_pii(sentence)):
            yield "personal_data", sentence
        if (start, end) in planted:
            yield "instruction", sentence
