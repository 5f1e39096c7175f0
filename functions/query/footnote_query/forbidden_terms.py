"""`/forbidden-terms`: the forbidden terms, for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Response
from pydantic import BaseModel, Field

from footnote.guard.terms import LONGEST, Match, Term
from footnote.ports import speaks
from footnote.types import Caller, Profile, Request, Turn
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.guard.term_hits import TermHit

router = Router("Administration", responses=ADMINS)
TRIAL = Profile("trial", live=False, citation_style="numbered", prompt="answer_numbered")


class TermChange(BaseModel):
    """A term's match type and topic."""

    match_type: Match | None = Field(None, description="How similar a question must be to match; null = the configured setting.")
    topic: str | None = Field(None, max_length=LONGEST, description="Topic named in the restriction notice.")


class TermBody(TermChange):
    """A forbidden term."""

    term: str
    changed_at: float
    changed_by: str


class TermPage(PageBody):
    """A page of forbidden terms."""

    data: list[TermBody]


class TermTrial(BaseModel):
    """A question to try."""

    query_text: str = Field(min_length=1, max_length=2000)


class MatchedTerm(BaseModel):
    """A term that the question matches."""

    term: str
    similarity: float = Field(description="0 to 1.")
    match_type: Match | None = Field(description="What the similarity amounts to; null = weak.")


class TrialBody(BaseModel):
    """What becomes of the question."""

    enabled: bool = Field(description="Whether questions are checked at all.")
    refused: bool
    notice: str | None = Field(description="What the user would read; null = the question is allowed.")
    hits: list[MatchedTerm] = Field(description="The matching terms, the most similar first.")


@router.get("/forbidden-terms", name="list_forbidden_terms")
async def forbidden_terms(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> TermPage:
    """Lists the terms alphabetically."""
    page = await core.terms.page(limit, after)
    return TermPage.of(page, _body)


@router.post("/forbidden-terms/try", name="try_forbidden_terms")
async def try_forbidden_terms(body: TermTrial, admin: AdminOf, core: CoreOf) -> TrialBody:
    """Checks a question as if it was asked: with the language model where `rag.forbidden_check_mode` asks for one. Nothing is stored."""
    turn, hits = await try_question(core, admin, body.query_text)
    refused = turn.outcome == "forbidden"
    return TrialBody(
        enabled=core.settings.rag.forbidden_check,
        refused=refused,
        notice=turn.answer.text if refused and turn.answer else None,
        hits=[MatchedTerm(term=hit.term.text, similarity=min(1.0, max(0.0, hit.similarity)), match_type=hit.match) for hit in hits],
    )


# A term may contain a slash.
@router.put("/forbidden-terms/{term:path}", name="set_forbidden_term", responses=problems({404: "The term has more than one line"}))
async def set_forbidden_term(term: str, change: TermChange, admin: AdminOf, core: CoreOf) -> TermBody:
    """Adds or changes a term. All processes apply it within 5 seconds."""
    return _body(await core.terms.save(admin, term, change.match_type, change.topic))


@router.delete(
    "/forbidden-terms/{term:path}", name="delete_forbidden_term", status_code=204, responses=problems({404: "There is no such term"})
)
async def delete_forbidden_term(term: str, admin: AdminOf, core: CoreOf) -> Response:
    """Removes a term."""
    await core.terms.remove(admin, term)
    return Response(status_code=204)


async def try_question(core: Core, admin: Caller, question: str) -> tuple[Turn, list[TermHit]]:
    """(a turn with this question after the check of forbidden terms, the terms that the question matches, the most similar first).
    Unavailable if the check is not possible."""
    from footnote.bootstrap.deps import Deps
    from footnote.guard.term_hits import match_terms
    from footnote.pipeline import FORBIDDEN, LANGUAGE
    from footnote.steps import Runner

    await core.load_changes()
    asked = core.new_turn(Request(question, is_test=True), admin, TRIAL)
    turn = await Runner((LANGUAGE, FORBIDDEN), Deps, core.turn_deps).finish(asked)
    copy, embedder = await core.terms.current(), core.terms.embedder
    vector = (await embedder.embed([question], query=True))[0] if copy.vectors and speaks(embedder, turn.lang) else None
    centre = await core.terms.centre(turn.lang) if vector is not None else 0.0
    return turn, match_terms(question, vector, copy, core.settings.rag.forbidden_check_threshold, centre)


def _body(term: Term) -> TermBody:
    return TermBody(term=term.text, match_type=term.match, topic=term.topic, changed_at=term.changed_at, changed_by=term.changed_by)
