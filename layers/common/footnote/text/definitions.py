"""Definitions: what a question wants defined, or who somebody is, and whether a text says it. In English, German and Korean; who somebody
is not in Korean, whose names have no capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from footnote.text.abbreviations import spells_out
from footnote.text.question_shapes import LONGEST_SUBJECT, asks_for_any, subject_of
from footnote.types import Definition, Shape

ABBREVIATION = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9.&/-]{1,8}")
"""In capitals; a short word looks alike, and no text spells it out."""
ANY, CERTAIN = r"an?|eine?", r"the|der|die|das"
"""Articles."""
VERBS = (
    r"(?:(?:is|are) (?:an?|the|any|all|one|what|how|who|where|used)|(?:ist|sind) (?:eine?|der|die|das|alle|jede[rs]?|was|wer)"
    r"|means?|refers?|denotes?|consists?|bedeute[nt]|heiß(?:t|en)|bezeichne[nt]|besteh(?:t|en))\b"
    r"|이?란|[은는][^.\n]{1,80}(?:말(?:한다|합니다|해요)|뜻(?:한다|합니다|이다|입니다|해요)|의미(?:한다|합니다|해요))"
)
SIGNS = "[:|–—=]|은|는"
"""What else may follow the subject of a definition; it follows other words as well, except before an article."""
WHO = re.compile(
    r"^(?:who(?:['’]s| is| was)|wer (?:ist|war))\s+(?:(?:an?|the|our|my|der|die|das|unsere?|mein)\s+)?(?P<subject>.+)$", re.IGNORECASE
)
_CAPITALISED = r"[A-ZÄÖÜ][a-zäöüß’'-][\w’'-]{0,30}"
NAME = rf"{_CAPITALISED}(?: (?:[A-ZÄÖÜ]\.|van|von|de))?(?: {_CAPITALISED}){{1,2}}"
"""A person's: two capitalised words or more."""
LINK = r" ?(?:[:(|–—]|(?:is|was|ist|war)\b)[^\w\n]{0,2}"
"""Between a role and who holds it, on one line: “the treasurer (Jo Lee)”. Without any, headings in capitals look alike."""
FLAGS = re.IGNORECASE | re.MULTILINE


@dataclass(frozen=True, slots=True)
class DefiningPatterns:
    """How a text says what is to be defined."""

    begins: re.Pattern[str]
    """The beginning of a sentence, or of a table's row, that may be it."""
    told: re.Pattern[str]
    """What is in a text that tells it."""
    abbreviation: str | None
    """The subject in capitals, if it may be an abbreviation."""

    def may_be(self, sentence: str) -> bool:
        """Whether the sentence may define the subject: “Portlet: …”."""
        return self.begins.match(sentence) is not None or self.is_in(sentence)

    def is_in(self, text: str) -> bool:
        """Whether a sentence of the text defines the subject, “A portlet is a part of …”, or the text spells it out."""
        return self.spells_out(text) or self.told.search(text) is not None

    def spells_out(self, text: str) -> bool:
        """Whether the subject is an abbreviation, and the text says what it stands for."""
        return self.abbreviation is not None and spells_out(text, self.abbreviation)


def definition_of(question: str, shape: Shape) -> Definition | None:
    """The definition that a question of this shape asks for, or who somebody is; None = it asks for something else."""
    if who := WHO.match(question.strip().rstrip("?？. ")):
        role = who["subject"].split()
        return Definition(tuple(role), "person") if len(role) <= LONGEST_SUBJECT else None
    words = subject_of(question)
    if not words or shape != "definition":
        return None
    return Definition(tuple(words), "any" if asks_for_any(question) else "thing")


@lru_cache(maxsize=64)
def patterns_of(definition: Definition) -> DefiningPatterns:
    """The patterns by which a definition is found. What defines any portlet does not begin with “the portlet”."""
    words = definition.subject
    if definition.of == "person":
        return _of_person(words)
    subject = r"[\s-]+".join(map(re.escape, words)) + r"(?:e?s|e?n)?\W{0,2}(?:\s*\([^)]{1,80}\)\W?)?\s*"
    articles = ANY if definition.of == "any" else f"{ANY}|{CERTAIN}"
    name = words[0].upper() if len(words) == 1 else ""
    return DefiningPatterns(
        re.compile(rf"\W*(?:(?:{ANY}|{CERTAIN})\s+)?{subject}(?:{VERBS}|{SIGNS})", re.IGNORECASE),
        re.compile(rf"(?:^|[.!?:]\s+)\W{{0,4}}(?:(?:{articles})\s+)?{subject}(?:{VERBS}|[:|–—=]\s*(?:{ANY}|{CERTAIN})\s)", FLAGS),
        name if ABBREVIATION.fullmatch(name) else None,
    )


def _of_person(words: tuple[str, ...]) -> DefiningPatterns:
    known = [re.escape(word) for word in words]
    subject = r"(?i:\b" + r"[\s-]+".join(known) + r"\b)"
    name = rf"(?!(?i:{'|'.join(known)})\b){NAME}"  # “Release manager: Release planning” names nobody
    others = r"(?:(?!(?:not|nicht|to|of|for|with|by|von|bei|zur|zum)\b)[\w&-]+ ){0,3}"  # “Jo Lee, founder and treasurer”
    told = re.compile(rf"{subject}{LINK}{name}|\b{name}(?:, |{LINK}){others}{subject}")
    return DefiningPatterns(told, told, None)
