"""Counts the pages of a Word file by Word's marks of rendered page starts and by manual page breaks."""

from __future__ import annotations

_LONGEST_PAGE = 6_000
"""Characters."""


class Pages:
    """Counts pages while the document is read."""

    def __init__(self) -> None:
        self.page = 1
        self._rendered = False
        self._on_page = 0  # characters since the last break
        self._longest = 0

    def add(self, text: str) -> None:
        """Adds text to the current page."""
        self._on_page += len(text.strip())

    def end(self, *, rendered: bool = False) -> None:
        """Ends a page. `rendered`: by Word's own mark, which also follows each manual break."""
        self._rendered = self._rendered or rendered
        self._longest = max(self._longest, self._on_page)
        if self._on_page or not rendered:
            self.page += 1
        self._on_page = 0

    @property
    def are_known(self) -> bool:
        """Whether page numbers can be trusted: without Word's marks only if no page is longer than a sheet of paper."""
        return self._rendered or (self.page > 1 and max(self._longest, self._on_page) <= _LONGEST_PAGE)
