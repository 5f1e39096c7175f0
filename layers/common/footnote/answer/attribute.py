"""Adds citations to an answer that has none, where all of its sentences are found in the passages that it was written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from footnote.answer.assess import LEAST_TERMS, Sentence, sentences_of, support
from footnote.answer.citation_styles import cite, markers_of
from footnote.answer.messages import message
from footnote.ports import Index
from footnote.text.code_spans import fence_end
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import Answer, Chunk, Turn

FOUND = 1.4
"""Minimum of recall + cosine (`assess`) of a sentence that a passage says. `bench.claims` measures it on claims that people judged. What is
missed costs little: the documents are quoted instead."""


async def attribute(turn: Turn, answer: Answer, index: Index) -> Answer | None:
    """The answer with a marker behind each sentence; None if one with LEAST_TERMS terms or more is in no passage or ends in code, or all
    are shorter. Where the text has been shown already, the markers follow in a line of their own."""
    bounds = split_sentences(answer.text, turn.lang)
    terms = {span: content_terms(answer.text[slice(*span)], turn.lang) for span in bounds}
    weights = await index.term_weights(turn.caller, turn.request.collection, [term for each in terms.values() for term in each])
    chunks = [hit.chunk for hit in turn.evidence.citable]
    passages = {chunk.chunk_id: sentences_of(chunk, turn.lang) for chunk in chunks}
    asked = f"{turn.request.question} {turn.asked}"
    places: dict[int, int] = {}
    for start, end in bounds:
        if len(terms[start, end]) >= LEAST_TERMS:
            place = place_of(answer.text[start:end], chunks, passages, weights, asked, turn.lang)
            if place is None:
                return None
            places[end] = place
    return _with_markers(turn, answer, places) if places else None


def place_of(
    claim: str, chunks: Sequence[Chunk], passages: Mapping[str, Sequence[Sentence]], weights: Mapping[str, float], question: str, lang: str
) -> int | None:
    """The position of the chunk that supports the claim best, if it says it. Arguments as of `assess.support`."""
    totals: dict[int, float] = {}
    for place, chunk in enumerate(chunks):
        found = support(claim, [chunk], passages, weights, question, lang)
        if not found.doubted and found.total >= FOUND:
            totals[place] = found.total
    return max(totals, key=lambda place: totals[place], default=None)


def _with_markers(turn: Turn, answer: Answer, places: Mapping[int, int]) -> Answer | None:
    """The answer as if the model had cited. `places`: end of a sentence → position of its passage."""
    markers, hits, style = markers_of(turn), turn.evidence.citable, turn.profile.citation_style
    text = answer.text
    for end, place in sorted(places.items(), reverse=True):
        text = f"{text[:end]} {markers.style.write(place + 1, hits[place])}{text[end:]}"
    if markers.style.at_end:
        text = f"{answer.text}\nSOURCES_USED: {', '.join(str(place + 1) for place in places.values())}"
    cited, citations = cite(text, hits, style, turn.lang, first=markers.first, origin=markers.origin)
    if not markers.style.at_end and sum(len(citation.spans) for citation in citations) < len(places):
        return None
    if not turn.profile.live or markers.style.at_end:
        return replace(answer, text=cited, citations=citations)
    shown, listed = f"{answer.text}{fence_end(answer.text)}\n\n{message('citations_added', turn.lang)}", []
    for citation in citations:
        marker = markers.write(citation.number, citation.hit)
        listed.append(replace(citation, spans=((len(shown) + 1, len(shown) + 1 + len(marker)),)))
        shown += f" {marker}"
    return replace(answer, text=shown, citations=tuple(listed))
