"""`SOURCES_USED: 1, 3`: how a model that writes no markers tells what it used, taken out of its words while they come."""

from __future__ import annotations

import re

LEAD = r"\s{0,6}(?:(?<!\S)[*_`#>~\[(\-\"]{1,6}\s?)?"
"""White space before the marker, and what Markdown may put there: `**`, `###`, a fence. Not the end of a bold word."""
MARKER = re.compile(LEAD + r"sources\\?_used", re.IGNORECASE)
WORDS = ("none", "keine", "없음", "references")
WORD = r"(?:none|keine|없음|references?)(?!\w)|(?:and|und|및)(?=[\s\[(]*\d)"
SKIPPED = rf"[\s:：*_`~\"'\[\](),;.、，&#-]|{WORD}"
LIST = re.compile(rf"(?:{SKIPPED})*(?:\d{{1,3}}(?!\d)(?:(?!\n)(?:{SKIPPED})|\d{{1,3}}(?!\d))*)?[\s`*]*", re.IGNORECASE)
"""What follows the marker: numbers, on its line or on the next. What comes after them is text again."""
LONGEST_LIST = 500
"""Characters; a model that never ends it has lost its way."""
MORE = re.compile(r"(?:and|und|및)[\s\[(]*|an?|un?|")
"""After a list, what may turn out to belong to it."""


def _begun(*atoms: str) -> str:
    """A pattern of every beginning of what the atoms make together."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom}{pattern})?"
    return pattern


UNFINISHED = re.compile(LEAD + _begun(*"sources", r"\\?", "_", *"used") + r"\Z", re.IGNORECASE)
"""At the end, what may become a marker: at most 30 characters."""
CUT_OFF = re.compile(LEAD + r"sources\\?_\w*\Z", re.IGNORECASE)


class SourcesFilter:
    """A model's words without the marker, however they are cut; `numbers` are those that it named, each once, in its order."""

    def __init__(self) -> None:
        self.numbers: tuple[int, ...] = ()
        self._held = ""
        self._last = ""
        """What was shown last: it tells a marker's `**` from the end of a bold word."""
        self._in_list = False
        self._gap = ""
        """What stands where a marker was, if more text follows."""

    def feed(self, text: str) -> str:
        """What can be shown now, maybe nothing yet."""
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
        """The rest. A marker that was cut off is none of it."""
        if self._in_list:
            self._end_list(at_end=True)
        seen = self._last + self._held
        cut_off = CUT_OFF.search(seen, len(self._last))
        self._held = ""
        return self._show(seen[len(self._last) : cut_off.start() if cut_off else None].rstrip())

    def _end_list(self, *, at_end: bool = False) -> bool:
        """Whether more than the list has come; then the list is taken off."""
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
        """The beginning of an answer, and its end, have no white space."""
        if not self._last:
            text, self._gap = text.lstrip(), ""
        if not text:
            return ""
        text, self._gap = self._gap + text, ""
        self._last = text[-1]
        return text
