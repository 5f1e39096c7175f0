"""CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would run as a formula."""


def to_csv(rows: Iterable[Sequence[str | float | None]]) -> str:
    """Rows of values as CSV (RFC 4180), with a byte order mark for UTF-8. A text that would be run as a formula begins with an
    apostrophe."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    for row in rows:
        writer.writerow([f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value for value in row])
    return "\ufeff" + written.getvalue()
