"""`Reading`: what a question asks, as it was understood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from footnote.types.classification import Classification

Shape = Literal["how_to", "definition", "list", "yes_no", "topic", "other"]
"""What an answer looks like. how_to: steps. definition: a sentence that defines something. list: several things. yes_no: a sentence, with
its condition. topic: what is said about it."""
AskedType = Literal["date", "frequency", "number", "person", "place", "reason"]
"""The kind of thing that is asked for."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to before `end`; None = open."""

    first: date | None = None
    end: date | None = None


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """The files attached to a conversation, where they alone are asked about."""

    documents: int
    """Their number."""
    whole: bool = False
    """The question is about all that they say."""
    named: str = ""
    """The question with the words that name the files, which a model is asked; “” = as it is searched for."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question is about, if not whatever is found for it."""

    collection: bool = False
    """The documents of the collection as a whole."""
    attached: AttachedFiles | None = None
    period: Period | None = None
    """The time that the question names, if only its documents are searched."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question asks. The steps of understanding fill it, and the last of them, `read_question`, reads the text that is answered; so
    does a search, before it begins."""

    question: str = ""
    """The text that was read, `Turn.asked` or a part of it; “” = none, and shape, type and parts say nothing."""
    lang: str = "en"
    """Its language."""
    shape: Shape = "other"
    """What an answer to it looks like."""
    asked_type: AskedType | None = None
    """The kind of thing it asks for; None = another."""
    parts: tuple[Reading, ...] = ()
    """Each of several questions, in the order of `Turn.answered`; () = there is one."""
    classification: Classification | None = None
    """What kind of question it is; None = not classified."""
    scope: Scope = Scope()
    """What it is about."""
    divided: str = ""
    """The message before its questions were found in it; “” = it is one question."""
    unknown_words: tuple[str, ...] = ()
    """Words that no document has and that could not be corrected."""
