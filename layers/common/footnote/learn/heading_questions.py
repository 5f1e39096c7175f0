"""Makes questions from headings as a person would ask them: how to do what a heading names, or what one should know
about it. English, German, Korean.
"""

from __future__ import annotations

import re
from typing import Literal

from footnote.learn.question_templates import HOW_TO, QUESTION, TASKS, VERBS
from footnote.text.words import STOP_WORDS

HeadingKind = Literal["asked", "task", "topic"]
"""asked: the heading is a question. task: it names something to do. topic: it names something."""

TEMPLATES = {
    "en": "What should I know about {topic}?",
    "de": "Was sollte ich über {topic} wissen?",
    "ko": "{topic}에 대해 알려 주세요.",
}
"""Language → the question for a heading that only names something."""
MOST_WORDS = 5
"""A longer heading is a sentence."""
NO_NOUN = {
    "en": re.compile(
        r"\b(?:it|its|this|that|these|those|they|them|their|we|us|our|i|my|you|your|here|there|others?|is|are|was|were|be|has|have|do|does"
        r"|can|should|must|may|will|not|what|which|who|where|when|why|how|if|etc)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:es|dies\w*|sie|ihr\w*|wir|uns\w*|ich|mein\w*|du|dein\w*|hier|dort|ist|sind|war|wird|werden|hat|haben|kann|können|muss"
        r"|müssen|soll|nicht|was|welche\w*|wer|wie|wo|wann|warum|wenn)\b|^(?:der|den|dem|des|ein|eine[mnrs])\b|^\w+er [A-ZÄÖÜ]",
        re.IGNORECASE,
    ),
    "ko": re.compile(r"(?:다|요|까|오|함|됨|임)$|^[이그저] |(?:에|에서|을|를|의|와|과|및)$"),
}
"""In headings that are clauses or point elsewhere, and German ones that cannot stand behind “über”."""
NOUNS_ONLY = re.compile(r"[^\d,.;:!?()\[\]…&+’']+")
BEGINS_WITH = re.compile(
    r"(?:on|in|at|by|for|from|to|as|of|with|without|under|before|after|into|since|and|or|about|part|section|example|test"
    r"|bei|beim|mit|ohne|für|auf|aus|im|zum|zur|von|vom|nach|vor|über|unter|an|am|und|oder|als|teil|beispiel)\b",
    re.IGNORECASE,
)
"""In headings that name nothing by themselves."""
LEAST_LETTERS = {"en": 10, "de": 10, "ko": 6}
"""A shorter topic of one word is too vague."""


def ask_heading(topic: str, lang: str, text: str = "") -> tuple[str, HeadingKind] | None:
    """The question that the text below this heading answers; None where no natural one is known."""
    if QUESTION.fullmatch(topic):
        return topic, "asked"
    if task := _task(_in_sentence_case(topic, text) if lang == "en" else topic, lang):
        return HOW_TO[lang].format(task=task), "task"
    few = len(topic.split()) <= MOST_WORDS and (" " in topic or len(topic) >= LEAST_LETTERS[lang])
    clause = NO_NOUN[lang].search(topic) or BEGINS_WITH.match(topic) or (lang == "en" and VERB.match(topic))
    if not few or clause or not NOUNS_ONLY.fullmatch(topic) or topic[0].islower():
        return None
    return TEMPLATES[lang].format(topic=_within_sentence(topic, text)), "topic"


def _task(topic: str, lang: str) -> str | None:
    """What to do, as it continues “How do I …”."""
    if lang == "en" and (gerund := GERUND.match(topic)):
        topic = GERUNDS[gerund[0].lower()] + topic[gerund.end() :]
    found = TASKS[lang].fullmatch(topic)
    if found is None:
        return None
    named = topic[len("How to ") :] if lang == "en" and found["how"] else topic
    return named[0].lower() + named[1:] if lang == "en" else named


def _within_sentence(topic: str, text: str) -> str:
    """The heading as it is written in the middle of a sentence: its first word is lowered if the text writes it so."""
    first, _, rest = topic.partition(" ")
    lowered = first.lower()
    if any(word[0].isupper() for word in rest.split()):
        return topic  # all its words are written like this, or it is a name
    if re.search(rf"\b{re.escape(lowered)}\b", text) or (lowered in ("the", "a", "an", "die", "das") and rest):
        return f"{lowered} {rest}".strip()
    return topic


def _in_sentence_case(topic: str, text: str) -> str:
    """An English heading of which all words have a capital, as a sentence has them: “Set Up Your System” → “Set up your system”. It stays
    as it is unless the text has all its words in lower case, since names look the same."""
    first, *rest = topic.split(" ")
    if not all(word.istitle() or (word.islower() and word in STOP_WORDS["en"]) for word in rest):
        return topic
    lowered = [word.lower() for word in rest]
    written = [word in STOP_WORDS["en"] or re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in lowered]
    return " ".join([first, *lowered]) if all(written) else topic


def _gerund(verb: str) -> str:
    first, _, rest = verb.lower().partition(" ")
    if re.search(r"[^e]e$", first):
        first = first[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgnpt]", first) and first not in ("add", "open"):
        first += first[-1]
    elif first == "reset":
        first += "t"
    return f"{first}ing {rest}".strip()


GERUNDS = {_gerund(verb): verb for verb in VERBS}
"""Gerund → its verb: “backing up” → “Back up”."""
GERUND = re.compile("|".join(sorted(GERUNDS, key=len, reverse=True)) + r"(?=\s)", re.IGNORECASE)
VERB = re.compile("(?:" + "|".join(VERBS) + r"|Check|Close|Find|Keep|Load|Read|Record|Save|Search|Set|Show|Test|View)\b")
