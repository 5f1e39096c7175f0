"""Language detection by script, then by stop words and the first words of a question; 5 µs for a question.

Detects en, de, ko, ja and zh; any other script is "mis". Latin text that is too short, or has hardly any known stop word
(a list of names), gets the most expected language (`among`). If none is expected, short text is English and longer text "und".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from footnote.text.words import INTERROGATIVES, QUESTION_WORDS, STOP_WORDS
from footnote.types import UNKNOWN_LANGUAGE

HANGUL = re.compile(r"[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")
KANA = re.compile(r"[\u3040-\u30ff]")
HAN = re.compile(r"[\u4e00-\u9fff]")
LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+")
LETTER = re.compile(r"[^\W\d_]")
GERMAN_LETTER = re.compile(r"[äöüßÄÖÜ]")

MARKER_WORDS = {lang: STOP_WORDS[lang] | QUESTION_WORDS[lang] for lang in ("en", "de")}

OPENS_GERMAN = re.compile(
    r"\W*wo(?:bei|durch|für|fuer|gegen|hin|mit|nach|r(?:an|auf|aus|in|über|ueber|um|unter)|von|vor|zu)\b", re.IGNORECASE
)
"""“Worauf basiert …”: pronominal adverbs, which stop words do not include."""
WAS_WITH_VERB = re.compile(
    r"\W*[Ww][Aa][Ss]\s+(?P<verb>(?![a-z]+(?:ment|ght|eat|oat)\b)[a-zäöüß]+(?:t|[^aiou\W]te)|tun|machen|sagen|darf)\b(?!.*[a-z]ed\b)"
)
"""“Was kostet …”: English “was” is followed by its subject, German “was” by a verb. “Was wheat …”, “was slate mined” are English."""

OTHER_SCRIPT = "mis"
NOT_LATIN = ("ko", "ja", "zh", OTHER_SCRIPT)

SAMPLE = 4000
"""Only this many characters are examined."""
ENOUGH_WORDS = 25
LEAST_SHARE = 0.08
"""The smallest share of stop words in English or German prose; it applies to texts of at least ENOUGH_WORDS."""


def detect_language(text: str, among: Mapping[str, int] | Iterable[str] | None = None) -> str:
    """The language code of `text`. `among`: the expected languages, or a mapping of them to weights; where the text
    itself is inconclusive, the one with the highest weight (the first, if there are no weights) is returned."""
    sample = text[:SAMPLE]
    script = _by_script(sample)
    if script:
        return script
    words = [word.lower() for word in LATIN_WORD.findall(sample)]
    if not words:
        return _heaviest(among) or "en"
    counts = {lang: sum(word in markers for word in words) for lang, markers in MARKER_WORDS.items()}
    counts["de"] += 2 * min(3, len(GERMAN_LETTER.findall(sample)))
    if opened := _opened_by(sample, words[0]):
        counts[opened] += 1
    best = max(counts, key=lambda lang: counts[lang])
    if len(words) >= ENOUGH_WORDS and counts[best] < LEAST_SHARE * len(words):
        return _heaviest(among) or UNKNOWN_LANGUAGE
    if counts["en"] == counts["de"]:
        return _heaviest(among) or "en"
    return best


def _opened_by(sample: str, first: str) -> str | None:
    """The language of which a text opens as a question. “Was” opens one in both: a German one, if a verb follows."""
    if first == "was":
        match = WAS_WITH_VERB.match(sample)
        return "de" if match and match["verb"] not in STOP_WORDS["en"] else None
    if OPENS_GERMAN.match(sample):
        return "de"
    return next((lang for lang in MARKER_WORDS if first in INTERROGATIVES[lang]), None)


def _by_script(sample: str) -> str | None:
    letters = len(LETTER.findall(sample))
    if not letters:
        return None
    hangul, kana, han = (len(script.findall(sample)) for script in (HANGUL, KANA, HAN))
    # A sixth is enough: Korean and Japanese prose is full of Latin names and numbers.
    if hangul * 6 >= letters:
        return "ko"
    if kana and (kana + han) * 6 >= letters:
        return "ja"
    if han * 6 >= letters:
        return "zh"
    if sum(map(len, LATIN_WORD.findall(sample))) * 2 < letters:
        return OTHER_SCRIPT
    return None


def _heaviest(among: Mapping[str, int] | Iterable[str] | None) -> str | None:
    if not among:
        return None
    if isinstance(among, Mapping):
        latin = {lang: weight for lang, weight in among.items() if lang not in NOT_LATIN}
        return max(sorted(latin), key=lambda lang: latin[lang], default=None)
    return next(iter(among), None)
