"""How a citation is written in an answer's text, and how it is read back. One row per style."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from footnote.answer.links import source_url
from footnote.answer.sources_used import SourcesFilter
from footnote.text.grounding import best_support, most_supporting
from footnote.text.sentences import split_sentences
from footnote.types import EXTERNAL_IDS, Citation, Hit, Turn


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """`write(number, hit)` makes a marker; `marker` finds one, its first group holds the references."""

    marker: re.Pattern[str]
    write: Callable[[int, Hit], str]
    named: Callable[[str, Sequence[Hit]], list[int]]
    """The places among the hits that a marker's content may mean; [] = none of them."""
    merges: bool = False
    """True: passages of one title and page are one source. For answers that are held: a stream cannot know the page yet."""
    at_end: bool = False
    """True: the text has no markers, one line names what was used (`sources_used`), and a citation's number is its passage's."""


def _by_doc_id(content: str, hits: Sequence[Hit]) -> list[int]:
    return [place for place, hit in enumerate(hits) if content.strip() in (hit.chunk.doc_id, hit.chunk.public_id)]


def _by_number(content: str, hits: Sequence[Hit]) -> list[int]:
    return [int(content) - 1] if content.strip().isdigit() and 1 <= int(content) <= len(hits) else []


@dataclass(frozen=True, slots=True)
class Markers:
    """How the citations of one answer are written: a row of STYLES, the number of the first one, and the address that links to
    their sources begin with; None = no links."""

    style: CitationStyle
    first: int = 1
    origin: str | None = None

    def write(self, number: int, hit: Hit) -> str:
        marker = self.style.write(number, hit)
        if not marker or self.origin is None or hit.chunk.chunk_id.startswith(EXTERNAL_IDS):
            return marker
        return f"{marker}({source_url(self.origin, hit.chunk)})"


NUMBER = re.compile(r"[ \t]?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()")
NEVER = re.compile(r"(?!)")

STYLES: dict[str, CitationStyle] = {
    "footnote": CitationStyle(re.compile(r"[ \t]?\[\^([^\]\n]{1,120})\](?!:)"), lambda _, hit: f"[^{hit.chunk.doc_id}]", _by_doc_id),
    "numbered": CitationStyle(NUMBER, lambda number, _: f"[{number}]", _by_number),
    "numbered_by_page": CitationStyle(NUMBER, lambda number, _: f"[{number}]", _by_number, merges=True),
    "references": CitationStyle(NEVER, lambda *_: "", _by_number, at_end=True),
    "plain": CitationStyle(NEVER, lambda *_: "", _by_number),
}


def markers_of(turn: Turn) -> Markers:
    return Markers(STYLES[turn.profile.citation_style], turn.request.first_number, turn.request.link_origin)


def cite(
    text: str, hits: Sequence[Hit], style_name: str, lang: str, *, first: int = 1, origin: str | None = None
) -> tuple[str, tuple[Citation, ...]]:
    """A model's text with its markers checked: what names no hit is taken out, the rest is numbered by
    first appearance. Where a marker names a document with several hits, the one that supports the
    sentence before it best is meant."""
    style = STYLES[style_name]
    markers = Markers(style, first, origin)
    if style.at_end:
        return _cite_at_end(text, hits)
    made: dict[int, Citation] = {}
    cited: dict[Hashable, Citation] = {}
    spans: dict[Hashable, list[tuple[int, int]]] = {}
    bounds: dict[Hashable, list[tuple[int, int]]] = {}
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
            found = made.get(place) or made.setdefault(place, _citation(0, hits[place], claim))
            source = (found.hit.chunk.title, found.page) if style.merges else place
            citation = cited.setdefault(source, replace(found, number=len(cited) + markers.first))
            spans.setdefault(source, [])
            if style.merges and spans[source] and spans[source][-1][1] == length:
                continue  # one marker for two passages of a page
            marker = (" " if match[0][0].isspace() else "") + markers.write(citation.number, citation.hit)
            spans[source].append((length + len(marker) - len(marker.lstrip()), length + len(marker)))
            here = citation.bounds[0] if found.hit is not citation.hit or not bounds.get(source) else _support(found.hit, claim)
            bounds.setdefault(source, []).append(here)
            out.append(marker)
            length += len(marker)
    out.append(text[at:])
    return "".join(out), tuple(
        replace(citation, spans=tuple(spans[source]), bounds=tuple(bounds[source])) for source, citation in cited.items()
    )


def _cite_at_end(text: str, hits: Sequence[Hit]) -> tuple[str, tuple[Citation, ...]]:
    sources = SourcesFilter()
    said = sources.feed(text) + sources.flush()
    return said, tuple(_citation(number, hits[number - 1], said) for number in sources.numbers if 1 <= number <= len(hits))


def _claim_before(text: str, lang: str) -> str:
    """The last sentence of `text`, where a marker follows it."""
    tail = text[-1000:]
    bounds = split_sentences(tail, lang)
    return tail[slice(*bounds[-1])] if bounds else tail


def _support(hit: Hit, claim: str) -> tuple[int, int]:
    return best_support(claim, hit.chunk.text, hit.chunk.lang)[1]


def _citation(number: int, hit: Hit, claim: str) -> Citation:
    """With the sentence or two of the passage that support the claim best, and their page."""
    start, end = _support(hit, claim)
    return Citation(number, hit, hit.chunk.text[start:end], hit.chunk.page_at(start), ((start, end),))
