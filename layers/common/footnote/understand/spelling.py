"""Corrects typos by the collection's own words, as far as the caller may see them. Without a model.

A word is corrected if neither a dictionary nor any visible passage has it, and one of the passages found by the rest of the question has a
word with the same first letter at an edit distance of one (from LONG letters on two): a letter inserted, deleted or replaced, or two
neighbours swapped. The first word of a question is rather corrected to an interrogative: “Wich” is “Which”. In Korean the letters are jamo,
and the corrected word may be the beginning of the written one.

Words of any visible passage stay, in any language, with their parts: “oauth” of “oauth2”. So does a foreign term with a Korean ending:
“ftp랑”. Nothing more is read for a question whose words are all known. All reads pass the permission check, so no correction reveals the
text of unreadable documents.

Dictionaries are the word lists of pyspellchecker. Its own class would need a second and 60 MB; a search in the text of the file takes a
millisecond."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import normalize

from footnote.ports import Index
from footnote.text.tokens import CJK, content_terms, normalise
from footnote.text.tokens import WORD as TERM
from footnote.text.words import INTERROGATIVES
from footnote.types import Search, Turn
from footnote.types.copies import replace

WORD = re.compile(r"[^\W\d_]++(?!['’]t)")  # not the beginning of a negation: hasn't
CHUNK = re.compile(r"\S+")
SHORTEST = 4
"""Letters of a word that may be misspelled: shorter ones are near too many others."""
SYLLABLES = 3
"""Of the beginning of a Korean word, and of a verb's stem, at least: two are a word with any particle, or any verb."""
ENDINGS = tuple("가까나냐니다요죠지")
"""Last syllables of Korean verbs and questions, whose last but one is part of the ending, too."""
LANGUAGES = frozenset({"en", "de", "es", "fr", "it", "lv", "nl", "pt", "ru"})
NEAR = 4096
"""Bytes of a dictionary that are searched from end to end. A line is shorter."""


def _is_written(syllable: str) -> bool:
    """False for the Hangul syllables that KS X 1001 leaves out, because hardly any Korean word has them: 8,822 of 11,172, such as “챁”."""
    return len(syllable.encode("euc-kr", "ignore")) <= 2  # the others are spelled out, as eight bytes


def _is_foreign(letter: str) -> bool:
    """Whether it is a letter, and not Korean, Japanese or Chinese."""
    return letter.isalpha() and not CJK.match(letter)


def _closed_by(*finals: int) -> str:
    """The class of the syllables with one of the final consonants, by their numbers in Unicode."""
    syllables = [chr(code) for final in finals for code in range(ord("가") + final, ord("힣") + 1, 28)]
    return f"[{''.join(filter(_is_written, syllables))}]"


_N, _L, _P, _SS = 4, 8, 17, 20
_MORE = "(?:[면도서야요고지자며니나냐까다기게는던러라든죠네려가데래더만록거마시셔셨세신실습었였겠]|십시오)"
VERB_ENDING = re.compile(
    "(?:"
    + "|".join(
        (
            rf"(?:[하한할해되된될돼]|시[키킨킬켜]){_MORE}{{0,6}}",
            rf"{_closed_by(_SS)}{_MORE}{{1,6}}",  # a tense: 했나요, 었는지, 겠지만
            r"이(?:면|고|며|나|던|라면|라고|라도|라서|어도|어야|지만|든지)",
            r"으(?:면|면서|며|니|니까|러|려고?|려면|려는|시면|시려면|시고|시나요|셔도|셔야|세요|십시오)",
            r"[은을](?:가요?|지요?|데요?|까요?|게요?|래요?)",
            r"[어아여줘꿔눠둬워와봐려켜져쳐겨펴](?:도|서|야|요)",
            r"[어아여](?:지면|지나요|지려면)",
            r"려면|려고|려는|시려?면|셔도|셔야|나요|는가요?|는지요?|는데요?|면서|거나|도록|더라도|지만|든지|자마자|는다면|라면|라고|라도|느냐",
            rf"습니[까다]|{_closed_by(_P)}니[까다]|{_closed_by(_L)}까요?",
            rf"{_closed_by(_N, _L)}(?:가요|데요?|지요|다면|다고|게요|래요)",
        )
    )
    + ")$"
)
"""What follows the stem of a Korean verb, from the syllable on in which 하다, 되다 or 시키다 begins, or a tense: 하려면, 됐나요, 었는지."""
LONG = 12
PASSAGES = 100
FEW = 10
MOST_CHANGED = 0.5
"""Of the words. More is another question, not a correction."""


def may_correct(turn: Turn) -> bool:
    """The documents answer, and one question is searched for, by words."""
    return turn.request.mode == "rag" and len(turn.answered) == 1 and turn.plan.retriever != "knn" and not turn.evidence.hits


async def correct_spelling(turn: Turn, *, index: Index) -> Turn:
    """Replaces the question by its correction, if it has one; else sets `turn.reading.unknown_words`, if it has any."""
    text, lang, collection = turn.asked, turn.lang, turn.request.collection
    languages = dict.fromkeys((lang, *(await index.view(turn.caller, collection)).languages))
    words = {match[0]: content_terms(match[0], lang) for match in WORD.finditer(text)}
    forms = {word: {form for language in languages for form in content_terms(word, language)} for word in (*words, *TERM.findall(text))}
    known_terms = await index.known_terms(turn.caller, collection, sorted(set().union(*forms.values())))
    kept = [match.span() for match in TERM.finditer(text) if not CJK.search(match[0]) and not known_terms.isdisjoint(forms[match[0]])]
    kept += [match.span() for match in CHUNK.finditer(text) if CJK.search(match[0]) and any(map(_is_foreign, match[0]))]
    unknown = dict.fromkeys(
        match[0]
        for match in WORD.finditer(text)
        if words[match[0]]
        and not any(start <= match.start() < end for start, end in kept)
        and _may_be_misspelled(match[0], lang, [term in known_terms for term in words[match[0]]])
    )
    if not unknown:
        return turn
    written = await _words_of_passages(turn, index)
    asking = dict.fromkeys(INTERROGATIVES.get(lang, ()), 1.0)
    corrections: dict[str, str] = {}
    for word in unknown:
        begins = word == next(iter(words))
        if near := (nearest(normalise(word), asking) if begins else None) or nearest(normalise(word), written, known_terms):
            corrections[word] = near
    corrected = WORD.sub(lambda match: _in_case(corrections.get(match[0], match[0]), match[0]), text)
    if corrected == text or not keeps_question(text, corrected):
        left = [word for word in unknown if not (CJK.search(word) and all(map(_is_written, word)))]  # endings make most Korean words new
        reading = replace(turn.reading, unknown_words=tuple(left))
        return replace(turn, reading=reading).with_notes(unknown_words=left) if left else turn
    return turn.rewrite(corrected).with_notes(original=turn.request.question, corrected=corrected)


def _may_be_misspelled(word: str, lang: str, known: Sequence[bool]) -> bool:
    """`known`: whether visible passages have the word's terms; a Korean word has several, its bigrams."""
    if CJK.search(word):
        return not all(known)
    return len(word) >= SHORTEST and not any(known) and not _is_word(normalise(word), lang)


async def _words_of_passages(turn: Turn, index: Index) -> Mapping[str, float]:
    """Words of the passages found by the uncorrected question; those of the first passages weigh more. If it finds few, because most of its
    words are misspelled, a sample of the collection is added."""
    request = turn.request
    search = Search(
        request.collection,
        turn.asked,
        turn.lang,
        spoken=frozenset(turn.languages),
        limit=PASSAGES,
        levels=turn.plan.levels,
        filters=request.filters,
        conditions=request.conditions,
    )
    candidates = await index.candidates(turn.caller, search)
    passages = await index.read(turn.caller, [entry.chunk_id for entry in candidates.lexical])
    if len(passages) < FEW:
        passages += await index.sample(turn.caller, request.collection, PASSAGES)
    weights: defaultdict[str, float] = defaultdict(float)
    for rank, chunk in enumerate(passages):
        for word in set(WORD.findall(normalise(" ".join((chunk.title, *chunk.headings, chunk.text))))):
            weights[word] += 1 / (10 + rank)
    return weights


def nearest(word: str, written: Mapping[str, float], known: frozenset[str] = frozenset()) -> str | None:
    """The nearest of the words, of several the one with the highest weight; None if none is near. `known`: terms that occur."""
    from rapidfuzz.distance import OSA

    if CJK.search(word):
        return _nearest_beginning(word, written, known)
    most = 2 if len(word) >= LONG else 1
    near = [
        (OSA.distance(word, other, score_cutoff=most), -weight, other)
        for other, weight in written.items()
        if other[0] == word[0] and abs(len(other) - len(word)) <= most and len(other) >= SHORTEST and f"{other}s" != word
    ]
    edits, _, best = min(near, default=(most + 1, 0.0, ""))
    return best if edits <= most else None


def _nearest_beginning(word: str, written: Mapping[str, float], known: frozenset[str]) -> str | None:
    """The word with one jamo replaced, so that it begins like a written word with SYLLABLES syllables or more, the longest possible. No
    pair of syllables with the jamo occurs anywhere, and it is not in an ending. A verb with a shorter stem could be another verb, so it is
    corrected only if no word has the syllable."""
    from rapidfuzz.distance import OSA

    ending = VERB_ENDING.search(word)
    stem = ending.start() if ending else len(word) - (2 if word.endswith(ENDINGS) else 1)
    wrong = {
        at
        for at in range(stem)
        if (stem >= SYLLABLES or not ending or not _is_written(word[at]))
        and known.isdisjoint(word[start : start + 2] for start in (at - 1, at) if 0 <= start < len(word) - 1)
    }
    longest = min(len(word), max(map(len, written), default=0))
    for size in range(longest, SYLLABLES - 1, -1) if wrong else ():
        parts = normalize("NFD", word[:size])
        weights: defaultdict[str, float] = defaultdict(float)
        for other, weight in written.items():
            begins = normalize("NFD", other[:size])
            near = len(other) >= size and len(begins) == len(parts) and OSA.distance(parts, begins, score_cutoff=1) == 1
            if near and next(at for at in range(size) if other[at] != word[at]) in wrong:
                weights[other[:size]] += weight
        if weights:
            return max(weights, key=lambda beginning: (weights[beginning], beginning)) + word[size:]
    return None


def keeps_question(text: str, corrected: str) -> bool:
    """At least half of the words survive. Of the characters 60 % always do, by the edits that a word allows."""
    words: Sequence[str] = WORD.findall(text)
    changed: int = sum(old != new for old, new in zip(words, WORD.findall(corrected), strict=True))
    return changed <= MOST_CHANGED * len(words)


def _in_case(word: str, like: str) -> str:
    if word == like or like.islower():
        return word
    return word.upper() if like.isupper() else word.capitalize()


@lru_cache(maxsize=4096)
def _is_word(word: str, lang: str) -> bool:
    """Whether the language's dictionary has the word (letters, in lower case). False for a language without one."""
    if lang not in LANGUAGES:
        return False
    lines, entry = _dictionary(lang), f'"{word}":'.encode()
    low, high = 0, len(lines)
    while high - low > NEAR:
        middle = lines.index(b"\n", (low + high) // 2) + 1
        low, high = (middle, high) if lines[middle : middle + len(entry) - 2] < entry[:-2] else (low, middle)
    return lines.find(entry, low, high + len(entry)) >= 0


@cache
def _dictionary(lang: str) -> bytes:
    """One JSON object in UTF-8, word → frequency, with a line for each word, in the order of code points."""
    packed = files("spellchecker").joinpath("resources", f"{lang}.json.gz").read_bytes()
    # Into one buffer of the size that the last four bytes give (RFC 1952): a second copy would double the process's peak.
    return zlib.decompress(packed, zlib.MAX_WBITS | 16, int.from_bytes(packed[-4:], "little"))
