"""Removes `SUGGESTED_QUESTIONS: a | b | c` from a streamed reply: the line in which a model writes what could be asked next."""

from __future__ import annotations

import re

from footnote.answer.line_filter import Line, LineFilter
from footnote.text.code_spans import sub_prose

LINE_END = re.compile(r"(?<=\S)[^\S\n]*\n(?!\s*(?:[-*•|]|\d[.)])\s)")
"""The end of the list: of its line, or of the last of its items, if they are below one another."""
BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
MARK = re.compile(r"\s*\[[^\]]*\]")
MOST, LONGEST = 3, 200


class QuestionsFilter(LineFilter):
    """Removes the line from streamed text. `questions`: the questions in it, at most MOST."""

    line = Line("s", *"uggested", r"\\?", "_", *"questions", after=r"[\s*_`\"]{0,4}[:：]", body=r"[^\n]*+(?:\n[\s`~]*)?", longest=40)
    longest_list = 1000

    def __init__(self) -> None:
        super().__init__()
        self._written: list[str] = []

    @property
    def questions(self) -> tuple[str, ...]:
        """The usable questions without duplicates, in their order."""
        written = (_clean(item) for text in self._written for item in re.split(r"[|\n]", text))
        return tuple(dict.fromkeys(item for item in written if re.search(r"[^\W\d]", item) and len(item) <= LONGEST))[:MOST]

    def _end_list(self, *, at_end: bool = False) -> bool:
        line_end = LINE_END.search(self._held, 0, self.longest_list)
        # What follows the line's end decides whether the list goes on there.
        complete = line_end is not None and re.search(r"\S(?:\s|\S\S|\S\s)", self._held[line_end.end() :]) is not None
        if not (complete or at_end or len(self._held) >= self.longest_list):
            return False
        end = line_end.end() - 1 if line_end else min(len(self._held), self.longest_list)
        self._written.append(self._held[:end])
        self._held, self._in_list = self._held[end:], False
        return True

    def _lists(self, code: str) -> bool:
        return "\n" not in code

    def _show(self, text: str) -> str:
        self._last = text[-1:] or self._last
        return text


def _clean(item: str) -> str:
    """A question without list marks, quotes, Markdown and citations."""
    return sub_prose(MARK, "", BULLET.sub("", " ".join(item.split()))).strip(" \"“”„'`*_<>[]")
