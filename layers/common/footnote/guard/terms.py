"""Terms that are not for everybody's questions: kept as records, with their vectors, and copied into each process.

A copy is used for FRESH_S, then one small read tells whether it is stale. A store that is down is survived for
TOLERATED_S; after that nothing can be checked, and what cannot be checked is not answered.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from footnote.errors import BadRequest, Conflict, NotFound, Unavailable
from footnote.guard.audit import audit
from footnote.ports import Clock, Embedder, Record, Records, read_all, speaks
from footnote.text.fences import INVISIBLE
from footnote.text.language import detect_language
from footnote.text.tokens import normalise
from footnote.types import Caller, Page

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

Match = Literal["exact", "synonym", "contextual"]
LEAST: dict[Match, float] = {"exact": 0.95, "synonym": 0.80, "contextual": 0.50}
"""Similarity from which a match is called so; what is below is weak."""
FRESH_S, TOLERATED_S = 5.0, 60.0
LONGEST = 100
"""Characters of a term, and of a topic."""
PAGE = 200


@dataclass(frozen=True, slots=True)
class Term:
    """`match`: how alike a question must be to meet it; None = as the settings say."""

    text: str
    match: Match | None = None
    topic: str | None = None
    changed_at: float = 0.0
    changed_by: str = ""


@dataclass(frozen=True, slots=True)
class TermCopy:
    """All terms at one moment. `vectors`: of those that the embedder can read, by their place."""

    changes: int
    terms: tuple[Term, ...]
    vectors: Mapping[int, Vector]


class Terms:
    """The terms as one process knows them."""

    def __init__(self, records: Records, embedder: Embedder | None, clock: Clock) -> None:
        self._records, self._embedder, self._clock = records, embedder, clock
        self._copy: TermCopy | None = None
        self._tried_at = self._known_at = float("-inf")
        self._edition = 0
        """Of what was changed here: it holds here at once, also for who is just reading."""

    async def current(self) -> TermCopy:
        """Unavailable where the store has been down for too long."""
        while True:
            now, copy, edition = self._clock(), self._copy, self._edition
            if copy is not None and now - self._tried_at < FRESH_S and now - self._known_at < TOLERATED_S:
                return copy
            self._tried_at = now
            try:
                changes = await self._records.changes("term")
                if copy is None or copy.changes != changes:
                    copy = await self._load(changes)
            except Unavailable:
                if copy is None or now - self._known_at >= TOLERATED_S:
                    raise
                return copy
            if edition == self._edition:
                self._copy, self._known_at = copy, now
                return copy

    async def page(self, limit: int, after: str | None = None) -> Page[Term]:
        """In the order of their letters."""
        page = await self._records.list("term", limit=limit, after=after)
        return Page(tuple(map(_term, page.data)), page.has_more, page.last_id)

    async def save(self, caller: Caller, text: str, match: Match | None = None, topic: str | None = None) -> Term:
        """BadRequest for what cannot be a term."""
        text, topic = check_text(text, "term"), check_text(topic, "topic") if topic else None
        key = _key(text)
        vectors = await self._embedded([text])
        await audit(self._records, caller, "term.set", _id(key), now=self._clock(), match_type=match)
        value = {"term": text, "match_type": match, "topic": topic, "vectors": _packed(vectors.get(0), self._embedder)}
        record = await self._records.put("term", key, value, by=caller.user_id)
        self._forget()
        return _term(record)

    async def remove(self, caller: Caller, text: str) -> None:
        """NotFound where there is no such term."""
        key = _key(text)
        if await self._records.get("term", key) is None:
            raise NotFound("There is no such term.")
        await audit(self._records, caller, "term.delete", _id(key), now=self._clock())
        await self._records.delete("term", key)
        self._forget()

    def _forget(self) -> None:
        self._edition += 1
        self._copy = None

    async def _load(self, changes: int) -> TermCopy:
        records = await read_all(lambda after: self._records.list("term", limit=PAGE, after=after))
        terms = tuple(map(_term, records))
        name = self._embedder.name if self._embedder else ""
        known = {place: _unpacked(kept) for place, record in enumerate(records) if (kept := record.value.get("vectors", {}).get(name))}
        missing = [place for place in range(len(terms)) if place not in known]
        made = await self._embedded([terms[place].text for place in missing])
        for at, vector in made.items():  # another embedder than when it was saved
            record = records[missing[at]]
            known[missing[at]] = vector
            value = {**record.value, "vectors": {**record.value.get("vectors", {}), **_packed(vector, self._embedder)}}
            with suppress(Conflict, Unavailable):
                await self._records.put("term", record.key, value, by=record.changed_by, expected=record.version)
        return TermCopy(changes, terms, known)

    async def _embedded(self, texts: Sequence[str]) -> dict[int, Vector]:
        """By their place; of those whose language the embedder speaks."""
        if self._embedder is None:
            return {}
        read = [place for place, text in enumerate(texts) if speaks(self._embedder, detect_language(text))]
        if not read:
            return {}
        return dict(zip(read, await self._embedder.embed([texts[place] for place in read], query=True), strict=True))


def _term(record: Record) -> Term:
    value = record.value
    return Term(value["term"], value.get("match_type"), value.get("topic"), record.changed_at, record.changed_by)


def check_text(text: str, what: str) -> str:
    text = " ".join(INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())
    if not any(char.isalnum() for char in normalise(text)) or not text.isprintable():
        raise BadRequest(f"The {what} holds no letter or digit, or a character that cannot be shown.")
    if len(text) > LONGEST:
        raise BadRequest(f"The {what} has {len(text)} characters; {LONGEST} are allowed.")
    return text


def _key(text: str) -> str:
    """Case and width make no other term."""
    return " ".join(normalise(text).split())


def _id(key: str) -> str:
    """Names a term where its text must not stand."""
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:16]


def _packed(vector: Vector | None, embedder: Embedder | None) -> dict[str, str]:
    if vector is None or embedder is None:
        return {}
    return {embedder.name: base64.b64encode(vector.astype("<f2").tobytes()).decode()}


def _unpacked(text: str) -> Vector:
    import numpy as np

    vector = np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)
