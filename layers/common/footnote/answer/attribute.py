"""Ties the sentences of a model's answer to what supports them (`support`): citations show those sentences of their passages, and
sentences that cite nothing get a citation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import count

from footnote.answer.citation_styles import markers_of
from footnote.answer.support import cited_between
from footnote.types import Answer, Citation, Claim, EvidenceSpan, Hit, Turn


def add_citations(turn: Turn, answer: Answer, claims: Sequence[Claim]) -> Answer:
    """The answer with its claims, and a citation of the evidence of each claim that does not cite it and is not doubted. In a text that has
    not been shown the marker follows the sentence; in one that has, the citation has no marker. A claim's own markers of the passage lead
    to the evidence."""
    writer = _Writer(turn, answer)
    for claim, following in replace(answer, claims=tuple(claims)).claims_and_ends():
        if claim.place is None:
            continue
        if any(hit.chunk.chunk_id == claim.place.chunk.chunk_id for hit in cited_between(answer, claim.start, following)):
            writer.show(claim.place, claim.start, following)
        elif not claim.is_doubted:
            writer.cite(claim.place, claim.end)
    return writer.answer(claims)


class _Writer:
    """Collects citations, and the markers to insert."""

    def __init__(self, turn: Turn, answer: Answer) -> None:
        self._turn = turn
        self._answer = answer
        self._markers = markers_of(turn)
        self._hits = {hit.chunk.chunk_id: hit for hit in turn.evidence.citable}
        self._places = {chunk_id: at for at, chunk_id in enumerate(self._hits)}
        self._citations = {self._source(citation.hit, citation.page): citation for citation in answer.citations}
        self._numbers = count(max((citation.number for citation in answer.citations), default=self._markers.first - 1) + 1)
        self._inserted: list[tuple[int, str, Hashable]] = []

    def show(self, place: EvidenceSpan, start: int, following: int) -> None:
        """Lets the markers of the passage between these places of the text lead to `place`; on another page they stay as they are."""
        for source, each in self._citations.items():
            hit = each.hit
            if hit.chunk.chunk_id != place.chunk.chunk_id or self._source(hit, hit.chunk.page_at(place.start)) != source:
                continue
            places = zip(each.spans, each.bounds, strict=False)
            if bounds := tuple((place.start, place.end) if start <= at < following else old for (at, _), old in places):
                snippet = hit.chunk.text[slice(*bounds[0])]
                self._citations[source] = replace(each, bounds=bounds, snippet=snippet, page=hit.chunk.page_at(bounds[0][0]))

    def cite(self, place: EvidenceSpan, end: int) -> None:
        """Cites the passage of the place, behind `end` in the text."""
        hit, bounds = self._hits[place.chunk.chunk_id], (place.start, place.end)
        page = hit.chunk.page_at(place.start)
        source = self._source(hit, page)
        citation = self._citations.get(source)
        if citation is None:
            snippet = hit.chunk.text[place.start : place.end]
            citation = Citation(self._number(hit), hit, snippet, page, (bounds,), is_added=True)
        elif citation.hit is hit and bounds not in citation.bounds and citation.is_added:
            citation = replace(citation, bounds=(*citation.bounds, bounds))
        self._citations[source] = citation
        marker = self._markers.write(citation.number, hit)
        if marker and not self._turn.profile.live:
            self._inserted.append((end, f" {marker}", source))

    def answer(self, claims: Sequence[Claim]) -> Answer:
        """The answer with all citations, and the claims."""
        text, spans = self._answer.text, {source: [*citation.spans] for source, citation in self._citations.items()}
        moved = [*claims]
        for end, marker, source in sorted(self._inserted, key=lambda insertion: -insertion[0]):
            text = f"{text[:end]}{marker}{text[end:]}"
            by = len(marker)
            spans = {key: [(a + by, b + by) if a >= end else (a, b) for a, b in own] for key, own in spans.items()}
            spans[source].append((end + 1, end + by))
            moved = [replace(claim, start=claim.start + by, end=claim.end + by) if claim.start >= end else claim for claim in moved]
        citations = (replace(citation, spans=tuple(sorted(spans[source]))) for source, citation in self._citations.items())
        return replace(self._answer, text=text, citations=tuple(citations), claims=tuple(moved))

    def _number(self, hit: Hit) -> int:
        style = self._markers.style
        if style.at_end or style.keeps_numbers:
            return self._places[hit.chunk.chunk_id] + self._markers.first
        return next(self._numbers)

    def _source(self, hit: Hit, page: int | None) -> Hashable:
        return (hit.chunk.shown_title, page) if self._markers.style.merges else hit.chunk.chunk_id
