"""Every port method that reads data for users takes the caller, without a default."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

import pytest

from footnote.adapters.mongodb.feedback import MongoFeedbackStore
from footnote.adapters.mongodb.statistics import MongoStatisticsStore
from footnote.adapters.mongodb.turns import MongoTurnStore
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.sqlite.feedback import SqliteFeedbackStore
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.adapters.sqlite.turns import SqliteTurnStore
from footnote.ingest.sources import Sources
from footnote.ledger import Documents
from footnote.ports import FeedbackStore, Index, Ledger, StatisticsStore, TurnStore
from footnote.types import Caller, Turn

NOBODYS: dict[type[Any], set[str]] = {
    Index: set(),
    Ledger: set(),
    # Writes: the turn, or its figures, hold its user.
    TurnStore: {"save"},
    FeedbackStore: set(),
    StatisticsStore: {"put_rollups"},
}
"""Port → methods without a caller."""
BACKENDS = {
    Index: (SqliteIndex, OpenSearchIndex),
    Ledger: (Documents,),
    TurnStore: (SqliteTurnStore, MongoTurnStore),
    FeedbackStore: (SqliteFeedbackStore, MongoFeedbackStore),
    StatisticsStore: (SqliteStatisticsStore, MongoStatisticsStore),
}
METHODS = [
    pytest.param(getattr(kind, name), id=f"{kind.__name__}.{name}")
    for port, kinds in BACKENDS.items()
    for kind in (port, *kinds)
    for name, _ in inspect.getmembers(port, inspect.isfunction)
    if not name.startswith("_") and name not in NOBODYS[port]
]


@pytest.mark.parametrize("method", METHODS)
def test_every_read_requires_a_caller(method: Callable[..., Any]) -> None:
    _, caller, *_ = inspect.signature(method).parameters.values()
    assert caller.name == "caller"
    assert caller.default is inspect.Parameter.empty
    assert str(caller.annotation) == "Caller"


@pytest.mark.parametrize("port", NOBODYS, ids=lambda port: port.__name__)
def test_the_listed_exceptions_exist(port: type[object]) -> None:
    assert {name for name in NOBODYS[port] if not hasattr(port, name)} == set()


def test_every_method_that_reads_a_file_takes_a_caller() -> None:
    ways = [getattr(Sources, name) for name in ("original", "link", "text", "passage", "chunk")]
    assert [list(inspect.signature(way).parameters)[1] for way in ways] == ["caller"] * 5


def test_a_turn_requires_a_caller() -> None:
    (caller,) = [each for each in fields(Turn) if each.name == "caller"]
    assert caller.default is MISSING
    assert caller.default_factory is MISSING
    assert get_type_hints(Caller)["groups"] == frozenset[str]


def test_a_caller_without_groups_reads_only_public_documents() -> None:
    nobody = Caller("nobody")
    assert [nobody.may_read(frozenset(groups)) for groups in ((), ("staff",), ("user:nobody",), ("*",))] == [False, False, False, True]


def test_a_document_without_groups_is_readable_by_no_one() -> None:
    assert not Caller("local", sees_all=True, role="admin").may_read(frozenset())
