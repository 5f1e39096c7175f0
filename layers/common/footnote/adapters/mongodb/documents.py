"""What the documents of MongoDB hold, and how they are read."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any, cast

from footnote.adapters.mongodb.databases import Document
from footnote.ports import Rollup
from footnote.turn_records.figures import figures_of
from footnote.turn_records.tallies import dump, load
from footnote.types import Caller, Feedback, Tally, TurnFigures, TurnRecord

# Beside a record's fields: the trace again, seconds since the epoch, the order of turns of one moment, feedback by user, when the
# last of it was given, whether the turn is in the statistics, and when MongoDB may delete it.
OURS = frozenset({"_id", "started_at", "number", "feedback", "rated_at", "counted", "expires_at"})
FIGURES_FIELDS: Document = {
    "conversations": {"$slice": 2},  # the question is the first message, or the second after a system prompt
    "result.references.chunk_id": 1,
    "hits.doc_id": 1,
    "leans_on.doc_id": 1,
    "result.usage": 1,
    "private.search_cache.hits": 1,
    "started_at": 1,
    "collection": 1,
    "lang": 1,
    **dict.fromkeys(
        (
            "trace_id",
            "user_id",
            "room_id",
            "search_type",
            "llm",
            "latency_ms",
            "outcome",
            "is_error",
            "created_at",
            "feedback",
            "collection",
        ),
        1,
    ),
}
OLDEST_FIRST = [("started_at", 1), ("number", 1)]
NEWEST_FIRST = [("started_at", -1), ("number", -1)]
"""Orders of turns."""
USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


def as_key(name: str) -> str:
    """A name escaped as a field name that every version accepts: without dots and dollars, which are special in paths."""
    return re.sub(r"[%.$\0\ud800-\udfff]", lambda found: f"%{ord(found[0]):04x}", name)


def from_key(key: str) -> str:
    """The name of an escaped field."""
    return re.sub("%([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), key)


def storable(value: Any) -> Any:
    """The value as JSON has it, whatever number types are in it; better its text than a lost turn."""
    return _packed(json.loads(json.dumps(value, default=str)))


def _packed(value: Any) -> Any:
    """BSON has neither lone surrogates, which are stored as bytes, nor integers of more than 64 bits, which become text."""
    match value:
        case dict():
            return {as_key(key): _packed(each) for key, each in value.items()}
        case list():
            return [_packed(each) for each in value]
        case str() if not value.isascii() and re.search("[\ud800-\udfff]", value):
            return value.encode("utf-8", "surrogatepass")
        case int() if not -(2**63) <= value < 2**63:
            return str(value)
    return value


def unpacked(value: Any) -> Any:
    """The value that `storable` stored."""
    match value:
        case dict():
            return {from_key(key): unpacked(each) for key, each in value.items()}
        case list():
            return [unpacked(each) for each in value]
        case bytes():
            return value.decode("utf-8", "surrogatepass")
    return value


def readable(caller: Caller, trace_id: str, since: float) -> Document:
    """Finds the turn, if the caller may read it and it started at `since` or later."""
    wanted: Document = {"_id": trace_id, "started_at": {"$gte": since}}
    return wanted if caller.sees_all else {**wanted, "user_id": caller.user_id}


def load_turn(document: Document) -> TurnRecord:
    """The record that a document holds, without our own fields."""
    record: Any = {key: unpacked(value) for key, value in document.items() if key not in OURS}
    return cast(TurnRecord, record)


def make_feedback(feedback: Feedback, user_id: str, created_at: float) -> Document:
    """Feedback as a turn's document holds it, without the trace."""
    given: Document = storable({**asdict(feedback), "user_id": user_id, "created_at": created_at})
    del given["trace_id"]
    return given


def load_feedback(document: Document, user_id: str | None = None) -> tuple[Feedback, ...]:
    """All feedback on a turn, or one user's, as it came."""
    given = [_feedback(document["_id"], values) for values in document.get("feedback", {}).values()]
    return tuple(sorted((each for each in given if user_id in (None, each.user_id)), key=lambda each: (each.created_at, each.user_id)))


def own_feedback(user_id: str, document: Document) -> Feedback | None:
    """The user's feedback on a turn."""
    return next(iter(load_feedback(document, user_id)), None)


def _feedback(trace_id: str, values: Document) -> Feedback:
    fields = unpacked(values)
    fields["selected_citations"] = tuple(fields["selected_citations"])
    fields["tags"] = tuple(fields["tags"])
    return Feedback(trace_id=trace_id, **fields)


def load_figures(document: Document, feedback: tuple[Feedback, ...]) -> TurnFigures:
    """Of a document with FIGURES_FIELDS."""
    return figures_of(load_turn(document), feedback, document["started_at"])


def make_rollup(day: str, rollup: Rollup, version: int) -> Document:
    """`usage` is for other readers of the statistics; it repeats what is in `figures`."""
    figures = storable(dict(rollup.figures))
    return {
        "date": day,
        "user_id": rollup.user_id,
        "room_id": rollup.room_id,
        "model": rollup.search_type,
        "usage": {**{name: figures.get(name, 0) for name in USAGE}, "type": "usage"},
        "figures": figures,
        "llm": rollup.llm,
        "tallies": storable(dump(rollup.tallies)),
        "version": version,
    }


def make_share(day: str, share: Rollup) -> tuple[Document, Document]:
    """(the document's key, the change that adds a turn's share to it)"""
    key = {"date": day, "user_id": share.user_id, "room_id": share.room_id, "model": share.search_type}
    added: Document = {f"figures.{name}": value for name, value in share.figures.items()}
    added |= {f"usage.{name}": share.figures.get(name, 0) for name in USAGE}
    if share.llm is None:  # a turn that no model answered takes nothing away from one that a model did
        return key, {"$inc": added, "$setOnInsert": {"usage.type": "usage", "llm": None}}
    return key, {"$inc": added, "$setOnInsert": {"usage.type": "usage"}, "$set": {"llm": share.llm}}


def load_rollup(document: Document) -> Rollup:
    """Of a document that `make_rollup` or `make_share` has written."""
    figures, made = unpacked(document["figures"]), tuple(load_tallies(document))
    return Rollup(document["user_id"], document["room_id"], document["model"], figures, document.get("llm"), made)


def load_tallies(document: Document) -> list[Tally]:
    """The tallies of a roll-up's document, or of a day's."""
    day = document.get("date") or document["_id"]
    return load(unpacked(document.get("tallies", [])), day, document.get("user_id"), document.get("room_id"), document.get("model"))
