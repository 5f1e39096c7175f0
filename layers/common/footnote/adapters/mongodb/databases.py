"""The two databases in MongoDB 4.4 or newer: connection, indexes, a second try, errors.

A connection may have died unnoticed, as those of a frozen Lambda do. What finds it dead is done once more: by the driver
(writes, where the server has sessions) or else here. The client belongs to the event loop of its first use.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from footnote.errors import StoreUnavailable

if TYPE_CHECKING:
    from pymongo import AsyncMongoClient
    from pymongo.asynchronous.collection import AsyncCollection
    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.errors import AutoReconnect

P = ParamSpec("P")
R = TypeVar("R")
Document = dict[str, Any]

CONNECT_MS = 2_000
REPLY_MS = 2_000  # two tries end within the time that a pipeline gives to saving a turn
SOON_S, AWAY_S = 0.75, 5.0  # a turn asks several times: for so long after a wait in vain, others wait less
IDLE_MS = 60_000  # routers forget a silent connection after some minutes, without telling
EXPIRY = "by_expiry"  # MongoDB deletes what is past that date, within a minute or so
# With `_id`, the first holds all that a list of rooms is made from.
INDEXES: dict[str, tuple[str, ...]] = {
    "by_room": ("user_id", "room_id", "started_at", "number", "_id"),
    "by_time": ("started_at", "number"),
    EXPIRY: ("expires_at",),
}
REFUSED = frozenset({13, 18, 8000})  # Unauthorized, AuthenticationFailed, and what Atlas says for either
UNREACHABLE = "MongoDB cannot be reached. Check DB__URI, or DB__HOST and DB__PORT, and that the server lets this machine in."
UNUSABLE = "The address of MongoDB cannot be used. Check DB__URI, or DB__HOST and DB__PORT; the server must be MongoDB 4.4 or newer."


class Opened(NamedTuple):
    turns: AsyncCollection[Document]
    statistics: AsyncDatabase[Document]


class Databases:
    """`name` has the conversations, `statistics` the roll-ups. What is set here stands before what `address`, a MongoDB
    URI, says of time-outs, retries and writes."""

    def __init__(self, address: str, name: str, statistics: str) -> None:
        self._address = address
        self._name = name
        self._statistics = statistics
        self._client: AsyncMongoClient[Document] | None = None
        self._connecting = asyncio.Lock()
        self._indexed = False
        self._away_until = 0.0
        self._working: set[asyncio.Future[Any]] = set()

    async def run(self, work: Callable[Concatenate[Opened, P], Awaitable[R]], *args: P.args, **kwargs: P.kwargs) -> R:
        """`work(opened, …)`, which may be done twice. It ends by itself, also where its caller is cancelled meanwhile: a driver
        that is cancelled while it looks for a server loses its lock, and then never finds one again."""
        async with self._connecting:  # two first calls at once make one client
            if self._client is None:
                self._client = await asyncio.to_thread(_connect, self._address)
        client = self._client

        async def attempt() -> R:
            opened = Opened(client[self._name]["conversations"], client[self._statistics])
            await self._make_indexes(opened)
            return await work(opened, *args, **kwargs)

        task = asyncio.ensure_future(self._try(attempt))
        self._working.add(task)
        task.add_done_callback(self._finished)
        soon = asyncio.get_running_loop().time() < self._away_until
        done, _ = await asyncio.wait({task}, timeout=SOON_S if soon else None)
        if not done:
            raise StoreUnavailable(UNREACHABLE)
        return task.result()

    async def _try(self, attempt: Callable[[], Awaitable[R]]) -> R:
        from bson.errors import BSONError
        from pymongo.errors import AutoReconnect, ConnectionFailure, PyMongoError

        try:
            try:
                done = await attempt()
            except AutoReconnect as exc:
                if _is_final(exc):
                    raise
                done = await attempt()
            self._away_until = 0.0
            return done
        except (PyMongoError, BSONError) as exc:
            if isinstance(exc, ConnectionFailure):
                self._away_until = asyncio.get_running_loop().time() + AWAY_S
            raise StoreUnavailable(_told(exc)) from exc

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._working.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be there any more to see it

    async def _make_indexes(self, opened: Opened) -> None:
        """Once per process. Not under the lock: while the server is away, nobody waits for another's time-out."""
        from pymongo import IndexModel

        if not self._indexed:
            options: Document = {EXPIRY: {"expireAfterSeconds": 0}}
            await opened.turns.create_indexes([IndexModel(fields, name=name, **options.get(name, {})) for name, fields in INDEXES.items()])
            self._indexed = True

    async def close(self) -> None:
        if self._working:
            await asyncio.wait(self._working)
        if self._client is not None:
            await self._client.close()
            self._client = None


def _connect(address: str) -> AsyncMongoClient[Document]:
    from pymongo import AsyncMongoClient
    from pymongo.errors import ConfigurationError

    try:
        return AsyncMongoClient(
            address,
            appname="footnote",
            serverSelectionTimeoutMS=CONNECT_MS,
            connectTimeoutMS=CONNECT_MS,
            socketTimeoutMS=REPLY_MS,
            maxIdleTimeMS=IDLE_MS,
            w="majority",
            retryWrites=True,
            retryReads=False,
        )
    except (ConfigurationError, ValueError, TypeError) as exc:
        raise StoreUnavailable(UNUSABLE) from exc


def _is_final(exc: AutoReconnect) -> bool:
    """No server was there for as long as we wait, or the driver has tried twice already."""
    from pymongo.errors import ServerSelectionTimeoutError

    return isinstance(exc, ServerSelectionTimeoutError) or exc.has_error_label("RetryableWriteError")


def _told(exc: Exception) -> str:
    """What we say of the driver's errors. Its own words stay out: they name hosts."""
    from pymongo import errors

    match exc:
        case errors.DocumentTooLarge():
            return "The turn is larger than a document of MongoDB may be (16 MB)."
        case errors.InvalidName():
            return "A database of MongoDB cannot have that name. Check DB__NAME and DB__STATISTICS."
        case errors.ConfigurationError():
            return UNUSABLE
        case errors.ConnectionFailure():
            return UNREACHABLE
        case errors.OperationFailure() if exc.code in REFUSED:
            return "MongoDB refused the user. Check the name and password in DB__URI, and the rights to DB__NAME and DB__STATISTICS."
        case errors.OperationFailure():
            return f"MongoDB could not do what was asked (code {exc.code}). Check its log and its disk space."
    return "MongoDB could not do what was asked."
