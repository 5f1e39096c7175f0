"""`answer_format: json` of `/ask`: the answer as claims with their documents."""

from __future__ import annotations

import re

from footnote_query.replies import AskResponse, Claim, ClaimedAnswer

END_MARK = re.compile(r"\s*([.!?。]*)[,;:、]*(?=\s|$)")
"""Punctuation after a marker, which belongs to the sentence before it."""


def claimed(reply: AskResponse) -> AskResponse:
    """The response with its answer split into claims: the text before each marker, with the punctuation after it and the
    documents of that marker, or of several adjacent ones. A text that does not answer claims nothing."""
    text = str(reply.answer)
    if reply.tier != "answer":
        return reply.model_copy(update={"answer": ClaimedAnswer(answer=text, claims=[])})
    claims: list[Claim] = []
    at = 0
    for start, end, doc_id in sorted((*span, citation.doc_id) for citation in reply.citations for span in citation.spans):
        before = text[at:start].strip()
        if before or not claims:
            claims.append(Claim(text=before, doc_ids=[doc_id]))
        elif doc_id not in claims[-1].doc_ids:
            claims[-1].doc_ids.append(doc_id)
        at = end
        if mark := END_MARK.match(text, end):
            claims[-1].text += mark[1]
            at = mark.end()
    return reply.model_copy(update={"answer": ClaimedAnswer(answer=text, claims=claims)})
