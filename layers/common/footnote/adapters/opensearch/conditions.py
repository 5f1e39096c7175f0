"""Conditions on metadata as queries over the field `filters`, which holds `name<US>value` for each value.

Text conditions are queries on terms. Numbers and times are stored as text too, which sorts differently: their distinct
values are read first, from documents that the caller may see, and compared here. That takes one more request, whose time
and size grow with the number of distinct values; at most MAX_VALUES are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from footnote.errors import BadRequest
from footnote.types import Condition, Conditions

MAX_VALUES = 20_000
READ_FIRST = ("=", ">", "<", "≥", "≤", "before", "after")
SEPARATOR = "\x1f"

Json = dict[str, Any]


def values_asked(conditions: Conditions, visible: Sequence[Json]) -> Json | None:
    """The search that reads the distinct values of the fields that are compared; None if there are none."""
    aggregations = {
        f"f{place}": {"terms": {"field": "filters", "include": f"{_escaped(field)}{SEPARATOR}.*", "size": MAX_VALUES + 1}}
        for place, field in enumerate(_read_first(conditions))
    }
    return {"size": 0, "query": {"bool": {"filter": list(visible)}}, "aggs": aggregations} if aggregations else None


def values_read(conditions: Conditions, found: Json | None) -> dict[str, list[str]]:
    """Field → its distinct values. BadRequest for a field with more than MAX_VALUES."""
    read: dict[str, list[str]] = {}
    for place, field in enumerate(_read_first(conditions)):
        buckets = found["aggregations"][f"f{place}"]["buckets"] if found else []
        if len(buckets) > MAX_VALUES:
            raise BadRequest(f"“{field}” has more than {MAX_VALUES:,} different values, too many to compare. Use is, in or contains.")
        read[field] = [bucket["key"].partition(SEPARATOR)[2] for bucket in buckets]
    return read


def as_query(conditions: Conditions, values: Mapping[str, Sequence[str]]) -> Json:
    """The conditions as one filter. `values`: from `values_read`."""
    clauses = [_clause(condition, values.get(condition.field, ())) for condition in conditions.each]
    if conditions.any:
        return {"bool": {"should": clauses, "minimum_should_match": 1}}
    return {"bool": {"filter": clauses}}


def _read_first(conditions: Conditions) -> list[str]:
    return sorted({condition.field for condition in conditions.each if condition.positive in READ_FIRST})


def _clause(condition: Condition, known: Sequence[str]) -> Json:
    name = f"{condition.field}{SEPARATOR}"
    filled = {"regexp": {"filters": {"value": f"{_escaped(name)}.+"}}}
    if condition.operator in ("empty", "not empty"):
        return filled if condition.operator == "not empty" else {"bool": {"must_not": filled}}
    match condition.positive:
        case "is" | "in":
            met: Json = {"terms": {"filters": [name + value for value in condition.values]}}
        case "contains" | "start with" | "end with":
            before, after = "*" * (condition.positive != "start with"), "*" * (condition.positive != "end with")
            patterns = [f"{_literal(name)}{before}{_literal(value)}{after}" for value in condition.values]
            met = {"bool": {"should": [{"wildcard": {"filters": {"value": pattern}}} for pattern in patterns]}}
        case _:
            met = {"terms": {"filters": [name + value for value in known if condition.is_met_by(value)]}}
    if condition.operator == condition.positive:
        return met
    return {"bool": {"filter": filled, "must_not": met}}


def _escaped(text: str) -> str:
    """Text escaped for Lucene's regular expressions."""
    return re.sub(r"[^\w\x1f]", r"\\\g<0>", text)


def _literal(text: str) -> str:
    """Text escaped for wildcard queries."""
    return re.sub(r"[\\*?]", r"\\\g<0>", text)
