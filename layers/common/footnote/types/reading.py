"""`Reading`: what a question asks, as the steps of `understand` found it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from footnote.types.classification import Classification

AskedType = Literal["number", "date", "person", "place", "reason", "yes-no", "how-to", "definition", "list"]
"""The kind of answer. how-to: steps. definition: a sentence that defines something. list: several things."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to before `end`; None = open."""

    first: date | None = None
    end: date | None = None


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """The files attached to a conversation, if the question is about them alone."""

    documents: int
    """Their number."""
    whole: bool = False
    """The question is about their whole content."""
    named: str = ""
    """The question with the words that name the files, for a model's prompt; “” = the searched question."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a question, if it is limited."""

    collection: bool = False
    """The documents of the collection as a whole."""
    attached: AttachedFiles | None = None
    period: Period | None = None
    """The time that the question names, if only its documents are searched."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question asks. The steps of `understand` fill it, and the last of them, `read_question`, reads the text to answer; so does a
    search, before it begins."""

    question: str = ""
    """The text that was read, `Turn.asked` or a part of it; “” = none, and type and parts are unknown."""
    lang: str = "en"
    """Its language."""
    asked_type: AskedType | None = None
    """The kind of answer; None = something else."""
    parts: tuple[Reading, ...] = ()
    """The reading of each of several questions, in the order of `Turn.answered`; () = there is one."""
    classification: Classification | None = None
    """What kind of question it is; None = not classified."""
    scope: Scope = Scope()
    """Its scope."""
    divided: str = ""
    """The message before it was divided into questions; “” = it is one question."""
    unknown_words: tuple[str, ...] = ()
    """Words that no document has and that could not be corrected."""
