"""Mutants of the code in which one check is missing. Each is a one-line defect that the suite must find."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import pytest

from footnote.adapters.sqlite import index
from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.feedback import SqliteFeedbackStore
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.adapters.sqlite.vector_store import Scan
from footnote.bootstrap import Core
from footnote.collections import Directory, attachments, visible
from footnote.collections.attachments import Attachments
from footnote.guard import identity
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.sources import Sources
from footnote.ledger import Documents, documents
from footnote.memory import answer_cache, search_cache, withdrawn
from footnote.memory import shares as stored_shares
from footnote.memory.shares import SharedAnswer
from footnote.retrieve import attached
from footnote.telemetry import metrics
from footnote.types import ATTACHED, Caller
from footnote_http.streams import Stream, Streams
from footnote_query import graph, replay, sessions, shares
from footnote_query.dialects import dify
from footnote_query.dialects.chat_core import routes as chat_core
from tests.leaks.world import PEOPLE

Change = Callable[[Any], Any]
Mutant = tuple[tuple[Any, str, Change], ...]


def seed(monkeypatch: pytest.MonkeyPatch, mutant: Mutant) -> None:
    """Puts the defect into the code until the test ends."""
    for owner, attribute, change in mutant:
        monkeypatch.setattr(owner, attribute, change(getattr(owner, attribute)))


def calling_as(turn: Callable[[Caller], Caller]) -> Change:
    """The function is called with a different caller."""

    def change(original: Any) -> Any:
        @wraps(original)
        def called(*args: Any, **options: Any) -> Any:
            args = tuple(turn(arg) if isinstance(arg, Caller) else arg for arg in args)
            return original(*args, **{name: turn(value) if isinstance(value, Caller) else value for name, value in options.items()})

        return called

    return change


def _neighbour(caller: Caller) -> Caller:
    if caller.user_id not in PEOPLE:
        return caller
    return replace(caller, user_id=PEOPLE[(PEOPLE.index(caller.user_id) + 1) % len(PEOPLE)])


def giving(value: Any) -> Change:
    """The function is replaced by this."""

    def change(original: Any) -> Any:
        if inspect.iscoroutinefunction(original):

            async def gives(*args: Any, **options: Any) -> Any:
                return value

            return gives
        return lambda *args, **options: value

    return change


sees_all = calling_as(lambda caller: replace(caller, sees_all=True))
is_admin = calling_as(lambda caller: replace(caller, role="admin"))
is_neighbour = calling_as(_neighbour)


def _logging_answers(original: Any) -> Any:
    def metrics_of(turn: Any, now: float) -> Any:
        logging.getLogger("footnote").warning("answered: %s", turn.answer)
        return original(turn, now)

    return metrics_of


def _by_user(made: Any) -> Any:
    """The caller as of their first request."""
    known: dict[str, Caller] = {}
    return lambda session: known.setdefault(session.user_id, made(session))


def _for_all(scope: Any) -> Any:
    return lambda *args: {**scope(*args), "readers": ""}


def _without_groups(original: Any) -> Any:
    """Removes the groups from the cache keys of suggested questions."""

    @wraps(original)
    async def called(self: SqliteCache, key: str, *args: Any) -> Any:
        return await original(self, ":".join(key.split(":")[:3]) if key.startswith("questions-") else key, *args)

    return called


def _as_it_was(original: Any) -> Any:
    return lambda record, chunks: SharedAnswer(record["result"]["final_response"], withheld="part")


async def _as_it_was_stored(records: Any, *_: Any, **__: Any) -> withdrawn.Readable:
    return withdrawn.Readable(records, {})


def readable_by_all(original: Any) -> Any:
    async def all_of(chunk_ids: Any) -> frozenset[str]:
        return frozenset(chunk_ids)

    return lambda turn, index: all_of


def _attached_for_all(original: Any) -> Any:
    async def groups(self: Ingestor, caller: Caller, stored: str, wanted: list[str]) -> frozenset[str]:
        return frozenset({"*"}) if stored == ATTACHED else await original(self, caller, stored, wanted)

    return groups


def _as_stored(original: Any) -> Any:
    return lambda self, name: ATTACHED if name == ATTACHED else original(self, name)


def _of_the_user(original: Any) -> Any:
    return lambda user_id, room_id: original(user_id, "")


MUTANTS: Mapping[str, Mutant] = {
    "a search sees all": ((index, "_visible_acls", giving(None)),),
    "a search by words sees all": ((index, "_lexical", lambda search: lambda at, k, s, acls, g: search(at, k, s, None, g)),),
    "a search by meaning sees all": ((Scan, "mask", lambda mask: lambda self, acls, levels: mask(self, None, levels)),),
    "neither a search nor the gate behind it asks for groups": (
        (SqliteIndex, "read", sees_all), (index, "_visible_acls", giving(None)),
    ),
    "what a graph finds is shown to everybody": ((SqliteIndex, "read", sees_all),),
    "the graph of a passage is shown to everybody": ((graph, "neighbourhood", sees_all),),
    "neither passages nor what is built of them asks for groups": (
        (Documents, "get", sees_all), (SqliteIndex, "read", sees_all), (index, "_built", sees_all),
    ),
    "a document is read without its groups": ((Documents, "get", sees_all),),
    "a document is deleted without its groups": ((Documents, "delete", sees_all),),
    "documents are listed without their groups": ((Documents, "list", sees_all),),
    "deleted documents are listed without their groups": ((Documents, "deleted", sees_all),),
    "a document is restored without its groups": ((Documents, "find_deleted", sees_all),),
    "collections count without groups": ((Documents, "collections", sees_all),),
    "a collection is there for everybody": ((dify, "has_collection", giving(True)),),
    "everybody may read everything": ((Caller, "may_read", giving(True)),),
    "a request gives itself groups": (
        (Caller, "narrowed", lambda _: lambda self, groups: replace(self, groups=self.groups | set(groups))),
    ),
    "a session has all groups": (
        (identity, "make_caller", lambda made: lambda session: replace(made(session), groups=frozenset({"red", "blue"}))),
    ),
    "a session is the local user": ((identity, "make_caller", giving(identity.LOCAL)),),
    "a user's first groups are theirs for good": ((identity, "make_caller", _by_user),),
    "everybody is an admin": ((identity, "make_caller", lambda made: lambda session: replace(made(session), role="admin")),),
    "a session that was closed is good": ((sessions, "close_session", giving(None)),),
    "users are who they say": ((chat_core, "as_user", lambda _: lambda caller, name: replace(caller, user_id=name or caller.user_id)),),
    "a turn is read without its owner": ((SqliteTurnStore, "get", sees_all),),
    "a room is read without its owner": ((SqliteTurnStore, "room", is_neighbour),),
    "the list of rooms is another's": ((SqliteTurnStore, "rooms", is_neighbour),),
    "an export is another's": ((SqliteTurnStore, "all_of", is_neighbour),),
    "history is another's": ((SqliteTurnStore, "history", is_neighbour),),
    "figures are everybody's": ((SqliteStatisticsStore, "figures", is_admin),),
    "hints are from another's ratings": ((SqliteFeedbackStore, "rated", is_neighbour),),
    "feedback is taken on any turn": ((SqliteFeedbackStore, "put", sees_all),),
    "a stream is anybody's": ((Streams, "find", lambda _: lambda self, trace_id, user_id: self._streams.get(trace_id)),),
    "a stream that ended is replayed whatever it quotes": ((Stream, "ended", lambda _: None),),
    "what was removed answers": ((SqliteIndex, "remove", giving(None)),),
    "turns quote what was withdrawn": ((withdrawn, "_withheld", lambda _: lambda record: record),),
    "a replay shows what was withdrawn": ((replay, "read_again", lambda _: _as_it_was_stored),),
    "a withdrawn turn keeps its verdict": (
        (withdrawn, "_withheld", lambda withheld: lambda record: withheld(record) | {"verdict": record.get("verdict")}),
    ),
    "turns quote what earlier ones quoted": ((withdrawn, "quoted_in", lambda _: lambda record: record["hits"]),),
    "a link shows what its owner may read": ((shares, "read_shared", sees_all),),
    "a link shows the words between the sentences that are its reader's": ((stored_shares, "_quoted_again", _as_it_was),),
    "a link shows what a model wrote from what its reader may not read": (
        (stored_shares, "quoted_in", lambda quoted: lambda record: quoted(record) if record["extractive"] else []),
    ),
    "a link that was deleted opens its conversation": ((shares, "end_share", giving(None)),),
    "links are anybody's to delete": ((shares, "valid_shares", is_neighbour),),
    "searches are kept without their groups": ((search_cache, "search_scope", _for_all),),
    "answers are kept without their groups": ((answer_cache, "answer_scope", _for_all),),
    "all see the same of a collection": (
        (index, "_read_view", lambda view: lambda *args: replace(view(*args), groups=frozenset())),
    ),
    "answers are kept without their groups, and given unread": (
        (answer_cache, "answer_scope", _for_all), (SqliteIndex, "read", sees_all),
    ),
    "suggested questions are kept without their groups": ((SqliteCache, "get", _without_groups), (SqliteCache, "put", _without_groups)),
    "collections are suggested from without groups": ((Core, "list_collections", sees_all),),
    "attached files are everybody's": ((Ingestor, "check_groups", _attached_for_all),),
    "attached files are found by all conversations of their user": (
        (attachments, "conversation_key", _of_the_user), (attached, "conversation_key", _of_the_user),
    ),
    "attached files are documents like others": ((visible, "ATTACHED", lambda _: ""), (documents, "ATTACHED", lambda _: "")),
    "attached files outlive their conversation": ((Attachments, "end", giving(None)),),
    "a name leads to attached files": ((Directory, "resolve", _as_stored),),
    "files are read without their groups": ((Sources, "original", sees_all), (Sources, "text", sees_all)),
    "nothing is found": ((index, "_visible_acls", giving(frozenset())),),
    "what is new does not answer": ((SqliteIndex, "activate", giving(True)),),
    "answers are logged": ((metrics, "metrics_of", _logging_answers),),
}  # fmt: skip
