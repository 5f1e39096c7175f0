"""Paginated lists in responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from footnote.types import Page

T = TypeVar("T")


class PageBody(BaseModel):
    """One page of a list; subclasses set the type of `data`. For the next page pass `last_id` as `after`."""

    data: list[Any]
    has_more: bool
    last_id: str | None

    @classmethod
    def of(cls, page: Page[T], body: Callable[[T], BaseModel]) -> Self:
        """The page with each entry converted by `body`."""
        return cls(data=[body(each) for each in page.data], has_more=page.has_more, last_id=page.last_id)
