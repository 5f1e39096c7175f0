"""The words of an instruction: what a question wants done with its subject. English, German, Korean.

“Compare”, “fasse … zusammen” and “비교해 줘” ask for an answer of some kind, so no document has to contain them. Three things tell them:
a word without which the kind of question would not be recognised (`question_kinds`), the place of the verb in a request, and the form
of the answer, “in two sentences”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from footnote.text.clauses import ASKING_KO, CLAUSES, PARTICLES_DE, PREPOSITIONS
from footnote.text.question_kinds import COMPARISON, LIST, LONGEST, SUMMARY

WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"[^.!?？…\n]+[.!?？…]*")
KINDS = (SUMMARY, COMPARISON, LIST)
MASK = "x"

LEAD = {
    "en": re.compile(
        r"\s*(?:(?:please|kindly|now|then|and|so|ok|hi|hello|hey|i (?:need|want|would like|'d like)(?! (?:you )?to\b))\b\W*)*"
        r"(?P<you>(?:(?:can|could|would|will) (?:you|we)|i (?:want|need|would like|'d like) (?:you )?to|help me(?: to)?|let us|let's)\s+)?"
        r"(?:(?:please|kindly|quickly|briefly)\s+)*",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\s*(?:(?:bitte|jetzt|nun|dann|und|also|hallo|ich (?:brauche|möchte|will|hätte gerne?))\b\W*)*"
        r"(?P<you>(?:kannst|könntest|können|könnten|würdest|würden|magst) (?:du|sie|ihr|wir)\s+)?",
        re.IGNORECASE,
    ),
}
"""What may stand before a request; with `you` its verb is certain: next in English, at the end of the clause in German."""
OBJECTS = {
    "en": frozenset(
        """the a an this that these those my your our his her its their me us all both every each any some how what which who when where
        why whether between briefly shortly""".split()
    ),
    "de": frozenset(
        """den die das dem mir uns alle alles beide jeden jede diese diesen dieses einen eine ein meine meinen unsere unseren sie bitte kurz
        wie was welche welchen ob warum wann wo zwischen""".split()
    ),
}
"""What follows the verb of a request, and seldom a noun: “der” and prepositions follow both."""
AND = re.compile(r"(?:\s*,\s*|\s+(?:and|or|und|oder)\s+)(?P<verb>\w+)", re.IGNORECASE)
PARTICLE = re.compile(rf"\b(?P<particle>{PARTICLES_DE}|dar|gegenüber|heraus|hervor)\W*$", re.IGNORECASE)
INFINITIVE = re.compile(r"\b(?P<verb>[a-zäöüß]+n)\W*$")

ABOUT = re.compile(r"\s*(?:\w+\s+){0,5}?(?:about|regarding|concerning|über)\b", re.IGNORECASE)
"""What is to be told of the subject: “tell me everything about …”."""
COUNT = r"(?:an?|one|two|three|four|five|a few|few|\d+|eine[mnr]?|einem|zwei|drei|vier|fünf|wenigen)"
FORM = re.compile(
    rf"\b(?:in|as|with|als|mit) (?:{COUNT} )?(?:(?:short|simple|plain|full|more|bullet|kurzen|kurze[nr]?|einfachen?|ganzen) )?"
    r"(?:sentences?|words?|lines?|paragraphs?|bullets?|points?|steps?|table|list|terms|detail|depth|brief"
    r"|s[aä]tz(?:en)?|worten|zeilen|absätzen|stich(?:punkten|worten)|punkten|schritten|tabelle|liste|aufzählung)\b"
    r"|\b(?:step by step|schritt für schritt|im detail|ausführlich|kurz|briefly|shortly)\b"
    r"|(?<![가-힣])(?:(?:한|두|세|네|다섯|몇|\d+) ?(?:문장|줄|단어|단락|단계)|표|목록|단계별)(?:으로|로)"
    r"|(?<![가-힣])(?:자세|상세|간단|간략)(?:히|하게)|짧게|쉽게",
    re.IGNORECASE,
)
"""The form of the answer."""

GIVE_KO = r"(?:줘요?|주세요|주십시오|주시겠\w*|주실\w*|줄래\w*|줄 수 있\w*|주라|달라\w*|부탁\w*|바랍니다|바라요)"
"""Asks for something to be done for the speaker."""
REQUEST_KO = re.compile(
    rf"(?:(?P<noun>\w+)\s+(?:(?:좀|한번|한 번)\s+)?)??(?P<verb>\w*?)\s?(?P<give>{GIVE_KO})\W*$"
    r"|(?:(?P<object>\w+)\s+(?:(?:좀|한번|한 번)\s+)?)??(?P<order>\w*(?:하시오|시오|하라|해라|하세요|해봐|해))\W*$"
)
ABOUT_KO = re.compile(r"(?<=\s)(?:대해서?|대하여|대한|관해서?|관하여|관한)(?=\s)")
LIGHT_KO = frozenset(["", "해", "하시오", "하라", "해라", "하세요", "해봐"])
"""“Do”: what is to be done stands before it."""


def instruction_words(question: str, lang: str) -> frozenset[str]:
    """The words of the instruction, as they were written."""
    question = question[:LONGEST]
    found = {*_telling(question), *(word for form in FORM.findall(question) for word in WORD.findall(form))}
    for sentence in SENTENCE.findall(question):
        found.update(_request_ko(sentence) if lang == "ko" else _request(sentence, lang))
    return frozenset(found)


def _telling(question: str) -> Iterator[str]:
    """The words without which a kind of question would not be recognised where it is. One that stands where the pattern takes any word is
    none of them."""
    asked = question.rstrip("?？!. ")
    words = list(WORD.finditer(asked))
    for kind in KINDS:
        for match in kind.finditer(asked):
            for word in words:
                if match.start() <= word.start() < match.end():
                    other = f"{asked[: word.start()]}{MASK}{asked[word.start() + 1 :]}"
                    if kind.match(other, match.start()) is None:
                        yield word[0]


def _request(sentence: str, lang: str) -> Iterator[str]:
    """What leads to a request, its verb, what that is joined to, and its separated particle."""
    lead = LEAD[lang].match(sentence) if lang in LEAD else None
    if lead is None:
        return
    clause, is_certain = sentence[lead.end() :], lead["you"] is not None
    yield from WORD.findall(lead[0])
    if lang == "de":
        clause = clause.partition(",")[0]
        if is_certain:
            yield from (found["verb"] for found in INFINITIVE.finditer(clause))
            return
    verb = WORD.search(clause)
    is_request = verb is not None and (is_certain or _is_verb(verb[0].lower(), clause[verb.end() :], sentence, lang))
    if (is_request or lead[0].strip()) and (told := ABOUT.match(clause)):
        yield from WORD.findall(told[0])
    if verb is None or not is_request:
        return
    yield verb[0]
    end = verb.end()
    while joined := AND.match(clause, end):
        end = joined.end()
        if _following(clause[end:]) in OBJECTS[lang]:
            yield from (found["verb"] for found in AND.finditer(clause, verb.end(), end))
    if lang == "de" and (particle := PARTICLE.search(clause)):
        yield particle["particle"]


def _is_verb(word: str, rest: str, sentence: str, lang: str) -> bool:
    """Whether the first word of a sentence is the verb of a request: one of those that are known, or one with an object behind it that
    begins no question and no noun phrase."""
    forms = CLAUSES[lang]
    begins = forms.auxiliaries | forms.pronouns | forms.adverbs | forms.things | OBJECTS[lang] | PREPOSITIONS
    if word in forms.requests or word in begins or word.isdigit() or sentence.rstrip().endswith(("?", "？")):
        return word in forms.requests
    joined = AND.match(rest)
    return not OBJECTS[lang].isdisjoint({_following(rest), _following(rest[joined.end() :]) if joined else ""})


def _following(text: str) -> str:
    """The first word of a text, in lower case, after the particle of an English verb: “write down the …”."""
    words = [word[0].lower() for word in islice(WORD.finditer(text), 2)]
    return next((word for word in words if word not in ("up", "down", "out")), "")


def _request_ko(sentence: str) -> Iterator[str]:
    """The verb with which a request ends, and its noun where the verb is only “do”."""
    found = REQUEST_KO.search(sentence)
    if found is None:
        return
    verb, noun = ("verb", "noun") if found["give"] else ("order", "object")
    if verb == "order" and ("?" in sentence or "？" in sentence or ASKING_KO.search(sentence)):
        return
    has_noun = found[noun] is not None and found[verb] in LIGHT_KO
    about = ABOUT_KO.search(sentence)
    yield from WORD.findall(sentence[about.start() if about else found.start(noun if has_noun else verb) :])
