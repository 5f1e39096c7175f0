"""Lists in replies: a page at a time, and where the next one begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from footnote.types import Page

T = TypeVar("T")


class PageBody(BaseModel):
    """One page; a subclass says of what. `last_id` goes into the next call's `after`."""

    data: list[Any]
    has_more: bool
    last_id: str | None

    @classmethod
    def of(cls, page: Page[T], body: Callable[[T], BaseModel]) -> Self:
        return cls(data=[body(each) for each in page.data], has_more=page.has_more, last_id=page.last_id)
