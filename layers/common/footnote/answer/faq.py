"""Answers a frequent question with the answer written for it in a FAQ document."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

from footnote.answer.citation_styles import markers_of
from footnote.events import Event, Token
from footnote.text.code_spans import followed_by
from footnote.text.normal_form import ask_the_same
from footnote.types import Answer, Chunk, Citation, Turn
from footnote.types.copies import replace

LOOKED_AT = 3
"""Number of hits that are examined."""

QUESTION = re.compile(
    r"""^[ \t]*(?:Q|Question|F|Frage|문|질문)[ ]?\d*[ ]?[:：][ \t]*(?P<marked>[^\n]{3,300}?)(?:(?<=[?？])\s|[ \t]*$)   # Q: …
      | ^(?P<line>[^\n]{3,300}[?？])[ \t]*$                                                                          # a line that asks
      | \A(?P<first>[^\n.!?？]{3,300}[?？])\s""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
ANSWER_MARK = re.compile(r"\s*(?:(?:A|Answer|Antwort|답|답변)[ ]?\d*[ ]?[:：]\s*)?", re.IGNORECASE)
OUTLINE = " › "


def may_be_faq(turn: Turn) -> bool:
    """One of the first hits is from a FAQ, and the question is not about the last answer."""
    return not turn.conversation.is_asked_about and any(_is_faq(hit.chunk) for hit in turn.evidence.hits[:LOOKED_AT])


async def answer_from_faq(turn: Turn) -> AsyncIterator[Event | Turn]:
    """Ends the turn with the FAQ's answer if one of the first hits contains the same question."""
    markers = markers_of(turn)
    for place, hit in enumerate(turn.evidence.hits[:LOOKED_AT]):
        for question, start, end in questions_of(hit.chunk) if _is_faq(hit.chunk) and len(turn.answered) == 1 else ():
            if not ask_the_same(turn.asked, question, turn.lang):
                continue
            number = place + 1 if markers.style.at_end else markers.first
            said, marker = hit.chunk.text[start:end], markers.write(number, hit)
            text = followed_by(said, marker)
            spans = ((len(text) - len(marker), len(text)),) if marker else ()
            citation = Citation(number, hit, said, hit.chunk.page_at(start), ((start, end),), spans)
            yield Token(text)
            yield replace(turn, outcome="faq", answer=Answer(text, (citation,), extractive=True))
            return
    yield turn


def questions_of(chunk: Chunk) -> Iterator[tuple[str, int, int]]:
    """Yields (question, start and end of its answer in the chunk's text).

    The question of a single-question document may be in its metadata, that of a section in its heading. If the text then begins with a
    paraphrase of that question, the answer starts after the paraphrase."""
    text = chunk.text
    body = next((part.offset for part in chunk.parts if part.block >= 0), 0)
    questions = [(match, next(group for group in match.groups() if group)) for match in QUESTION.finditer(text)]
    named = chunk.metadata.get("question") or next((heading for heading in chunk.headings[-1:] if heading.endswith(("?", "？"))), None)
    if isinstance(named, str) and not any(ask_the_same(_bare(question), named, chunk.lang) for _, question in questions):
        start = questions[0][0].end() if questions and not text[body : questions[0][0].start()].strip() else body
        yield from _answered(named, text, start, next((match.start() for match, _ in questions if match.start() >= start), len(text)))
    ends = [*(match.start() for match, _ in questions), len(text)][1:]
    for (match, question), end in zip(questions, ends, strict=True):
        yield from _answered(_bare(question), text, match.end(), end)


def _answered(question: str, text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    if mark := ANSWER_MARK.match(text, start, end):
        start = mark.end()
    end = start + len(text[start:end].rstrip())
    if end > start:
        yield question, start, end


def _bare(question: str) -> str:
    """The question without the headings before it and without Markdown marks."""
    return question.rpartition(OUTLINE)[2].lstrip("#*-• \t").strip()


def _is_faq(chunk: Chunk) -> bool:
    return chunk.paragraph_type == "faq"
