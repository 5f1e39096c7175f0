"""`Library`: a folder of documents in a program without an event loop. These are the only sync forms in Footnote."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from os import PathLike
from typing import Any, Self, TypeVar

from footnote.errors import BadRequest
from footnote.library.async_library import AsyncLibrary, raise_closed
from footnote.library.opening import make_settings, open_core
from footnote.library.views import Answer, Hit, Ingested

R = TypeVar("R")


class Library:
    """A folder of documents that answers questions. Close it, or use it in `with`; it serves any number of threads.

    Its methods are those of `AsyncLibrary`, run in an event loop in a thread of its own. `async with` or `await` gives that one instead.
    So there is one name to know, `footnote.open`, and the word before it says which form is meant, as with files and locks in Python
    itself. Where an event loop runs, the sync forms would block it: they raise BadRequest."""

    def __init__(self, folder: str | PathLike[str], settings: Mapping[str, Any]) -> None:
        logging.getLogger("footnote").addHandler(logging.NullHandler())  # silent unless the program configures logging
        self._library = AsyncLibrary(open_core(make_settings(folder, settings)))
        self._loop: _Loop | None = None
        self._starting = threading.Lock()
        self._is_closed = False

    def ask(self, question: str, *, collection: str | None = None, groups: Iterable[str] | None = None) -> Answer:
        """As `AsyncLibrary.ask`."""
        return self._run(lambda library: library.ask(question, collection=collection, groups=groups))

    def search(self, query: str, *, limit: int = 5, collection: str | None = None, groups: Iterable[str] | None = None) -> list[Hit]:
        """As `AsyncLibrary.search`."""
        return self._run(lambda library: library.search(query, limit=limit, collection=collection, groups=groups))

    def ingest(
        self,
        source: str | PathLike[str] | bytes,
        *,
        name: str | None = None,
        collection: str | None = None,
        groups: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Ingested:
        """As `AsyncLibrary.ingest`."""
        return self._run(lambda library: library.ingest(source, name=name, collection=collection, groups=groups, metadata=metadata))

    def close(self) -> None:
        """As `AsyncLibrary.close`."""
        if not self._is_closed:
            self._run(lambda library: library.close())
            with self._starting:
                self._is_closed = True
                if self._loop is not None:
                    self._loop.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __await__(self) -> Generator[Any, None, AsyncLibrary]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> AsyncLibrary:
        if self._is_closed:
            raise_closed()
        if self._loop is not None:
            raise BadRequest("This library is in use by its sync forms. Open the folder once more for `async with`.")
        return self._library

    async def __aexit__(self, *_: object) -> None:
        await self._library.close()
        self._is_closed = True

    def _run(self, work: Callable[[AsyncLibrary], Coroutine[Any, Any, R]]) -> R:
        """BadRequest where an event loop is running, or if the library is closed."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise BadRequest(
                "An event loop is running here, which this call would block."
                " Use `async with footnote.open(…) as library`, or in a notebook `library = await footnote.open(…)`,"
                " and then `await library.ask(…)`."
            )
        with self._starting:
            if self._is_closed:
                raise_closed()
            loop = self._loop = self._loop or _Loop()
        return loop.run(work(self._library))


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="footnote", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """The result of `work`, which Ctrl-C cancels."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def stop(self) -> None:
        """Ends the loop and its threads."""
        self.run(self._loop.shutdown_asyncgens())
        self.run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
