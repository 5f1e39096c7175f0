"""Finds the names in a question or a passage: of persons, places, organisations, products, works. English, German and Korean.

A linear model decides word by word, from its letters and its neighbours, whether a word is part of a name, and which ending does not
belong to it: a genitive's s, a Korean particle. Words of a name that follow each other make one. The weights are in `names.bin`, which
`python -m bench.names_fit` makes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple
from zlib import crc32

SLOTS = 1 << 18
"""Weights; features that share a slot share its weight."""
CACHED = 1 << 14
"""Words whose weight is kept; those of a document recur."""
LONGEST = 64
"""Characters of a word that may be part of a name; longer ones are encoded data and addresses."""
WORD = re.compile(r"(?:\b[A-ZÄÖÜ]|\b(?:Dr|Mr|Mrs|Ms|Prof|St))\.(?=\s?\w)|\w[\w'’&./-]*\w|\w|[^\w\s]")
EMPTY_LINE = re.compile(r"\n\s*\n")
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
    """A word as part of a name: the name's part of it, and the ending behind it."""

    stem: str
    ending: str


def find_names(text: str, lang: str) -> Iterator[str]:
    """The names, in their order, as they are written."""
    for start, end in find_spans(text, lang):
        yield text[start:end]


def find_spans(text: str, lang: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each name in the text, in characters. A name ends at an empty line."""
    words = [(match.start(), match[0]) for match in WORD.finditer(text)]
    parts = tag([word for _, word in words], lang)
    start = end = -1
    for place, ((at, word), part) in enumerate(zip(words, parts, strict=True)):
        if start >= 0 and EMPTY_LINE.search(text, end, at):
            yield start, end
            start = -1
        linked = word.casefold() in LINKS and start >= 0 and place + 1 < len(parts) and parts[place + 1] is not None
        if part is None and not linked:
            if start >= 0:
                yield start, end
            start = -1
            continue
        if start < 0:
            start = at
        end = at + (len(word) if part is None else len(part.stem))
        if part is not None and part.ending:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def tag(words: Sequence[str], lang: str) -> list[Part | None]:
    """For each word its part of a name; None = it is part of none."""
    if lang not in ENDINGS:
        return [None] * len(words)
    parts: list[Part | None] = []
    for place, word in enumerate(words):
        best, chosen, near, around = 0, None, None, 0
        for part in candidates(word, lang):
            if near is None:  # most words can be part of no name
                near = _near(words, place, bool(parts and parts[-1]))
                around = _weigh(lang, _of_neighbours(near))
            score = around + _stem_weight(lang, part.stem) + _weigh(lang, _of_both(near, part))
            if score > best:
                best, chosen = score, part
        parts.append(chosen)
    return parts


def candidates(word: str, lang: str) -> Iterator[Part]:
    """The ways in which a word may be part of a name. In English and German such a word has a capital letter."""
    if len(word) > LONGEST:
        return
    if lang == "ko":
        if not any(map(str.isalpha, word)):
            return
    elif not any(map(str.isupper, word)):
        return
    yield Part(word, "")
    for ending in _endings(lang).get(word[-1], ()):
        if word.endswith(ending) and len(word) > len(ending):
            yield Part(word[: len(word) - len(ending)], ending)


@cache
def _endings(lang: str) -> dict[str, list[str]]:
    """Last letter → the endings with it, in their order."""
    found: dict[str, list[str]] = {}
    for ending in ENDINGS[lang]:
        found.setdefault(ending[-1:], []).append(ending)
    return found


def features(words: Sequence[str], place: int, part: Part, before: Part | None, lang: str) -> list[int]:
    """The slots of the features of a word as this part of a name."""
    near = _near(words, place, before is not None)
    return _slots(lang, [*_of_neighbours(near), *_of_stem(part.stem), *_of_both(near, part)])


class _Near(NamedTuple):
    """The words beside a word. `kind`, `next_kind`: of the first character of the previous and of the next word. `inside`: the previous
    word is part of a name."""

    place: int
    second_last: str
    previous: str
    following: str
    kind: str
    next_kind: str
    inside: bool


def _near(words: Sequence[str], place: int, inside: bool) -> _Near:
    previous, kind = (words[place - 1].casefold(), _kind(words[place - 1])) if place else ("^", "^")
    following, next_kind = (words[place + 1].casefold(), _kind(words[place + 1])) if place + 1 < len(words) else ("$", "$")
    return _Near(place, words[place - 2].casefold() if place > 1 else "", previous, following, kind, next_kind, inside)


def _of_neighbours(near: _Near) -> list[str]:
    place, second_last, previous, following, kind, next_kind, inside = near
    names = ["", f"p{previous}", f"f{following}", f"i{inside}", f"ps{previous[-3:]}", f"fs{following[-3:]}", f"fp{following[:2]}"]
    names += [f"ip{inside}{previous[-2:]}", f"k{kind}{next_kind}", f"kp{kind}{place == 1}", f"kf{next_kind}"]
    if place > 1:
        names.append(f"pp{second_last} {previous}")
    return names


def _of_stem(stem: str) -> list[str]:
    low = stem.casefold()
    names = [f"w{low}", f"s{_shape(stem)}", f"n{min(len(stem), 8)}"]
    names += [f"<{size}{low[:size]}" for size in range(1, 5)] + [f">{size}{low[-size:]}" for size in range(1, 6)]
    return names + [f"c{low[at : at + size]}" for size in (2, 3) for at in range(len(low) - size + 1)]


def _of_both(near: _Near, part: Part) -> list[str]:
    place, _, previous, following, kind, next_kind, _ = near
    (stem, ending), shape = part, _shape(part.stem)
    low = stem.casefold()
    return [
        f"e{ending}",
        f"e>{ending}{low[-1:]}",
        f"ne{min(len(stem), 5)}{ending}",
        f"ef{ending}{following[:2]}",
        f"si{shape}{place == 0}",
        f"sp{shape}{previous}",
        f"sf{shape}{following}",
        f"ks{kind}{next_kind}{shape}",
        f"k<{kind}{low[:3]}",
        f"k>{next_kind}{low[-3:]}",
    ]


def _slots(lang: str, names: Sequence[str]) -> list[int]:
    start = crc32(lang.encode())  # no feature has a line break in it
    return [crc32(name, start) % SLOTS for name in "\n".join(names).encode("utf-8", "replace").split(b"\n")]


def _weigh(lang: str, names: Sequence[str]) -> int:
    """What features weigh together, in steps."""
    weights = _weights()[1]
    return sum([weights[slot] for slot in _slots(lang, names)])


@lru_cache(CACHED)
def _stem_weight(lang: str, stem: str) -> int:
    return _weigh(lang, _of_stem(stem))


@lru_cache(CACHED)
def _shape(stem: str) -> str:
    """The kinds of its characters, repetitions shortened: `Aa` for a capital and small letters."""
    return re.sub(r"(.)\1+", r"\1", "".join([_kind(char) for char in stem]))


def _kind(word: str) -> str:
    """The kind of a word's first character."""
    first = word[0]
    return "A" if first.isupper() else "0" if first.isdigit() else "a" if first.islower() else "k" if first.isalpha() else first


@cache
def _weights() -> tuple[float, memoryview]:
    return unpack(files("footnote.text").joinpath("names.bin").read_bytes())


def unpack(data: bytes) -> tuple[float, memoryview]:
    """The size of a step (a little-endian float of 4 bytes), and each slot's weight in steps (a signed byte)."""
    return struct.unpack_from("<f", data)[0], memoryview(data)[4:].cast("b")
