"""Matches questions with forbidden terms.

Two similarities, 0..1. Of the whole question: cosine of the vectors if the embedder supports its language, else of the character
bigrams, from .50. Vectors are taken from the mean of everyday questions of the language, which differs with embedder and language: with
the titles of 60 pages as terms, .3 is reached by .7 to 1.3 % of the pairs that don't belong together in English, .2 % in German and .6 % in
Korean (without: 1.5 to 2.4, .1 and 14 %), and by 53, 37 and 57 % of those that do. Of its words: 1 if the term occurs as a word (in Korean
with any particle), the bigram cosine of an inflected form (from .80), at least .50 inside a longer word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from footnote.guard.terms import LEAST, Match, Term, TermCopy
from footnote.text.similarity import bigram_cosine, bigrams, vector_cosine
from footnote.text.tokens import CJK, WORD, normalise
from footnote.types import Vector

PARTICLES = re.compile(
    r"""(?:은|는|이|가|을|를|의|에|에서|에게|에게서|한테|께|께서|와|과|랑|이랑|하고|도|만|로|으로|까지|부터|보다|처럼|마다|조차|이나|나|든지|이든지
    |이란|란|이라|라|이라는|라는|들|님|씨|야|이야|요|이요|이에요|예요|입니다|입니까|인가|인가요|인지|이냐|냐|좀){1,4}""",
    re.VERBOSE,
)
SHORTEST_INSIDE = {True: 2, False: 4}
"""Minimum characters of a term that is looked for inside words: {Korean, Chinese, Japanese: …, others: …}."""
METHOD = re.compile(
    r"""\b(?:procedures?|process(?:es)?|methods?|steps|appl(?:y|ying|ications?)|requesting|submit(?:ting)?
      | verfahren\w*|ablauf|prozess\w*|methoden?|vorgehen\w*|schritte|beantrag\w*|antrag\w*|einreich\w*|bewerb\w*|formulare?)\b
      | \w(?:antrag|verfahren|prozess|formular)\b | 절차|방법|신청|과정|양식|방식|단계|제출""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term that a question matches, with its similarities."""

    term: Term
    similarity: float
    """The higher one of the two similarities."""
    of_question: float
    """Similarity of the whole question."""

    @property
    def match(self) -> Match | None:
        """The kind of match; None = weak."""
        return match_of(self.similarity)


def match_of(similarity: float) -> Match | None:
    """The kind of match that a similarity amounts to; None = weak."""
    return next((match for match, least in LEAST.items() if similarity >= least), None)


def asks_for_a_method(question: str) -> bool:
    """Whether the question asks for a procedure, e.g. how to apply."""
    return METHOD.search(question) is not None


def match_terms(question: str, vector: Vector | None, copy: TermCopy, threshold: float, centre: Vector | float = 0.0) -> list[TermHit]:
    """The matching terms, best first. The minimum similarity is that of the term's own `match`, or `threshold` if it has none.
    `centre`: `Terms.centre` of the question's language."""
    words = WORD.findall(normalise(question))
    spaced, pairs = " ".join(words), bigrams(question)

    @cache
    def pairs_of(start: int, size: int) -> frozenset[str]:
        return bigrams(" ".join(words[start : start + size]))

    starts: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        starts.setdefault(word[0], []).append(place)
    hits = []
    for place, term in enumerate(copy.terms):
        form, term_vector = _form(term.text), copy.vectors.get(place)
        whole = (
            _by_letters(pairs, form.pairs)
            if vector is None or term_vector is None
            else vector_cosine(vector - centre, term_vector - centre)
        )
        # An inflected form begins with the same letter as the term.
        similarity = max(whole, *(_alike(words, start, form, pairs_of) for start in starts.get(form.joined[0], ())), 0.0)
        if form.inside and form.joined in spaced:
            similarity = max(similarity, LEAST["contextual"])
        if similarity >= (LEAST[term.match] if term.match else threshold):
            hits.append(TermHit(term, similarity, whole))
    return sorted(hits, key=lambda hit: -hit.similarity)


@dataclass(frozen=True, slots=True)
class _Form:
    joined: str
    """Without spaces, which are optional in Korean."""
    words: int
    pairs: frozenset[str]
    inside: bool


@lru_cache(maxsize=4096)
def _form(term: str) -> _Form:
    words = WORD.findall(normalise(term))
    joined = "".join(words)
    return _Form(joined, len(words), bigrams(term), len(joined) >= SHORTEST_INSIDE[CJK.search(joined) is not None])


def _by_letters(pairs: frozenset[str], other: frozenset[str]) -> float:
    """Bigram cosine; 0 below .50, where the resemblance of letters is accidental."""
    cosine = bigram_cosine(pairs, other)
    return cosine if cosine >= LEAST["contextual"] else 0.0


def _alike(words: list[str], start: int, form: _Form, pairs_of: Callable[[int, int], frozenset[str]]) -> float:
    """Similarity of the term and the words from `start` on, one more or fewer than it has; 0 below the threshold for synonyms."""
    best = 0.0
    for size in range(1, min(form.words + 1, len(words) - start) + 1):
        joined = "".join(words[start : start + size])
        if joined.startswith(form.joined) and (joined == form.joined or PARTICLES.fullmatch(joined, len(form.joined))):
            return 1.0
        if size == form.words and abs(len(joined) - len(form.joined)) <= len(form.joined) // 2:
            best = bigram_cosine(pairs_of(start, size), form.pairs)
    return best if best >= LEAST["synonym"] else 0.0
