"""`Voices`: what customers say, for a caller.

The voices of a collection are kept in memory until the collection changes, for each set of groups in its access lists; so callers share
them only if they see the same. Before a text is shown, it is read again through the index's permission check."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from footnote.collections import Collections
from footnote.collections.embedders import Embedders
from footnote.ports import Clock, FeedbackStore, Index, Ledger, StatisticsStore
from footnote.types import Caller, Vector
from footnote.voices.counts import By, Count, count, mean_rating
from footnote.voices.product import Mask, read_product
from footnote.voices.themes import Themes, find_themes
from footnote.voices.voice import DAY_S, Read, Voice, VoiceFilter, read_collection, voice_of

Source = Literal["collection", "product"]
"""collection: voices of customers, in documents. product: feedback of Footnote's users on its answers, for admins."""
KEPT = 4
"""Collections as a set of groups sees them that are kept, some 20 MB each for 10,000 voices."""
KEPT_THEMES = 32
PRODUCT_DAYS = 366
"""Number of days of the product's own voices that are read if no first day is given."""
AT_ONCE = 2000
"""Vectors that are read at once."""
Key = tuple[Any, ...]


class Voices:
    """Voices of collections, and the product's own."""

    def __init__(
        self,
        index: Index,
        ledger: Ledger,
        collections: Collections,
        feedback: Callable[[], FeedbackStore],
        statistics: Callable[[], StatisticsStore],
        embedders: Callable[[], Embedders],
        clock: Clock,
        mask: Mask,
    ) -> None:
        """`mask`: replaces personal data in the product's own voices."""
        self._ledger, self._directory, self._mask = ledger, collections, mask
        self._index, self._embedders, self._clock = index, embedders, clock
        self._feedback, self._statistics = feedback, statistics
        self._read: OrderedDict[Key, Read] = OrderedDict()
        self._themes: OrderedDict[Key, Themes] = OrderedDict()

    async def collections(self, caller: Caller) -> list[str]:
        """The names of the collections of voices with documents that the caller may read, sorted."""
        directory = await self._directory.directory()
        names = sorted(await self._ledger.collections(caller))
        return [name for name in names if directory.settings(directory.resolve(name)).chunker == "voices"]

    async def read(self, caller: Caller, source: Source, collection: str, criteria: VoiceFilter) -> Read:
        """All voices of a collection that the caller may read, file by file, without the filter; or the product's own of the filter's
        period, by default of PRODUCT_DAYS. Forbidden for the product's own unless the caller is an admin."""
        if source == "product":
            return await self._of_product(caller, *self._period(criteria))
        return (await self._of_collection(caller, collection))[1]

    async def count(self, caller: Caller, source: Source, collection: str, criteria: VoiceFilter, by: By) -> tuple[list[Count], int, bool]:
        """(the counts, the voices that were counted, whether there are more than were read)."""
        if by != "theme":
            read = await self.read(caller, source, collection, criteria)
            voices = [voice for voice in read.voices if criteria.is_met_by(voice)]
            return await asyncio.to_thread(count, voices, by), len(voices), read.cut
        themes, read = await self.themes(caller, source, collection, criteria)
        voices = [voice for voice in read.voices if criteria.is_met_by(voice)]
        rows = [Count(theme.label, theme.size, theme.rating) for theme in themes.themes]
        members = {member for theme in themes.themes for member in theme.members}
        rest = [voice for voice in voices if voice.voice_id not in members]
        return [*rows, *([Count(None, len(rest), mean_rating(rest))] if rest else [])], len(voices), read.cut

    async def themes(self, caller: Caller, source: Source, collection: str, criteria: VoiceFilter) -> tuple[Themes, Read]:
        """(the themes, the voices that they were made from, which may be of another period, too)."""
        if source == "product":
            since, until = self._period(criteria)
            read = await self._of_product(caller, since if criteria.since is None else 2 * since - until, until)
            return await asyncio.to_thread(find_themes, read.voices, {}, criteria), read
        key, read = await self._of_collection(caller, collection)
        if (themes := self._themes.get((*key, criteria))) is None:
            vectors = await self._vectors(caller, collection, read.voices)
            themes = await asyncio.to_thread(find_themes, read.voices, vectors, criteria)
            _keep(self._themes, (*key, criteria), themes, KEPT_THEMES)
        return themes, read

    async def read_again(self, caller: Caller, voices: Sequence[Voice]) -> list[Voice]:
        """The voices that the caller may read now, by the index's permission check."""
        ids = [voice.voice_id for voice in voices if voice.chunk is not None]
        chunks = {chunk.chunk_id: chunk for chunk in await self._index.read(caller, ids)} if ids else {}
        shown = [voice for voice in voices if voice.chunk is None or voice.voice_id in chunks]
        return [voice if voice.chunk is None else voice_of(chunks[voice.voice_id]) for voice in shown]

    def _period(self, criteria: VoiceFilter) -> tuple[float, float]:
        until = self._clock() + 1 if criteria.until is None else criteria.until
        return until - PRODUCT_DAYS * DAY_S if criteria.since is None else criteria.since, until

    async def _of_product(self, caller: Caller, since: float, until: float) -> Read:
        feedback, statistics = self._feedback(), self._statistics()
        return await read_product(caller, since, until, feedback=feedback, statistics=statistics, ledger=self._ledger, mask=self._mask)

    async def _of_collection(self, caller: Caller, collection: str) -> tuple[Key, Read]:
        view = await self._index.view(caller, collection)
        key = view.stored, view.version, None if caller.sees_all else view.groups
        if (read := self._read.get(key)) is None:
            for old in [stale for stale in self._read if stale[0] == key[0] and stale[1] != key[1]]:
                del self._read[old]
            read = await read_collection(caller, collection, index=self._index)
            _keep(self._read, key, read, KEPT)
        return key, read

    async def _vectors(self, caller: Caller, collection: str, voices: Sequence[Voice]) -> Mapping[str, Vector]:
        directory = await self._directory.directory()
        embedder = self._embedders().of(directory.settings(directory.resolve(collection)).embedder)
        if embedder is None:
            return {}
        vectors: dict[str, Vector] = {}
        ids = [voice.voice_id for voice in voices]
        for at in range(0, len(ids), AT_ONCE):
            read = await self._index.sentences(caller, ids[at : at + AT_ONCE], embedder.name)
            vectors |= {voice_id: sentences.passage for voice_id, sentences in read.items() if sentences.passage is not None}
            if not vectors:  # none are made yet
                break
        return vectors


def _keep(kept: OrderedDict[Key, Any], key: Key, value: Any, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
