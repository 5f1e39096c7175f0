"""`/shares`: links to conversations. Their owner makes, lists and deletes them; whoever has the token of one reads the conversation."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Response
from pydantic import BaseModel, Field, StringConstraints

from footnote.answer.messages import message
from footnote.collections.places import Places
from footnote.errors import NotFound
from footnote.guard.audit import audit
from footnote.memory.shares import (
    Share,
    SharedAnswer,
    Withheld,
    digest_of,
    end_share,
    find_share,
    make_share,
    read_shared,
    save_share,
    valid_shares,
)
from footnote.turn_records.days import DAY_S
from footnote.turn_records.read import question_of, started_at_of
from footnote.types import Caller, Tier, TurnRecord, tier_of
from footnote_http.app import Limit
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.replies import CitationBody, HitBody, citation_bodies, hit_bodies

MOST = 100
"""Links of one user at a time."""
GONE = "This link is unknown, was deleted or has expired."
"""The same for all three, and for a link to a conversation that is gone: nobody learns whether there was one."""
router = Router("Conversations")


class NewShare(BaseModel):
    """A conversation to share."""

    room_id: Annotated[str, StringConstraints(max_length=200)]
    valid_days: Annotated[int, Field(ge=1, le=365)] | None = Field(30, description="Days until the link expires; null = never.")


class ShareBody(BaseModel):
    """A link to a conversation, as its owner sees it."""

    share_id: str = Field(description="Identifies the link; it does not open it.")
    room_id: str
    created_at: float = Field(description="The turns that had begun by then are shared.")
    expires_at: float | None


class MadeShare(ShareBody):
    """A link that was just made."""

    token: str = Field(description="Opens the conversation. It is shown once: only its hash is stored.")
    path: str = Field(description="The page that shows the conversation, on this server.")


class ShareList(BaseModel):
    """The caller's links, the newest first."""

    data: list[ShareBody]


class OpenShare(BaseModel):
    """The token of a link."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class SharedTurn(BaseModel):
    """A question and what the reader may see of its answer."""

    question: str
    created_at: float
    answer: str = Field(description="The answer, or why it is withheld.")
    withheld: Withheld = Field(
        description="nothing: the answer is as it was. part: only the quoted sentences of sources that the reader may read are left."
        " all: sources of the answer were changed or deleted, or the reader may not read them, and it cannot be told what is from them."
    )
    outcome: str
    tier: Tier
    extractive: bool = Field(description="True: the answer consists of sentences quoted from the documents.")
    notice: str | None = Field(description="Says that a part is withheld.")
    citations: list[CitationBody]
    hits: list[HitBody] = Field(description="The cited passages.")


class SharedPage(PageBody):
    """A page of the turns of a shared conversation."""

    created_at: float = Field(description="When the link was made.")
    expires_at: float | None
    data: list[SharedTurn]


@router.post("/shares", name="share_conversation", status_code=201, responses=problems({404: "There is no such conversation"}))
async def share(body: NewShare, caller: CallerOf, core: CoreOf) -> MadeShare:
    """Makes a link to one of the caller's conversations, as it is now: what is asked later is not shared."""
    await core.turns.room(caller, body.room_id, 1)  # NotFound
    made, token = make_share(caller, body.room_id, core.clock(), None if body.valid_days is None else body.valid_days * DAY_S)

    async def shared() -> set[str]:
        return {each.share_id for each in await valid_shares(caller, records=core.records, now=core.clock())}

    places = Places(core.records, core.clock, MOST, f"You have {MOST} links. Delete one first.")
    async with places.place(f"share/{digest_of(caller.user_id)}", made.share_id, shared):
        facts = {"share_id": made.share_id, "valid_days": body.valid_days}
        await audit(core.records, caller, "conversation.share", body.room_id, now=core.clock(), **facts)
        await save_share(made, records=core.records, turns=core.turns)
    return MadeShare(**_fields(made), token=token, path=f"/shared#{token}")


@router.get("/shares", name="list_shares")
async def list_shares(caller: CallerOf, core: CoreOf) -> ShareList:
    """The caller's links. Their tokens are not stored."""
    shares = await valid_shares(caller, records=core.records, now=core.clock())
    return ShareList(data=[ShareBody(**_fields(each)) for each in shares])


@router.delete("/shares/{share_id}", name="delete_share", status_code=204, responses=problems({404: "The caller has no such link"}))
async def delete_share(share_id: str, caller: CallerOf, core: CoreOf) -> Response:
    """Deletes a link. It opens nothing from then on."""
    own = {each.share_id: each for each in await valid_shares(caller, records=core.records, now=core.clock())}
    if share_id not in own:
        raise NotFound("There is no such link.")
    await audit(core.records, caller, "conversation.unshare", share_id, now=core.clock())
    await end_share(own[share_id], records=core.records)
    return Response(status_code=204)


@router.post("/shares/open", name="open_share", responses=problems({404: "The link is unknown, was deleted or has expired"}))
async def open_share(body: OpenShare, caller: CallerOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> SharedPage:
    """Shows a shared conversation to whoever has its token, oldest turn first. All sources are checked for the caller. It is a POST, so
    that the token stands in no log."""
    found = await find_share(body.token, records=core.records, now=core.clock())
    if found is None:
        raise NotFound(GONE)
    try:
        page = await core.turns.room(Caller(found.user_id), found.room_id, limit, after)
    except NotFound as exc:
        raise NotFound(GONE) from exc
    shared = [each.record for each in page.data if started_at_of(each.record) <= found.created_at]
    if not shared:
        raise NotFound(GONE)
    records = [record for record in shared if record["status"] == "done"]
    answers = await read_shared(records, caller, index=core.index)
    turns = [_turn(record, answer) for record, answer in zip(records, answers, strict=True)]
    more = page.has_more and len(shared) == len(page.data)
    return SharedPage(data=turns, has_more=more, last_id=page.last_id, created_at=found.created_at, expires_at=found.expires_at)


def _fields(share: Share) -> dict[str, str | float | None]:
    return {"share_id": share.share_id, "room_id": share.room_id, "created_at": share.created_at, "expires_at": share.expires_at}


def _turn(record: TurnRecord, seen: SharedAnswer) -> SharedTurn:
    lang, texts = record["lang"], seen.texts or {}
    told: dict[Withheld, Literal["shared_part", "shared_all"]] = {"part": "shared_part", "all": "shared_all"}
    said = message(told[seen.withheld], lang) if seen.withheld in told else None
    return SharedTurn(
        question=question_of(record),
        created_at=started_at_of(record),
        answer=said if seen.withheld == "all" and said else seen.text,
        withheld=seen.withheld,
        outcome=record["outcome"] or "answered" if seen.withheld != "all" else "withdrawn",
        tier=tier_of(record["outcome"]) if seen.withheld != "all" else "nothing",
        extractive=record["extractive"],
        notice=said if seen.withheld == "part" else None,
        citations=citation_bodies(seen.references),
        hits=hit_bodies(seen.hits, texts),
    )
