"""Filters for streamed replies: they release text as soon as it may be shown. The output does not depend on how the stream is split."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from footnote.answer.citation_styles import STYLES, Markers
from footnote.answer.line_filter import Line, LineFilter, OutsideCode
from footnote.answer.marker_forms import UNFINISHED
from footnote.answer.preamble import PreambleFilter
from footnote.answer.sources_used import SourcesFilter
from footnote.text.code_spans import sub_prose
from footnote.types import Hit

LINE_END = re.compile(r"(?<=\S)[^\S\n]*\n(?!\s*(?:[-*•|]|\d[.)])\s)")
"""The end of the list: of its line, or of the last of its items, if they are below one another."""
BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
MARK = re.compile(r"\s*\[[^\]]*\]")
MOST, LONGEST = 3, 200
"""Suggested questions, and characters of one."""
THINK, NO_MORE = "<think>", "</think>"


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


class StreamFilter(Protocol):
    """The concatenated output is the text that `cite` returns for the whole reply, except for white space at the end."""

    def feed(self, text: str) -> str:
        """Takes the next piece; returns the text that can be shown now, possibly none."""

    def flush(self) -> str:
        """The rest of the text at the end of the stream."""


def filter_for(style_name: str, hits: Sequence[Hit], *, first: int = 1, origin: str | None = None) -> StreamFilter:
    """The filter for a citation style. `hits` may grow while the stream is read."""
    return SourcesFilter() if STYLES[style_name].at_end else MarkerFilter(hits, style_name, first=first, origin=origin)


class MarkerFilter(OutsideCode):
    """Rewrites markers like `cite`: numbered by first appearance, without those that refer to no passage."""

    def __init__(self, hits: Sequence[Hit], style_name: str, *, first: int = 1, origin: str | None = None) -> None:
        super().__init__()
        self._hits, self._style = hits, STYLES[style_name]
        self._markers = Markers(self._style, first, origin)
        self._numbers: dict[int, int] = {}
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        """See `StreamFilter.feed`."""
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return super().feed(text)

    def _prose(self, text: str) -> str:
        if not self._held and not text[-1:].isspace() and "[" not in text and "【" not in text and "(" not in text:
            return text  # a shortcut: it holds no marker, nor the beginning of one
        self._held += text
        unfinished = UNFINISHED.search(self._held)
        end = unfinished.start() if unfinished else len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._style.marker.sub(self._write, ready)

    def _code(self, text: str) -> str:
        rest, self._held = self._held, ""
        return self._style.marker.sub(self._write, rest) + text

    def _end(self) -> str:
        rest, self._held = self._held.rstrip(), ""
        return self._style.marker.sub(self._write, rest).rstrip()

    def _write(self, match: re.Match[str]) -> str:
        space = " " if match[0][0].isspace() else ""
        written = ""
        for place, *_ in self._style.named(match[match.lastindex or 0], self._hits):  # several passages of a document have the same marker
            number = self._numbers.setdefault(place, place if self._style.keeps_numbers else len(self._numbers)) + self._markers.first
            written += space + self._markers.write(number, self._hits[place])
        return written


class AnswerFilter:
    """Keeps the answer of a reply: removes the text before it (`preamble`) and the suggested questions after it."""

    def __init__(self, question: str) -> None:
        self._before, self._after = PreambleFilter(question), QuestionsFilter()

    @property
    def questions(self) -> tuple[str, ...]:
        """The suggested questions that the model wrote."""
        return self._after.questions

    def feed(self, text: str) -> str:
        """See `StreamFilter.feed`."""
        return self._after.feed(self._before.feed(text))

    def flush(self) -> str:
        """See `StreamFilter.flush`."""
        return self._after.feed(self._before.flush()) + self._after.flush()


class ThinkFilter:
    """Separates a model's thinking, between `<think>` and `</think>`, from its answer. An unclosed block extends to the end."""

    def __init__(self) -> None:
        self.unopened = False
        """A closing tag came without an opening one, which some servers strip: everything before it is thinking."""
        self._held = ""
        self._thinking = False

    def feed(self, text: str) -> tuple[str, str]:
        """Takes the next piece; returns (thinking, answer) as far as they are known."""
        if not self._held and "<" not in text:
            return (text, "") if self._thinking else ("", text)
        self._held += text
        parts = ["", ""]
        while True:
            at, tag = min(((at, tag) for tag in (THINK, NO_MORE) if (at := self._held.find(tag)) >= 0), default=(-1, ""))
            end = at if tag else len(self._held) - _begun_tag(self._held)
            parts[not self._thinking] += self._held[:end]
            self._held = self._held[end + len(tag) :]
            if not tag:
                return parts[0], parts[1]
            self.unopened = self.unopened or (tag == NO_MORE and not self._thinking)
            self._thinking = tag == THINK

    def flush(self) -> tuple[str, str]:
        """The rest at the end of the stream, as (thinking, answer)."""
        rest, self._held = self._held, ""
        return (rest, "") if self._thinking else ("", rest)


def _begun_tag(text: str) -> int:
    """Length of the incomplete tag at the end of the text; 0 if there is none."""
    tail = text[-len(NO_MORE) + 1 :]
    at = tail.rfind("<")
    return len(tail) - at if at >= 0 and any(tag.startswith(tail[at:]) for tag in (THINK, NO_MORE)) else 0
