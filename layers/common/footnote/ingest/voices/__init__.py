"""Tickets, reviews and mails as voices: each row of a table, record of a JSON file or mail is a passage of its own.

columns    which column holds the date, the rating, the text …
values     dates and ratings as people write them
rows       the rows, records and mails of a parsed file
passages   the passages of a file, and what could not be understood of it
"""

from __future__ import annotations

from footnote.ingest.voices.passages import read_voices

__all__ = ["read_voices"]
