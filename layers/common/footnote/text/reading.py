"""Reads a question: the shape of its answer, and the kind of thing that it asks for. By patterns."""

from __future__ import annotations

from footnote.text.answer_types import asked_type_of
from footnote.text.question_shapes import shape_of
from footnote.types import Reading


def read(question: str, lang: str) -> Reading:
    """What the text of a question tells, as one question."""
    return Reading(question, lang, shape_of(question, lang), asked_type_of(question))
