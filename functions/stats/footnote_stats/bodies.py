"""What `GET /stats` replies, as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import date

from pydantic import BaseModel, Field

from footnote.learn.stats import Figures, Group
from footnote.types import GroupBy


class Citations(BaseModel):
    """How often a document is cited, and the feedback on the answers that cite it."""

    turns: int
    feedback_up: int
    feedback_down: int


class DocumentGroup(BaseModel):
    """A document: `key` has its id (`document`), `title` and `collection`."""

    key: dict[str, str]
    figures: Citations


class StatsBody(BaseModel):
    """Statistics of a period: by group and in total."""

    first: date = Field(serialization_alias="from")
    last: date = Field(serialization_alias="to")
    by: GroupBy
    data: list[Group | DocumentGroup] = Field(description="At most 100 questions, 100 cited documents and 100 others.")
    total: Figures


def rows_of(body: StatsBody) -> Iterator[list[str | float | None]]:
    """The groups as a table with its head: the fields of the key, then the figures."""
    figures = [field.name for field in fields(Figures)] if body.by != "document" else list(Citations.model_fields)
    names = list(body.data[0].key) if body.data else [body.by]
    yield [*names, *figures]
    for group in body.data:
        values = group.figures.model_dump() if isinstance(group.figures, Citations) else asdict(group.figures)
        yield [*group.key.values(), *(values[name] for name in figures)]
