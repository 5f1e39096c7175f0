"""What reads files."""

from __future__ import annotations

from functools import cached_property

from footnote.deps import SettingGroups
from footnote.ingest.apart import Apart, InChildren, in_thread
from footnote.ingest.parser import make_parser
from footnote.ports import Parser


class Readers(SettingGroups):
    """The parser, and what runs after it."""

    _parser: Parser | None
    """A parser that was given."""

    @cached_property
    def parser(self) -> Parser:
        """Reads files."""
        return self._parser or make_parser(self.settings.ingest, docling=self.settings.docling_enabled)

    @cached_property
    def apart(self) -> Apart:
        """Runs what follows the parser; where a parser was given, in this process."""
        limits = self.settings.ingest
        return in_thread if self._parser else InChildren(limits.parse_limit_s, limits.parse_memory_mb)
