"""Lets a language model write questions that each passage answers. Their words are searched with those of the passage.

They are no passages: they have no id, are in no count and are never read back, so nothing can show or cite them. They come and go with
their passage, and whoever may not read it does not find it by them.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from footnote.ingest.describe_by_model import DocumentModel, plain
from footnote.text.prompt_injection.passages import find_injected_sentences
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import Chunk, Document

log = logging.getLogger(__name__)

AT_ONCE = 8
"""Passages of a call."""
MOST = 3
"""Questions of a passage."""
LONGEST = 200
"""Characters of a question."""
CHARACTERS = 2000
"""Of a passage that the model is shown."""
SHORTEST = 200
"""Characters of a passage; a shorter one is found by its own words."""
CALLS = 3
"""Calls at the same time."""
FAILURES = 2
"""After so many calls without a reply, the rest of the document is left as it is."""
LIMIT_S = 120.0
"""For all calls of a document: the rest of its passages stay without. Its lease is renewed before (see `ingest.ingestor`)."""
REPLY_TOKENS = 1500
NUMBERED = re.compile(r"\D{0,3}(\d{1,2})\s*[.:)]\s*(.+)", re.DOTALL)


class Questions(BaseModel, defer_build=True):
    """The model's reply."""

    questions: list[str] = Field(description="a list of texts, each of them the number of a passage, a colon and a question")


async def add_questions(model: DocumentModel, document: Document, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, passages with at most MOST questions each. Where the model fails or takes too long, they stay without."""
    asked = [chunk for chunk in chunks if chunk.level == 2 and chunk.content_type == "text" and len(chunk.text) >= SHORTEST]
    batches = [asked[at : at + AT_ONCE] for at in range(0, len(asked), AT_ONCE)]
    waiting, found, failures = iter(batches), dict[str, tuple[str, ...]](), 0

    async def work() -> None:
        nonlocal failures
        for batch in waiting:
            if failures >= FAILURES:
                return
            made = await _ask(model, document, batch)
            failures += made is None
            found.update(made or {})

    try:
        async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
            for _ in range(CALLS):
                group.create_task(work())
    except TimeoutError:
        log.warning("questions not finished", extra={"doc_id": document.doc_id, "count": len(asked) - len(found)})
    return [replace(chunk, questions=found[chunk.chunk_id]) if chunk.chunk_id in found else chunk for chunk in chunks]


async def _ask(model: DocumentModel, document: Document, batch: Sequence[Chunk]) -> dict[str, tuple[str, ...]] | None:
    """Chunk id → its questions; None if there is no usable reply."""
    lang = document.lang or "en"
    values = {"title": untrusted_title(document.title), "passages": [shown_passage(chunk) for chunk in batch]}
    reply = await model.ask(document.doc_id, "passage_questions", lang, values, Questions, REPLY_TOKENS)
    if reply is None:
        return None
    made: dict[str, list[str]] = {}
    for line in reply.questions:
        if (numbered := NUMBERED.match(line)) and 0 < int(numbered[1]) <= len(batch) and (question := plain(numbered[2], LONGEST)):
            questions = made.setdefault(batch[int(numbered[1]) - 1].chunk_id, [])
            if len(questions) < MOST and question not in questions:
                questions.append(question)
    return {chunk_id: tuple(questions) for chunk_id, questions in made.items()}


def shown_passage(chunk: Chunk) -> str:
    """The passage below its headings, without sentences that are addressed to an assistant."""
    text = chunk.text[:CHARACTERS]
    for start, end in reversed(find_injected_sentences(text, chunk.title, chunk.lang)):
        text = text[:start] + text[end:]
    return untrusted(" › ".join((*chunk.headings, text)))
