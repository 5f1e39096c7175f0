"""What of a model's words may already be shown, while they come. All of them are the same however the words are cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from footnote.answer.citation_styles import STYLES, Markers
from footnote.answer.sources_used import SourcesFilter
from footnote.types import Hit

UNFINISHED = re.compile(r"(?<!\s)\s*+(?:\[[^\]]{0,130}\]?)?$")
"""White space at the end, and what may become a marker: what follows its bracket decides whether it is one."""
THINK, NO_MORE = "<think>", "</think>"


class StreamFilter(Protocol):
    """All that is fed and flushed makes the text that `cite` makes of the whole, but for white space at its end."""

    def feed(self, text: str) -> str:
        """What can be shown now, maybe nothing yet."""
        ...

    def flush(self) -> str:
        """The rest."""
        ...


def filter_for(style_name: str, hits: Sequence[Hit], *, first: int = 1, origin: str | None = None) -> StreamFilter:
    return SourcesFilter() if STYLES[style_name].at_end else MarkerFilter(hits, style_name, first=first, origin=origin)


class MarkerFilter:
    """Markers as `cite` writes them: numbered by first appearance, without those that name no passage."""

    def __init__(self, hits: Sequence[Hit], style_name: str, *, first: int = 1, origin: str | None = None) -> None:
        self._hits, self._style = hits, STYLES[style_name]
        self._markers = Markers(self._style, first, origin)
        self._numbers: dict[int, int] = {}
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        self._held += text
        if not self._begun:
            self._held = self._held.lstrip()
        unfinished = UNFINISHED.search(self._held)
        end = unfinished.start() if unfinished else len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        self._begun = self._begun or bool(ready)
        return self._style.marker.sub(self._write, ready)

    def flush(self) -> str:
        rest, self._held = self._held.rstrip(), ""
        return self._style.marker.sub(self._write, rest).rstrip()

    def _write(self, match: re.Match[str]) -> str:
        space = " " if match[0][0].isspace() else ""
        written = ""
        for content in re.split(r"[,;]", match[1]):
            for place in self._style.named(content, self._hits)[:1]:  # several passages of a document are written alike
                number = self._numbers.setdefault(place, len(self._numbers) + self._markers.first)
                written += space + self._markers.write(number, self._hits[place])
        return written


class ThinkFilter:
    """Tells what a model thinks aloud, between `<think>` and `</think>`, from what it says. A block that is never closed
    goes on to the end."""

    def __init__(self) -> None:
        self.unopened = False
        """An end came without a beginning, which some servers swallow: all before it was thought."""
        self._held = ""
        self._thinking = False

    def feed(self, text: str) -> tuple[str, str]:
        """(what was thought, what was said), as far as it can be told by now."""
        self._held += text
        told = ["", ""]
        while True:
            at, tag = min(((at, tag) for tag in (THINK, NO_MORE) if (at := self._held.find(tag)) >= 0), default=(-1, ""))
            end = at if tag else len(self._held) - _begun_tag(self._held)
            told[not self._thinking] += self._held[:end]
            self._held = self._held[end + len(tag) :]
            if not tag:
                return told[0], told[1]
            self.unopened = self.unopened or (tag == NO_MORE and not self._thinking)
            self._thinking = tag == THINK

    def flush(self) -> tuple[str, str]:
        rest, self._held = self._held, ""
        return (rest, "") if self._thinking else ("", rest)


def _begun_tag(text: str) -> int:
    """How many characters at the end may become a tag."""
    tail = text[-len(NO_MORE) + 1 :]
    at = tail.rfind("<")
    return len(tail) - at if at >= 0 and any(tag.startswith(tail[at:]) for tag in (THINK, NO_MORE)) else 0
