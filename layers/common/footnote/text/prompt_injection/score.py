"""Scores how likely a text is an attempt to change the assistant's rules.

A cue is a phrase, or one or more kinds of words near each other. Each cue counts its points once. `ENOUGH` points make an
injection: one cue that honest questions hardly ever contain, or several that are harmless alone. Takes linear time.
"""

from __future__ import annotations

import re
import unicodedata

from footnote.text.prompt_injection.cues import GAPS, KINDS, MARKS, NEAR, PHRASES

ENOUGH = 3
HANGUL = re.compile(r"[\uac00-\ud7a3]")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def is_injection(text: str) -> bool:
    """Whether a question has enough points to be refused."""
    return score(text) >= ENOUGH


def score(text: str) -> int:
    """The sum of the points of all cues in the text."""
    text = unicodedata.normalize("NFKC", text).lower()
    words = WORD.findall(text.replace("’", "'"))
    joined = f" {' '.join(words)} "
    points: int = 3 * any(mark in text for mark in MARKS) + 2 * any(gap in text for gap in GAPS)
    begun = [phrase for word in set(words) for phrase in _PHRASES.get(word, ())]
    points += sum(worth for worth, phrase in (*begun, *(_KOREAN if HANGUL.search(text) else ())) if phrase in joined)
    at: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        for kind in _kinds(word):
            at.setdefault(kind, []).append(place)
    return points + sum(worth for worth, gap, kinds in NEAR if _near(kinds, gap, at))


def _near(kinds: tuple[str, ...], gap: int, at: dict[str, list[int]]) -> bool:
    """Whether all kinds occur within `gap` words, each as a different word."""
    if any(kind not in at for kind in kinds):
        return False
    if len(kinds) == 1:
        return True
    last: dict[str, int] = {}
    for place, kind in sorted((place, name) for name in kinds for place in at[name]):
        last[kind] = place
        if len(last) == len(kinds) and place - min(last.values()) <= gap and len(set(last.values())) == len(kinds):
            return True
    return False


def _kinds(word: str) -> list[str]:
    kinds = _WHOLE.get(word, [])
    return kinds + [kind for begin, kind in _BEGIN.get(word[:2], ()) if word.startswith(begin)]


_WHOLE: dict[str, list[str]] = {}
_BEGIN: dict[str, list[tuple[str, str]]] = {}
"""Prefixes by their first two letters, so that most words need one look-up."""
for _kind, _words in KINDS.items():
    for _word in _words.split():
        if _word.endswith("*"):
            _BEGIN.setdefault(_word[:2], []).append((_word[:-1], _kind))
        else:
            _WHOLE.setdefault(_word, []).append(_kind)
_PHRASES: dict[str, list[tuple[int, str]]] = {}
"""Phrases by their first word."""
_KOREAN: list[tuple[int, str]] = []
"""Korean phrases; they also match within words."""
for _worth, _phrases in PHRASES.items():
    for _phrase in map(str.strip, _phrases.split("|")):
        if HANGUL.search(_phrase):
            _KOREAN.append((_worth, _phrase))
        else:
            _PHRASES.setdefault(_phrase.split()[0], []).append((_worth, f" {_phrase} "))
