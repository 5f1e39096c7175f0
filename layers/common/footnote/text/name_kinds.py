"""What a name in a text names: a person, an organisation, a place, a product, or something else, such as a work or an event.

A linear model decides by the name's letters and by the words beside it; titles, roles and legal forms are such words. The weights are in
`name_kinds.bin`, which `python -m bench.name_kinds_fit` makes. No corpus marks names of projects: they are told apart by nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal
from zlib import crc32

from footnote.text.names import WORD

Kind = Literal["person", "organisation", "place", "product", "project", "other"]
FITTED: tuple[Kind, ...] = ("person", "organisation", "place", "product", "other")
"""The kinds that `kind_of` tells apart, in the order of their weights."""
SLOTS = 43_690
"""Each belongs to one feature: it has a mark, by which the feature is known, and a weight for each kind."""
SURE = 120
"""Steps of the weights by which the likeliest kind is ahead. In two folders of handbooks half of the persons, read by eye, were none; with
this lead nine of ten are."""
NEAR = 40
"""Characters of the text before and after a name that are read."""
CACHED = 1 << 12
"""Names whose weights are kept; those of a document recur."""


def kind_of(name: str, before: str, after: str, lang: str) -> Kind:
    """The kind of a name. `before`, `after`: the text beside it, of which the nearest words count; `lang`: its language."""
    return likeliest(kind_scores(name, before, after, lang))


def kind_scores(name: str, before: str, after: str, lang: str) -> list[int]:
    """A score for each kind of FITTED. Those of several mentions of a name may be added."""
    return [own + near for own, near in zip(_own_weights(name), _weigh(_of_neighbours(name, before, after, lang)), strict=True)]


def likeliest(scores: Sequence[int]) -> Kind:
    """The kind with the highest score."""
    return FITTED[scores.index(max(scores))]


def surely(scores: Sequence[int], mentions: int) -> Kind:
    """The kind, if it is SURE for each of the mentions whose scores were added, else `other`."""
    best, second = sorted(scores, reverse=True)[:2]
    return likeliest(scores) if best - second >= SURE * mentions else "other"


def lead(name: str, kind: Kind) -> int:
    """By how much, in steps of the weights, a name's letters alone speak for a kind rather than for any other; negative = against it."""
    scores = dict(zip(FITTED, _own_weights(name), strict=True))
    return scores.pop(kind) - max(scores.values())


def features(name: str, before: str, after: str, lang: str) -> list[tuple[int, int]]:
    """(slot, mark) of each feature of a name."""
    return _slots([*_of_name(name), *_of_neighbours(name, before, after, lang)])


def own_features(name: str) -> list[tuple[int, int]]:
    """The same for a name without neighbours."""
    return _slots(_of_name(name))


def _of_name(name: str) -> list[str]:
    """The features of the letters, which are the same in all languages."""
    low = name.casefold()
    words = WORD.findall(low) or [low]
    names = ["", f"n{min(len(words), 4)}", f"l{min(len(low), 12)}", f"s{_shape(name)}", f"=f{words[0]}", f"=l{words[-1]}", f"={low}"]
    names += (
        [f"w{word}" for word in words]
        + [f">{size}{low[-size:]}" for size in range(1, 6)]
        + [f"<{size}{low[:size]}" for size in range(1, 5)]
    )
    return names


def _of_neighbours(name: str, before: str, after: str, lang: str) -> list[str]:
    """The features of the words beside the name, by language. `~`: nothing stands between a word and the name."""
    first, second = ["^", "^", *WORD.findall(before[-NEAR:].casefold())][:-3:-1]
    next_, over_next, *_ = [*WORD.findall(after[:NEAR].casefold()), "$", "$"]
    glued = "~" if after[:1].strip() else ""
    names = [f"b{first}", f"b2{second} {first}", f"2b{second}", f"b>{first[-3:]}", f"a{glued}{next_}", f"a2{glued}{next_} {over_next}"]
    names += [
        f"2a{over_next}",
        f"a<{glued}{next_[:2]}",
        f"ba{first} {next_}",
        f"bl{first}{name.count(' ')}",
        f"al{glued}{next_}{len(name)}",
    ]
    return [lang + each for each in names]


def _shape(name: str) -> str:
    """The kinds of its characters, repetitions shortened: `Aa Aa` for two words with a capital."""
    shape = ""
    for char in name:
        kind = "A" if char.isupper() else "0" if char.isdigit() else "a" if char.islower() else "k" if char.isalpha() else char
        if not shape.endswith(kind):
            shape += kind
    return shape


def _slots(names: Sequence[str]) -> list[tuple[int, int]]:
    hashes = (crc32(name.encode("utf-8", "replace")) for name in names)
    return [(number % SLOTS, number // SLOTS % 256) for number in hashes]


def _weigh(names: Sequence[str]) -> list[int]:
    """The weights of features together, one for each kind, in steps."""
    marks, weights = _marks_and_weights()
    kinds, total = len(FITTED), [0] * len(FITTED)
    for slot, mark in _slots(names):
        if marks[slot] == mark:
            for kind, weight in enumerate(weights[slot * kinds : (slot + 1) * kinds]):
                total[kind] += weight
    return total


@lru_cache(CACHED)
def _own_weights(name: str) -> list[int]:
    return _weigh(_of_name(name))


@cache
def _marks_and_weights() -> tuple[memoryview, memoryview]:
    """The mark of each slot (a byte), and the weights of each slot, one for each kind (a signed byte)."""
    data = memoryview(files("footnote.text").joinpath("name_kinds.bin").read_bytes())
    return data[:SLOTS], data[SLOTS:].cast("b")
