"""Under which key a name is found, and which short names of a document stand for a longer one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from footnote.text.compatible import compatible
from footnote.text.name_kinds import lead
from footnote.text.names import LINKS

QUOTES = re.compile(r"[\"“”„‟«»‹›‘‚`「」『』《》〈〉]|(?<!\w)'|'(?!\w)")
SAME = str.maketrans("‐‑‒–—−’", "------'")
"""Dashes and apostrophes."""
GENITIVE = re.compile(r"(?<=\w)'s\b")
ASIDE = re.compile(r"\s*[(（\[]([^()（）\[\]]*)[)）\]]")
FULL_STOP = re.compile(r"(?<=\w)\.(?!\w\w|\d)")
"""One behind an initial or an abbreviation, not within node.js or 2.0."""
INITIALS = re.compile(r"\b([^\W\d_가-힣])\s(?=[^\W\d_가-힣]\b)")
INITIAL = re.compile(r"(?:[^\W\d_]\.\s?)+(?=[^\W\d_]{2})")
ACRONYM = re.compile(r"(?:[A-ZÄÖÜ]\.?){2,8}")
HANGUL = re.compile("[가-힣]")
"""Koreans write surname and given name as one word."""
LIKELY, SURELY = 95, 180
"""`lead` of a person's name that a surname and a first name may stand for, from reading 96 articles of test sets; checked on others."""
SHORTEST = 4
"""Letters of a name that may have an s for a plural or genitive, with it."""


def key_of(name: str) -> str:
    """The form that all ways to write a name have in common: without case, quotes, parentheses, genitive endings and full stops."""
    text = compatible(name).translate(SAME).casefold()
    text = ASIDE.sub(" ", text) if ASIDE.sub("", text).strip() else ASIDE.sub(r" \1 ", text)
    text = FULL_STOP.sub(" ", QUOTES.sub(" ", GENITIVE.sub("", text)))
    return INITIALS.sub(r"\1", " ".join(text.split())).strip("-*_,;:!?/& ")


def resolve(names: Sequence[str]) -> dict[str, str]:
    """Names of one document → the longest name that each is short for: a part of a person's name, a name with initials, an acronym, a
    name with a plural's or genitive's s. Names that stand for themselves, or may be short for several, are left out."""
    document = _Document(names)
    return {name: full for name in names if (full := document.full(name)) is not None}


class _Document:
    """The names of a document by the parts that may stand for them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._written: dict[str, str] = {}
        self._defined: dict[str, set[str]] = defaultdict(set)
        for name in (" ".join(name.split()) for name in names):
            key = key_of(name)
            if key and len(name) > len(self._written.get(key, "")):
                self._written[key] = name
            aside = ASIDE.search(name)
            if aside and ACRONYM.fullmatch(aside[1].strip()):
                self._defined[key_of(aside[1])].add(key)
        self._parts: dict[str, set[str]] = defaultdict(set)
        self._initials: dict[str, set[str]] = defaultdict(set)
        for key, name in self._written.items():
            words = key.split()
            if len(words) == 1:
                continue
            for initials in {"".join(word[0] for word in words), "".join(word[0] for word in words if word not in LINKS)}:
                self._initials[initials].add(key)
            person = lead(name, "person")
            if person >= SURELY and len(words) == 2 and not HANGUL.match(key):
                self._parts[words[0]].add(key)
            if person >= LIKELY:
                for first in range(1, len(words)):
                    self._parts[" ".join(words[first:])].add(key)
        self._means: dict[str, str] = {}
        for key in sorted(self._written, key=lambda key: (-key.count(" "), key)):  # what a name is short for has more words
            meant = {self._root(each) for each in self._candidates(key)} - {key}
            if len(meant) == 1:
                self._means[key] = meant.pop()

    def full(self, name: str) -> str | None:
        """The longest name that a name is short for."""
        key = key_of(name)
        return self._written[root] if (root := self._root(key)) != key else None

    def _root(self, key: str) -> str:
        while key in self._means:
            key = self._means[key]
        return key

    def _candidates(self, key: str) -> Iterator[str]:
        name, words = self._written[key], key.split()
        if ACRONYM.fullmatch(name):
            yield from (each for each in self._initials.get(key, ()) if lead(self._written[each], "person") < 0)
            yield from self._defined.get(key, ())
        elif (initials := INITIAL.match(name)) and len(words) > 1:
            letters = "".join(filter(str.isalpha, initials[0])).casefold()
            yield from (each for each in self._parts.get(words[-1], ()) if _abbreviates(letters, each))
        elif lead(name, "person") > 0:
            yield from self._parts.get(key, ())
        if key.endswith("s") and key[:-1] in self._written and len(key) > SHORTEST:
            yield key[:-1]


def _abbreviates(letters: str, key: str) -> bool:
    """Whether these are the first letters of a name's words before its last one, and it has more of them."""
    words = key.split()[:-1]
    return len(words[0]) > 1 and "".join(word[0] for word in words).startswith(letters)
