"""What admins see of feedback: with the turn that it is about, as far as they may read its documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnote.learn.golden_cases import facts_in
from footnote.ports import FeedbackFilter, RatedTurn
from footnote.text.pii import mask_pii
from footnote.turn_records.read import question_of, shown_title
from footnote.turn_records.readable import needed_to_show, readable_documents
from footnote.types import Caller, Stage, TurnRecord
from footnote_feedback.bodies import CitedBody, FeedbackPage, GivenBody, RatedStep

if TYPE_CHECKING:
    from footnote.bootstrap import Core


async def list_feedback(core: Core, admin: Caller, wanted: FeedbackFilter, limit: int, after: str | None) -> FeedbackPage:
    """A page of feedback."""
    page = await core.feedback.list(admin, wanted, limit, after)
    shown = await may_show(page.data, admin, core)
    data = [_body(rated, admin, withheld=not each) for rated, each in zip(page.data, shown, strict=True)]
    return FeedbackPage(data=data, has_more=page.has_more, last_id=page.last_id)


async def may_show(rated: Sequence[RatedTurn], caller: Caller, core: Core) -> list[bool]:
    """Of each turn, whether the caller may read all documents that it depends on."""
    needed = [needed_to_show(each.record, caller) for each in rated]
    readable = await readable_documents(frozenset().union(*needed), caller, core.ledger)
    return [documents <= readable for documents in needed]


def _body(rated: RatedTurn, admin: Caller, *, withheld: bool) -> GivenBody:
    record, given = rated.record, rated.feedback
    references = [] if withheld else record["result"]["references"]
    return GivenBody(
        trace_id=given.trace_id,
        user_id=given.user_id,
        given_at=given.created_at,
        rating=given.rating,
        reason=given.usual_reason if withheld else given.reason,
        collection=record["collection"],
        withheld=withheld,
        question="" if withheld else mask_pii(question_of(record)),
        answer="" if withheld else record["result"]["final_response"],
        outcome=record["outcome"],
        comment=None if withheld else given.comment,
        proposed_answer=None if withheld else given.proposed_answer,
        facts=[] if withheld else list(facts_in(given.proposed_answer or "")),
        tags=[] if withheld else list(given.tags),
        selected_citations=[] if withheld else list(given.selected_citations),
        citations=[
            CitedBody(chunk_id=ref["chunk_id"], doc_id=ref["doc_id"], title=shown_title(ref), page=ref["page"], snippet=ref["snippet"])
            for ref in references
        ],
        steps=[] if withheld else _steps(record),
        room_id=record["room_id"] if record["user_id"] == admin.user_id else None,
    )


def _steps(record: TurnRecord) -> list[RatedStep]:
    from footnote.pipeline import STAGES  # the core is loaded by the first request, not with the app

    return [
        RatedStep(name=each["name"], stage=STAGES.get(each["name"], Stage.ANSWER), ms=round(each["ms"], 2), status=each["status"])
        for each in record["spans"]
    ]
