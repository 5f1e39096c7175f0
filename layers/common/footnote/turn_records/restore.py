"""Restores a turn from its record, so that every API can encode its reply again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from footnote.errors import ModelUnavailable
from footnote.turn_records.read import confidence_of, model_source_of, model_usage_of, question_of, started_at_of
from footnote.types import (
    CUT_WARNINGS,
    Answer,
    Chunk,
    Citation,
    Claim,
    Conversation,
    Evidence,
    EvidenceSpan,
    Hit,
    ModelCall,
    QuotedWords,
    RankedList,
    Span,
    StoredClaim,
    StoredHit,
    StoredQuote,
    StoredReference,
    StoredVerdict,
    Trace,
    Turn,
    TurnRecord,
    Verdict,
)
from footnote.types.copies import replace
from footnote.types.documents import UNITS


def restore(turn: Turn, record: TurnRecord, chunks: Mapping[str, Chunk]) -> Turn:
    """The turn in its final state.

    `turn`: the turn at the beginning of the same request; values that are not stored (profile, options, filters, images) are taken
    from it. `chunks`: the passages that the index still holds and the caller may read, by their ids in the index; other passages
    have no text and metadata. For a turn that failed, `record.partial` is the text already sent. Prompts, the model's reasoning
    and the reason for a truncated answer are not stored.
    """
    request = replace(turn.request, question=question_of(record))
    turn = replace(turn, trace_id=record["trace_id"], request=request).rewrite(*record["result"]["search_decision"]["rewritten_query"])
    hits = tuple(_hit(stored, record, chunks) for stored in record["hits"])
    return replace(
        turn,
        plan=replace(turn.plan, model=record["llm"]),
        queries=tuple(replace(query, lang=record["lang"]) for query in turn.queries),
        conversation=Conversation(quoted=tuple((passage["passage"], passage["doc_id"]) for passage in record.get("leans_on", ()))),
        evidence=Evidence(lists=_lists(turn.asked, record), hits=hits),
        answer=_answer(record, hits),
        outcome=record["outcome"],
        trace=_record(record),
    )


def has_failed(record: TurnRecord) -> bool:
    """Whether the turn failed before it had an answer. A turn blocked by a check has not failed."""
    return record["is_error"] and record["outcome"] != "blocked"


def _record(record: TurnRecord) -> Trace:
    return Trace(
        started_at=started_at_of(record),
        spans=tuple(Span(span["name"], span["ms"], span["status"], span["detail"]) for span in record["spans"]),
        calls=tuple(ModelCall("", usage.model or "", usage.usage, 0.0) for usage in model_usage_of(record)),
        notes=record.get("private", {}),
        degraded=record["degraded"],
        persisted=True,
        partial=record["result"]["final_response"] if has_failed(record) else None,
        model_address=record.get("llm_address"),
        model_source=model_source_of(record),
        model_problem=record.get("llm_problem", ModelUnavailable.title) if record["llm_failed"] else None,
        suggested_questions=tuple(record["suggested_questions"]),
    )


def _lists(query: str, record: TurnRecord) -> tuple[RankedList, ...]:
    """A list that only records whether vectors were missing; their number is not stored."""
    return (RankedList("cosine", query, coverage=0.0),) if record.get("vectors_pending") else ()


def _answer(record: TurnRecord, hits: Sequence[Hit]) -> Answer | None:
    if record["is_error"]:
        return None
    result = record["result"]
    citations = tuple(_citation(reference, record, hits) for reference in result["references"])
    cut = next((cut for cut, warning in CUT_WARNINGS.items() if warning in record["warnings"]), None)
    return Answer(
        text=result["final_response"],
        citations=citations,
        extractive=record["extractive"],
        model=record["llm"],
        warnings=tuple(record["warnings"]),
        cut=None if record["extractive"] else cut,  # quotes are whole, whatever was wrong with the text that they replace
        verdict=_verdict(record.get("verdict")),
        confidence=confidence_of(record),
        claims=restored_claims(record.get("claims", ()), citations),
    )


def restored_claims(stored: Iterable[StoredClaim], citations: Sequence[Citation]) -> tuple[Claim, ...]:
    """The checked sentences of an answer."""
    cited = {citation.number: citation for citation in citations}

    def place(claim: StoredClaim) -> EvidenceSpan | None:
        number, bounds = claim["number"], claim.get("bounds")
        return EvidenceSpan(cited[number].hit.chunk, *bounds) if number in cited and bounds else None

    return tuple(Claim(claim["start"], claim["end"], claim["support"], claim["doubted"], place(claim)) for claim in stored)


def _verdict(stored: StoredVerdict | None) -> Verdict | None:
    if stored is None:
        return None
    if "related" not in stored:  # of an earlier version: its scores were no probabilities, and some of its reasons are no more
        return Verdict(stored["tier"], "sure" if stored["tier"] == "answer" else "unsure", missing=tuple(stored["missing"]))
    scores = stored["score"], stored["answer_from"], stored["related"], stored["closest_from"]
    return Verdict(stored["tier"], stored["because"], *scores, tuple(stored["missing"]), tuple(stored["reasons"]))


def _citation(reference: StoredReference, record: TurnRecord, hits: Sequence[Hit]) -> Citation:
    same = [hit for hit in hits if hit.chunk.public_id == reference["chunk_id"]]
    hit = next((hit for hit in same if hit.score == reference["score"]), same[0] if same else None)
    return Citation(
        number=reference["index"],
        hit=hit or Hit(_bare(reference["chunk_id"], reference, record, [reference["section"] or ""]), reference["score"]),
        snippet=reference["snippet"],
        page=reference["page"],
        bounds=_pairs(reference["bounds"]),
        spans=_pairs(reference["spans"]),
        is_added=reference.get("added", False),
        quotes=restored_quotes(reference.get("quotes", ())),
    )


def restored_quotes(stored: Iterable[StoredQuote | None] = ()) -> tuple[QuotedWords | None, ...]:
    """The quotes of a citation."""
    return tuple(QuotedWords(quote["text"], quote["state"], _pair(quote["bounds"])) if quote else None for quote in stored)


def _hit(stored: StoredHit, record: TurnRecord, chunks: Mapping[str, Chunk]) -> Hit:
    current = chunks.get(stored["passage"])
    chunk = replace(current, file_label=stored.get("file", "")) if current else _bare(stored["passage"], stored, record, stored["headings"])
    scores = {"bm25": stored["bm25"], "cosine": stored["cosine"], **stored.get("scores", {})}
    return Hit(chunk, stored["score"], {name: score for name, score in scores.items() if score is not None})


def _bare(chunk_id: str, stored: StoredHit | StoredReference, record: TurnRecord, headings: Sequence[str]) -> Chunk:
    """A passage that can no longer be read, with the values that are stored."""
    ending = next((ending for ending, unit in UNITS.items() if unit == stored["unit"]), None)
    return Chunk(
        chunk_id=chunk_id,
        doc_id=stored["doc_id"],
        generation=0,
        ordinal=int(stored["chunk_id"].rpartition("#")[2]),
        level=2,
        title=stored["title"],
        text="",
        lang=record["lang"],
        collection=record["collection"],
        headings=tuple(filter(None, headings)),
        page=stored["page"],
        metadata={"file_name": f"{stored['title']}.{ending}"} if ending else {},  # determines `unit`
        file_label=stored.get("file", ""),
    )


def _pair(bounds: Sequence[int] | None) -> tuple[int, int] | None:
    return (bounds[0], bounds[1]) if bounds else None


def _pairs(lists: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in lists)
