"""A reviewer without a model: the share of the question's words that a passage holds."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.text.tokens import query_tokens


class WordReviewer:
    """`ports.reviewer.Reviewer`."""

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        asked = set(query_tokens(question, "en"))
        return [len(asked & set(query_tokens(passage, "en"))) / max(1, len(asked)) for passage in passages]
