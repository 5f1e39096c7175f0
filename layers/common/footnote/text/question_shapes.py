"""The shape of a question: what an answer to it looks like. By patterns, in English, German and Korean."""

from __future__ import annotations

import re

from footnote.types import WORDED_LANGUAGES, Shape

NOUN_PHRASE = (
    r"(?:use cases?|run ?times?|start (?:date|time|page)s?|change ?logs?|stop ?words?|set of|open source|record (?:type|format)s?"
    r"|build (?:number|time|date|log|error)s?)"
)
"""What begins with a word that is a verb elsewhere."""
HOW_TO = re.compile(
    r"\bhow (?:do|can|could|should|would|to|does one)\b|\bsteps? (?:to|for)\b|\binstructions?\b"
    r"|^(?:what(?:'s|’s| is) the )?(?:command|syntax|flag|option|shortcut|way|procedure) (?:to|for)\b"
    rf"|^(?!{NOUN_PHRASE}\b)(?:set|install|uninstall|connect|configure|create|make|add|delete|remove|change|reset|start|stop|restart|restore"
    r"|upgrade|update|run|use|enable|disable|build|save|record|open|import|export|upload|download|deploy|turn (?:on|off)|switch|rename|move"
    r"|cancel|register|apply for|log ?(?:in|out)|sign (?:in|up|out))\b"
    r"|^wie (?:kann|könnte|soll|sollte|muss|man|geht|funktioniert|\w{2,}e(?= ich\b)|\w{2,}(?:t|en)(?= (?:man|wir)\b))|\banleitung\b"
    r"|어떻게|방법|하려면|절차",
    re.IGNORECASE,
)
DEFINITION = re.compile(
    r"^(?:what(?:'s| is| are| does)|what’s|define|explain|meaning of)\b|\bmean(?:s|ing)?\??$"
    r"|^(?:was (?:ist|sind|bedeutet|heißt|versteht)|erkläre?)\b|\bbedeut(?:et|ung)\b"
    r"|(?:이|가)?란\b|무엇(?:인가|입니까|이에요|이죠|을 말|을 뜻|을 의미)|[뭐뭔](?:예요|야|죠|지|가요?|데)|뜻|의미|정의",
    re.IGNORECASE,
)
VERB = (
    r"(?:(?:i|wa|doe|ha|a|thi|it)s|(?:allow|cause|come|contain|cost|decide|determine|fit|get|give|goe|happen|help|hold|include|last|let|make|mean"
    r"|need|provide|read|require|run|say|send|show|stand|start|stop|store|support|take|tell|trigger|use|work|write)s)"
)
"""Words in -s that are no plural."""
LIST = re.compile(
    rf"^which (?:of\b|(?:(?!{VERB}\b)[\w-]+ ){{0,2}}(?!{VERB}\b)[\w-]+(?<!s)s\b)|^(?:list|name (?:all|the))\b"
    rf"|^what (?!are\b)(?:(?!{VERB}\b)[\w-]+ )?(?:kind|type|sort|format)s?\b|^what (?!{VERB}\b)[\w-]+(?<!s)s |\bwhich (?!{VERB}\b)\w+s\b"
    r"|^(?:welche[rnms]?|nenne|liste)\b|\bwas für\b|어떤|종류|목록|나열",
    re.IGNORECASE,
)
YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|may|must|has|have|had|should|am|shall)\b"
    r"|^(?:ist|sind|war|kann|können|darf|dürfen|muss|müssen|hat|haben|gibt es|wird|werden|soll|sollte|braucht|brauche|läuft|geht"
    r"|funktioniert|unterstützt|enthält|stimmt|lässt|speichert|verwendet|nutzt|bekomm(?:e|t)|gilt|gelten|gehört|reicht|findet|kostet)\b"
    r"|(?:나요|까요?|니까|는가|인가요?|은가요?|을까|[해아어]도 (?:되|돼)|되나|돼요?|있나|하나요?|한가요|필요해요?|합니까)\s*[?？]?$",
    re.IGNORECASE,
)
KOREAN_QUESTION = re.compile("누구|누가|언제|어디|무엇|무슨|왜|어떻게|어떤|몇|얼마|뭐|어느")
NEGATION = re.compile(r"n['’]t\b|\b(?:not|never|cannot|nicht|kein\w*|nie|niemals)\b|(?:지|하지)\s*(?:않|못)|안\s", re.IGNORECASE)
"""Of a question: what is not so is seldom written down."""
ASKS = re.compile(
    r"\b(?:wh(?:at|o|om|ose|en|ere|y|ich)|how|was|wer|we[mn]|wessen|wann|wo(?:hin|her|mit|für|ran|rauf|zu)?|warum|weshalb|wieso|wie|wieviele?"
    rf"|welche[rnms]?)\b|{KOREAN_QUESTION.pattern}|[?？]",
    re.IGNORECASE,
)
LONGEST_TOPIC = 3
"""Words; in Korean, where they are longer, two."""
SUBJECT = re.compile(
    r"^(?:what(?:['’]s| is| are| does)|define|explain|meaning of|was (?:ist|sind|bedeutet|heißt|versteht man unter)|erkläre?)\s+"
    r"(?:(?:an?|eine?[mnrs]?|the|der|die|das)\s+)?(?P<subject>.+?)(?:\s+means?)?$"
    r"|^(?P<korean>.+?)(?:이란|란|은|는|이|가)?\s*(?:무엇|뭐|(?:의\s*)?(?:뜻|의미|정의))",
    re.IGNORECASE,
)
LONGEST_SUBJECT = 4
"""Words; more describe something and do not name it."""


def shape_of(question: str, lang: str = "en") -> Shape:
    """The first of these patterns that matches: a definition that asks for several things is a list, “how to” wins over all.
    In a language without patterns it is not told."""
    if lang not in WORDED_LANGUAGES:
        return "other"
    asked = question.strip().rstrip("?？. ")
    if HOW_TO.search(asked):
        return "how_to"
    if LIST.search(asked):
        return "list"
    if DEFINITION.search(asked) and len(subject_of(asked)) <= LONGEST_SUBJECT:
        return "definition"
    if YES_NO.search(asked) and not KOREAN_QUESTION.search(asked) and not (lang == "de" and asked.lower().startswith("was ")):
        return "yes_no"
    words = len(asked.split())
    return "topic" if 0 < words <= LONGEST_TOPIC - (lang == "ko") and not ASKS.search(question) else "other"


def subject_of(question: str) -> list[str]:
    """The words of what a question wants defined; [] if that cannot be told."""
    asked = SUBJECT.match(question.strip().rstrip("?？. "))
    return re.findall(r"\w[\w.-]*", asked["subject"] or asked["korean"]) if asked else []
