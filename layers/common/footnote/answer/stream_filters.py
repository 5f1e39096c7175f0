"""What of a model's words may already be shown, while they come."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.answer.citation_styles import STYLES
from footnote.types import Hit

UNFINISHED = re.compile(r"\s*(?:\[[^\]]{0,130}\]?)?$")
"""White space at the end, and what may become a marker: what follows its bracket decides whether it is one."""


class MarkerFilter:
    """Markers as `cite` writes them: numbered by first appearance, without those that name no passage. All that
    is fed and flushed makes the text that `cite` makes of the whole, but for white space at its end."""

    def __init__(self, hits: Sequence[Hit], style_name: str) -> None:
        self._hits, self._style = hits, STYLES[style_name]
        self._numbers: dict[int, int] = {}
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        """What can be shown now, maybe nothing yet."""
        self._held += text
        if not self._begun:
            self._held = self._held.lstrip()
        unfinished = UNFINISHED.search(self._held)
        end = unfinished.start() if unfinished else len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        self._begun = self._begun or bool(ready)
        return self._style.marker.sub(self._write, ready)

    def flush(self) -> str:
        """The rest."""
        rest, self._held = self._held.rstrip(), ""
        return self._style.marker.sub(self._write, rest).rstrip()

    def _write(self, match: re.Match[str]) -> str:
        space = " " if match[0][0].isspace() else ""
        written = ""
        for content in re.split(r"[,;]", match[1]):
            for place in self._style.named(content, self._hits)[:1]:  # several passages of a document are written alike
                number = self._numbers.setdefault(place, len(self._numbers) + 1)
                written += space + self._style.write(number, self._hits[place])
        return written
