"""The shape of a question: what an answer to it looks like. By patterns, in English, German and Korean."""

from __future__ import annotations

import re
from typing import Literal

Shape = Literal["how_to", "definition", "list", "yes_no", "other"]
"""how_to: steps. definition: a sentence that defines something. list: several things. yes_no: a sentence, with its condition."""

HOW_TO = re.compile(
    r"\bhow (?:do|can|could|should|would|to|does one)\b|\bsteps? (?:to|for)\b|\binstructions?\b"
    r"|^(?:set up|install|connect|configure|create|make|add|delete|remove|change|reset|start|stop|restore|upgrade|run|use|enable|disable)\b"
    r"|^wie (?:kann|könnte|soll|sollte|muss|man|macht|mache|geht|gehe|funktioniert"
    r"|(?!viel|lange|weit|oft|hoch|groß|alt|schnell|heißt)\w{3,}[et] )|\banleitung\b"
    r"|어떻게|방법|하려면|절차",
    re.IGNORECASE,
)
DEFINITION = re.compile(
    r"^(?:what(?:'s| is| are| does)|what’s|define|explain|meaning of)\b|\bmean(?:s|ing)?\??$"
    r"|^(?:was (?:ist|sind|bedeutet|heißt|versteht)|erkläre?)\b|\bbedeut(?:et|ung)\b"
    r"|(?:이|가)?란\b|무엇(?:인가|입니까|이에요|이죠|을 말|을 뜻|을 의미)|뭐(?:예요|야|죠|지)|뜻|의미|정의",
    re.IGNORECASE,
)
LIST = re.compile(
    r"^(?:which|list|name (?:all|the))\b|^what (?:kinds?|types?|sorts?|(?!is |was |does |has )\w+s) |\bwhich \w+s\b"
    r"|^(?:welche[rnms]?|nenne|liste)\b|\bwas für\b|어떤|종류|목록|나열",
    re.IGNORECASE,
)
YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|may|must|has|have|had|should|am|shall)\b"
    r"|^(?:ist|sind|war|kann|können|darf|dürfen|muss|müssen|hat|haben|gibt es|wird|werden|soll|sollte|braucht|brauche|läuft|geht"
    r"|funktioniert|unterstützt)\b"
    r"|(?:나요|까요?|니까|는가|을까|해도 되|되나|있나|하나요?|합니까)\s*[?？]?$",
    re.IGNORECASE,
)
KOREAN_QUESTION = re.compile("누구|누가|언제|어디|무엇|무슨|왜|어떻게|어떤|몇|얼마|뭐|어느")
NEGATION = re.compile(r"n['’]t\b|\b(?:not|never|cannot|nicht|kein\w*|nie|niemals)\b|(?:지|하지)\s*(?:않|못)|안\s", re.IGNORECASE)
"""Of a question: what is not so is seldom written down."""
SUBJECT = re.compile(
    r"^(?:what(?:['’]s| is| are| does)|define|explain|meaning of|was (?:ist|sind|bedeutet|heißt|versteht man unter)|erkläre?)\s+"
    r"(?:(?:an?|the|der|die|das|eine?[mnrs]?)\s+)?(?P<subject>.+?)(?:\s+means?)?$"
    r"|^(?P<korean>.+?)(?:이란|란|은|는|이|가)?\s*(?:무엇|뭐|(?:의\s*)?(?:뜻|의미|정의))",
    re.IGNORECASE,
)
LONGEST_SUBJECT = 4
"""Words; more describe something and do not name it."""


def definition_of(question: str) -> re.Pattern[str] | None:
    """What the beginning of a sentence, or of a table's row, looks like that defines what the question asks for; None = it asks for
    something else."""
    asked = SUBJECT.match(question.strip().rstrip("?？. "))
    words = re.findall(r"\w[\w.-]*", (asked["subject"] or asked["korean"]) if asked else "")
    if not 0 < len(words) <= LONGEST_SUBJECT or shape_of(question) != "definition":
        return None
    subject = r"[\s-]+".join(map(re.escape, words))
    return re.compile(
        rf"\W*(?:(?:an?|the|der|die|das|eine?)\s+)?{subject}(?:e?s|e?n)?\W{{0,2}}(?:\s*\([^)]*\)\W?)?\s*"
        r"(?:(?:is|are) (?:an?|the|any|all|one|what|how|who|where)\b|(?:ist|sind) (?:eine?|der|die|das|alle|jede[rs]?|was|wer)\b"
        r"|(?:means?|refers?|denotes?|consists?|bedeute[nt]|heiß(?:t|en)|bezeichne[nt]|besteh(?:t|en))\b|[:|–—=]|이?란|은|는)",
        re.IGNORECASE,
    )


def shape_of(question: str) -> Shape:
    """The first of these patterns that matches: a definition that asks for several things is a list, “how to” wins over all."""
    asked = question.strip().rstrip("?？. ")
    if HOW_TO.search(asked):
        return "how_to"
    if LIST.search(asked):
        return "list"
    if DEFINITION.search(asked):
        return "definition"
    if YES_NO.search(asked) and not KOREAN_QUESTION.search(asked):
        return "yes_no"
    return "other"
