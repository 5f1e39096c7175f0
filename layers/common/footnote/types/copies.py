"""Changed copies of records. A turn is copied a hundred times while it is answered, so it must be cheap."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

R = TypeVar("R")

if TYPE_CHECKING:
    from dataclasses import replace  # checks the names and types of the changes
else:

    def replace(record: R, /, **changes: Any) -> R:
        """As `dataclasses.replace`, in a fifth of the time for a record without slots: its fields are copied as they are, and `__init__`
        does not run. What a `cached_property` keeps is not copied."""
        fields = getattr(record, "__dict__", None)
        if fields is None or len(fields) != len(record.__dataclass_fields__):
            return dataclasses.replace(record, **changes)
        changed = object.__new__(record.__class__)
        copied = changed.__dict__
        copied.update(fields)
        copied.update(changes)
        if len(copied) != len(fields):
            raise TypeError(f"{record.__class__.__name__} has no field {' or '.join(changes.keys() - fields.keys())}")
        return changed


__all__ = ["replace"]
