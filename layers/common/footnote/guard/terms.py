"""Forbidden terms: stored as records with their vectors, and copied into each process and the cache.

A copy is used for FRESH_S; then one small read checks whether it is stale. While the record store is down:

    state of the cache       copy that is used                valid after its last comparison with the records
    available, has a copy    the newer of its and our own     SOME_S; NONE_S if it has no terms
    available, has none      our own                          TOLERATED_S: a term may just be changing
    down                     our own                          TOLERATED_S; NONE_S if it has no terms

After that, or without a copy, questions cannot be checked and are therefore not answered.

Processes that read the records refresh the copy in the cache, and a change of a term deletes it first. It is therefore never behind the
records: while these are down, terms cannot be changed. Its entry `terms` is the head with the time of the last comparison;
`terms:<digest>:<n>` are its pages.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, cast

from footnote.errors import BadRequest, Conflict, NotFound, StoreUnavailable, Unavailable
from footnote.guard.audit import audit
from footnote.ports import Cache, Clock, Embedder, Record, Records, read_all, speaks
from footnote.text.everyday_questions import yardsticks
from footnote.text.language import detect_language
from footnote.text.tokens import normalise
from footnote.text.untrusted import INVISIBLE
from footnote.types import Caller, Page, Vector

Match = Literal["exact", "synonym", "contextual"]
LEAST: dict[Match, float] = {"exact": 0.95, "synonym": 0.80, "contextual": 0.50}
"""Minimum similarity of each kind of match; anything below is weak."""
FRESH_S, TOLERATED_S = 5.0, 60.0
KEPT_S, REWRITE_S = 7 * 24 * 3600.0, 24 * 3600.0
"""Lifetime of a copy in the cache that is not refreshed; age after which its pages are rewritten."""
SOME_S, NONE_S = 24 * 3600.0, KEPT_S
LONGEST = 100
"""Characters of a term, and of a topic."""
PAGE = 200
HEAD = "terms"
"""The key of the cached copy's head."""
REFRESH_S = 60.0
"""Age after which it is rewritten."""
PER_PAGE = 30
"""Terms per page: with the longest vectors, a page fits into a DynamoDB item."""

_Row = tuple[str, str | None, str | None, dict[str, str]]
"""Text, match, topic, and {name of an embedder: vector in base64}."""


@dataclass(frozen=True, slots=True)
class Term:
    """A forbidden term. `match`: how similar a question must be; None = the configured threshold."""

    text: str
    match: Match | None = None
    topic: str | None = None
    changed_at: float = 0.0
    changed_by: str = ""


@dataclass(frozen=True, slots=True)
class TermCopy:
    """All terms at one point in time. `vectors`: position of a term → its vector, if the embedder supports its language."""

    changes: int
    terms: tuple[Term, ...]
    vectors: Mapping[int, Vector]


class Terms:
    """The terms, with this process's copy of them."""

    def __init__(self, records: Records, cache: Cache, embedder: Embedder | None, clock: Clock) -> None:
        self._records, self._embedder, self._clock = records, embedder, clock
        self._shared = _SharedTerms(cache)
        self._copy: TermCopy | None = None
        self._tried_at = self._known_at = self._good_until = float("-inf")
        self._centres: dict[str, Vector] = {}
        self._edition = 0
        """Incremented by changes, so that a concurrent read does not restore the old copy."""

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the terms and of the texts compared with them, in every collection."""
        return self._embedder

    async def centre(self, lang: str) -> Vector | float:
        """The mean vector of everyday questions of the language, kept in the process; 0 without an embedder."""
        if self._embedder is None:
            return 0.0
        if lang not in self._centres:
            self._centres[lang] = (await self._embedder.embed(yardsticks(lang), query=True)).mean(axis=0)
        return self._centres[lang]

    async def current(self) -> TermCopy:
        """The current terms. Raises Unavailable if the record store has been down for too long."""
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
                    self._forget()  # a term was changed meanwhile; the shared copy may have been deleted before our write
                    continue
                known_at, good_s = now, NONE_S
            except Unavailable as exc:
                copy, known_at, good_s = await self._survive(copy, now, exc)
            if edition == self._edition:
                self._copy, self._known_at, self._good_until = copy, known_at, known_at + good_s
                return copy

    async def _survive(self, own: TermCopy | None, now: float, exc: Unavailable) -> tuple[TermCopy, float, float]:
        """The copy to use while the records are down: (copy, time of its last comparison, seconds it is valid after that)."""
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

    def expire(self) -> None:
        """Another process has changed the terms: the next use compares the copy with the records."""
        self._edition += 1
        self._tried_at = float("-inf")

    async def page(self, limit: int, after: str | None = None) -> Page[Term]:
        """A page of terms in alphabetical order."""
        page = await self._records.list("term", limit=limit, after=after)
        return Page(tuple(map(_term, page.data)), page.has_more, page.last_id)

    async def save(self, caller: Caller, text: str, match: Match | None = None, topic: str | None = None) -> Term:
        """Adds or changes a term. Raises BadRequest if the text is not a valid term."""
        text, topic = check_text(text, "term"), check_text(topic, "topic") if topic else None
        key = _key(text)
        vectors = await self._embedded([text])
        await audit(self._records, caller, "term.set", _id(key), now=self._clock(), match_type=match)
        await self._shared.forget()  # if this fails, nothing is changed: the old copy would stay in use
        value = {"term": text, "match_type": match, "topic": topic, "vectors": _packed(vectors.get(0), self._embedder)}
        record = await self._records.put("term", key, value, by=caller.user_id)
        await self._share()
        return _term(record)

    async def remove(self, caller: Caller, text: str) -> None:
        """Deletes a term. Raises NotFound if there is none."""
        key = _key(text)
        if await self._records.get("term", key) is None:
            raise NotFound("There is no such term.")
        await audit(self._records, caller, "term.delete", _id(key), now=self._clock())
        await self._shared.forget()
        await self._records.delete("term", key)
        await self._share()

    async def _share(self) -> None:
        """Applies a change in this process at once, and puts it into the cache for the others."""
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
        vectors = {place: _unpacked(kept) for place, record in enumerate(records) if (kept := record.value.get("vectors", {}).get(name))}
        missing = [place for place in range(len(terms)) if place not in vectors]
        embedded = await self._embedded([terms[place].text for place in missing])
        for at, vector in embedded.items():  # the embedder has changed since the term was saved
            record = records[missing[at]]
            vectors[missing[at]] = vector
            value = {**record.value, "vectors": {**record.value.get("vectors", {}), **_packed(vector, self._embedder)}}
            with suppress(Conflict, Unavailable):
                await self._records.put("term", record.key, value, by=record.changed_by, expected=record.version)
        return TermCopy(changes, terms, vectors)

    def _rows(self, copy: TermCopy) -> list[_Row]:
        vectors = {place: _packed(vector, self._embedder) for place, vector in copy.vectors.items()}
        return [(term.text, term.match, term.topic, vectors.get(place, {})) for place, term in enumerate(copy.terms)]

    async def _restored(self, rows: Sequence[_Row]) -> TermCopy:
        """A copy from the cache's rows; `changes` is -1, so that the records are read as soon as they are available."""
        name = self._embedder.name if self._embedder else ""
        kept = {place: _unpacked(vectors[name]) for place, (*_, vectors) in enumerate(rows) if name in vectors}
        missing = [place for place in range(len(rows)) if place not in kept]
        embedded = await self._embedded([rows[place][0] for place in missing])
        kept |= {missing[at]: vector for at, vector in embedded.items()}
        return TermCopy(-1, tuple(Term(text, cast("Match | None", match), topic) for text, match, topic, _ in rows), kept)

    async def _embedded(self, texts: Sequence[str]) -> dict[int, Vector]:
        """Position → vector, for the texts whose language the embedder supports."""
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
    """The cleaned text. Raises BadRequest if it is empty, too long or not printable; `what` names it in the message."""
    text = " ".join(INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())
    if not any(char.isalnum() for char in normalise(text)) or not text.isprintable():
        raise BadRequest(f"The {what} contains no letter or digit, or a character that is not printable.")
    if len(text) > LONGEST:
        raise BadRequest(f"The {what} has {len(text)} characters; {LONGEST} are allowed.")
    return text


def _key(text: str) -> str:
    """The record key: terms that differ only in case or width are the same."""
    return " ".join(normalise(text).split())


def _id(key: str) -> str:
    """Identifies a term where its text must not appear."""
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:16]


def _packed(vector: Vector | None, embedder: Embedder | None) -> dict[str, str]:
    if vector is None or embedder is None:
        return {}
    return {embedder.name: base64.b64encode(vector.astype("<f2").tobytes()).decode()}


def _unpacked(text: str) -> Vector:
    import numpy as np

    vector = np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


@dataclass(frozen=True, slots=True)
class _SharedCopy:
    """The copy in the cache. `known_at`: when it was last compared with the records."""

    known_at: float
    rows: tuple[_Row, ...]


class _SharedTerms:
    """Reads and writes the copy in the cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def refresh(self, rows: Sequence[_Row], now: float) -> bool:
        """Writes the copy if it has changed or aged; returns whether it did. A cache that is down is ignored."""
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:24]
        with suppress(StoreUnavailable):
            head = await self._cache.get(HEAD) or {}
            same = head.get("digest") == digest
            if same and now - head["known_at"] < REFRESH_S:
                return False
            pages = [rows[start : start + PER_PAGE] for start in range(0, len(rows), PER_PAGE)]
            written_at = head["written_at"] if same and now - head["written_at"] < REWRITE_S else now
            if written_at == now:
                for number, page in enumerate(pages):
                    await self._cache.put(_page(digest, number), page, KEPT_S + REWRITE_S)
            await self._cache.put(HEAD, {"digest": digest, "pages": len(pages), "known_at": now, "written_at": written_at}, KEPT_S)
            return True
        return False

    async def find(self) -> _SharedCopy | None:
        """The copy; None if there is none or it is incomplete. Raises StoreUnavailable if the cache is down."""
        head = await self._cache.get(HEAD)
        if head is None:
            return None
        rows: list[_Row] = []
        for number in range(head["pages"]):
            page = await self._cache.get(_page(head["digest"], number))
            if page is None:
                return None
            rows += map(tuple, page)
        return _SharedCopy(head["known_at"], tuple(rows))

    async def forget(self) -> None:
        """Deletes the copy. Raises StoreUnavailable if the cache is down."""
        await self._cache.delete(HEAD)


def _page(digest: str, number: int) -> str:
    return f"{HEAD}:{digest}:{number}"
