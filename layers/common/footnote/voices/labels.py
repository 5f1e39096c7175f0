"""The words that distinguish a group of texts from the others: class-based TF-IDF over how many of its texts have a word."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

from footnote.text.language import HANGUL
from footnote.text.tokens import content_terms
from footnote.text.words import QUESTION_WORDS, STOP_WORDS

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
PARTICLE = re.compile(
    r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|의|에|도|와|과|로|으로|에서|에게|까지|부터|만|보다|처럼|에는|에도|이다|이나|이랑|하고|입니다|이에요|예요)$"
)
ENDING = re.compile(
    r"[가-힣](?:어요|아요|해요|네요|습니다|니다|는데|지만|어서|아서|해서|하고|하는|했는데|었다|았다|했다|한다|더라|세요|거든요|군요)$"
)
ADDRESS = re.compile(r"\S+@\S+|(?:https?://|www\.)\S+")
WORDS_OF_LABEL = 3
WORDS = 8
LENGTHS = (3, 30)
"""Letters of a word in a label; Hangul from 2."""
EVERYDAY = frozenset(
    """really please thank thanks still even ever never always anything something nothing everything every also like want need know think
    good great nice bad best worst love hate awesome amazing excellent terrible okay app apps use using used make made one two lot
    bitte danke immer nie mehr schon ganz eigentlich leider gut schlecht super toll finde geht habe hätte
    너무 정말 진짜 그냥 아주 매우 조금 많이 계속 좋아요 좋은 좋다 없는 있는 있다 없다 그리고 하지만 근데""".split()
)
"""Words of many reviews that name no subject; they label only a group that has no others."""


def words_of(text: str, lang: str) -> dict[str, str]:
    """Stem → the written word, of the words that may be in a label. Numbers and addresses are not among them."""
    words: dict[str, str] = {}
    left_out = STOP_WORDS.get(lang, frozenset()) | QUESTION_WORDS.get(lang, frozenset())
    for word in WORD.findall(ADDRESS.sub(" ", text)):
        plain = word.lower()
        if plain in left_out:
            continue
        if HANGUL.search(word):
            stem = PARTICLE.sub("", word)
            if len(stem) >= 2 and not ENDING.search(stem):
                words.setdefault(stem, stem)
        elif LENGTHS[0] <= len(word) <= LENGTHS[1]:
            stem = " ".join(content_terms(word, lang))
            if stem:
                words.setdefault(stem, word)
    return words


def find_labels(texts: Sequence[dict[str, str]], groups: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Group → at most WORDS words, the most distinctive first. `texts`: from `words_of`; a group of -1 is left out."""
    inside: dict[int, Counter[str]] = defaultdict(Counter)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    everywhere: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    for words, group in zip(texts, groups, strict=True):
        everywhere.update(words.keys())
        if group < 0:
            continue
        sizes[group] += 1
        inside[group].update(words.keys())
        for stem, form in words.items():
            forms[stem][form] += 1
    mean = sum(everywhere.values()) / max(len(inside), 1)
    labels: dict[int, tuple[str, ...]] = {}
    for group, counts in inside.items():
        least = 2 if sizes[group] > 3 else 1

        def score(stem: str, group: int = group, counts: Counter[str] = counts) -> float:
            weight = 0.25 if stem in EVERYDAY or forms[stem].most_common(1)[0][0].lower() in EVERYDAY else 1.0
            return weight * counts[stem] / sizes[group] * log(1 + mean / everywhere[stem])

        ranked = sorted((stem for stem in counts if counts[stem] >= least), key=lambda stem: (-score(stem), stem))
        labels[group] = tuple(_written(forms[stem]) for stem in ranked[:WORDS])
    return labels


def _written(forms: Counter[str]) -> str:
    """The most frequent form, in lower case unless it is mostly written with capitals (a name, an acronym or a German noun)."""
    lower: Counter[str] = Counter()
    for form, number in forms.items():
        lower[form.lower()] += number
    best = min(lower, key=lambda form: (-lower[form], form))
    cased = {form: number for form, number in forms.items() if form.lower() == best}
    usual = min(cased, key=lambda form: (-cased[form], form))
    return usual if len(usual) <= 4 or (2 * cased[usual] > lower[best] and not usual.isupper()) else best
