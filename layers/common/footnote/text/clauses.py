"""How a direct question begins, in English and German, and where a Korean sentence joins two of them.

A direct question has its verb before its subject: “when was it built”. “When it was built” is not one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.text.question_shapes import VERB
from footnote.text.words import IRREGULAR, STOP_WORDS

FARTHEST = 6
"""Words between an interrogative and its verb: “how many of the members did”."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """What tells direct questions of one language."""

    joints: re.Pattern[str]
    """What stands between two clauses."""
    pairs: re.Pattern[str]
    """A first clause that needs the second: “between …”."""
    auxiliaries: frozenset[str]
    pronouns: frozenset[str]
    """Subjects that follow an auxiliary in a question only."""
    adverbs: frozenset[str]
    """Interrogatives that are followed by the verb."""
    things: frozenset[str]
    """Interrogatives that may be subjects, or belong to a noun."""
    requests: frozenset[str]
    """Verbs that begin a request."""


ENGLISH = Clauses(
    joints=re.compile(r"(?:[,;]\s*|\s+)(?:and|but|plus|&)\s+(?:(?:also|then)\s+)?|;\s+|,\s+", re.IGNORECASE),
    pairs=re.compile(r"\b(?:between|both)\b(?!.*\band\b)|\b(?:whether|either)\b", re.IGNORECASE),
    auxiliaries=frozenset(
        """is are was were am do does did has have had can could will would shall should may might must isn't aren't wasn't weren't don't
        doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't mustn't""".split()
    ),
    pronouns=frozenset("i you we he she it they this these those there one anyone someone everyone".split()),
    adverbs=frozenset("when where why how".split()),
    things=frozenset("who whom whose what which".split()),
    requests=frozenset("list name enumerate explain describe define compare summarise summarize tell give show find outline".split()),
)
GERMAN = Clauses(
    joints=re.compile(r"(?:[,;]\s*|\s+)(?:und|aber|sowie|&)\s+(?:(?:auch|dann)\s+)?|;\s+|,\s+", re.IGNORECASE),
    pairs=re.compile(r"\b(?:zwischen|sowohl)\b(?!.*\bund\b)|\b(?:ob|entweder|weder)\b", re.IGNORECASE),
    auxiliaries=frozenset(
        """ist sind war waren bin bist wird werden wurde wurden würde würden hat haben habe hatte hatten hast kann können konnte konnten
        könnte könnten muss müssen musste mussten soll sollen sollte sollten darf dürfen durfte durften will wollen wollte möchte möchten
        gibt gab""".split()
    ),
    pronouns=frozenset("ich du er sie es wir ihr man".split()),
    adverbs=frozenset(
        """wann wo wohin woher warum wieso weshalb weswegen wie womit wodurch wofür woran worauf woraus wovon wozu worüber worin wonach
        wobei wogegen""".split()
    ),
    things=frozenset("wer was wen wem wessen welche welcher welches welchen welchem".split()),
    requests=frozenset("nenne nennen erkläre erklären beschreibe beschreiben liste zähle vergleiche zeige fasse gib".split()),
)
CLAUSES = {"en": ENGLISH, "de": GERMAN}
PARTICLES_DE = "ab|an|auf|aus|ein|fest|frei|hoch|los|mit|nach|raus|rein|runter|um|vor|weg|weiter|zu|zurück|zusammen"
"""What most separable verbs leave at the end of a sentence, as the alternatives of a pattern."""

PREPOSITIONS = frozenset("in on at by for from to with of under after before until since into about through during".split()) | frozenset(
    "in an auf aus bei für mit nach vor seit bis von zu über unter ab gegen durch um wegen".split()
)
CLOSED = frozenset("the a an i you we he she it they this that these those my your his her its our their one there to if not".split())
"""Words that a noun phrase of an interrogative does not contain: after them “how” and “what” begin no direct question."""
SUBJECTS = frozenset("the a an my your his her its our their all any some".split()) | frozenset(
    "der die das ein eine mein meine dein deine unser unsere ihre alle".split()
)
FINITE = re.compile(rf"{VERB}|\w+ed", re.IGNORECASE)
MEASURES = re.compile(r"viele?[nr]?|lange?|oft|hoch|groß|alt|weit|schnell|teuer|schwer|stark|tief|breit|häufig|gut|warm|kalt")

ASKING_KO = re.compile(r"누구|누가|언제|어디|무엇|무슨|(?<![가-힣])왜|어떻게|어떤|(?<![가-힣])몇|며칠|얼마|(?<![가-힣])뭐|어느")
TOPIC_KO = re.compile(r"[은는]\s*[?？]*$")
"""The end of a question that leaves out what it asks for: “입장료는?”."""
PAST_KO = "".join(chr(0xAC00 + 28 * syllable + 20) for syllable in range(399))
"""The syllables that end in ㅆ."""
JOINTS_KO = re.compile(
    rf"(?P<verb>[가-힣]*(?:[{PAST_KO}](?:고|으며)|(?:누구|언제|어디|무엇|얼마|뭐|[이있없])(?:고|며)))"
    r"(?!\s+(?:있|싶|계|나서|말|다니|온|오는))(?:,\s*|\s+)(?:(?:그리고|또한?)\s+)?|,?\s+(?:그리고|또한)\s+"
)
"""Between two clauses; the verb belongs to the first."""
NOUN_KO = re.compile(r"[가-힣A-Za-z\d)”’」]+(?:은|는|이|가|을|를|의|에서|에게|에|와|과|으로|로)\b")


def asks_directly(words: Sequence[str], lang: str, *, any_subject: bool = False) -> bool:
    """Whether the words begin as a direct question does, with an interrogative or a verb. `any_subject`: a verb at the beginning may be
    followed by any subject, not only by a pronoun. False in languages without CLAUSES."""
    forms = CLAUSES.get(lang)
    if forms is None or len(words) < 2:
        return False
    at = 1 if words[0].lower() in PREPOSITIONS and words[1].lower() in forms.things | forms.adverbs else 0
    first, rest = words[at].lower(), words[at + 1 :]
    if at == 0 and first in forms.auxiliaries:
        subject = rest[0].lower()
        return subject in forms.pronouns or (any_subject and (subject in SUBJECTS or rest[0][:1].isupper()))
    if lang == "de":
        return _asks_german(first, rest)
    if first in forms.adverbs - {"how"}:
        return len(rest) > 1 and rest[0].lower() in forms.auxiliaries
    return first in forms.adverbs | forms.things and _asks_english(first, rest)


def _asks_english(first: str, rest: Sequence[str]) -> bool:
    """The auxiliary follows, after a noun phrase at most, or what is asked for is the subject: “who wrote Emil”, “which city lies”."""
    for at, word in enumerate(rest[: FARTHEST + 1]):
        said = word.lower()
        if said in ENGLISH.auxiliaries:
            return at + 1 < len(rest)
        if said in CLOSED:
            return False
        is_subject = first in ("what", "which") or (first == "who" and at == 0) or (first == "how" and at > 1)
        if is_subject and at + 1 < len(rest) and _is_verb_english(said, rest[at + 1], first):
            return True
    return False


def _is_verb_english(word: str, following: str, first: str) -> bool:
    """Whether the word is a verb with `first` as its subject: a past form, one that is no plural, or one with an object."""
    if IRREGULAR.get(word, word) != word or FINITE.fullmatch(word):
        return True
    return word.endswith("s") and (first == "who" or following.lower() in SUBJECTS or following[:1].isupper())


def _asks_german(first: str, rest: Sequence[str]) -> bool:
    """The verb follows, after a noun phrase at most."""
    if first not in GERMAN.adverbs | GERMAN.things or len(rest) < 2:
        return False
    measures = first == "wie" and MEASURES.fullmatch(rest[0].lower()) is not None
    if not measures and not first.startswith(("welche", "wessen")):
        return _is_verb_german(rest[0])
    if measures and _is_verb_german(rest[1]):
        return len(rest) > 2
    nouns = 0
    for at, word in enumerate(rest[: FARTHEST + 1]):
        nouns += word[:1].isupper()
        before = rest[at - 1].lower() if at else ""
        adjective = before in STOP_WORDS["de"] and word not in GERMAN.auxiliaries  # “der großen Stadt”
        if nouns and _is_verb_german(word) and not adjective:
            return at + 1 < len(rest)
    return False


def _is_verb_german(word: str) -> bool:
    """Whether it may be a verb: nouns have a capital, and pronouns, articles and prepositions are stop words."""
    return word[:1].islower() and (word in GERMAN.auxiliaries or word not in STOP_WORDS["de"])


def interrogative(words: Sequence[str], lang: str) -> str | None:
    """The interrogative that the words begin with, after a preposition at most; None if it is a verb."""
    forms = CLAUSES[lang]
    return next((word.lower() for word in words[:2] if word.lower() in forms.things | forms.adverbs), None)


def has_interrogative(words: Sequence[str], lang: str) -> bool:
    """Whether one of the words asks for something."""
    if lang == "ko":
        return ASKING_KO.search(" ".join(words)) is not None
    forms = CLAUSES.get(lang)
    return forms is not None and any(word.lower() in forms.things | forms.adverbs for word in words)


def is_request(words: Sequence[str], lang: str) -> bool:
    """Whether they begin with a request: “List …”, “Please explain …”."""
    forms = CLAUSES.get(lang)
    return forms is not None and any(word.lower() in forms.requests for word in words[:2])


def asks_korean(clause: str) -> bool:
    """Whether a Korean clause asks for something about a noun."""
    return has_noun_ko(clause) and bool(ASKING_KO.search(clause) or TOPIC_KO.search(clause))


def has_noun_ko(clause: str) -> bool:
    """Whether a Korean clause has a noun with its particle, besides interrogatives: what it asks about."""
    return any(ASKING_KO.search(found[0]) is None for found in NOUN_KO.finditer(clause))
