"""Notices a model that repeats itself, while its reply is streamed: small models go on until their token limit."""

from __future__ import annotations

import re

EVERY = 100
"""Characters between two looks."""
WINDOW, PROBE = 3000, 50
"""Characters that are compared, and those whose previous occurrence gives the period."""
ROUNDS = 3
"""How often a text must repeat itself to be a loop."""
LEAST, LEAST_BLANK = 240, 1000
"""Characters of a loop; of one without letters and digits, such as the line below a table's header."""
UNITS = 6
"""Sentences or lines in a row, each of which was written at least ROUNDS − 1 times before."""
SHORTEST = 12
"""Characters of a sentence that counts: “Yes.” and “N/A” may be repeated."""
END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
MARKS = re.compile(r"\A[\s*#>•-]*(?:\d{1,3}[.):])?\s*|\[[^\]\n]{1,130}\]")
"""Numbers of lines and citations, which differ from round to round."""


class RepetitionGuard:
    """Reads a reply as it is streamed. A loop is the same text ROUNDS times in a row, or only sentences that were written before."""

    def __init__(self) -> None:
        self._tail = ""
        self._open = ""
        """The beginning of an unfinished sentence."""
        self._unread = 0
        self._written: dict[str, int] = {}
        self._again = self._length = 0
        """Sentences in a row that were written before, and their characters."""

    def feed(self, text: str) -> bool:
        """Takes the next piece; returns whether the reply is in a loop."""
        self._tail += text
        self._open += text
        self._unread += len(text)
        if self._unread < EVERY:
            return False
        self._unread, self._tail = 0, self._tail[-WINDOW:]
        *ended, self._open = END.split(self._open)
        return _is_periodic(self._tail) or any(self._is_again(sentence) for sentence in ended)

    def _is_again(self, sentence: str) -> bool:
        plain = " ".join(MARKS.sub("", sentence).casefold().split())
        if len(plain) < SHORTEST:
            return False
        before = self._written.get(plain, 0)
        self._written[plain] = before + 1
        is_repeated = before >= ROUNDS - 1
        self._again, self._length = (self._again + 1, self._length + len(plain)) if is_repeated else (0, 0)
        return self._again >= UNITS and self._length >= LEAST


def _is_periodic(tail: str) -> bool:
    """Whether the tail ends with the same text ROUNDS times."""
    at = tail.rfind(tail[-PROBE:], 0, len(tail) - 1)
    if at < 0:
        return False
    period = len(tail) - min(PROBE, len(tail)) - at
    has_words = any(character.isalnum() for character in tail[-period:])
    length = max(ROUNDS * period, LEAST if has_words else LEAST_BLANK)
    return length <= len(tail) and tail[-length:-period] == tail[period - length :]
