"""Answer types: which kind of thing a question asks for, and whether a sentence contains one. English, German, Korean."""

from __future__ import annotations

import re
from dataclasses import dataclass

from footnote.types import AskedType

MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
)
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


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A kind of answer: date, frequency, number, person, place or reason."""

    name: AskedType
    asked: re.Pattern[str]
    """Matches questions that ask for this type."""
    held: re.Pattern[str]
    """Finds things of this type in a sentence."""


def _type(name: AskedType, asked: str, held: str) -> AnswerType:
    return AnswerType(name, re.compile(asked, re.IGNORECASE), re.compile(held))


TYPES = (
    _type(
        "date",
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b|\bwann\b|\bwelche[mnsr]? (?:jahr|datum|tag|monat)\w*"
        r"|언제|날은|날짜|년도|연도|몇\s?년|몇\s?월|시기|마감|기한",
        rf"\b(?:{REPEATED})\b|\b\d{{1,2}}:\d\d\b|\b\d{{1,2}} ?(?:[ap]\.?m\b|Uhr\b)|매[일주월년]|요일|\d\s?시"
        r"|\b\d{1,2}\.\s?\d{1,2}\.\s?(?:(?:19|20)?\d\d\b|\([월화수목금토일]\))"
        rf"|\b1\d{{3}}\b|\b20\d\d\b|\bcentur|\bJahrhundert|\b(?:{MONTHS})\b|\b\w+(?:day|tag)s?\b(?<=[dt]ay|[dt]ag)|\d+\s?[년월일]|세기",
    ),
    _type(
        "frequency",
        r"\bhow (?:often|frequently)\b|\bwie (?:oft|häufig)\b|얼마나 자주|몇 번",
        rf"\d|\b(?:{NUMBER_WORDS}|{REPEATED}|once|twice|ein ?mal|zwei ?mal)\b|매[일주월년]",
    ),
    _type(
        "number",
        r"\bhow (?:many|much|long|far|old|large|big|high|tall|fast|deep|wide)\b|\bwhat (?:percent|number|amount|is the population)"
        r"|\bpercentage\b|\bwie ?(?:viele?|lange|weit|alt|hoch|groß|schnell|tief)\b|prozent|몇|얼마|횟수|비율",
        rf"\d|\b(?:{NUMBER_WORDS})\b",
    ),
    _type(
        "person",
        r"\bwho(?:m|se)?\b|\bwe(?:r|n|m|ssen)\b|누구|누가|사람은|인물|이름은",
        r"(?<=[\w,;)]\s)[A-ZÄÖÜ][\w'’-]+",
    ),
    _type(
        "place",
        r"\bwhere\b|\b(?:what|which) (?:country|city|state|place|region|town|river)\b|\bwo(?:her|hin)?\b"
        r"|\bwelche[mnrs]? (?:stadt|land|ort|region)\b|어디|곳은|나라|지역|도시",
        r"\b(?:in|at|from|near|to|of|nach|bei|aus|von)\s+(?:the\s+)?[A-ZÄÖÜ]\w+|[가-힣]{2,}(?:에서|에|으로|시|군|도)\b",
    ),
    _type(
        "reason",
        r"\bwhy\b|\bwarum\b|\bwieso\b|\bweshalb\b|왜|이유",
        r"\b(?:because|due to|since|so that|in order to|result\w*|caused?|as a|reason|weil|da|wegen|aufgrund|damit|um)\b"
        r"|때문|위해|위하여|이유",
    ),
)


HELD = {kind.name: kind.held for kind in TYPES}


def asked_type_of(question: str) -> AskedType | None:
    """The first of these types that the question asks for; None = something else."""
    return next((kind.name for kind in TYPES if kind.asked.search(question)), None)


def answer_type_score(asked: AskedType | None, question: str, sentence: str) -> float:
    """Whether a sentence contains what the question asks for: 1 yes, 0 no, .5 if the question's type is unknown.

    A thing that the question itself names does not count."""
    if asked is None:
        return 0.5
    named = question.lower()
    numbered = ITEM_NUMBER.match(sentence)
    for match in HELD[asked].finditer(sentence, numbered.end() if numbered else 0):
        if asked == "reason" or match.group().lower() not in named:
            return 1.0
    if asked == "person" and re.search(r"[가-힣]", question):
        return 0.5  # Hangul has no capitals that would distinguish a name from a noun
    return 0.0
