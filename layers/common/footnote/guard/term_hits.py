"""Which terms does a question meet, and how well?

Two similarities, each 0 to 1. Of the whole question: cosine of the vectors where the embedder speaks its language, else of the
character bigrams, from .50. Of its words: 1 where the term stands there as a word of its own (Korean: whatever particle follows),
the bigram cosine of an inflected form (from .80), at least .50 inside of a longer word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from footnote.guard.terms import LEAST, Match, Term, TermCopy
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.text.tokens import CJK, WORD, normalise

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PARTICLES = re.compile(
    r"""(?:은|는|이|가|을|를|의|에|에서|에게|에게서|한테|께|께서|와|과|랑|이랑|하고|도|만|로|으로|까지|부터|보다|처럼|마다|조차|이나|나|든지|이든지
    |이란|란|이라|라|이라는|라는|들|님|씨|야|이야|요|이요|이에요|예요|입니다|입니까|인가|인가요|인지|이냐|냐|좀){1,4}""",
    re.VERBOSE,
)
SHORTEST_INSIDE = {True: 2, False: 4}
"""Characters of a term that may stand inside of a word: Korean, Chinese and Japanese; others."""
METHOD = re.compile(
    r"""\b(?:procedures?|process(?:es)?|methods?|steps|appl(?:y|ying|ications?)|requesting|submit(?:ting)?
      | verfahren\w*|ablauf|prozess\w*|methoden?|vorgehen\w*|schritte|beantrag\w*|antrag\w*|einreich\w*|bewerb\w*|formulare?)\b
      | \w(?:antrag|verfahren|prozess|formular)\b | 절차|방법|신청|과정|양식|방식|단계|제출""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TermHit:
    term: Term
    similarity: float
    """The better of the two."""
    of_question: float

    @property
    def match(self) -> Match | None:
        """None = weak."""
        return match_of(self.similarity)


def match_of(similarity: float) -> Match | None:
    return next((match for match, least in LEAST.items() if similarity >= least), None)


def asks_for_a_method(question: str) -> bool:
    return METHOD.search(question) is not None


def meet(question: str, vector: npt.NDArray[np.float32] | None, copy: TermCopy, threshold: float) -> list[TermHit]:
    """The terms that are met, best first. A term's own match bounds it from below, the threshold those that have none."""
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
        form, known = _form(term.text), copy.vectors.get(place)
        whole = _by_letters(pairs, form.pairs) if vector is None or known is None else float(vector @ known)
        # An inflected form begins as the term does.
        similarity = max(whole, *(_alike(words, start, form, pairs_of) for start in starts.get(form.joined[0], ())), 0.0)
        if form.inside and form.joined in spaced:
            similarity = max(similarity, LEAST["contextual"])
        if similarity >= (LEAST[term.match] if term.match else threshold):
            hits.append(TermHit(term, similarity, whole))
    return sorted(hits, key=lambda hit: -hit.similarity)


@dataclass(frozen=True, slots=True)
class _Form:
    joined: str
    """Without spaces: Korean may be written with or without them."""
    words: int
    pairs: frozenset[str]
    inside: bool


@lru_cache(maxsize=4096)
def _form(term: str) -> _Form:
    words = WORD.findall(normalise(term))
    joined = "".join(words)
    return _Form(joined, len(words), bigrams(term), len(joined) >= SHORTEST_INSIDE[CJK.search(joined) is not None])


def _by_letters(pairs: frozenset[str], other: frozenset[str]) -> float:
    """The threshold is one for vectors: letters are alike by chance up to .50."""
    cosine = bigram_cosine(pairs, other)
    return cosine if cosine >= LEAST["contextual"] else 0.0


def _alike(words: list[str], start: int, form: _Form, pairs_of: Callable[[int, int], frozenset[str]]) -> float:
    """Of the term and the words from `start` on, as many as it has, one more or fewer. Below a synonym it is chance."""
    best = 0.0
    for size in range(1, min(form.words + 1, len(words) - start) + 1):
        joined = "".join(words[start : start + size])
        if joined.startswith(form.joined) and (joined == form.joined or PARTICLES.fullmatch(joined, len(form.joined))):
            return 1.0
        if size == form.words and abs(len(joined) - len(form.joined)) <= len(form.joined) // 2:
            best = bigram_cosine(pairs_of(start, size), form.pairs)
    return best if best >= LEAST["synonym"] else 0.0
