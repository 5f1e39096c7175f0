"""Finds the names in a question: of persons, places, organisations, products, works. English, German and Korean.

A linear model decides word by word, from its letters and its neighbours, whether a word is part of a name, and which ending does not
belong to it: a genitive's s, a Korean particle. Words of a name that follow each other make one. The weights are in `names.bin`, which
`python -m bench.names_fit` makes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from zlib import crc32

SLOTS = 1 << 18
"""Weights; features that share a slot share its weight."""
WORD = re.compile(r"(?:\b[A-ZÄÖÜ]|\b(?:Dr|Mr|Mrs|Ms|Prof|St))\.(?=\s?\w)|\w[\w'’&./-]*\w|\w|[^\w\s]")
KO_ENDINGS = """은 는 이 가 을 를 의 에 에서 에게 와 과 도 로 으로 까지 부터 만 보다 처럼 이란 란 에는 에도 에서는 에서의 과의 와의
    로의 으로의 이나 나 이라는 라는 인 이다 다 랑 이랑 하고 께 께서 한테 로부터 으로부터 에게서 에게는 에서도 와는 과는 로는 으로는 마다
    조차 이며 이고 이라고 라고 측 측은 군 군의 씨 씨는 씨가 씨의 씨를 님 님이 인가 인가요 이야 야 예요 이에요 들 들은 들이 들의 산 발"""
ENDINGS = {
    "en": ("", "'s", "’s"),
    "de": ("", "s", "'s", "’s"),
    "ko": ("", *KO_ENDINGS.split()),
}
"""Endings of a name within a word."""
LINKS = frozenset("of de del la van von der den zu bin al el v v. vs & du des di da ter ten".split())
"""Words between two parts of one name."""


class Part(NamedTuple):
    """A word of a question as part of a name: the name's part of it, and the ending behind it."""

    stem: str
    ending: str


def find_names(question: str, lang: str) -> Iterator[str]:
    """The names, in their order, as they are written."""
    words = [(match.start(), match[0]) for match in WORD.finditer(question)]
    parts = tag([word for _, word in words], lang)
    start = end = -1
    for place, ((at, word), part) in enumerate(zip(words, parts, strict=True)):
        linked = word.casefold() in LINKS and start >= 0 and place + 1 < len(parts) and parts[place + 1] is not None
        if part is None and not linked:
            if start >= 0:
                yield question[start:end]
            start = -1
            continue
        if start < 0:
            start = at
        end = at + (len(word) if part is None else len(part.stem))
        if part is not None and part.ending:
            yield question[start:end]
            start = -1
    if start >= 0:
        yield question[start:end]


def tag(words: Sequence[str], lang: str) -> list[Part | None]:
    """For each word its part of a name; None = it is part of none."""
    if lang not in ENDINGS:
        return [None] * len(words)
    step, weights = _weights()
    parts: list[Part | None] = []
    for place in range(len(words)):
        best, chosen = 0.0, None
        for part in candidates(words[place], lang):
            score = step * sum(weights[slot] for slot in features(words, place, part, parts[-1] if parts else None, lang))
            if score > best:
                best, chosen = score, part
        parts.append(chosen)
    return parts


def candidates(word: str, lang: str) -> Iterator[Part]:
    """The ways in which a word may be part of a name. In English and German such a word has a capital letter."""
    if lang == "ko":
        if not any("가" <= char <= "힣" or char.isalpha() for char in word):
            return
    elif not any(char.isupper() for char in word):
        return
    for ending in ENDINGS[lang]:
        if not ending or (word.endswith(ending) and len(word) > len(ending)):
            yield Part(word[: len(word) - len(ending)], ending)


def features(words: Sequence[str], place: int, part: Part, before: Part | None, lang: str) -> Iterator[int]:
    """The slots of the features of a word as this part of a name."""
    stem, low, ending = part.stem, part.stem.casefold(), part.ending
    previous = words[place - 1].casefold() if place else "^"
    following = words[place + 1].casefold() if place + 1 < len(words) else "$"
    shape, inside = _shape(stem), before is not None
    names = ["", f"e{ending}", f"w{low}", f"s{shape}", f"n{min(len(stem), 8)}", f"p{previous}", f"f{following}", f"i{inside}"]
    names += [f"<{size}{low[:size]}" for size in range(1, 5)] + [f">{size}{low[-size:]}" for size in range(1, 6)]
    names += [f"c{low[at : at + 3]}" for at in range(len(low) - 2)]
    names += [f"ps{previous[-3:]}", f"fs{following[-3:]}", f"fp{following[:2]}", f"ef{ending}{following[:2]}", f"ip{inside}{previous[-2:]}"]
    names += [f"si{shape}{place == 0}", f"sp{shape}{previous}", f"sf{shape}{following}", f"e>{ending}{low[-1:]}"]
    names.append(f"ne{min(len(stem), 5)}{ending}")
    near = f"{_kind(words[place - 1]) if place else '^'}{_kind(words[place + 1]) if place + 1 < len(words) else '$'}"
    names += [f"k{near}", f"kp{near[0]}{place == 1}", f"kf{near[1]}", f"ks{near}{shape}", f"k>{near[1]}{low[-3:]}", f"k<{near[0]}{low[:3]}"]
    if place > 1:
        names.append(f"pp{words[place - 2].casefold()} {previous}")
    for name in names:
        yield crc32(f"{lang}{name}".encode("utf-8", "replace")) % SLOTS


def _shape(stem: str) -> str:
    """The kinds of its characters, repetitions shortened: `Aa` for a capital and small letters."""
    return re.sub(r"(.)\1+", r"\1", "".join(char if not char.isalnum() else _kind(char) for char in stem))


def _kind(word: str) -> str:
    """The kind of a word's first character."""
    first = word[0]
    return "A" if first.isupper() else "0" if first.isdigit() else "a" if first.islower() else "k" if first.isalpha() else first


@cache
def _weights() -> tuple[float, memoryview]:
    """The size of a step (a little-endian float of 4 bytes), and each slot's weight in steps (a signed byte)."""
    data = files("footnote.text").joinpath("names.bin").read_bytes()
    return struct.unpack_from("<f", data)[0], memoryview(data)[4:].cast("b")
