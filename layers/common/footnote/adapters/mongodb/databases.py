"""The two databases in MongoDB 4.4 or newer: connection, indexes, one retry, errors.

A connection may be dead without notice, as after a Lambda was frozen. An operation that finds it dead is repeated once: by
the driver (writes, if the server has sessions) or else here, because the driver repeats nothing on a server without
sessions. The client belongs to the event loop of its first use.
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
"""A document, query or update of MongoDB."""

CONNECT_MS = 2_000
REPLY_MS = 2_000  # two tries fit into the time limit for saving a turn
SOON_S, AWAY_S = 0.75, 5.0  # for AWAY_S after a connection failed, calls wait only SOON_S: a turn makes several
IDLE_MS = 60_000  # routers drop idle connections silently after some minutes
EXPIRY = "by_expiry"  # MongoDB deletes documents past that date within about a minute
# With `_id`, the first index covers the list of rooms.
INDEXES: dict[str, tuple[str, ...]] = {
    "by_room": ("user_id", "room_id", "started_at", "number", "_id"),
    "by_time": ("started_at", "number"),
    "by_outcome": ("outcome", "started_at"),
    "by_rating": ("rated_at",),
    EXPIRY: ("expires_at",),
}
OF_ROOMS: dict[str, tuple[str, ...]] = {"by_room": ("user_id", "room_id"), EXPIRY: ("expires_at",)}
"""The indexes of checkpoints."""
REFUSED = frozenset({13, 18, 8000})  # Unauthorized, AuthenticationFailed, and Atlas's code for both
UNREACHABLE = "MongoDB cannot be reached. Check DB__URI, or DB__HOST and DB__PORT, and that the server allows connections from here."
UNUSABLE = "The address of MongoDB is invalid. Check DB__URI, or DB__HOST and DB__PORT; the server must be MongoDB 4.4 or newer."


class Opened(NamedTuple):
    """The connected collection of turns and the database of statistics."""

    turns: AsyncCollection[Document]
    statistics: AsyncDatabase[Document]


class Databases:
    """The connection. `name`: database of the conversations; `statistics`: of the roll-ups. Time limits, retries and write
    concern are set here and override those in `address`, a MongoDB URI."""

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
        """Runs `work(opened, …)`, possibly twice. It runs to its end even if the caller is cancelled: a driver that is cancelled
        while it selects a server loses its lock and never finds one again."""
        async with self._connecting:  # concurrent first calls share one client
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
            raise StoreUnavailable(_detail(exc)) from exc

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._working.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved: the caller may be gone

    async def _make_indexes(self, opened: Opened) -> None:
        """Once per process. Without the lock: while the server is away, calls must not wait for each other's time-outs."""
        from pymongo import IndexModel

        if not self._indexed:
            options: Document = {EXPIRY: {"expireAfterSeconds": 0}, "by_rating": {"sparse": True}}
            wanted = {opened.turns: INDEXES, opened.turns.database["checkpoints"]: OF_ROOMS}
            await asyncio.gather(
                _move_shares(opened.turns.database),
                *(
                    collection.create_indexes([IndexModel(fields, name=name, **options.get(name, {})) for name, fields in indexes.items()])
                    for collection, indexes in wanted.items()
                ),
            )
            self._indexed = True

    async def close(self) -> None:
        """Waits for the operations under way and closes the connections."""
        if self._working:
            await asyncio.wait(self._working)
        if self._client is not None:
            await self._client.close()
            self._client = None


async def _move_shares(database: AsyncDatabase[Document]) -> None:
    """Moves links to conversations that an earlier version kept in a collection of their own into the records, which `memory.shares`
    reads. Several processes may do so at once: a record that is there, or was deleted, stays as it is."""
    async for link in database["shares"].find():
        for key in (f"{link['user_id']}/{link['_id']}", link["_id"]):
            fields = {"kind": "share", "key": key, "value": link["share"], "changed_by": link["user_id"]}
            record = {**fields, "changed_at": link["share"]["created_at"], "version": 1}
            await database["records"].update_one({"_id": f"share\0{key}"}, {"$setOnInsert": record}, upsert=True)
        await database["shares"].delete_one({"_id": link["_id"]})


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
    """No server was found within the time limit, or the driver has already tried twice."""
    from pymongo.errors import ServerSelectionTimeoutError

    return isinstance(exc, ServerSelectionTimeoutError) or exc.has_error_label("RetryableWriteError")


def _detail(exc: Exception) -> str:
    """A message for an error of the driver. The driver's own text is left out, since it names hosts."""
    from pymongo import errors

    match exc:
        case errors.DocumentTooLarge():
            return "The turn is larger than MongoDB allows (16 MB)."
        case errors.InvalidName():
            return "The name of a MongoDB database is invalid. Check DB__NAME and DB__STATISTICS."
        case errors.ConfigurationError():
            return UNUSABLE
        case errors.ConnectionFailure():
            return UNREACHABLE
        case errors.OperationFailure() if exc.code in REFUSED:
            return "MongoDB rejected the user. Check the name and password in DB__URI, and the permissions on DB__NAME and DB__STATISTICS."
        case errors.OperationFailure():
            return f"MongoDB rejected an operation (code {exc.code}). Check its log and its disk space."
    return "A MongoDB operation failed."
