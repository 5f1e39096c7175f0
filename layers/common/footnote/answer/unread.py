"""Mentions documents that are still being read, and unreadable files that the question may be about.

Only documents that the caller may read are counted and named. The notice is valid at this moment only: it is in the reply, but neither in
the stored turn nor in the cached answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from footnote.answer.messages import message
from footnote.errors import StoreUnavailable
from footnote.events import Event, Token
from footnote.ports import Ledger
from footnote.text.tokens import content_terms
from footnote.types import Document, Turn, Unread
from footnote.types.copies import replace

STILL_READING, FILE_FAILED = "still_reading", "file_failed"
"""The warnings."""
LOOKED_AT = 200
"""Files that could not be read, of which those are looked for that a question is about."""
MOST_NAMED = 3
ENOUGH = 0.5
"""The share of the words of a file's name that the question must contain if it was answered from other documents, or of its own words that
must be in the file's text. Without an answer one word of the name is enough."""
APART = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[^\W\d_]{2})(?=\d)|[\W_]+")
"""Where the words of a name are divided: `TravelPolicy2024_final` has four."""
PART = 5
"""Characters from which a word may be a part of another one: `Urlaub` of `Urlaubsregelung`."""


async def look(turn: Turn, ledger: Ledger) -> Turn:
    """The turn with `evidence.unread`; nothing is while the store is down, as an answer does not depend on it."""
    try:
        states = await ledger.readable_states(turn.caller, turn.request.collection)
    except StoreUnavailable:
        states = {}
    return with_unread(turn, Unread(reading_of(states), sum(states.values()), states.get("FAILED", 0)))


def with_unread(turn: Turn, unread: Unread, **more: Any) -> Turn:
    """The turn with these numbers, and the note `unread` of them and what more there is."""
    note = {name: value for name, value in asdict(unread).items() if value}
    return replace(turn, evidence=replace(turn.evidence, unread=unread)).with_notes(unread={**note, **more})


def reading_of(states: Mapping[str, int]) -> int:
    """How many documents are being read, of those in these states."""
    return states.get("RECEIVED", 0) + states.get("PROCESSING", 0)


def reading_said(turn: Turn) -> str:
    """How many documents are still being read; "" if none is."""
    unread = turn.evidence.unread
    return sentence(unread.reading, unread.documents, turn.lang) if unread and unread.reading else ""


def sentence(reading: int, documents: int, lang: str) -> str:
    """That so many of the documents are still being read."""
    return message("reading_one" if reading == 1 else "reading", lang, reading=str(reading), documents=str(documents))


def may_lack_documents(turn: Turn) -> bool:
    """The documents were searched, or answered without a search, and there is an answer."""
    searched = turn.request.mode == "rag" or (turn.request.mode == "pa" and bool(turn.evidence.hits or turn.evidence.ranked))
    return searched and turn.answer is not None and turn.outcome not in ("blocked", "forbidden", "withdrawn") and not turn.request.is_test


async def tell_unread(turn: Turn, *, ledger: Ledger) -> AsyncIterator[Event | Turn]:
    """Adds the warnings `still_reading` and `file_failed`, and to the text the files that the question may be about, with their remedies;
    to a text that is no answer also the documents that are being read."""
    if turn.evidence.unread is None:
        turn = await look(turn, ledger)
    unread, answer = turn.evidence.unread, turn.answer
    if answer is None or unread is None or not unread.documents:
        yield turn
        return
    is_answered = turn.outcome in (None, "cached", "faq")
    files = await _find_files(turn, ledger, is_answered) if unread.failed else []
    said = [failed_said(file, turn.lang) for file in files]
    if unread.reading and not (is_answered or unread.is_said):
        said.insert(0, f"{reading_said(turn)} {message('ask_again', turn.lang)}")
    added = "".join(f"\n\n{notice}" for notice in said)
    if added:
        yield Token(added)
    warnings = [*([STILL_READING] if unread.reading else []), *([FILE_FAILED] if files else [])]
    answer = replace(answer, text=answer.text + added, warnings=(*answer.warnings, *warnings))
    yield with_unread(replace(turn, answer=answer), unread, files=files)


def failed_said(file: Mapping[str, Any], lang: str) -> str:
    """That a file could not be read, why, and what to do."""
    return message("file_failed", lang, name=file["name"], reason=" ".join(filter(None, (file["reason"], file["remedy"]))))


async def _find_files(turn: Turn, ledger: Ledger, is_answered: bool) -> list[dict[str, str | None]]:
    """The files that the question may be about, the likeliest first."""
    failed = await ledger.unreadable(turn.caller, turn.request.collection, LOOKED_AT)
    cited = {hit.chunk.doc_id for hit in turn.evidence.hits}
    rated = [(_likeness(turn, document, cited, is_answered), document) for document in failed]
    likely = sorted((pair for pair in rated if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].file_name))[:MOST_NAMED]
    return [{"name": document.file_name, "reason": document.reason, "remedy": document.remedy} for _, document in likely]


def _likeness(turn: Turn, document: Document, cited: Iterable[str], is_answered: bool) -> float:
    """How likely the question is about a file, 0–1; 0 = not."""
    if document.doc_id in cited:  # an earlier version of it was found
        return 1.0
    questions = {turn.request.question, turn.asked}
    names = {words_of_name(document.file_name), document.title}
    named = max(share_named(question, name, turn.lang) for question in questions for name in names)
    covered = max(share_covered(question, document.words, turn.lang) for question in questions) if document.words else 0.0
    return max(named if named >= ENOUGH or not is_answered else 0.0, covered if covered >= (1.0 if is_answered else ENOUGH) else 0.0)


def words_of_name(file_name: str) -> str:
    """The words of a file's name, without its folders and its extension."""
    return " ".join(filter(None, APART.split(PurePosixPath(file_name.replace("\\", "/")).stem)))


def share_named(question: str, words: str, lang: str) -> float:
    """The share of the words that the question has, 0–1. `lang`: the question's."""
    question_terms, own = set(content_terms(question.replace("_", " "), lang)), set(content_terms(words, lang))
    return sum(_is_in(term, question_terms) for term in own) / len(own) if own else 0.0


def share_covered(question: str, words: str, lang: str) -> float:
    """The share of the question's words that are among these; 0 for a question of a single word, which may be anywhere."""
    question_terms = set(content_terms(question, lang))
    return len(question_terms & set(content_terms(words, lang))) / len(question_terms) if len(question_terms) > 1 else 0.0


def _is_in(term: str, terms: Iterable[str]) -> bool:
    return any(term == other or (min(len(term), len(other)) >= PART and (term in other or other in term)) for other in terms)
