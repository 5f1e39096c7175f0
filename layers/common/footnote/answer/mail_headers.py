"""Whether a question asks for what the header of a mail tells: who sent it, to whom, when, with which attachments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from footnote.text.answer_types import answer_type_score
from footnote.text.sentence_terms import terms_of_mails, terms_of_sending
from footnote.types import AskedType, Chunk, ChunkSentences

_TEXT = ("heading", "metadata")
"""Kinds of blocks that are no text of the mail."""


class _Question(Protocol):
    text: str
    asked_type: AskedType | None
    terms: frozenset[str]

    def words_without(self, held: frozenset[str]) -> tuple[str, ...]: ...


class Mail:
    """A passage of a mail, and what a question asks of it."""

    def __init__(
        self, question: _Question, chunk: Chunk, passage: ChunkSentences, own_terms: Sequence[frozenset[str]], around: frozenset[str]
    ) -> None:
        """`own_terms`: the terms of the question in each sentence. `around`: those in title and headings."""
        self._question, self._around = question, around
        self._kinds = [chunk.kind_at(start) for start, _ in passage.bounds]
        self._own = tuple(own_terms)
        self._text = [
            (own, chunk.text[slice(*at)]) for own, kind, at in zip(own_terms, self._kinds, passage.bounds, strict=True) if kind not in _TEXT
        ]
        self._sending = question.terms.intersection(terms_of_sending())
        self._names = question.terms.intersection(terms_of_mails())

    def asks_header(self, number: int, in_heading: frozenset[str]) -> bool:
        """Whether the metadata with this number is the header of a mail and answers. `in_heading`: the terms of the question in the
        mail's subject.

        It is the header of a quoted mail if it is not below the subject: of that nobody asks. If the question has words for sending, the
        header answers unless a sentence says as much: “Ada sent the key” of “Who sent the key?”. Else the sender answers who, and the date
        when a mail was sent, if the text has no more of the question than title and headings have, and no date for it."""
        if number and self._kinds[number - 1] != "heading":
            return False
        asked, held = self._question.asked_type, self._sending | self._names | in_heading
        if not (in_heading or self._own[number] - self._sending - self._names):
            return False
        if asked in ("person", "date") and self._sending:
            return not any(own >= held for own, _ in self._text)
        if asked == "person" or (asked == "date" and self._names):
            return not any(own - self._around or (own and self._is_date(text)) for own, text in self._text)
        return asked in (None, "list") and bool(self._sending) and not self._question.words_without(held)

    def _is_date(self, text: str) -> bool:
        return self._question.asked_type == "date" and answer_type_score("date", self._question.text, text) == 1
