"""What every verifier does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnote.ports import Statement


def statements_of(claims: Sequence[str]) -> tuple[str, list[Statement]]:
    """(an answer of these claims, each as a statement)."""
    answer = " ".join(claims)
    places = [answer.index(claim) for claim in claims]
    return answer, [
        Statement(claim, start, start + len(claim), ("The bridge is blue.",)) for claim, start in zip(claims, places, strict=True)
    ]


async def test_each_claim_has_its_verdict_in_their_order(verifier: Any) -> None:
    claims = ["A bridge is there.", "The bridge is red.", "It is blue.", "Die Brücke ist rot.", "It is wide."]
    answer, statements = statements_of(claims)
    assert await verifier.verify("What colour is it?", answer, statements) == [True, False, True, False, True]


async def test_no_claims_have_no_verdicts(verifier: Any) -> None:
    assert await verifier.verify("", "", []) == []


async def test_sixty_claims_are_judged_each_by_its_own(verifier: Any) -> None:
    claims = [f"Bridge {number:02} is blue." for number in range(60)]
    claims[33] = "The bridge is red."
    answer, statements = statements_of(claims)
    verdicts = await verifier.verify("", answer, statements)
    assert [at for at, verdict in enumerate(verdicts) if not verdict] == [33]
    assert len(verdicts) == 60
