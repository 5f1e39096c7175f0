"""The form in which parsers write what is not text of the document: comments and check boxes. A comment is a block after what it is about,
and its text says that it is a comment, because readers and answers must not take it for the text of the document."""

from __future__ import annotations

from collections.abc import Iterable

from footnote.ingest.parse.decode import spaced
from footnote.types import Block


def comment(remarks: Iterable[tuple[str, str]], at: str = "", page: int | None = None) -> list[Block]:
    """A comment and its replies as one block: `Comment (Ada Berg): Is this right?`; no block without text. The block is a list, of which
    excerpts show an item from its beginning, so that a sentence of a long comment is not quoted without its author.

    `remarks`: (author, text) of each, the author "" if unknown. `at`: what it is about where its position does not say it, e.g. a
    cell: `Comment on B4: …`."""
    lines: list[str] = []
    for author, text in remarks:
        if text := spaced(text):
            label = "Reply" if lines else f"Comment on {at}" if at else "Comment"
            name = spaced(author)
            lines.append(f"{label} ({name}): {text}" if name else f"{label}: {text}")
    return [Block("list", "\n".join(lines), page=page)] if lines else []


def check_mark(*, checked: bool) -> str:
    """The sign for a check box: `☑` or `☐`."""
    return "☑" if checked else "☐"
