"""`Reading`: what a question asks, as it was understood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from footnote.types.classification import Classification

AskedType = Literal["number", "date", "person", "place", "reason", "yes-no", "how-to", "definition", "list"]
"""What is asked for. how-to: steps. definition: a sentence that defines something. list: several things."""


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
    """The text that was read, `Turn.asked` or a part of it; “” = none, and type and parts say nothing."""
    lang: str = "en"
    """Its language."""
    asked_type: AskedType | None = None
    """What it asks for; None = something else."""
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
