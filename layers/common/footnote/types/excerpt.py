"""`Excerpt`: what of a passage is shown to a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ExcerptKind = Literal["paragraph", "list", "table", "code", "caption"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of one passage that a reader would quote whole. Sentences are named by their number in the passage, from 0; an item of a list
    has one or several, a row of a table is one."""

    chunk_id: str
    block: int
    """The number of its first sentence's block among those of the passage."""
    kind: ExcerptKind
    lead: tuple[int, ...]
    """The sentences that introduce it; () = nothing does."""
    numbers: tuple[int, ...]
    """Its sentences that are shown, in order. Of a list or a table some between them may be missing; they count as `more_after`."""
    start: int
    """Where it begins in the passage, its lead included."""
    end: int
    more_before: int = 0
    """Sentences, items or rows of the block before it."""
    more_after: int = 0
    """The same, after its beginning."""

    @property
    def more(self) -> int:
        """How much of the block is not shown."""
        return self.more_before + self.more_after

    @property
    def every(self) -> tuple[int, ...]:
        """The sentences that are shown, with those that introduce it."""
        return (*self.lead, *self.numbers)
