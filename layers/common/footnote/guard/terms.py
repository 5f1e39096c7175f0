"""Terms that are not for everybody's questions: kept as records, with their vectors, and copied into each process and the cache.

A copy is used for FRESH_S, then one small read tells whether it is stale. While the records are down:

    the cache answers                 the newer of its copy and our own, since it was compared with the records:
                                      for SOME_S, and for NONE_S if it says that there are no terms
    it answers, and has no copy       our own, for TOLERATED_S: somebody may be changing the terms
    it is down too                    our own, for TOLERATED_S, and for NONE_S if it says that there are no terms

After that, and without any copy, nothing can be checked, and what cannot be checked is not answered.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from footnote.errors import BadRequest, Conflict, NotFound, StoreUnavailable, Unavailable
from footnote.guard.audit import audit
from footnote.guard.terms_copy import KEPT_S, Row, SharedTerms
from footnote.ports import Cache, Clock, Embedder, Record, Records, read_all, speaks
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
SOME_S, NONE_S = 24 * 3600.0, KEPT_S
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

    def __init__(self, records: Records, cache: Cache, embedder: Embedder | None, clock: Clock) -> None:
        self._records, self._embedder, self._clock = records, embedder, clock
        self._shared = SharedTerms(cache)
        self._copy: TermCopy | None = None
        self._tried_at = self._known_at = self._good_until = float("-inf")
        self._edition = 0
        """Of what was changed here: it holds here at once, also for who is just reading."""

    async def current(self) -> TermCopy:
        """Unavailable where the records have been down for too long."""
        while True:
            now, copy, edition = self._clock(), self._copy, self._edition
            if copy is not None and now - self._tried_at < FRESH_S and now < self._good_until:
                return copy
            self._tried_at = now
            try:
                changes = await self._records.changes("term")
                if copy is None or copy.changes != changes:
                    copy = await self._load(changes)
                if await self._shared.refresh(self._rows(copy), now) and await self._records.changes("term") != changes:
                    self._forget()  # somebody changed a term meanwhile, and may have deleted the shared copy before this
                    continue
                known_at, good_s = now, NONE_S
            except Unavailable as exc:
                copy, known_at, good_s = await self._survive(copy, now, exc)
            if edition == self._edition:
                self._copy, self._known_at, self._good_until = copy, known_at, known_at + good_s
                return copy

    async def _survive(self, own: TermCopy | None, now: float, exc: Unavailable) -> tuple[TermCopy, float, float]:
        """What is used while the records are down: (copy, when it was known to be right, for how long it is good since)."""
        copy, known_at = own, self._known_at
        try:
            shared = await self._shared.find()
        except StoreUnavailable:
            good_s = NONE_S if own is not None and not own.terms else TOLERATED_S
        else:
            if shared is not None and shared.known_at >= known_at:
                copy, known_at = await self._restored(shared.rows), shared.known_at
            good_s = TOLERATED_S if shared is None else SOME_S if copy is not None and copy.terms else NONE_S
        if copy is None or now >= known_at + good_s:
            raise exc
        return copy, known_at, good_s

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
        await self._shared.forget()  # where that fails nothing is changed: an old copy would go on counting
        value = {"term": text, "match_type": match, "topic": topic, "vectors": _packed(vectors.get(0), self._embedder)}
        record = await self._records.put("term", key, value, by=caller.user_id)
        await self._share()
        return _term(record)

    async def remove(self, caller: Caller, text: str) -> None:
        """NotFound where there is no such term."""
        key = _key(text)
        if await self._records.get("term", key) is None:
            raise NotFound("There is no such term.")
        await audit(self._records, caller, "term.delete", _id(key), now=self._clock())
        await self._shared.forget()
        await self._records.delete("term", key)
        await self._share()

    async def _share(self) -> None:
        """What was changed holds here at once, and is in the cache for the others."""
        self._forget()
        with suppress(Unavailable):
            await self.current()

    def _forget(self) -> None:
        self._edition += 1
        self._copy = None
        self._tried_at = self._known_at = self._good_until = float("-inf")

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

    def _rows(self, copy: TermCopy) -> list[Row]:
        vectors = {place: _packed(vector, self._embedder) for place, vector in copy.vectors.items()}
        return [(term.text, term.match, term.topic, vectors.get(place, {})) for place, term in enumerate(copy.terms)]

    async def _restored(self, rows: Sequence[Row]) -> TermCopy:
        """Of no edition of the records: once they answer they are read."""
        name = self._embedder.name if self._embedder else ""
        known = {place: _unpacked(vectors[name]) for place, (*_, vectors) in enumerate(rows) if name in vectors}
        missing = [place for place in range(len(rows)) if place not in known]
        made = await self._embedded([rows[place][0] for place in missing])
        known |= {missing[at]: vector for at, vector in made.items()}
        return TermCopy(-1, tuple(Term(text, cast("Match | None", match), topic) for text, match, topic, _ in rows), known)

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
