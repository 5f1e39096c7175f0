"""Language detection: by script if that decides, else by fastText's model (`language_model`) and the expected languages.

The expected languages are those of the passages that the caller may read, or that of a passage's document. Two words hardly suffice: of the
first two words of questions in thirteen languages 91 % are detected alone, 98 % in a collection of that language."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from footnote.text.language_model import language_scores

HANGUL = re.compile(r"[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")
KANA = re.compile(r"[\u3040-\u30ff]")
HAN = re.compile(r"[\u4e00-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")

SAMPLE = 4000
"""Only this many characters are examined."""
UNEXPECTED, FEW_WORDS = 0.1, 3
"""The weight of an unexpected language, beside one that all passages are in; for a text of FEW_WORDS, which is hardly conclusive, a tenth
of it: at the full weight “reset password” is Hungarian. Lower weights detect more in a collection of the text's language, less in
another."""
UNLIKELY = 1e-4
"""The least probability of an expected language."""
CERTAIN = 0.8
LANGUAGES = frozenset(
    """af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja jv ka kk km
    kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur
    uz vi xh yi zh""".split()
)
"""The languages of the built-in embedder: the others that fastText knows are mostly false positives."""


def detect_language(text: str, among: Mapping[str, int] | Iterable[str] | None = None) -> str:
    """The language code of `text`. `among`: the expected languages, or a mapping of them to weights. A text without a known word or part of
    one is in the most expected language. Where nothing is expected, English is."""
    sample = text[:SAMPLE]
    expected = _expected(among) or {"en": 1.0}
    script = _by_script(sample)
    if script:
        return script
    scores = {lang: score for lang, score in _scores(sample).items() if lang in LANGUAGES}
    if not scores:
        return max(expected, key=lambda lang: expected[lang])
    least = UNEXPECTED if len(sample.split()) > FEW_WORDS else UNEXPECTED / 10
    return max(sorted({*scores, *expected}), key=lambda lang: max(scores.get(lang, 0.0), UNLIKELY) * (least + expected.get(lang, 0.0)))


def is_certain(text: str, lang: str) -> bool:
    """Whether the text is in this language, regardless of the expected ones."""
    sample = text[:SAMPLE]
    script = _by_script(sample)
    return script == lang if script else _scores(sample).get(lang, 0.0) >= CERTAIN


@lru_cache(maxsize=256)
def _scores(sample: str) -> Mapping[str, float]:
    return language_scores(sample)


def _expected(among: Mapping[str, int] | Iterable[str] | None) -> dict[str, float]:
    """How much each language is expected, 0..1: the square root of its share, since people also ask about the few documents in theirs."""
    weights = among if isinstance(among, Mapping) else dict.fromkeys(among or (), 1)
    total = sum(weights.values())
    return {lang: math.sqrt(weight / total) for lang, weight in weights.items() if weight}


def _by_script(sample: str) -> str | None:
    """Korean, Japanese or Chinese. A sixth is enough: their prose is full of Latin names and numbers."""
    letters = len(LETTER.findall(sample))
    hangul, kana, han = (0, 0, 0) if sample.isascii() else (len(script.findall(sample)) for script in (HANGUL, KANA, HAN))
    if hangul and hangul * 6 >= letters:
        return "ko"
    if kana and (kana + han) * 6 >= letters:
        return "ja"
    return "zh" if han and han * 6 >= letters else None
