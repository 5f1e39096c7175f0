"""`AsyncLibrary`: a folder of documents in a program with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from footnote.bootstrap import Core
from footnote.errors import BadRequest, Rejected
from footnote.guard.identity import LOCAL
from footnote.library.asking import make_turn
from footnote.library.files import Given, take_in
from footnote.library.views import Answer, Hit, Ingested, answer_of, hits_of, ingested_of
from footnote.library.worker import SharedWorker
from footnote.plan import limit_of
from footnote.text.surrogates import repair
from footnote.types import Caller, Profile, Turn

R = TypeVar("R")

PROFILE = Profile("library", live=False, citation_style="numbered", prompt="answer_numbered")
MOST_HITS = 100
"""Passages that one search may return."""


class AsyncLibrary:
    """A folder of documents that answers questions. Get one by `async with footnote.open(folder) as library`, or by
    `await footnote.open(folder)`, and then close it. One library serves any number of tasks of its event loop; several processes may
    use one folder at a time, also beside a server.

    Methods raise a `footnote.errors.FootnoteError`, whose `detail` says what is wrong and what to do. In all of them, `collection` is the
    name of a part of the folder that is searched by itself; None = the default one (`INDEX_NAME`)."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def ask(self, question: str, *, collection: str | None = None, groups: Iterable[str] | None = None) -> Answer:
        """Answers a question from the documents, and cites them.

        `groups`: answers only from what members of these permission groups may read, such as the groups of the person who asks; [] = only
        what everyone may read; None = all. NotFound if there is no such collection."""
        return await self._do(self._ask(question, collection, groups))

    async def search(self, query: str, *, limit: int = 5, collection: str | None = None, groups: Iterable[str] | None = None) -> list[Hit]:
        """The passages that fit best, best first, at most `limit` of 1 to 100. `groups`: as in `ask`. Rejected if a check refuses the
        query, such as a forbidden term."""
        if not 1 <= limit <= MOST_HITS:
            raise BadRequest(f"limit must be 1 to {MOST_HITS}, not {limit}.")
        return await self._do(self._search(query, limit, collection, groups))

    async def ingest(
        self,
        source: str | PathLike[str] | bytes,
        *,
        name: str | None = None,
        collection: str | None = None,
        groups: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Ingested:
        """Adds a folder with all that is in it, a file, or bytes with a `name`, and waits until each document can be found or has failed.
        A file of the same name replaces the one before; an unchanged one costs nothing.

        A file that cannot be read raises nothing: the result tells which failed, why, and what to do. `groups`: who may read the
        documents; none = everyone. `metadata`: fields of every document; `url` is the address that citations lead to. BadRequest if there
        is no such file or folder."""
        return await self._do(self._ingest(_given(source, name), collection, _checked(groups), metadata))

    async def close(self) -> None:
        """Ends what is running, and closes files and processes. A closed library stays closed; closing it again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._core.close()

    async def _do(self, work: Coroutine[Any, Any, R]) -> R:
        """The result of `work`. BadRequest if the library is closed, or is closed meanwhile."""
        if self._is_closed:
            work.close()
            raise_closed()
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled() and self._is_closed:
                raise_closed()
            raise

    async def _ask(self, question: str, collection: str | None, groups: Iterable[str] | None) -> Answer:
        turn = await self._turn(question, collection, groups, limit_of(PROFILE, self._core.settings))
        return answer_of(await self._core.answer.finish(turn), self._core.settings.public_url)

    async def _search(self, query: str, limit: int, collection: str | None, groups: Iterable[str] | None) -> list[Hit]:
        turn = await self._core.retrieve.finish(await self._turn(query, collection, groups, limit))
        if turn.outcome in ("forbidden", "blocked"):
            raise Rejected(answer_of(turn, None).text)
        return hits_of(turn, self._core.settings.public_url)

    async def _ingest(
        self, source: Path | Given, collection: str | None, groups: list[str], metadata: Mapping[str, Any] | None
    ) -> Ingested:
        core, worker = self._core, SharedWorker(self._core)
        try:
            await core.refresh(prompts=False)
            await worker.start()
            collection = collection or core.settings.index_name
            report = await take_in(core, [source], collection=collection, groups=groups, progress=_ignore, metadata=metadata, worker=worker)
            await worker.wait_for_vectors(_ignore)
            return ingested_of(report, worker.trouble)
        finally:
            await worker.stop()

    async def _turn(self, question: str, collection: str | None, groups: Iterable[str] | None, limit: int) -> Turn:
        if not question.strip():
            raise BadRequest("The question is empty.")
        caller = LOCAL if groups is None else Caller(LOCAL.user_id, frozenset(_checked(groups)))
        return await make_turn(self._core, repair(question), collection, caller, PROFILE, limit=limit)


def raise_closed() -> NoReturn:
    """BadRequest."""
    raise BadRequest("This library is closed. Open the folder again with footnote.open.")


def _given(source: str | PathLike[str] | bytes, name: str | None) -> Path | Given:
    if isinstance(source, bytes):
        if name is None:
            raise BadRequest("Give the bytes a name, from which title and format are known: ingest(data, name='report.pdf').")
        return Given(name, source)
    if name is not None:
        raise BadRequest("A name is for bytes only: files keep their own.")
    return Path(source)


def _checked(groups: Iterable[str]) -> list[str]:
    if isinstance(groups, str):
        raise BadRequest(f"groups must be a list of names, such as [{groups!r}], not one string.")
    return list(groups)


def _ignore(done: int, total: int) -> None:
    """Nobody watches the progress."""
