"""The levels above passages: section openings (level 1) and the document's outline (level 0)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.ingest.chunk.passages import Passage, Section
from footnote.ingest.chunk.structure import SMALL, pack
from footnote.ingest.pieces import Piece, render
from footnote.text.tokens import WIDEST, count_tokens


def opening_of(section: Section, max_tokens: int, lang: str, summary: str | None = None) -> Passage:
    """A section's heading path and its summary, or else its text, up to the limit."""
    body = [_start(piece, max_tokens) for piece in section.pieces[: max_tokens + 1] if piece.kind != "heading"]
    if summary:
        body = [Piece(-1, "paragraph", summary, section.pieces[0].page, glue="\n\n")]  # the path is of no block either
    path = Piece(-1, "heading", " › ".join(section.path), section.pieces[0].page, keep_with_next=True)
    opening = pack([Section(section.path, (path, *body) if section.path else tuple(body))], max_tokens, lang)[0]
    return Passage(opening.pieces, [section.path])


def _start(piece: Piece, max_tokens: int) -> Piece:
    """Enough of a piece to fill a passage, so that a long rest is not divided a second time."""
    enough = WIDEST * max_tokens
    return replace(piece, text=piece.text[:enough]) if len(piece.text) > enough else piece


def outline_of(title: str, sections: Sequence[Section], max_tokens: int, lang: str, summary: str | None = None) -> str:
    """The title, as many levels of headings as fit, and the summary or else the first paragraph (at most half of the tokens)."""
    texts = [piece for section in sections for piece in section.pieces if piece.kind == "paragraph"]
    texts = [Piece(-1, "paragraph", summary)] if summary else texts
    text = next((piece for piece in texts if piece.tokens > SMALL // 2), texts[0] if texts else None)  # skips a date or a number
    first = render(pack([Section((), (_start(text, max_tokens),))], max_tokens // 2, lang)[0].pieces) if text else ""
    paths = list(dict.fromkeys(section.path for section in sections if section.path))
    head = render(pack([Section((), (Piece(0, "paragraph", title),))], max_tokens // 4, lang)[0].pieces) if title.strip() else ""
    for depth in range(max(map(len, paths), default=0), 0, -1):
        lines = [f"{'  ' * (len(path) - 1)}- {path[-1]}" for path in paths if len(path) <= depth]
        outline = "\n\n".join(filter(None, (head, "\n".join(lines), first)))
        if count_tokens(outline) <= max_tokens:
            return outline
    return "\n\n".join(filter(None, (head, first)))
