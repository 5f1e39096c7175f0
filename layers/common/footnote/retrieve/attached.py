"""The files attached to a conversation, searched together with the collection of the question.

To the steps of a turn they are part of that collection, because the turn's index includes them in every search, in the known words, and in
the scope of the caches. So a passage of a file competes with the collection's, and is cited like them.

The index weighs words by their rarity in all attachments of all users. These weights do not fit the comparison and would leak something
about other users' files. Attached passages are therefore scored here, by the weights of the words in the collection:

    score = Σ w_t · 2.2 · n/(n + 1.2)     over the terms t of the query; n = how often the passage has t, in a title or heading 3 times

scaled by the ratio of the engine's score to this one for the collection's best passage, so that it does not depend on the engine."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from footnote.collections.attachments import CONVERSATION, Attachments, conversation_key
from footnote.errors import StoreUnavailable
from footnote.ports import SMALL_COLLECTION, Embedder, Index, View, WrappedIndex
from footnote.text.tokens import content_terms
from footnote.types import ATTACHED, Caller, Candidate, Candidates, ChunkSentences, Search, Turn
from footnote.types.conditions import ANYTHING
from footnote.types.copies import replace

log = logging.getLogger(__name__)

HEADING = 3.0
"""Weight of a word in the title or a heading, as in the engines."""
NOVEL = math.log(1 + (SMALL_COLLECTION + 0.5) / 0.5)
"""The weight of a term in a collection without documents."""
NEARLY = 0.99
"""The coverage of a search that lacks vectors of attached passages alone: the collection's still count."""


class AttachedIndex(WrappedIndex):
    """`ports.Index` of a conversation, that wraps another. `embedder`: of attachments, which is the default one."""

    def __init__(self, index: Index, attachments: Attachments, user_id: str, room_id: str, embedder: Callable[[], Embedder | None]) -> None:
        super().__init__(index)
        self._attachments, self._embedder = attachments, embedder
        self._user_id, self._room_id = user_id, room_id
        self._found: tuple[str, ...] | None = None

    async def documents(self) -> tuple[str, ...]:
        """The ids of the attached documents, read once; () while the store is down, so that the collection still answers."""
        if self._found is None:
            try:
                self._found = await self._attachments.of(self._user_id, self._room_id)
            except StoreUnavailable as exc:
                log.warning("attachments cannot be looked for", exc_info=exc)
                self._found = ()
        return self._found

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        if not await self.documents():
            return await self._index.candidates(caller, search)
        embedder = self._embedder()
        inside = replace(
            search,
            collection=ATTACHED,
            filters={CONVERSATION: (conversation_key(self._user_id, self._room_id),)},
            conditions=ANYTHING,
            vector=search.vector if embedder is not None and embedder.name == search.embedder else None,
        )
        has_any = inside.text or inside.vector is not None
        own, attached = await asyncio.gather(
            self._index.candidates(caller, search), self._index.candidates(caller, inside) if has_any else _nothing()
        )
        words = await self._by_words(caller, search, own.lexical[:1], attached.lexical)
        coverage = min(own.coverage, 1.0 if attached.coverage == 1 else NEARLY if own.dense else attached.coverage)
        return Candidates(
            _in_order((*own.lexical, *words)),
            _in_order((*own.dense, *attached.dense)),
            coverage,
            own.bare | attached.bare,
            own.missing | attached.missing,
            {source: max(candidates.ms.get(source, 0.0) for candidates in (own, attached)) for source in {**own.ms, **attached.ms}},
        )

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        weights = await self._index.term_weights(caller, collection, terms)
        return weights or (dict.fromkeys(terms, NOVEL) if await self.documents() else weights)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        known = await self._index.known_terms(caller, collection, terms)
        return known | await self._index.known_terms(caller, ATTACHED, terms) if await self.documents() else known

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        titled = await self._index.titled(caller, collection, titles)
        if not (documents := frozenset(await self.documents())):
            return titled
        attached = await self._index.titled(caller, ATTACHED, titles)
        return {title: titled.get(title, frozenset()) | (attached.get(title, frozenset()) & documents) for title in {**titled, **attached}}

    async def view(self, caller: Caller, collection: str) -> View:
        own = await self._index.view(caller, collection)
        if not (documents := await self.documents()):
            return own
        attached = await self._index.view(caller, ATTACHED)
        languages = {lang: own.languages.get(lang, 0) + attached.languages.get(lang, 0) for lang in {**own.languages, **attached.languages}}
        return replace(own, languages=languages, attached=documents, attached_version=attached.version)

    async def _by_words(self, caller: Caller, search: Search, first: Sequence[Candidate], attached: Sequence[Candidate]) -> list[Candidate]:
        """The attached candidates with scores as the engine gives them to passages of the collection, whose best one is `first`."""
        if not attached:
            return []
        terms = content_terms(search.text, search.lang)
        sentences, weights = await asyncio.gather(
            self._index.sentences(caller, [entry.chunk_id for entry in (*first, *attached)], search.embedder),
            self.term_weights(caller, search.collection, terms),
        )
        scores = {chunk_id: _score(terms, weights, passage) for chunk_id, passage in sentences.items()}
        scale = next((entry.score / scores[entry.chunk_id] for entry in first if scores.get(entry.chunk_id)), 1.0)
        return [entry._replace(score=scale * scores.get(entry.chunk_id, 0.0)) for entry in attached]


async def _nothing() -> Candidates:
    return Candidates()


def _in_order(entries: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Both lists, neither of which takes the other's places: a question may turn out to be about the attached files alone."""
    return tuple(sorted(entries, key=lambda entry: (-entry.score, entry.chunk_id)))


def _score(terms: Sequence[str], weights: Mapping[str, float], passage: ChunkSentences) -> float:
    body, headings = " ".join(passage.terms).split(), passage.heading_terms.split()
    counts = {term: body.count(term) + HEADING * headings.count(term) for term in set(terms)}
    return sum(weights.get(term, 1.0) * 2.2 * count / (count + 1.2) for term, count in counts.items())


def index_of(turn: Turn, index: Index, attachments: Attachments, embedder: Callable[[], Embedder | None]) -> Index:
    """The index of this turn: `index`, and the files of its conversation, if it has one."""
    room_id = turn.request.room_id
    return index if room_id is None else AttachedIndex(index, attachments, turn.caller.user_id, room_id, embedder)
