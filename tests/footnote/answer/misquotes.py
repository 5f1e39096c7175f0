"""True quotes and misquotes, made from the passages of the handbooks of `tests/quality` in three languages."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from footnote.answer.quote_gate import FEW
from footnote.text.sentences import split_sentences

QUALITY = Path(__file__).parents[2] / "quality"
LANGS = ("en", "de", "ko")
INVENTED = {
    "en": "Visitors have to register with the night porter beforehand.",
    "de": "Besucher melden sich vorher beim Nachtpförtner in der Halle an.",
    "ko": "방문객은 야간 경비실에 미리 이름을 등록해야 합니다.",
}
OTHER_WORD = {"en": "lighthouse", "de": "Leuchtturm", "ko": "등대지기"}
NUMBER = re.compile(r"\d+")


@cache
def passages(lang: str) -> tuple[str, ...]:
    lines = (QUALITY / f"handbook_{lang}" / "corpus.jsonl").read_text("utf-8").splitlines()
    return tuple(json.loads(line)["text"] for line in lines)


def sentences(text: str, lang: str, least: int = 2 * FEW + 1) -> list[str]:
    """Those of so many words."""
    found = (text[start:end] for start, end in split_sentences(text, lang))
    return [each for each in found if len(each.split()) >= least]


def misquotes(rng: random.Random) -> Iterator[tuple[str, str, str, int]]:
    """(what was done, the quote, the language, the number of the passage that is cited), without end."""
    while True:
        for lang in LANGS:
            texts = passages(lang)
            at = rng.randrange(len(texts))
            said = sentences(texts[at], lang)
            if len(said) < 2:
                continue
            one, two = sorted(rng.sample(range(len(said)), 2))
            words = said[one].split()
            place = rng.randrange(len(words))
            yield "word", " ".join([*words[:place], OTHER_WORD[lang], *words[place + 1 :]]), lang, at
            if numbers := list(NUMBER.finditer(texts[at])):
                number = rng.choice(numbers)
                holding = next(each for each in [*said, texts[at]] if number[0] in NUMBER.findall(each))
                changed = rng.choice([str(int(number[0]) + 1), number[0] + "0", number[0][:-1] or "77"])
                yield "number", re.sub(rf"(?<!\d){number[0]}(?!\d)", changed, holding, count=1), lang, at
            other = rng.choice([i for i in range(len(texts)) if i != at])
            if elsewhere := sentences(texts[other], lang):
                yield "other passage", rng.choice(elsewhere), lang, at
            first, second = words, said[two].split()
            yield "stitched", " ".join([*first[: len(first) // 2], *second[len(second) // 2 :]]), lang, at
            yield "invented", INVENTED[lang], lang, at


def true_quotes(rng: random.Random) -> Iterator[tuple[str, str, str, int]]:
    """The same for quotes that are true, written otherwise."""
    while True:
        for lang in LANGS:
            texts = passages(lang)
            at = rng.randrange(len(texts))
            said = sentences(texts[at], lang)
            if not said:
                continue
            one = rng.choice(said)
            words = one.split()
            first = rng.randrange(len(words) - FEW)
            yield "part", " ".join(words[first : rng.randrange(first + FEW, len(words) + 1)]), lang, at
            yield "white space", "  ".join(words).replace("  ", "\u00a0", 1), lang, at
            yield "line breaks", "\n".join(words), lang, at
            signs = one.translate(str.maketrans({"'": "’", '"': "“", "“": '"', "”": '"', "„": "»", "-": "‑", "–": "-", "(": "（"}))
            yield "signs", f"„{signs}“", lang, at
            yield "case", one.upper() if lang != "de" else one.lower(), lang, at
            cut = rng.randrange(FEW, len(words) - FEW)
            yield "ellipsis", f"{' '.join(words[:cut])} … {' '.join(words[cut + 1 :])}", lang, at
