"""`POST /plain`: a question as text, an answer as text."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body
from fastapi.responses import PlainTextResponse

from footnote.types import Profile, Request
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.openapi import SLOW
from footnote_http.routes import Router
from footnote_query.citations import answer_text

router = Router("Asking", responses=SLOW)
PROFILE = Profile("plain", live=False, citation_style="numbered", prompt="answer_numbered")


@router.post("/plain", name="plain", response_class=PlainTextResponse)
async def plain(question: Annotated[str, Body(media_type="text/plain")], caller: AskerOf, core: CoreOf, trace_id: TraceId) -> str:
    """Answers a question with numbered citations."""
    turn = core.new_turn(Request(question), caller, PROFILE, trace_id=trace_id)
    return answer_text(await core.answer.finish(turn))
