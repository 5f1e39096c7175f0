"""On which page of a Word file does it stand? Word leaves marks where pages began; people leave breaks."""

from __future__ import annotations

_LONGEST_PAGE = 6_000
"""Characters."""


class Pages:
    """Counts them while the document is read."""

    def __init__(self) -> None:
        self.page = 1
        self._rendered = False
        self._on_page = 0  # characters since the last break
        self._longest = 0

    def add(self, text: str) -> None:
        self._on_page += len(text.strip())

    def end(self, *, rendered: bool = False) -> None:
        """`rendered`: Word's own mark, which it also leaves right after the break that a person made."""
        self._rendered = self._rendered or rendered
        self._longest = max(self._longest, self._on_page)
        if self._on_page or not rendered:
            self.page += 1
        self._on_page = 0

    @property
    def are_known(self) -> bool:
        """Without Word's marks the breaks that people made count only if no page is longer than paper."""
        return self._rendered or (self.page > 1 and max(self._longest, self._on_page) <= _LONGEST_PAGE)
