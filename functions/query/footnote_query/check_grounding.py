"""`POST /check-grounding`: how well facts support a text, in the shape of Google's check grounding API."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from footnote_http.callers import AskerOf, CoreOf
from footnote_http.openapi import SLOW
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.answer.check_facts import CheckedText

router = Router("Searching", responses=SLOW)


class Fact(BaseModel):
    """A text that claims may rest on."""

    factText: str = Field(max_length=10_000)
    attributes: dict[str, str] = {}


class GroundingSpec(BaseModel):
    """How claims are cited."""

    citationThreshold: float | None = Field(
        None, ge=0, le=1, description="The score from which a fact is cited for a claim. Default: that from which Footnote cites."
    )


class CheckGroundingRequest(BaseModel):
    """A text, and the facts to check it against."""

    answerCandidate: str = Field(min_length=1, max_length=20_000)
    facts: Annotated[list[Fact], Field(max_length=200)]
    groundingSpec: GroundingSpec = GroundingSpec()


class CitedChunk(BaseModel):
    """A fact that is cited. `source`: its position in the request."""

    chunkText: str
    source: str


class GroundingClaim(BaseModel):
    """A sentence of the text."""

    startPos: int = Field(description="In bytes of UTF-8.")
    endPos: int = Field(description="In bytes of UTF-8, exclusive.")
    claimText: str
    citationIndices: list[int] = Field(description="Positions in `citedChunks`.")
    groundingCheckRequired: bool = Field(
        description="False: the sentence claims nothing, or is in another language than all facts and no vectors compare them."
    )
    score: float | None = Field(description="The probability that the facts support it; null where it was not checked.")


class CheckGroundingResponse(BaseModel):
    """How well the facts support the text."""

    supportScore: float = Field(description="The mean score of the claims; 0 where there is none.")
    citedChunks: list[CitedChunk]
    claims: list[GroundingClaim]


@router.post("/check-grounding", name="check_grounding")
async def check_grounding(request: CheckGroundingRequest, caller: AskerOf, core: CoreOf) -> CheckGroundingResponse:
    """Checks every sentence of a text against facts, by the check of a language model's answers. Nothing is searched or stored."""
    from footnote.answer.check_facts import check_facts

    facts = [fact.factText for fact in request.facts]
    text = request.answerCandidate
    checked = await check_facts(text, facts, core.embedder, core.verifier, request.groundingSpec.citationThreshold)
    cited = list(dict.fromkeys(number for each in checked for number in each.facts))
    scores = [each.support for each in checked if each.support is not None]
    return CheckGroundingResponse(
        supportScore=round(fmean(scores), 3) if scores else 0.0,
        citedChunks=[CitedChunk(chunkText=facts[number], source=str(number)) for number in cited],
        claims=[_claim(text, each, cited) for each in checked],
    )


def _claim(text: str, checked: CheckedText, cited: list[int]) -> GroundingClaim:
    said = text[checked.start : checked.end]
    start = len(text[: checked.start].encode())
    return GroundingClaim(
        startPos=start,
        endPos=start + len(said.encode()),
        claimText=said,
        citationIndices=[cited.index(number) for number in checked.facts],
        groundingCheckRequired=checked.support is not None,
        score=checked.support,
    )
