"""Removes `SOURCES_USED: 1, 3` from a streamed reply: the line in which a model without markers lists its sources."""

from __future__ import annotations

import re

from footnote.answer.line_filter import Line, LineFilter
from footnote.answer.marker_forms import DASH, LABEL, RANGE, numbers_in

WORDS = ("none", "keine", "없음", "references", "sources", "quellen", "documents", "dokumenten", "and", "und")
WORD = rf"(?:none|keine|없음|references?)(?!\w)|(?:and|und|및|{LABEL})(?=[\s\[(【#:]*\d)"
SKIPPED = rf"[\s:：*_`~\"'\[\]【】(),;.、，&#-]|{WORD}"
NUMBER = rf"(?:{RANGE.pattern})(?!\d)"
LIST = re.compile(rf"(?:{SKIPPED})*(?:{NUMBER}(?:(?!\n)(?:{SKIPPED})|{NUMBER})*)?[\s`*]*", re.IGNORECASE)
"""Numbers after the line's name, on the same line or the next. The rest is ordinary text."""
MORE = re.compile(rf"(?:and|und|및|{LABEL})[\s\[(【#:]*|출|문|{DASH}\s*|")
"""After a list, the beginning of a possible continuation."""

MOST = 999


class SourcesFilter(LineFilter):
    """Removes the line from streamed text. `numbers`: the listed numbers, without duplicates, in order."""

    line = Line("s", *"ources", r"\\?", "_", *"used", body=rf"(?:{SKIPPED}|{NUMBER})*+", tail=rf"\w+[\s\[(【#:]*|{DASH}\s*", longest=30)
    longest_list = 500

    def __init__(self) -> None:
        super().__init__()
        self.numbers: tuple[int, ...] = ()
        self._gap = ""
        """White space that replaces the line if more text follows."""

    def _end(self) -> str:
        return super()._end().rstrip()

    def _end_list(self, *, at_end: bool = False) -> bool:
        match = LIST.match(self._held, 0, self.longest_list)
        end = match.end() if match else 0
        rest = self._held[end:].lower()
        if not at_end and end < self.longest_list and (MORE.fullmatch(rest) or any(word.startswith(rest) for word in WORDS)):
            return False
        self.numbers = tuple(dict.fromkeys((*self.numbers, *numbers_in(self._held[:end], MOST))))
        self._gap = "\n\n" if "\n" in self._held[:end] else " "
        self._held, self._in_list = self._held[end:], False
        return True

    def _lists(self, code: str) -> bool:
        return LIST.fullmatch(code.strip("`~")) is not None

    def _show(self, text: str) -> str:
        if not self._last:
            text, self._gap = text.lstrip(), ""
        if not text:
            return ""
        text, self._gap = self._gap + text, ""
        self._last = text[-1]
        return text
