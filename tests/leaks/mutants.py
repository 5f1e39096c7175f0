"""Houses in which one check is missing. Each is a defect that somebody could make in a line, and that the suite must find."""

from __future__ import annotations

import inspect
import logging
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import footnote_http.app
from footnote.adapters import index_sqlite, ledger_sqlite, ledger_sqlite_writes
from footnote.adapters.index_sqlite import SqliteIndex
from footnote.adapters.store_sqlite import SqliteTurnStore
from footnote.bootstrap import Core
from footnote.guard import identity
from footnote.ingest.sources import Sources
from footnote.learn.meter import LogMeter
from footnote.types import Caller
from tests.leaks import world
from tests.leaks.world import PEOPLE

Change = Callable[[Any], Any]
Mutant = tuple[tuple[Any, str, Change], ...]


def calling_as(turn: Callable[[Caller], Caller]) -> Change:
    """The function gets another caller than it was given."""

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
    """The function does nothing but this."""

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


def _told(original: Any) -> Any:
    def turn(self: LogMeter, turn: Any, now: float) -> None:
        original(self, turn, now)
        logging.getLogger("footnote").warning("answered: %s", turn.answer)

    return turn


MUTANTS: Mapping[str, Mutant] = {
    "a search sees all": ((index_sqlite, "_visible_acls", giving(None)),),
    "a passage is read without its groups": ((index_sqlite, "_visible_rows", sees_all), (index_sqlite, "_visible_acls", giving(None))),
    "a document is read without its groups": ((ledger_sqlite_writes, "get", sees_all),),
    "documents are listed without their groups": ((ledger_sqlite, "_list", sees_all),),
    "collections count without groups": ((ledger_sqlite, "_readable", sees_all),),
    "everybody may read everything": ((Caller, "may_read", giving(True)),),
    "a request gives itself groups": (
        (Caller, "narrowed", lambda _: lambda self, groups: replace(self, groups=self.groups | set(groups))),
    ),
    "a session has all groups": (
        (identity, "make_caller", lambda made: lambda session: replace(made(session), groups=frozenset({"red", "blue"}))),
    ),
    "a session is the local user": ((identity, "make_caller", giving(identity.LOCAL)),),
    "a closed session is good": ((world, "close_session", giving(None)), (identity, "close_session", giving(None))),
    "a turn is read without its owner": ((SqliteTurnStore, "get", sees_all),),
    "rooms are read without their owner": ((SqliteTurnStore, "room", is_neighbour),),
    "a room's list is another's": ((SqliteTurnStore, "rooms", is_neighbour),),
    "an export is another's": ((SqliteTurnStore, "all_of", is_neighbour),),
    "history is another's": ((SqliteTurnStore, "history", is_neighbour),),
    "figures are everybody's": ((SqliteTurnStore, "records", is_admin),),
    "what was removed answers": ((SqliteIndex, "remove", giving(None)),),
    "what was replaced answers too": ((SqliteIndex, "activate", giving(True)),),
    "files are read without their groups": ((Sources, "original", sees_all), (Sources, "text", sees_all)),
    "questions are suggested without groups": ((Core, "collections", sees_all),),
    "admins are all": ((footnote_http.app, "admin_of", giving(None)),),
    "nothing is found": ((index_sqlite, "_visible_acls", giving(frozenset())),),
    "answers are logged": ((LogMeter, "turn", _told),),
}


def chosen(names: Mapping[str, Mutant], count: int) -> list[str]:
    """Some of them, others every day; all with FOOTNOTE_DEEP=1."""
    if os.environ.get("FOOTNOTE_DEEP") == "1":
        return list(names)
    seed = os.environ.get("FOOTNOTE_SEED") or time.strftime("%Y-%m-%d")
    return sorted(random.Random(seed).sample(sorted(names), count))
