"""Removes `SUGGESTED_QUESTIONS: a | b | c` from a streamed reply: the line in which a model writes what could be asked next."""

from __future__ import annotations

import re

from footnote.answer.sources_used import LEAD, begun

MARKER = re.compile(LEAD + r"(?<![^\W_])suggested\\?_questions[\s*_`\"]{0,4}[:：]", re.IGNORECASE)
UNFINISHED = re.compile(LEAD + begun(r"(?<![^\W_])s", *"uggested", r"\\?", "_", *"questions", r"[\s*_`\"]{0,4}") + r"\Z", re.IGNORECASE)
"""At the end of the text: what may become a marker, at most LONGEST_MARKER characters."""
LONGEST_MARKER = 40
CUT_OFF = re.compile(LEAD + r"(?<![^\W_])suggested\\?_\w*[\s*_`\"]*\Z", re.IGNORECASE)
LINE_END = re.compile(r"(?<=\S)[^\S\n]*\n(?!\s*(?:[-*•|]|\d[.)])\s)")
"""The end of the list: of its line, or of the last of its items, if they are below one another."""
LONGEST_LIST = 1000
BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
MARK = re.compile(r"\s*\[[^\]]*\]")
MOST, LONGEST = 3, 200


class QuestionsFilter:
    """Removes the line from streamed text, however it is split. `questions`: what it holds, at most MOST."""

    def __init__(self) -> None:
        self._held = ""
        self._last = ""
        """The last character shown: tells a marker's `**` from the end of a bold word."""
        self._list: str | None = None
        """What was read of the list; None = it has not begun."""
        self._lists: list[str] = []

    @property
    def questions(self) -> tuple[str, ...]:
        """The usable questions without duplicates, in their order."""
        written = (_clean(item) for text in self._lists for item in re.split(r"[|\n]", text))
        return tuple(dict.fromkeys(item for item in written if re.search(r"[^\W\d]", item) and len(item) <= LONGEST))[:MOST]

    def feed(self, text: str) -> str:
        """Takes the next piece; returns the text that can be shown now, possibly none."""
        self._held += text
        shown = ""
        while True:
            if self._list is not None and not self._end_list():
                return shown
            seen = self._last + self._held
            if marker := MARKER.search(seen, len(self._last)):
                shown += self._show(seen[len(self._last) : marker.start()])
                self._held, self._list = seen[marker.end() :], ""
                continue
            unfinished = UNFINISHED.search(seen, max(len(self._last), len(seen) - LONGEST_MARKER))
            end = unfinished.start() if unfinished else len(seen)
            ready, self._held = seen[len(self._last) : end], seen[end:]
            return shown + self._show(ready)

    def flush(self) -> str:
        """The rest of the text at the end of the stream, without a truncated marker."""
        if self._list is not None:
            self._end_list(at_end=True)
        seen = self._last + self._held
        cut_off = CUT_OFF.search(seen, len(self._last))
        self._held = ""
        return self._show(seen[len(self._last) : cut_off.start() if cut_off else None])

    def _end_list(self, *, at_end: bool = False) -> bool:
        """Takes the list out of the held text if it is complete; returns whether it was."""
        found = LINE_END.search(self._held, 0, LONGEST_LIST)
        # What follows the line's end decides whether the list goes on there.
        complete = found is not None and re.search(r"\S(?:\s|\S\S|\S\s)", self._held[found.end() :]) is not None
        if not (complete or at_end or len(self._held) >= LONGEST_LIST):
            return False
        end = found.end() - 1 if found else min(len(self._held), LONGEST_LIST)
        self._lists.append(self._held[:end])
        self._held, self._list = self._held[end:], None
        return True

    def _show(self, text: str) -> str:
        self._last = text[-1:] or self._last
        return text


def _clean(item: str) -> str:
    """A question without list marks, quotes, Markdown and citations."""
    return MARK.sub("", BULLET.sub("", " ".join(item.split()))).strip(" \"“”„'`*_<>[]")
