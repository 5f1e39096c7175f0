"""Bases of the filters of a model's stream: one that leaves code unchanged, and one for a line at the end of a reply, `NAME: …`, which is
for this program and not for the reader.

In code such a line is ordinary text, except in code that ends the reply and contains nothing else: some models put it into a block."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from footnote.text.code_spans import CodeScanner, Piece


class OutsideCode(ABC):
    """Separates prose from code, however the stream is split, and leaves prose to its subclass."""

    def __init__(self) -> None:
        self._scanner = CodeScanner()

    def feed(self, text: str) -> str:
        """Takes the next piece; returns the text that can be shown now, possibly none."""
        if self._scanner.is_prose(text):
            return self._prose(text)
        return "".join(map(self._take, self._scanner.feed(text)))

    def flush(self) -> str:
        """The rest of the text at the end of the stream."""
        return "".join(map(self._take, self._scanner.flush())) + self._end()

    def _take(self, piece: Piece) -> str:
        return self._code(piece.text) if piece.is_code else self._prose(piece.text)

    @abstractmethod
    def _prose(self, text: str) -> str:
        """As `feed`, of prose alone."""

    @abstractmethod
    def _code(self, text: str) -> str:
        """As `feed`, of code alone."""

    @abstractmethod
    def _end(self) -> str:
        """As `flush`, when no code is held back."""


LEAD = r"\s{0,6}(?:(?<!\S)[*_`#>~\[(\-\"]{1,6}\s?)?"
"""White space and Markdown before the name: `**`, `###`, a fence. Does not match the end of a bold word."""
ENDS_IN_LEAD = re.compile(r"(?s:.*)[\s*_`#>~\[(\-\"]").fullmatch
BEGINS = r"(?<![^\W_])"


def begun(*atoms: str) -> str:
    """A pattern that matches every prefix of the concatenated atoms."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom}{pattern})?"
    return pattern


class Line:
    """The patterns of a line. `atoms`: of its name, one for each character that may be the last so far. `after`: the end of the name.
    `body`: the text after it; `tail`: the beginning of more of that. `longest`: characters of an incomplete name, with the text before
    it."""

    def __init__(self, *atoms: str, after: str = "", body: str, tail: str = "", longest: int) -> None:
        name = "".join(atoms)
        self.longest = longest
        self.marker = _pattern(rf"{LEAD}{BEGINS}{name}{after}")
        self.unfinished = _pattern(rf"{LEAD}{begun(BEGINS + atoms[0], *atoms[1:], after)}\Z")
        self.cut_off = _pattern(rf"{LEAD}{BEGINS}{name.partition('_')[0]}_\w*[\s*_`\"]*\Z")
        self.alone = _pattern(rf"[`~]+\s*{name}{after}{body}")
        self.alone_so_far = _pattern(rf"[`~]+\s*(?:{name}{after}{body}(?:{tail})?|{begun(*atoms, after)})")


class LineFilter(OutsideCode):
    """Removes a line and the list in it from streamed text, however it is split."""

    line: Line
    longest_list: int
    """Characters. A longer list is a model stuck in repetition."""

    def __init__(self) -> None:
        super().__init__()
        self._held = ""
        self._last = ""
        """The last character shown: distinguishes a marker's `**` from the end of a bold word."""
        self._in_list = False
        self._block = ""
        """The read part of code that may contain the line alone."""
        self._passes = False
        """The code contains something else."""

    def _prose(self, text: str) -> str:
        self._passes = False
        if self._block:
            if not (self._in_list or text.strip()) and self.line.alone.fullmatch(self._block.rstrip()):
                self._block += text
                return ""
            return self._leave_code() + self._prose(text)
        if not (self._held or self._in_list) and "s" not in text.casefold() and not ENDS_IN_LEAD(text):
            return self._show(text)  # a shortcut: nothing of it can begin a line
        self._held += text
        return self._read()

    def _read(self) -> str:
        shown = ""
        while True:
            if self._in_list and not self._end_list():
                return shown
            seen, start = self._last + self._held, len(self._last)
            if "_" in seen and (marker := self.line.marker.search(seen, start)):
                shown += self._show(seen[start : marker.start()])
                self._held, self._in_list = seen[marker.end() :], True
                continue
            unfinished = self.line.unfinished.search(seen, max(start, len(seen) - self.line.longest))
            end = unfinished.start() if unfinished else len(seen)
            self._held, ready = seen[end:], seen[start:end]
            return shown + self._show(ready)

    def _code(self, text: str) -> str:
        if self._passes:
            return self._show(text)
        self._block += text
        if len(self._block) < self.longest_list and (self._in_list or self.line.alone_so_far.fullmatch(self._block)):
            return ""
        self._passes = True
        return self._leave_code(is_other=True)

    def _leave_code(self, *, is_other: bool = False) -> str:
        """Decides on code that was held back; returns the part to show. `is_other`: it does not belong to the list."""
        block, self._block = self._block, ""
        if self._in_list and not is_other and self._lists(block):
            self._held += block
            return ""
        if self._in_list:
            self._end_list(at_end=True)
        rest, self._held = self._held, ""
        return self._show(rest) + self._show(block)

    def _end(self) -> str:
        shown = ""
        if self._block and self._in_list:
            shown = self._leave_code()
        elif self._block:
            self._held, self._block = self._held + (self._block.strip("`~ \t\n") or self._block), ""
            shown = self._read()
        if self._in_list:
            self._end_list(at_end=True)
        seen = self._last + self._held
        cut_off = self.line.cut_off.search(seen, len(self._last))
        self._held = ""
        return shown + self._show(seen[len(self._last) : cut_off.start() if cut_off else None])

    @abstractmethod
    def _end_list(self, *, at_end: bool = False) -> bool:
        """Takes the list out of the held text if it is complete; returns whether it was."""

    @abstractmethod
    def _lists(self, code: str) -> bool:
        """Whether code within a list belongs to it."""

    @abstractmethod
    def _show(self, text: str) -> str:
        """Returns the text as it is shown, and remembers its last character."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
