"""How a citation is written in an answer's text, and how it is read back. One row per style."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.text.grounding import best_support, most_supporting
from footnote.text.sentences import split_sentences
from footnote.types import Citation, Hit


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """`write(number, hit)` makes a marker; `marker` finds one, its first group holds the references."""

    marker: re.Pattern[str]
    write: Callable[[int, Hit], str]
    named: Callable[[str, Sequence[Hit]], list[int]]
    """The places among the hits that a marker's content may mean; [] = none of them."""


def _by_doc_id(content: str, hits: Sequence[Hit]) -> list[int]:
    return [place for place, hit in enumerate(hits) if content.strip() in (hit.chunk.doc_id, hit.chunk.public_id)]


def _by_number(content: str, hits: Sequence[Hit]) -> list[int]:
    return [int(content) - 1] if content.strip().isdigit() and 1 <= int(content) <= len(hits) else []


STYLES: dict[str, CitationStyle] = {
    "footnote": CitationStyle(re.compile(r"[ \t]?\[\^([^\]\n]{1,120})\](?!:)"), lambda _, hit: f"[^{hit.chunk.doc_id}]", _by_doc_id),
    "numbered": CitationStyle(re.compile(r"[ \t]?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()"), lambda number, _: f"[{number}]", _by_number),
}


def cite(text: str, hits: Sequence[Hit], style_name: str, lang: str) -> tuple[str, tuple[Citation, ...]]:
    """A model's text with its markers checked: what names no hit is taken out, the rest is numbered by
    first appearance. Where a marker names a document with several hits, the one that supports the
    sentence before it best is meant."""
    style = STYLES[style_name]
    numbers: dict[int, int] = {}
    spans: dict[int, list[tuple[int, int]]] = {}
    claims: dict[int, str] = {}
    out: list[str] = []
    length = at = 0
    for match in style.marker.finditer(text):
        before = text[at : match.start()]
        out.append(before)
        length += len(before)
        at = match.end()
        claim = _claim_before(text[: match.start()], lang)
        for content in re.split(r"[,;]", match[1]):
            places = style.named(content, hits)
            if not places:
                continue
            place = places[most_supporting(claim, [hits[i].chunk.text for i in places], lang)] if len(places) > 1 else places[0]
            number = numbers.setdefault(place, len(numbers) + 1)
            claims.setdefault(place, claim)
            marker = (" " if match[0][0].isspace() else "") + style.write(number, hits[place])
            spans.setdefault(place, []).append((length + len(marker) - len(marker.lstrip()), length + len(marker)))
            out.append(marker)
            length += len(marker)
    out.append(text[at:])
    citations = tuple(_citation(number, hits[place], claims[place], tuple(spans[place])) for place, number in numbers.items())
    return "".join(out), citations


def _claim_before(text: str, lang: str) -> str:
    """The last sentence of `text`, where a marker follows it."""
    tail = text[-1000:]
    bounds = split_sentences(tail, lang)
    return tail[slice(*bounds[-1])] if bounds else tail


def _citation(number: int, hit: Hit, claim: str, spans: tuple[tuple[int, int], ...]) -> Citation:
    """With the sentence or two of the passage that support the claim best, and their page."""
    _, (start, end) = best_support(claim, hit.chunk.text, hit.chunk.lang)
    return Citation(number, hit, hit.chunk.text[start:end], hit.chunk.page_at(start), ((start, end),), spans)
