"""Canonical word order of German and Korean questions, where the order carries no meaning.

It carries none if only one noun phrase could be subject or object. With two of them, with a subordinate clause or with a
word such as “nur”, the order matters: `canonical_german` then returns None, and `canonical_korean` keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from footnote.text.words import INTERROGATIVES

MOST_PHRASES = 2
"""Prepositional phrases in a German question; with more, their attachment is ambiguous."""

# --- German ------------------------------------------------------------------------------------

ARTICLES = frozenset("der die das den dem des mein meine meinen meinem meiner meines unser unsere unseren unserem unserer unseres".split())
ROLES = frozenset("den dem des".split())
"""Articles that mark the case: “Was frisst der Hund?” is not “Was frisst den Hund?”."""
GENITIVE = frozenset("der des".split())
CONTRACTED: dict[str, tuple[str, ...]] = {
    "im": ("in", "dem"), "ins": ("in", "das"), "am": ("an", "dem"), "ans": ("an", "das"), "aufs": ("auf", "das"), "beim": ("bei", "dem"),
    "zum": ("zu", "dem"), "zur": ("zu", "der"), "vom": ("von", "dem"), "fürs": ("für", "das"),
}  # fmt: skip
PREPOSITIONS = frozenset(
    """in an auf aus bei für mit ohne nach vor während seit bis von zu über unter ab pro gegen durch um wegen trotz innerhalb außerhalb
    hinter neben laut statt""".split()
)
TWO_WAY = frozenset("in an auf über unter vor hinter neben".split())
INTO = frozenset("die das den".split())
"""After two-way prepositions these articles mark a direction; the others mark a place."""
PARTICLES = frozenset(
    "an ab auf aus ein zu zurück hoch herunter herauf vor nach mit um weg los fest her hin zusammen weiter durch bei".split()
)
STRICT = frozenset(
    """nur auch erst schon noch sogar allein nicht kein keine keinen keinem keiner keines nie niemals wenn falls dass weil bevor nachdem ob
    als und oder sondern aber sowie bzw einander zwischen sie *sie es uns euch ihr ihn ihm ihnen wen wem dies dieser diese dieses
    jeder jede jedes mehr weniger & = + - < > ≤ ≥""".split()
)
ASKING = INTERROGATIVES["de"]
VERB_END = re.compile(r"(?<=\w{3})(?:est|et|en|st|t|e)$")


def canonical_german(words: Sequence[str], nouns: AbstractSet[str]) -> str | None:
    """The canonical form: verbs, the noun phrase, sorted prepositional phrases; None where the order matters.

    `words`: lower case. `nouns`: those that are capitalised in the question."""
    if not nouns or not STRICT.isdisjoint(words) or sum(word in ASKING for word in words) > 1:
        return None
    rest: list[str] = []
    things: list[str] = []
    phrases: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        following = CONTRACTED.get(word, (word,))
        end = _noun_after(words, at + 1, nouns)
        if following[0] in PREPOSITIONS and end is not None:
            phrase, at = _phrase(words, at, end, nouns)
            phrases.append(phrase)
        elif word in nouns or (word in ARTICLES | {"ein", "eine", "einen", "einem", "einer"} and end is not None):
            end = at if word in nouns else end or at
            thing, at = _with_genitive([w for w in words[at : end + 1] if w in ROLES or w not in ARTICLES], words, end + 1, nouns)
            things.append(thing)
        else:
            rest.append(word)
            at += 1
    if len(things) > 1 or len(phrases) > MOST_PHRASES or any(char.isdigit() for char in "".join(rest)):
        return None
    return " ".join([*sorted(_verbs(rest)), "|", *things, "|", *sorted(phrases)])


def german_letters(words: Sequence[str]) -> str:
    """The sorted letters of a question without articles and endings: equal for all questions for which `canonical_german` is equal,
    whether or not their nouns are recognised."""
    kept = (CONTRACTED.get(word, (word,))[0] for word in words if word not in ARTICLES)
    fixed = ASKING | PREPOSITIONS | PARTICLES
    return "".join(sorted("".join(word if word in fixed else VERB_END.sub("", word) for word in kept if word != "von")))


def _noun_after(words: Sequence[str], at: int, nouns: AbstractSet[str]) -> int | None:
    """The position of the noun that an article or a preposition belongs to."""
    end = next((i for i in range(at, min(at + 4, len(words))) if words[i] in nouns or words[i] in ASKING), None)
    return end if end is not None and words[end] in nouns else None


def _phrase(words: Sequence[str], at: int, end: int, nouns: AbstractSet[str]) -> tuple[str, int]:
    head = CONTRACTED.get(words[at], (words[at],))
    preposition, articles = head[0], [*head[1:], *words[at + 1 : end + 1]]
    into = preposition in TWO_WAY and bool(articles) and articles[0] in INTO
    kept = [word for word in articles if word not in ARTICLES]
    return _with_genitive([preposition + ">" * into, *kept], words, end + 1, nouns)


def _with_genitive(kept: list[str], words: Sequence[str], at: int, nouns: AbstractSet[str]) -> tuple[str, int]:
    """Appends genitives: “der Filter der Pumpe” and “der Filter von der Pumpe” become equal."""
    while at < len(words):
        start = at + 1 if words[at] in GENITIVE | {"vom"} else at + 2 if words[at] == "von" and words[at + 1 : at + 2] == ["der"] else None
        if start is None or start >= len(words) or words[start] not in nouns:
            break
        kept, at = [*kept, "~", words[start]], start + 1
    return " ".join(kept), at


def _verbs(rest: list[str]) -> list[str]:
    """Words without their endings; a separable verb is joined."""
    if len(rest) > 2 and rest[0] in ASKING and rest[-1] in PARTICLES:
        rest = [rest[0], rest[-1] + rest[1], *rest[2:-1]]
    return [word if word in ASKING or word in PREPOSITIONS else VERB_END.sub("", word) for word in rest]


# --- Korean ------------------------------------------------------------------------------------

CLAUSE_KO = re.compile(r".*(?:면|고|지만|거나|때)$")
ADVERBIAL_KO = re.compile(r".+(?:에서|에게|한테|에|으로|로|까지|부터|마다|보다|처럼|와|과|도|만|야)$")
CORE_KO = re.compile(r"(.+?)(은|는|이|가|을|를)$")
ASKING_KO = frozenset("언제 왜 어떻게 얼마나 누가 어디서 자주 무엇 무엇을 무슨 어떤 어느".split())
BEGINS_KO = re.compile(r"몇|며칠|어디|누구|얼마")
"""Interrogatives that start a new chunk."""
WHOLE_KO = re.compile(
    r".*(?:휴가|병가|평가|국가|허가|인가|증가|추가|물가|작가|전문가|아이|나이|차이|길이|높이|넓이|깊이|종이|회의|강의|문의|주의|동의|협의|정의|등은)$"
)
"""Nouns whose last syllable only looks like a particle."""
ADNOMINAL_KO = re.compile(r".*(?:방법|절차|법|것|경우|곳|사람|시간|날|이유|기간)(?:은|는|이|가|을|를)?$")
"""Nouns that a verb in -는 modifies."""
ONE_PLACE_KO = re.compile(r"(?:.*(?:가능하|필요하|시작하|뜻)|있|없|되|하|얼마|언제|누구|무엇|어디|며칠)$")
"""Predicates with either a subject or an object, but not both, so that the particle carries no meaning."""
HELPS_KO = frozenset("되 하 있 없 않".split())


def canonical_korean(words: Sequence[str]) -> str:
    """The canonical form, clause by clause. Subject and object particles are dropped where a clause has only one noun
    phrase and its predicate allows only one role for it."""
    clauses: list[list[str]] = [[]]
    for word in words:
        clauses[-1].append(word)
        if CLAUSE_KO.match(word):
            clauses.append([])
    return " ; ".join(_clause(clause) for clause in clauses if clause)


def _clause(words: Sequence[str]) -> str:
    helped = 1 if len(words) > 1 and words[-1] in HELPS_KO and words[-2].endswith(("도", "야", "지", "수")) else 0
    if helped and words[-2] == "수" and len(words) > 2:
        helped = 2
    verb, before = words[len(words) - 1 - helped :], words[: len(words) - 1 - helped]
    loose = not helped and ONE_PLACE_KO.match(verb[-1]) is not None
    chunks: list[str] = []
    cores: list[int] = []
    held: list[str] = []
    for place, word in enumerate(before):
        core = CORE_KO.match(word) if not WHOLE_KO.match(word) else None
        of_noun = word.endswith("는") and ADNOMINAL_KO.match(words[place + 1]) is not None
        if held and (of_noun or word in ASKING_KO or BEGINS_KO.match(word)):
            cores.append(len(chunks))
            chunks.append(" ".join(held))
            held = []
        if of_noun or word in ASKING_KO:
            chunks.append(word)
        elif word.endswith("의") and len(word) > 2 and core is None and not WHOLE_KO.match(word):
            held.append(word[:-1])
        elif core:
            unmarked = loose or core[2] in "을를" or (core[2] in "은는" and "누가" in before)
            particle = "" if unmarked else "-가" if core[2] in "이가" else "-는"
            cores.append(len(chunks))
            chunks.append(" ".join([*held, core[1]]) + particle)
            held = []
        elif ADVERBIAL_KO.match(word):
            chunks.append(" ".join([*held, word]))
            held = []
        else:
            held.append(word)
    if held:
        cores.append(len(chunks))
        chunks.append(" ".join(held))
    if len(cores) > 1:
        return " ".join(words)
    return " ".join([*sorted(chunks), "|", *verb])
