"""Replies, made from the record of a turn, so that a turn that has just ended and one that was stored long ago look the same. `notice` is
what the reader is told besides the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from footnote.answer.messages import message
from footnote.answer.model_source import no_model
from footnote.memory.withdrawn import WITHDRAWN
from footnote.ports import StoredTurn
from footnote.turn_records.read import model_source_of, model_usage_of, question_of, shown_title, started_at_of
from footnote.types import (
    CUT_WARNINGS,
    FLAWS,
    Cut,
    QuotedWords,
    Reason,
    StoredHit,
    StoredReference,
    Tier,
    Turn,
    TurnRecord,
    Unit,
    Usage,
    tier_of,
)
from footnote_query.steps import StepBody, make_steps

if TYPE_CHECKING:
    from footnote.settings import LLM

UNWRITTEN = ("blocked", WITHDRAWN)
"""Outcomes without a text of their own."""


class CitationBody(BaseModel):
    """A citation."""

    number: int
    doc_id: str
    chunk_id: str
    title: str
    page: int | None
    unit: Unit = Field("page", description="Unit of `page`.")
    section: str | None = Field(None, description="The heading above the passage; for a spreadsheet the sheet's name.")
    score: float
    snippet: str
    bounds: list[tuple[int, int]] = Field(
        description="Positions of the cited sentences in the passage, in code points; the first is `snippet`. Of a language model's answer"
        " one for each of `spans`; where the documents are quoted, the sentences that answer."
    )
    spans: list[tuple[int, int]] = Field(description="Code point offsets of this citation's markers in `answer`.")
    added: bool = Field(False, description="True: the model did not cite the passage; it was found to support a sentence.")
    quotes: list[QuotedWords | None] = Field([], description="The words that the model says each of `spans` rests on, looked up.")


class HitBody(BaseModel):
    """A retrieved passage."""

    chunk_id: str
    doc_id: str
    title: str
    page: int | None
    unit: Unit = Field("page", description="Unit of `page`.")
    section: str | None = Field(None, description="The heading above the passage; for a spreadsheet the sheet's name.")
    headings: list[str]
    score: float
    bm25: float | None
    cosine: float | None
    content: str
    withdrawn: bool = Field(description="True: the passage was deleted, replaced or may no longer be read; `content` is empty.")


class CheckedSentence(BaseModel):
    """A sentence of a language model's answer, compared with the passages."""

    start: int
    end: int
    support: float | None = Field(description="The probability that the passages support it, 0 to 1; null if it cannot be compared.")
    doubted: bool
    number: int | None = Field(description="Of the citation whose passage supports it best.")
    bounds: list[int] | None = Field(None, description="What supports it in that passage: start and end in its `content`.")
    unmarked: bool = Field(description="True: no marker of that citation stands at the sentence.")


class Claim(BaseModel):
    """A part of an answer and the documents cited for it."""

    text: str
    doc_ids: list[str]


class ClaimedAnswer(BaseModel):
    """An answer split into claims."""

    answer: str
    claims: list[Claim]


class TokensUsed(BaseModel, defer_build=True):
    """Token counts in OpenAI's form."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class UsageBody(TokensUsed, defer_build=False):
    """Token counts of a turn."""

    estimated: bool = Field(description="True: estimated, because the model's endpoint did not report usage.")


class VerdictBody(BaseModel):
    """Why an answer without a language model has its tier."""

    because: Reason = Field(
        description="Does an excerpt answer? sure, likely, unsure; lacks_code: it lacks a code of the question; unrelated: nothing is near."
    )
    score: float = Field(description="The probability that the best excerpt answers, 0 to 1.")
    answer_from: float = Field(description="The lowest `score` of an answer.")
    related: float = Field(description="How much the question has to do with the collection, 0 to 1.")
    closest_from: float = Field(description="The lowest `related` of passages that are shown.")
    missing: list[str] = Field(description="Words of the question that occur in none of the passages that were looked at.")
    reasons: list[str] = Field(
        description="What speaks most for (`words+`) and against (`missing-`) the best excerpt, the strongest first."
    )


TIER = (
    "answer: the text answers. closest: no answer; the text and the citations are the closest passages, with their best sentence."
    " nothing: no passage is close, or the question was not answered for another reason."
)
"""The description of a field with the tier."""

WARNINGS = (
    "Findings of the checks of the answer. Of a model's text that is no answer, so that the documents are quoted instead or below it:"
    " `uncited`, `empty`, `preamble` (it only announces an answer, or repeats the question), `repetition`, `other_language`, `unfounded`"
    " (the passages that it cites say nothing of it). `citations_added`: the model cited nothing, and its sentences were found in these"
    " passages. `model_failed`: a language model is configured but did not answer, and the documents are quoted instead. Others, such as"
    " `unsupported`: see the documentation of `/ask`."
)
"""The description of a field with the warnings."""


FinishReason = Literal["stop", "length", "content_filter"]


class AskResponse(BaseModel):
    """An answer."""

    answer: str | ClaimedAnswer
    citations: list[CitationBody]
    hits: list[HitBody]
    latency_ms: float
    trace_id: str
    room_id: str = Field(description="The conversation in which the turn is stored; for a turn without one, its `trace_id`.")
    outcome: str = Field(
        description="answered; cached: an earlier answer; faq: the written answer to a frequent question; closest; refused; no_hits;"
        " forbidden: by a forbidden term; blocked: a check could not be made."
    )
    tier: Tier = Field(description=TIER)
    verdict: VerdictBody | None = Field(description="Why; null if a language model wrote the answer, or it is taken from a FAQ.")
    extractive: bool = Field(description="True: the answer consists of sentences quoted from the documents; no language model was used.")
    model: str | None
    model_failed: bool = Field(description="True: the configured language model did not respond; the documents were quoted instead.")
    finish_reason: FinishReason = Field(
        description="stop; or why the model's answer is incomplete: its token limit (also where a loop was ended), or a content filter."
    )
    notice: str | None = Field(description="A note for the user, e.g. how to connect a language model.")
    warnings: list[str] = Field(description=WARNINGS)
    claims: list[CheckedSentence] = Field(
        description="The sentences of a language model's answer that claim something; offsets in code points."
    )
    searched_for: list[str] = Field(description="Search queries; [] if nothing was searched.")
    corrected: str | None = Field(description="The question with its typos corrected, if it had any and was searched for like this.")
    suggested_questions: list[str] = Field(description="At most three follow-up questions.")
    usage: UsageBody
    cost: float | None = Field(description="Cost of the model's tokens at current prices; null if no prices are set.")
    degraded: bool = Field(description="True: a part failed and the turn continued without it.")
    vectors_pending: bool = Field(
        description="True: some passages that you may read have no vector yet; semantic search does not find these."
    )
    persisted: bool
    debug: dict[str, Any] | None = None


class TokenEvent(BaseModel, defer_build=True):
    """A piece of the answer."""

    type: Literal["token"]
    content: str


class TurnBody(AskResponse):
    """A stored turn."""

    question: str
    created_at: float
    status: Literal["done", "error", "idle"]
    steps: list[StepBody]
    feedback: Literal["up", "down"] | None


def make_reply(record: TurnRecord, texts: Mapping[str, str], llm: LLM, *, persisted: bool = True) -> AskResponse:
    """The reply of a turn. `texts`: passage → its text; a passage that is missing was withdrawn."""
    return AskResponse(**_fields(record, texts, llm), persisted=persisted)


def make_turn_body(turn: StoredTurn, texts: Mapping[str, str], llm: LLM) -> TurnBody:
    """A stored turn as `/turns` and `/conversations` show it."""
    record = turn.record
    return TurnBody(
        **_fields(record, texts, llm),
        persisted=True,
        question=question_of(record),
        created_at=started_at_of(record),
        status=record["status"],
        steps=make_steps(record, llm),
        feedback=turn.feedback.rating if turn.feedback else None,
    )


def citation_bodies(references: Sequence[StoredReference]) -> list[CitationBody]:
    """The citations of a stored answer."""
    return [CitationBody(number=each["index"], **(each | _shown(each))) for each in references]


def hit_bodies(hits: Sequence[StoredHit], texts: Mapping[str, str]) -> list[HitBody]:
    """The passages of a stored turn. `texts`: as of `make_reply`."""
    return [HitBody(**(hit | _shown(hit)), content=texts.get(hit["passage"], ""), withdrawn=hit["passage"] not in texts) for hit in hits]


def _shown(stored: StoredHit | StoredReference) -> dict[str, Any]:
    """The fields that are shown otherwise than they are stored."""
    return {"title": shown_title(stored), "score": round(stored["score"], 4)}


def tokens_used(usage: Usage) -> dict[str, int]:
    """The fields of TokensUsed."""
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "total_tokens": usage.total_tokens}


def tokens_used_body(turn: Turn) -> TokensUsed:
    """The tokens of a turn that has just ended."""
    return TokensUsed(**tokens_used(turn.trace.usage))


def finish_reason(cut: Cut | None) -> FinishReason:
    """OpenAI's word for why an answer ended; one in a loop was cut at a length of ours."""
    match cut:
        case None | "stopped":
            return "stop"
        case "repetition":
            return "length"
        case _:
            return cut


def make_usage(record: TurnRecord) -> UsageBody:
    """The tokens of a turn."""
    return UsageBody(**record["result"]["usage"])


def _fields(record: TurnRecord, texts: Mapping[str, str], llm: LLM) -> dict[str, Any]:
    from footnote.pipeline import STAGES  # excludes an agent's rounds and tools, whose time is part of their step's

    result, usage = record["result"], make_usage(record)
    return {
        "answer": message(record["outcome"], record["lang"]) if record["outcome"] in UNWRITTEN else result["final_response"],
        "citations": citation_bodies(result["references"]),
        "hits": hit_bodies(record["hits"], texts),
        "latency_ms": round(sum(span["ms"] for span in record["spans"] if span["name"] in STAGES), 1),
        "trace_id": record["trace_id"],
        "room_id": record["room_id"],
        "outcome": record["outcome"] or "answered",
        "tier": tier_of(record["outcome"]),
        "verdict": record.get("verdict"),
        "extractive": record["extractive"],
        "model": record["llm"],
        "model_failed": _model_failed(record),
        "finish_reason": finish_reason(_cut_of(record)),
        "notice": _notice_of(record),
        "warnings": record["warnings"],
        "claims": record.get("claims", []),
        "searched_for": _searched_for(record),
        "corrected": record.get("private", {}).get("corrected"),
        "suggested_questions": record["suggested_questions"],
        "usage": usage,
        "cost": llm.cost(model_usage_of(record)),
        "degraded": record["degraded"],
        "vectors_pending": record.get("vectors_pending", False),
    }


def verdict_of(turn: Turn) -> VerdictBody | None:
    """Why the turn's answer has its tier; None if a language model wrote it."""
    verdict = turn.answer.verdict if turn.answer else None
    return VerdictBody.model_validate(verdict, from_attributes=True) if verdict else None


def _cut_of(record: TurnRecord) -> Cut | None:
    """Why the model's text is incomplete; None if it is complete, or quotes took its place."""
    return None if record["extractive"] else next((cut for cut, warning in CUT_WARNINGS.items() if warning in record["warnings"]), None)


def _searched_for(record: TurnRecord) -> list[str]:
    """[] where the documents were not searched; an agent's own queries are not stored."""
    if record["search_type"] not in ("rag", "pa") or record["outcome"] == "blocked":
        return []
    queries: list[str] = record["result"]["search_decision"]["rewritten_query"]
    chatted = record["outcome"] is None and not record["hits"]  # small talk is answered without passages
    return queries or ([question_of(record)] if record["search_type"] == "rag" and not chatted else [])


def _notice_of(record: TurnRecord) -> str | None:
    """What the reader is told besides the answer."""
    return " ".join(filter(None, (_unread(record), _about_model(record)))) or None


def _unread(record: TurnRecord) -> str | None:
    """What of the documents is still being read, if the text does not say so, as a text that answers does not."""
    note = record.get("private", {}).get("unread", {})
    if not note.get("reading") or tier_of(record["outcome"]) != "answer":
        return None
    from footnote.answer.unread import sentence

    return f"{sentence(note['reading'], note['documents'], record['lang'])} {message('from_a_part', record['lang'])}"


def _about_model(record: TurnRecord) -> str | None:
    for key in ("budget_cheaper", "budget_search"):
        if key in record["warnings"] and record["outcome"] in (None, "closest"):
            return message(key, record["lang"])
    quotes = record["extractive"] and record["outcome"] in (None, "cached", "closest")  # a refusal quotes nothing
    refuses = record["extractive"] and record["outcome"] == "refused"
    lang, address, source = record["lang"], record.get("llm_address"), model_source_of(record)
    if flaw := next((each for each in record["warnings"] if each in FLAWS and record["extractive"]), None):
        rejected = message(f"model_{flaw}", lang)
        return f"{rejected} {message('quoted_instead', lang)}" if quotes else rejected
    if not _model_failed(record):
        if source and (quotes or refuses):
            return no_model(source, lang)
        return message("extractive", lang) if quotes else None
    failed = message("model_failed_at", lang, address=address) if address else message("model_failed", lang)
    said = [record.get("llm_problem"), failed, message("quoted_instead", lang) if quotes else None]
    return " ".join(each for each in said if each)


def _model_failed(record: TurnRecord) -> bool:
    """Whether a configured language model did not respond."""
    return bool(record["llm_failed"]) and record["outcome"] in (None, "cached", "closest", "refused")
