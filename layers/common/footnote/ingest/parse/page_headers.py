"""Page headers and footers, which word processors repeat on each page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from footnote.types import Block

_PAGE_NUMBER = re.compile(r"\b(page|seite|of|von|쪽|페이지)\b|\W|\d", re.IGNORECASE)


def said_once(headers: Iterable[Block], body: Sequence[Block]) -> Iterator[Block]:
    """The distinct texts of page headers and footers that the body does not contain, as text of the first page; no page numbers."""
    text = "\n".join(block.text for block in body)
    seen: set[str] = set()
    for block in headers:
        if block.text not in seen and block.text not in text and _PAGE_NUMBER.sub("", block.text):
            seen.add(block.text)
            yield replace(block, kind="paragraph" if block.kind == "heading" else block.kind, level=0, page=1)
