"""Checks that a model's text is an answer: that it is a statement in the language of the question, cites its sources, and is supported
by the passages. Citations are tied to the sentences of their passages that support the text, and sentences that cite nothing get one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Sequence
from itertools import count

from footnote.answer.citation_styles import markers_of
from footnote.answer.flaws import find_flaw, lacks_information
from footnote.answer.messages import message
from footnote.answer.quote import moved, quote
from footnote.answer.support import check_claims, cited_between, groundedness
from footnote.answer.toolbox import SEARCH
from footnote.answer.voice_tool import VOICES
from footnote.events import Event, Token
from footnote.ports import Embedder, Index, Verifier
from footnote.settings import Rag
from footnote.text.code_spans import fence_end
from footnote.types import Answer, Citation, Claim, EvidenceSpan, Flaw, Hit, Turn
from footnote.types.copies import replace


async def check_answer(turn: Turn, *, index: Index, embedder: Embedder | None, verifier: Verifier | None) -> AsyncIterator[Event | Turn]:
    """Handles a text that is no answer (`flaws`), or only says that the documents do not contain it, and adds missing citations.

    Sentences without citations get the passages that support them, and a text without any the warning `citations_added`; one
    that lists its sources at its end keeps that list. If no sentence is supported, a text about the last answer may stay, since it may
    repeat the conversation. Any other is replaced by quotes of the documents if it has not been shown, and its owner finds it in the trace
    (`rejected_answer`); if it has, the quotes follow it. The flaw is a warning. With the option `reject_uncited` a notice replaces a text
    without citations."""
    answer = turn.answer
    if answer is None or answer.extractive:
        yield turn
        return
    lacking = lacks_information(answer, turn.lang)
    flaw = None if lacking else find_flaw(turn, answer)
    rejects = turn.plan.wants("reject_uncited") and not (flaw == "uncited" and turn.conversation.is_asked_about)
    if flaw in (None, "uncited") and not lacking and not (flaw and (rejects or has_other_sources(turn))):
        claims = answer.claims
        if not claims:
            turn, claims = await check_claims(turn, answer, index, embedder, verifier)
        lists_its_sources = bool(answer.citations) and markers_of(turn).style.at_end
        answer = replace(answer, claims=claims) if lists_its_sources else _add_citations(turn, answer, claims)
        if flaw and answer.citations:
            answer, flaw = replace(answer, warnings=(*answer.warnings, "citations_added")), None
        turn = replace(turn, answer=answer)
    if not lacking and flaw is None:
        yield turn
    elif rejects:
        notice = Answer(message("insufficient" if lacking else "uncited", turn.lang), model=answer.model, cut=answer.cut)
        yield replace(turn.with_notes(rejected_answer=answer.text), outcome="refused", answer=notice)
    elif flaw is None:
        yield replace(with_warning(turn, answer, "insufficient"), outcome="refused")
    elif flaw == "uncited" and (has_other_sources(turn) or turn.conversation.is_asked_about):
        yield with_warning(turn, answer, flaw)
    else:
        async for item in quote_documents(turn, answer, flaw, index, embedder):
            yield item


async def doubt_answer(turn: Turn) -> Turn:
    """Where the check fails, a text that cites nothing does not pass for an answer."""
    flaw = find_flaw(turn, turn.answer) if turn.answer and not turn.answer.extractive else None
    if turn.answer is None or flaw is None or (flaw == "uncited" and (has_other_sources(turn) or turn.conversation.is_asked_about)):
        return turn
    return replace(with_warning(turn, turn.answer, flaw), outcome="refused")


async def quote_documents(turn: Turn, answer: Answer, flaw: Flaw, index: Index, embedder: Embedder | None) -> AsyncIterator[Event | Turn]:
    """Quotes the documents instead of a text with this flaw, or below one that has been shown. The flaw is a warning."""
    turn = replace(with_warning(turn, answer, flaw), trace=replace(turn.trace, degraded=True))
    if not turn.plan.wants("quotes") or (turn.quoted is not None and turn.quoted.answer is None):
        yield replace(turn, outcome="refused")
        return
    style = markers_of(turn).style
    before = 0 if style.at_end or style.keeps_numbers else len(answer.citations)  # numbers go on behind those of the text
    written = 0 if style.by_id else before  # markers with numbers have to be written with these
    source = turn
    if turn.profile.live and written:
        source = replace(turn, quoted=None, request=replace(turn.request, first_number=turn.request.first_number + written))
    quoted = turn
    async for item in quote(source, index=index, embedder=embedder):
        if isinstance(item, Turn):
            quoted = replace(item, request=turn.request)
    if quoted.answer is None:
        yield replace(turn, outcome="refused")
    elif not turn.profile.live:
        instead = replace(quoted.answer, warnings=(*answer.warnings, flaw))
        yield replace(quoted, answer=instead).with_notes(rejected_answer=answer.text)
    else:
        lead = "unverified_but" if quoted.outcome is None else "unverified"
        below = f"{fence_end(answer.text)}\n\n---\n\n**{message(lead, turn.lang)}**\n\n"
        if not turn.shows_quotes:
            yield Token(below + quoted.answer.text)
        text = answer.text + below
        citations = (*answer.citations, *(moved(citation, len(text), before - written) for citation in quoted.answer.citations))
        both = replace(answer, text=text + quoted.answer.text, citations=citations, warnings=(*answer.warnings, flaw))
        yield replace(quoted, answer=both, outcome=quoted.outcome or "closest")


def with_warning(turn: Turn, answer: Answer, warning: str) -> Turn:
    """The turn with one warning more beside its answer."""
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, warning)))


def has_other_sources(turn: Turn) -> bool:
    """Whether the text may rest on something that cannot be cited: text that came with the question, or the result of a tool."""
    return bool(turn.request.attached) or any(
        said.role == "tool" and said.name not in (SEARCH, VOICES) for said in turn.trace.tool_messages
    )


def _add_citations(turn: Turn, answer: Answer, claims: Sequence[Claim]) -> Answer:
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


def is_checked(turn: Turn) -> bool:
    """A model wrote the answer, it has no other flaw, and its sentences were compared with passages."""
    return turn.outcome is None and turn.answer is not None and not turn.answer.extractive and bool(turn.answer.claims)


async def check_support(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> AsyncIterator[Event | Turn]:
    """Notes `groundedness` (0..1) and the doubted sentences as `unsupported`.

    If a sentence is doubted, the answer gets the warning `unsupported`. If all are, it is no answer: the documents are quoted instead, or
    below it if it has been shown, and the warning is `unfounded`. With RAG__OUTPUT_CHECK=reject, or the option `reject_uncited` instead of
    quotes, a notice replaces a text that has not been shown."""
    answer = turn.answer
    if answer is None:
        yield turn
        return
    doubted = [claim for claim in answer.claims if claim.is_doubted]
    turn = turn.with_notes(groundedness=groundedness(answer.claims))
    if not doubted:
        yield turn
        return
    turn = turn.with_notes(unsupported=[answer.unmarked[claim.start : claim.end] for claim in doubted])
    unfounded = len(doubted) == len(answer.claims) and not turn.conversation.is_asked_about
    if (rag.output_check == "reject" and not turn.profile.live) or (unfounded and turn.plan.wants("reject_uncited")):
        refusal = Answer(message("unsupported", turn.lang), model=answer.model)
        yield replace(turn, outcome="refused", answer=refusal).with_notes(rejected_answer=answer.text)
    elif unfounded:
        async for item in quote_documents(turn, answer, "unfounded", index, embedder):
            yield item
    else:
        yield with_warning(turn, answer, "unsupported")
