"""Tokenises text for the lexical index and its queries.

A passage has one form of each word: the Snowball stem in its language, where PyStemmer has one, else the plain word. A query has each word
in the forms of all languages that the caller's passages are in (`query_tokens`), so what language a passage was taken for hides no word of
it; forms that are equal are one token, and a passage has only one of the others, so nothing counts twice.

Runs of scripts that leave no space between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become bigrams in any language;
other words in such a text become English stems, as those of unknown language do.
A code (`text.codes`) is a token of its own beside its parts: 6es7214, 1ag41, 6es7214_1ag41; so is a name with underscores
(`text.identifiers`), and the number of a section (`text.section_numbers`).
en, de: without stop words. de: the stems without -t and -et, which Snowball leaves on verbs, plus character 5-grams of every word with
boundary markers (`_haus_`), which match the parts of compounds.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from footnote.text.codes import code_terms
from footnote.text.compatible import compatible, with_units
from footnote.text.identifiers import divided, joined_names
from footnote.text.section_numbers import headings_asked, sections_named
from footnote.text.words import IRREGULAR, NAMES, QUESTION_WORDS, STOP_WORDS
from footnote.types import UNKNOWN_LANGUAGE

if TYPE_CHECKING:
    import Stemmer

SIGN = re.compile(r"[^\w\s]|_")
MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    r"\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u102b-\u103e\u1056-\u1099\u17b4-\u17d3"
)
"""Vowel signs and accents on letters, which are no letters to `re`; of the scripts of India all but their full stops."""
WORD = re.compile(rf"[\w{MARKS}]+")
PLURAL = re.compile(r"\b([A-Z]{2,})s\b")
"""Of an acronym, which no stemmer knows: PDFs."""
CJK_RANGES = r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3"
CJK = re.compile(f"[{CJK_RANGES}]")
UNSPACED_RANGES = rf"{CJK_RANGES}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Of scripts that leave no space between words; Korean leaves some, but its words have endings."""
UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")
RUN = re.compile(f"[{UNSPACED_RANGES}]+|[^{UNSPACED_RANGES}]+")
LETTER = re.compile(f"[^{MARKS}][{MARKS}]*")
"""A letter with its signs."""
GRAM = 5
BIGRAM_LANGUAGES = ("ko", "ja", "zh", "th", "lo", "km", "my")
WIDEST = 20
"""Upper bound of the characters per token. Hardly any text reaches it, except for runs of spaces."""
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish", UNKNOWN_LANGUAGE: "english", **dict.fromkeys(BIGRAM_LANGUAGES, "english"),
}  # fmt: skip
"""Latin words in text without spaces and in text of unknown language are mostly English names and terms."""

SHORTEST = 3
"""Minimum letters of a German stem without -er, and of an English word in -s that is no plural: AWS."""
VERB_IN_T = re.compile(
    r"\w(?:gt|kt|mt|zt|sst|ppt|(?<!^de)(?<!ou)bt|[aeiou]ht|cht|[aru]uft|^ruft|eift|fft|lft|[hl]lt|\w\welt|nnt|[hr]nt|eint|[hr]rt|iert"
    r"|[^bcilpsvz]ert|[td]et|[dfh]net|[ei]gnet|[dt]met)$"
)
"""Stems of German verbs that Snowball leaves with -t. Words that are also English, such as client, test and port, are not among them."""
VERB_IN_RT = re.compile(r"\w[äöü]rt(?:e|en)?$")

_local = threading.local()


def index_tokens(text: str, lang: str) -> list[str]:
    """All tokens of a passage with repetitions, for term frequencies: bigrams, words, their 5-grams, codes and names."""
    return _all_tokens(divided(text), lang)


def _all_tokens(text: str, lang: str) -> list[str]:
    return _tokens(_words(text), lang) + _wholes(text)


def _wholes(text: str) -> list[str]:
    """The codes, names and numbers of sections that are tokens beside their parts."""
    return code_terms(text) + (joined_names(text) if "_" in text else []) + sections_named(text)


def _tokens(words: Iterable[str], lang: str) -> list[str]:
    bigrams, plain = _divide(words)
    return bigrams + _word_tokens(plain, lang)


def query_tokens(text: str, lang: str, languages: Iterable[str] = ()) -> tuple[str, ...]:
    """Distinct tokens in order of first appearance, also in the forms of `languages`. A query of stop words only keeps its plain words."""
    tokens = dict.fromkeys(_all_tokens(text, lang))
    stop = STOP_WORDS.get(lang, frozenset())
    _, plain = _divide(word for word in _words(text) if word not in stop)
    for other in languages:
        if other != lang:
            tokens |= dict.fromkeys(_word_tokens(plain, other))
    tokens |= dict.fromkeys(headings_asked(text))
    return tuple(tokens) or tuple(dict.fromkeys(_words(text)))


def content_terms(text: str, lang: str) -> list[str]:
    """The content of a text: stems or bigrams, and codes, without stop words, question words and 5-grams."""
    return [*_content_terms(text, lang)]


@lru_cache(maxsize=256)
def _content_terms(text: str, lang: str) -> Sequence[str]:
    """Kept because one turn asks for those of its question, of each word in it and of its answer's sentences several times."""
    question_words = QUESTION_WORDS.get(lang, frozenset())
    if lang in BIGRAM_LANGUAGES:
        return _tokens((word for word in _words(text) if word not in question_words), lang) + _wholes(text)
    stop = STOP_WORDS.get(lang, frozenset())
    words = [word for word in _words(text) if word not in stop and word not in question_words]
    if any(UNSPACED.search(word) for word in words):
        return _tokens(words, "ko") + _wholes(text)
    return _stem(words, lang) + _wholes(text)


def other_forms(text: str, lang: str, languages: Iterable[str]) -> Mapping[str, str]:
    """The form that a content word of `text` has in another language → its form in `lang`, where they differ."""
    forms_of_own = dict[str, str]()
    others = [other for other in languages if other != lang]
    for word in dict.fromkeys(_words(text)) if others else ():
        own = content_terms(word, lang)
        if len(own) == 1:
            forms = {form for other in others for form in content_terms(word, other)}
            forms_of_own |= dict.fromkeys(forms.difference(own), own[0])
    return forms_of_own


def _divide(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """(bigrams of text without spaces, other words)."""
    bigrams, plain = list[str](), list[str]()
    for word in words:
        if UNSPACED.search(word) is None:
            plain.append(word)
            continue
        for run in RUN.findall(word):
            if not UNSPACED.match(run):
                plain.append(run)
                continue
            letters = run if CJK.match(run) else LETTER.findall(run)
            bigrams += [letters[i] + letters[i + 1] for i in range(len(letters) - 1)] or [run]
    return bigrams, plain


def _words(text: str) -> list[str]:
    return WORD.findall(normalise(PLURAL.sub(r"\1", text)).replace("_", " "))


def normalise(text: str) -> str:
    """NFKC in lower case, so that "ﬁ" equals "fi" and "Ｆ" equals "f"; 10⁶ equals 10^6, m² m^2 and m2. A Turkish İ is an i without a second
    dot."""
    return compatible(with_units(text)).lower().replace("i\u0307", "i")


@lru_cache(maxsize=4096)
def _is_cjk(char: str) -> bool:
    return CJK.match(char) is not None


@lru_cache(maxsize=256)
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


def _word_tokens(words: list[str], lang: str) -> list[str]:
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
    if language == "english":
        return [NAMES.get(word) or (word if len(word) == SHORTEST and word.endswith("s") else stem) for word, stem in stems]
    return [NAMES.get(word) or stem for word, stem in stems]


def _without_t(word: str, stem: str) -> str:
    """A German stem without the -t or -et of a verb, and the -er before it, which Snowball takes from other forms: lösch(t), änd(ert)."""
    if not VERB_IN_T.search(stem) and not VERB_IN_RT.search(word):
        return stem
    stem = stem.removesuffix("t")
    ending = next((suffix for suffix in ("er", "e") if stem.endswith(suffix) and len(stem) >= SHORTEST + len(suffix)), "")
    return stem.removesuffix(ending)
