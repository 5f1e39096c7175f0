"""Text → the tokens that the lexical index stores and is asked for.

en: Snowball stems without stop words. de: the same plus character 5-grams of every word with its
bounds marked (`_haus_`), which finds the parts of compounds. ko, ja, zh: character bigrams. und: English stems, stop words
included. Every other language: plain words.
Runs of Hangul, kana and Han become bigrams in any language, Latin runs in Korean text stems.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from footnote.text.words import QUESTION_WORDS, STOP_WORDS
from footnote.types import UNKNOWN_LANGUAGE

if TYPE_CHECKING:
    import Stemmer

SIGN = re.compile(r"[^\w\s]|_")
WORD = re.compile(r"\w+")
CJK_RUN = re.compile(
    r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]+|[^\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]+"
)
CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]")
GRAM = 5
BIGRAM_LANGUAGES = ("ko", "ja", "zh")
WIDEST = 20
"""Characters of a token at most, on average: hardly any text has as many, but runs of spaces do."""
STEMMERS = {"en": "english", "de": "german", "ko": "english", "ja": "english", "zh": "english", UNKNOWN_LANGUAGE: "english"}
"""The Latin words in CJK text are mostly English names and terms; so are those of texts that show no language."""

_local = threading.local()


def index_tokens(text: str, lang: str) -> list[str]:
    """With repetitions: how often counts. Bigrams come first, then Latin words, then their 5-grams."""
    tokens: list[str] = []
    plain: list[str] = []
    for word in WORD.findall(normalise(text)):
        if CJK.search(word) is None:
            plain.append(word)
            continue
        for run in CJK_RUN.findall(word):
            if CJK.match(run):
                tokens += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
            else:
                plain.append(run)
    return tokens + _latin_tokens(plain, lang)


def query_tokens(text: str, lang: str) -> tuple[str, ...]:
    """Distinct tokens in order of first appearance. A query of stop words only is searched as it stands."""
    found = tuple(dict.fromkeys(index_tokens(text, lang)))
    return found or tuple(dict.fromkeys(WORD.findall(normalise(text))))


def content_terms(text: str, lang: str) -> list[str]:
    """What a sentence is about: stems or bigrams without stop words, question words and 5-grams."""
    asked = QUESTION_WORDS.get(lang, frozenset())
    if lang in BIGRAM_LANGUAGES:
        kept = " ".join(word for word in WORD.findall(normalise(text)) if word not in asked)
        return index_tokens(kept, lang)
    stop = STOP_WORDS.get(lang, frozenset())
    words = [word for word in WORD.findall(normalise(text)) if word not in stop and word not in asked]
    if any(CJK.search(word) for word in words):
        return index_tokens(" ".join(words), "ko")
    return _stem(words, lang)


def normalise(text: str) -> str:
    """Compatibility forms and case folded, so that "ﬁ", "Ｆ" and "F" are one."""
    return unicodedata.normalize("NFKC", text).lower()


@lru_cache(maxsize=4096)
def _is_cjk(char: str) -> bool:
    return CJK.match(char) is not None


def count_tokens(text: str) -> int:
    """About how many tokens a model's tokenizer makes of this; within 15 % on prose, never used for billing.

    A Latin word counts 1 + a quarter for every letter past five, a CJK character .65, other signs .5.
    No text has fewer than one for `WIDEST` characters.
    """
    total = 0.0
    for word in WORD.findall(text):
        cjk = sum(_is_cjk(char) for char in word) if not word.isascii() else 0
        rest = len(word) - cjk
        total += cjk * 0.65 + (1 + max(0, rest - 5) / 4 if rest else 0)
    return max(round(total + len(SIGN.findall(text)) * 0.5), len(text) // WIDEST)


def _latin_tokens(words: list[str], lang: str) -> list[str]:
    stop = STOP_WORDS.get(lang, frozenset())
    kept = [word for word in words if word not in stop]
    tokens = _stem(kept, lang)
    if lang == "de":
        for word in kept:
            bounded = f"_{word}_"
            tokens += [bounded[i : i + GRAM] for i in range(max(1, len(bounded) - GRAM + 1))]
    return tokens


def _stem(words: list[str], lang: str) -> list[str]:
    language = STEMMERS.get(lang)
    if language is None or not words:
        return list(words)
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:  # a stemmer is not safe to share between threads
        import Stemmer

        stemmers[language] = Stemmer.Stemmer(language)
    return list(stemmers[language].stemWords(words))
