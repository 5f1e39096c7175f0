"""Reads voices of a collection as the caller may read it."""

from __future__ import annotations

from dataclasses import dataclass

from footnote.ports import Index
from footnote.types import Caller
from footnote.types.voices import is_voice
from footnote.voices.voice import Voice, voice_of

MOST = 20_000
"""Voices that are read; of a larger collection, the first of each file."""


@dataclass(frozen=True, slots=True)
class Read:
    """Voices as they were read. `cut`: there are more."""

    voices: tuple[Voice, ...]
    cut: bool = False


async def read_collection(caller: Caller, collection: str, *, index: Index) -> Read:
    """The voices of a collection that the caller may read."""
    chunks = await index.sample(caller, collection, MOST + 1)
    return Read(tuple(voice_of(chunk) for chunk in chunks[:MOST] if is_voice(chunk.metadata)), len(chunks) > MOST)
