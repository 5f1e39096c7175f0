"""Whether a sentence contains the kind of thing that a question asks for. English, German, Korean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from footnote.text.calendar_names import ENGLISH, GERMAN
from footnote.types import AskedType

MONTHS = "|".join(dict.fromkeys((*ENGLISH.months, *GERMAN.months)))
NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?"
    "|billions?|half|dozens?|first|second|third|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|sechzehn|siebzehn|zwanzig|"
    "dreißig|siebzig|(?:drei|vier|fünf|acht|neun)(?:zehn|zig)|sechzig|achtzig|\\w+und\\w+zig|\\w*hundert|\\w*tausend|Million\\w*"
)
REPEATED = (
    r"daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|every (?:day|week|month|quarter|year)|täglich|wöchentlich"
    r"|monatlich|vierteljährlich|halbjährlich|jährlich|je(?:de[nrs]?|weils) (?:Tag|Woche|Monat|Quartal|Jahr)"
)
"""How often, and so when: in English and German."""
ITEM_NUMBER = re.compile(r"\W{0,4}\d{1,3}[.)]\s+")
"""Of an item of a list, which is not what it says."""


HELD: Mapping[AskedType, re.Pattern[str]] = {
    "date": re.compile(
        rf"\b(?:{REPEATED})\b|\b\d{{1,2}}:\d\d\b|\b\d{{1,2}} ?(?:[ap]\.?m\b|Uhr\b)|매[일주월년]|요일|\d\s?시"
        r"|\b\d{1,2}\.\s?\d{1,2}\.\s?(?:(?:19|20)?\d\d\b|\([월화수목금토일]\))"
        rf"|\b1\d{{3}}\b|\b20\d\d\b|\bcentur|\bJahrhundert|\b(?:{MONTHS})\b|\b\w+(?:day|tag)s?\b(?<=[dt]ay|[dt]ag)|\d+\s?[년월일]|세기"
    ),
    "number": re.compile(rf"\d|\b(?:{NUMBER_WORDS}|{REPEATED}|once|twice|(?:ein|zwei) ?mal)\b|매[일주월년]"),
    "person": re.compile(r"(?<=[\w,;)]\s)[A-ZÄÖÜ][\w'’-]+"),
    "place": re.compile(r"\b(?:in|at|from|near|to|of|nach|bei|aus|von)\s+(?:the\s+)?[A-ZÄÖÜ]\w+|[가-힣]{2,}(?:에서|에|으로|시|군|도)\b"),
    "reason": re.compile(
        r"\b(?:because|due to|since|so that|in order to|result\w*|caused?|as a|reason|weil|da|wegen|aufgrund|damit|um)\b"
        r"|때문|위해|위하여|이유"
    ),
}
"""Finds the requested kind of thing in a sentence."""


def answer_type_score(asked_type: AskedType | None, question: str, sentence: str) -> float:
    """Whether a sentence contains the kind of thing that the question asks for: 1 yes, 0 no, .5 if that has no form of its own.

    A thing named in the question itself does not count."""
    if asked_type is None or asked_type not in HELD:
        return 0.5
    named = question.lower()
    numbered = ITEM_NUMBER.match(sentence)
    for match in HELD[asked_type].finditer(sentence, numbered.end() if numbered else 0):
        if asked_type == "reason" or match.group().lower() not in named:
            return 1.0
    if asked_type == "person" and re.search(r"[가-힣]", question):
        return 0.5  # Hangul has no capitals that would distinguish a name from a noun
    return 0.0
