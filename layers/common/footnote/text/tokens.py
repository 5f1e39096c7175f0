"""Tokenises text for the lexical index and its queries.

en: Snowball stems without stop words. de: the same without -t and -et, which Snowball leaves on verbs, plus character 5-grams of
every word with boundary markers (`_haus_`), which match the parts of compounds. ko, ja, zh: character bigrams. und: English stems,
stop words included. Any other language: plain words.
Runs of Hangul, kana and Han become bigrams in any language; Latin runs in CJK text become English stems.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from footnote.text.separable_verbs import join_verb
from footnote.text.words import IRREGULAR, NAMES, QUESTION_WORDS, STOP_WORDS
from footnote.types import UNKNOWN_LANGUAGE

if TYPE_CHECKING:
    import Stemmer

SIGN = re.compile(r"[^\w\s]|_")
WORD = re.compile(r"\w+")
PLURAL = re.compile(r"\b([A-Z]{2,})s\b")
"""Of an acronym, which no stemmer knows: PDFs."""
CJK_RUN = re.compile(
    r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]+|[^\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]+"
)
CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3]")
GRAM = 5
BIGRAM_LANGUAGES = ("ko", "ja", "zh")
WIDEST = 20
"""Upper bound of the characters per token. Hardly any text reaches it, except for runs of spaces."""
STEMMERS = {"en": "english", "de": "german", "ko": "english", "ja": "english", "zh": "english", UNKNOWN_LANGUAGE: "english"}
"""Latin words in CJK text and in text of unknown language are mostly English names and terms."""

SHORTEST = 3
"""Letters that are left of a German stem without -er, and those of an English word in -s that is no plural: AWS."""
VERB_IN_T = re.compile(
    r"\w(?:gt|kt|mt|zt|sst|ppt|(?<!^de)(?<!ou)bt|[aeiou]ht|cht|[aru]uft|^ruft|eift|fft|lft|[hl]lt|\w\welt|nnt|[hr]nt|eint|[hr]rt|iert"
    r"|[^bcilpsvz]ert|[td]et|[dfh]net|[ei]gnet|[dt]met)$"
)
"""Stems of German verbs that Snowball leaves with -t. Words that are also English, such as client, test and port, are none."""
VERB_IN_RT = re.compile(r"\w[äöü]rt(?:e|en)?$")

_local = threading.local()


def index_tokens(text: str, lang: str) -> list[str]:
    """All tokens with repetitions, for term frequencies: bigrams first, then Latin words, then their 5-grams."""
    tokens: list[str] = []
    plain: list[str] = []
    for word in _words(text):
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
    """Distinct tokens in order of first appearance. A query of stop words only keeps its plain words. A German verb that is taken apart
    is searched for in one word, too."""
    whole = join_verb(text) if lang == "de" else None
    found = tuple(dict.fromkeys(index_tokens(f"{text} {whole}" if whole else text, lang)))
    return found or tuple(dict.fromkeys(_words(text)))


def content_terms(text: str, lang: str) -> list[str]:
    """The content of a text: stems or bigrams, without stop words, question words and 5-grams."""
    asked = QUESTION_WORDS.get(lang, frozenset())
    if lang in BIGRAM_LANGUAGES:
        kept = " ".join(word for word in _words(text) if word not in asked)
        return index_tokens(kept, lang)
    stop = STOP_WORDS.get(lang, frozenset())
    words = [word for word in _words(text) if word not in stop and word not in asked]
    if any(CJK.search(word) for word in words):
        return index_tokens(" ".join(words), "ko")
    return _stem(words, lang)


def _words(text: str) -> list[str]:
    return WORD.findall(normalise(PLURAL.sub(r"\1", text)))


def normalise(text: str) -> str:
    """NFKC in lower case, so that "ﬁ" equals "fi" and "Ｆ" equals "f"."""
    return unicodedata.normalize("NFKC", text).lower()


@lru_cache(maxsize=4096)
def _is_cjk(char: str) -> bool:
    return CJK.match(char) is not None


def count_tokens(text: str) -> int:
    """Estimates the number of a model's tokens: within 15 % on prose, not meant for billing.

    A Latin word counts 1, plus a quarter for every letter after the fifth; a CJK character .65; any other sign .5.
    The result is at least one token per `WIDEST` characters.
    """
    words = WORD.findall(text)
    if text.isascii():  # the same in a fifth of the time
        longer = [length for length in map(len, words) if length > 5]
        total = len(words) + (sum(longer) - 5 * len(longer)) / 4
    else:
        total = 0.0
        for word in words:
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
    if language == "english":
        words = [IRREGULAR.get(word, word) for word in words]
    if language is None or not words:
        return list(words)
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:  # stemmers are not thread-safe
        import Stemmer

        stemmers[language] = Stemmer.Stemmer(language)
    stems = zip(words, stemmers[language].stemWords(words), strict=True)
    if language == "german":
        return [NAMES.get(word) or (_without_t(word, stem) if stem.endswith("t") else stem) for word, stem in stems]
    return [NAMES.get(word) or (word if len(word) == SHORTEST and word.endswith("s") else stem) for word, stem in stems]


def _without_t(word: str, stem: str) -> str:
    """A German stem without the -t or -et of a verb, and the -er before it, which Snowball takes from other forms: lösch(t), änd(ert)."""
    if not VERB_IN_T.search(stem) and not VERB_IN_RT.search(word):
        return stem
    stem = stem.removesuffix("t")
    ending = next((each for each in ("er", "e") if stem.endswith(each) and len(stem) >= SHORTEST + len(each)), "")
    return stem.removesuffix(ending)
