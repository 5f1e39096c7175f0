"""Citation styles: how citations are written into an answer's text and parsed from a model's reply. One row per style."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from footnote.answer.links import source_url
from footnote.answer.marker_forms import NUMBERED, numbers_in
from footnote.answer.sources_used import SourcesFilter
from footnote.text.code_spans import prose_spans
from footnote.text.grounding import best_support, most_supporting
from footnote.text.sentences import split_sentences
from footnote.types import EXTERNAL_IDS, Citation, Hit, Turn
from footnote.types.copies import replace


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """`write(number, hit)` returns a marker; `marker` matches one, and its last group contains the references. Code has no markers."""

    marker: re.Pattern[str]
    write: Callable[[int, Hit], str]
    named: Callable[[str, Sequence[Hit]], list[list[int]]]
    """(references, hits) → for each reference to a hit the positions that it may mean."""
    merges: bool = False
    """True: passages with the same title and page are one source. Only for held answers: a stream learns the page too late."""
    at_end: bool = False
    """True: no markers; a last line lists the sources (`sources_used`), and a citation has the number of its passage."""
    by_id: bool = False
    """True: a marker names a document by its id; False: by its number."""
    keeps_numbers: bool = False
    """True: a citation has the number of its passage, so that a client that received the passages before the text can resolve it."""


def _by_doc_id(references: str, hits: Sequence[Hit]) -> list[list[int]]:
    ids = [name.strip() for name in re.split(r"[,;]", references)]
    places = ([place for place, hit in enumerate(hits) if name in (hit.chunk.doc_id, hit.chunk.public_id)] for name in ids)
    return [matching for matching in places if matching]


def _by_number(references: str, hits: Sequence[Hit]) -> list[list[int]]:
    return [[number - 1] for number in numbers_in(references, len(hits))]


@dataclass(frozen=True, slots=True)
class Markers:
    """Writes the markers of one answer. `first`: number of the first citation. `origin`: base URL for links to the sources;
    None = no links."""

    style: CitationStyle
    first: int = 1
    origin: str | None = None

    def write(self, number: int, hit: Hit) -> str:
        """The marker of a citation, with a link if the hit is a document of ours."""
        marker = self.style.write(number, hit)
        if not marker or self.origin is None or hit.chunk.chunk_id.startswith(EXTERNAL_IDS):
            return marker
        return f"{marker}({source_url(self.origin, hit.chunk)})"


NEVER = re.compile(r"(?!)")

STYLES: dict[str, CitationStyle] = {
    "footnote": CitationStyle(
        re.compile(r"[ \t]?\[\^([^\]\n]{1,120})\](?!:)"), lambda _, hit: f"[^{hit.chunk.doc_id}]", _by_doc_id, by_id=True
    ),
    "numbered": CitationStyle(NUMBERED, lambda number, _: f"[{number}]", _by_number),
    "numbered_by_page": CitationStyle(NUMBERED, lambda number, _: f"[{number}]", _by_number, merges=True),
    "numbered_by_place": CitationStyle(NUMBERED, lambda number, _: f"[{number}]", _by_number, keeps_numbers=True),
    "source": CitationStyle(NUMBERED, lambda number, _: f"[Source {number}]", _by_number),
    "references": CitationStyle(NEVER, lambda *_: "", _by_number, at_end=True),
    "plain": CitationStyle(NEVER, lambda *_: "", _by_number),
}


def markers_of(turn: Turn) -> Markers:
    """The markers that the turn's profile and request ask for."""
    return Markers(STYLES[turn.profile.citation_style], turn.request.first_number, turn.request.link_origin)


def cite(
    text: str, hits: Sequence[Hit], style_name: str, lang: str, *, question: str = "", first: int = 1, origin: str | None = None
) -> tuple[str, tuple[Citation, ...]]:
    """Parses a model's citations: returns the text with rewritten markers, and the citations.

    Markers that refer to no hit are removed; the others are numbered by first appearance. If a marker names a document with several hits,
    it cites the hit that best supports the sentence before it. `question`: the question that a text such as “Yes” answers."""
    style = STYLES[style_name]
    markers = Markers(style, first, origin)
    if style.at_end:
        return _cite_at_end(text, hits, question)
    by_place: dict[int, Citation] = {}
    cited: dict[Hashable, Citation] = {}
    spans: dict[Hashable, list[tuple[int, int]]] = {}
    bounds: dict[Hashable, list[tuple[int, int]]] = {}
    out: list[str] = []
    length = at = 0
    for match in find_markers(style, text):
        before = text[at : match.start()]
        out.append(before)
        length += len(before)
        at = match.end()
        claim = _claim_before(text[: match.start()], lang)
        for places in style.named(match[match.lastindex or 0], hits):
            place = places[most_supporting(claim, [hits[i].chunk.text for i in places], lang)] if len(places) > 1 else places[0]
            first_citation = by_place.get(place) or by_place.setdefault(place, _citation(0, hits[place], claim, question))
            source = (first_citation.hit.chunk.shown_title, first_citation.page) if style.merges else place
            number = place if style.keeps_numbers else len(cited)
            citation = cited.setdefault(source, replace(first_citation, number=number + markers.first))
            spans.setdefault(source, [])
            if style.merges and spans[source] and spans[source][-1][1] == length:
                continue  # one marker for two passages of a page
            marker = (" " if match[0][0].isspace() else "") + markers.write(citation.number, citation.hit)
            spans[source].append((length + len(marker) - len(marker.lstrip()), length + len(marker)))
            here = (
                citation.bounds[0]
                if first_citation.hit is not citation.hit or not bounds.get(source)
                else _support(first_citation.hit, claim, question)
            )
            bounds.setdefault(source, []).append(here)
            out.append(marker)
            length += len(marker)
    out.append(text[at:])
    return "".join(out), tuple(
        replace(citation, spans=tuple(spans[source]), bounds=tuple(bounds[source])) for source, citation in cited.items()
    )


def drops_markers(text: str, hits: Sequence[Hit], style_name: str) -> bool:
    """Whether the text cites something not shown to the model, so that the marker is removed."""
    style = STYLES[style_name]
    return any(not style.named(match[match.lastindex or 0], hits) for match in find_markers(style, text))


def find_markers(style: CitationStyle, text: str) -> Iterator[re.Match[str]]:
    """The markers outside code."""
    for start, end in prose_spans(text):
        yield from style.marker.finditer(text, start, end)


def _cite_at_end(text: str, hits: Sequence[Hit], question: str) -> tuple[str, tuple[Citation, ...]]:
    sources = SourcesFilter()
    said = sources.feed(text) + sources.flush()
    return said, tuple(_citation(number, hits[number - 1], said, question) for number in sources.numbers if 1 <= number <= len(hits))


def _claim_before(text: str, lang: str) -> str:
    """The last sentence of `text`, which the marker after it refers to."""
    tail = text[-1000:]
    bounds = split_sentences(tail, lang)
    return tail[slice(*bounds[-1])] if bounds else tail


def _support(hit: Hit, claim: str, question: str) -> tuple[int, int]:
    return best_support(claim, hit.chunk.text, hit.chunk.lang, question)[1]


def _citation(number: int, hit: Hit, claim: str, question: str) -> Citation:
    """A citation with the one or two sentences of the passage that best support the claim, and their page."""
    start, end = _support(hit, claim, question)
    return Citation(number, hit, hit.chunk.text[start:end], hit.chunk.page_at(start), ((start, end),))
