"""Base of the filters of a model's stream: code passes them unchanged."""

from __future__ import annotations

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
