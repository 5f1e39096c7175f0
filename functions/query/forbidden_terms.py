"""`/forbidden-terms`: the forbidden terms, for admins."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel, Field

from footnote.guard.terms import LONGEST, Match, Term
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from query.admin import ADMINS

router = Router("Administration", responses=ADMINS)


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


@router.get("/forbidden-terms", name="list_forbidden_terms")
async def forbidden_terms(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> TermPage:
    """Lists the terms alphabetically."""
    page = await core.terms.page(limit, after)
    return TermPage.of(page, _body)


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


def _body(term: Term) -> TermBody:
    return TermBody(term=term.text, match_type=term.match, topic=term.topic, changed_at=term.changed_at, changed_by=term.changed_by)
