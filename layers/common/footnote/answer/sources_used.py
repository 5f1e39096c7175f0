"""Removes `SOURCES_USED: 1, 3` from a streamed reply: the line in which a model without markers lists its sources."""

from __future__ import annotations

import re

LEAD = r"\s{0,6}(?:(?<!\S)[*_`#>~\[(\-\"]{1,6}\s?)?"
"""White space and Markdown before the marker: `**`, `###`, a fence. Does not match the end of a bold word."""
MARKER = re.compile(LEAD + r"(?<![^\W_])sources\\?_used", re.IGNORECASE)
WORDS = ("none", "keine", "없음", "references")
WORD = r"(?:none|keine|없음|references?)(?!\w)|(?:and|und|및)(?=[\s\[(]*\d)"
SKIPPED = rf"[\s:：*_`~\"'\[\](),;.、，&#-]|{WORD}"
LIST = re.compile(rf"(?:{SKIPPED})*(?:\d{{1,3}}(?!\d)(?:(?!\n)(?:{SKIPPED})|\d{{1,3}}(?!\d))*)?[\s`*]*", re.IGNORECASE)
"""What follows the marker: numbers, on the same line or the next. The rest is text again."""
LONGEST_LIST = 500
"""Characters. A longer list is a model stuck in repetition."""
MORE = re.compile(r"(?:and|und|및)[\s\[(]*|an?|un?|")
"""After a list, the beginning of what may still belong to it."""


def begun(*atoms: str) -> str:
    """A pattern that matches every prefix of the concatenated atoms."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom}{pattern})?"
    return pattern


UNFINISHED = re.compile(LEAD + begun(r"(?<![^\W_])s", *"ources", r"\\?", "_", *"used") + r"\Z", re.IGNORECASE)
"""At the end of the text: a prefix of a marker, at most 30 characters."""
CUT_OFF = re.compile(LEAD + r"(?<![^\W_])sources\\?_\w*\Z", re.IGNORECASE)


class SourcesFilter:
    """Removes the marker from streamed text, however it is split. `numbers`: the listed numbers, without duplicates, in order."""

    def __init__(self) -> None:
        self.numbers: tuple[int, ...] = ()
        self._held = ""
        self._last = ""
        """The last character shown: tells a marker's `**` from the end of a bold word."""
        self._in_list = False
        self._gap = ""
        """White space that replaces a marker if more text follows."""

    def feed(self, text: str) -> str:
        """Takes the next piece; returns the text that can be shown now, possibly none."""
        self._held += text
        shown = ""
        while True:
            if self._in_list and not self._end_list():
                return shown
            seen = self._last + self._held
            if marker := MARKER.search(seen, len(self._last)):
                shown += self._show(seen[len(self._last) : marker.start()])
                self._held, self._in_list = seen[marker.end() :], True
                continue
            unfinished = UNFINISHED.search(seen, max(len(self._last), len(seen) - 30))
            end = unfinished.start() if unfinished else len(seen)
            self._held, ready = seen[end:], seen[len(self._last) : end]
            return shown + self._show(ready)

    def flush(self) -> str:
        """The rest of the text at the end of the stream, without a truncated marker."""
        if self._in_list:
            self._end_list(at_end=True)
        seen = self._last + self._held
        cut_off = CUT_OFF.search(seen, len(self._last))
        self._held = ""
        return self._show(seen[len(self._last) : cut_off.start() if cut_off else None].rstrip())

    def _end_list(self, *, at_end: bool = False) -> bool:
        """Removes the list if it is complete; returns whether it was."""
        found = LIST.match(self._held, 0, LONGEST_LIST)
        end = found.end() if found else 0
        rest = self._held[end:].lower()
        if not at_end and end < LONGEST_LIST and (MORE.fullmatch(rest) or any(word.startswith(rest) for word in WORDS)):
            return False
        named = [int(number) for number in re.findall(r"\d+", self._held[:end])]
        self.numbers = tuple(dict.fromkeys((*self.numbers, *named)))
        self._gap = "\n\n" if "\n" in self._held[:end] else " "
        self._held, self._in_list = self._held[end:], False
        return True

    def _show(self, text: str) -> str:
        """Returns `text` with the pending gap; strips white space at the beginning of the answer."""
        if not self._last:
            text, self._gap = text.lstrip(), ""
        if not text:
            return ""
        text, self._gap = self._gap + text, ""
        self._last = text[-1]
        return text
