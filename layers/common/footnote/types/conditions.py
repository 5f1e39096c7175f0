"""`Conditions` on documents' metadata: only chunks of matching documents are found.

A field may hold several values; one that matches is enough. `is not`, `not contains`, `not in` and `≠` match when the field has
at least one value and none of them meets the positive operator. An empty string counts as no value. Comparisons of text are
case-sensitive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

Operator = Literal[
    "is", "is not", "in", "not in", "contains", "not contains", "start with", "end with", "empty", "not empty",
    "=", "≠", ">", "<", "≥", "≤", "before", "after",
]  # fmt: skip
NEGATED: Mapping[Operator, Operator] = {"is not": "is", "not in": "in", "not contains": "contains", "≠": "="}
DATE_FIELDS = ("created_time", "date", "sent", "sent_at", "published", "published_at", "created", "created_at", "modified", "datum", "날짜")
"""Metadata fields with the date of a document, the best one first."""
SECONDS = re.compile(r"-?\d{1,7}|-?\d{9,12}|-?\d{1,12}\.\d+")
"""Seconds since 1970. Eight digits are a date: 20260301."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Compares a metadata field with `values`: several for `in` and `not in`, none for `empty` and `not empty`."""

    field: str
    operator: Operator
    values: tuple[str, ...] = ()

    @property
    def positive(self) -> Operator:
        """The operator without its negation."""
        return NEGATED.get(self.operator, self.operator)

    def is_met_by(self, value: str) -> bool:
        """Whether one value of the field meets the `positive` operator."""
        test = TESTS[self.positive]
        return any(test(value, expected) for expected in self.values or ("",))


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions that must all be met, or with `any` at least one. Without conditions, everything matches."""

    each: tuple[Condition, ...] = ()
    any: bool = False

    def match(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a document with this metadata meets the conditions."""
        met = (_matches(condition, values_of(metadata, condition.field)) for condition in self.each)
        return not self.each or (any(met) if self.any else all(met))


ANYTHING = Conditions()


def values_of(metadata: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """The values of a field as text; () = the field is missing."""
    value = metadata.get(field, ())
    return tuple(map(text_of, value)) if isinstance(value, list | tuple) else (text_of(value),)


def text_of(value: Any) -> str:
    """One value as text; true and false as in JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def number_of(text: str) -> float | None:
    """The finite number in the text; None = it is not a number."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def time_of(text: str) -> float | None:
    """Seconds since 1970, parsed from ISO 8601 (UTC if no zone is given) or from such seconds; None = neither."""
    text = text.strip()
    if SECONDS.fullmatch(text):
        return float(text)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def date_of(metadata: Mapping[str, Any]) -> date | None:
    """The day (UTC) of a document, from the first of DATE_FIELDS with one."""
    times = (time_of(value) for name in DATE_FIELDS for value in values_of(metadata, name))
    try:
        return next((datetime.fromtimestamp(at, UTC).date() for at in times if at is not None), None)
    except (OverflowError, OSError, ValueError):  # seconds beyond what a date can hold
        return None


def _matches(condition: Condition, values: tuple[str, ...]) -> bool:
    if condition.operator == "empty":
        return not any(values)
    met = any(condition.is_met_by(value) for value in values)
    return met if condition.operator not in NEGATED else any(values) and not met


def _compared(read: Callable[[str], float | None], compare: Callable[[float, float], bool]) -> Callable[[str, str], bool]:
    def test(value: str, expected: str) -> bool:
        left, right = read(value), read(expected)
        return left is not None and right is not None and compare(left, right)

    return test


def _equal(value: str, expected: str) -> bool:
    left, right = number_of(value), number_of(expected)
    return value == expected if left is None or right is None else left == right


TESTS: Mapping[Operator, Callable[[str, str], bool]] = {
    "is": lambda value, expected: value == expected,
    "in": lambda value, expected: value == expected,
    "contains": lambda value, expected: expected in value,
    "start with": lambda value, expected: value.startswith(expected),
    "end with": lambda value, expected: value.endswith(expected),
    "not empty": lambda value, expected: value != "",
    "=": _equal,
    ">": _compared(number_of, lambda left, right: left > right),
    "<": _compared(number_of, lambda left, right: left < right),
    "≥": _compared(number_of, lambda left, right: left >= right),
    "≤": _compared(number_of, lambda left, right: left <= right),
    "before": _compared(time_of, lambda left, right: left < right),
    "after": _compared(time_of, lambda left, right: left > right),
}
"""Positive operator → test of (a value of the field, the value to compare with)."""
