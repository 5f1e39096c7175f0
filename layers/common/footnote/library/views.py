"""The results of `footnote.open`: few fields that stay stable, independent of the types inside the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from footnote.answer.links import source_url
from footnote.answer.messages import message
from footnote.library.files import Report
from footnote.types import Chunk, Tier, Turn, tier_of
from footnote.types import Citation as CoreCitation


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document, and its place."""

    title: str
    """Of the document."""
    text: str
    page: int | None
    """From 1; of slides and spreadsheets the slide or the sheet. None = the file has no pages."""
    section: str | None
    """The heading above the passage; of a spreadsheet the name of the sheet."""
    url: str | None
    """Where its source opens: the document's own `url`, or its page on the server at `PUBLIC_URL`. None = neither is known."""
    file_name: str
    """As it was ingested: relative to its folder."""
    doc_id: str


@dataclass(frozen=True, slots=True)
class Citation(Passage):
    """A passage that an answer cites as `[number]`. Its text is the sentence that supports the answer, verbatim."""

    number: int


@dataclass(frozen=True, slots=True)
class Hit(Passage):
    """A passage that a search found. `score`: 0 to 1, comparable within one search only."""

    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its citations. Only with the tier `answer` does the text answer the question for certain."""

    text: str
    """Markdown, in the question's language, with `[1]` where it cites the citation with this number."""
    tier: Tier
    """answer: the text answers the question. closest: it does not, and shows the closest passages. nothing: no passage is close, or the
    question was not accepted; the text says so."""
    citations: tuple[Citation, ...]
    model: str | None
    """The language model that wrote the text; None = it was quoted from the documents."""
    warnings: tuple[str, ...]
    """Findings of the checks of the answer, such as `unsupported`."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class IngestedFile:
    """The result for a file."""

    name: str
    state: Literal["READY", "FAILED", "REFUSED", "DELETED"]
    """READY: it can be found. FAILED: it is kept and cannot be read. REFUSED: it was not kept. DELETED: somebody deleted it meanwhile."""
    passages: int
    reason: str | None
    """Why it failed; of a READY one, which part could not be read."""
    remedy: str | None
    doc_id: str | None
    """None = REFUSED."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """The results for all files of one call, in their order."""

    files: tuple[IngestedFile, ...]
    left_out: tuple[str, ...] = ()
    """Symbolic links that lead out of the folder or nowhere, which are not followed."""
    notice: str | None = None
    """Why some passages have no vectors yet: until they do, they are found by keyword only. None = all have them."""

    @property
    def ready(self) -> tuple[IngestedFile, ...]:
        """The files that can be found."""
        return tuple(file for file in self.files if file.state == "READY")

    @property
    def failed(self) -> tuple[IngestedFile, ...]:
        """The files that cannot be found, each with its reason."""
        return tuple(file for file in self.files if file.state in ("FAILED", "REFUSED"))


def answer_of(turn: Turn, origin: str | None) -> Answer:
    """The view of a turn that has ended. `origin`: the address of the server that shows the sources."""
    answer, tier = turn.answer, tier_of(turn.outcome)
    if answer is None:
        return Answer(message("blocked", turn.lang), tier, (), None, ())
    citations = tuple(_citation(citation, origin) for citation in answer.citations)
    return Answer(answer.text, tier, citations, None if answer.extractive else answer.model, answer.warnings)


def hits_of(turn: Turn, origin: str | None) -> list[Hit]:
    """The passages that a search found."""
    return [Hit(**_place(hit.chunk, hit.chunk.page, 0, origin), text=hit.chunk.text, score=hit.score) for hit in turn.evidence.hits]


def ingested_of(report: Report, trouble: str | None) -> Ingested:
    """The view of a report. `trouble`: of the worker."""
    return Ingested(tuple(_files(report)), tuple(report.left_out), trouble)


def _citation(citation: CoreCitation, origin: str | None) -> Citation:
    start = citation.bounds[0][0] if citation.bounds else 0
    return Citation(**_place(citation.hit.chunk, citation.page, start, origin), text=citation.snippet, number=citation.number)


def _place(chunk: Chunk, page: int | None, offset: int, origin: str | None) -> Mapping[str, Any]:
    own = str(chunk.metadata.get("url", ""))
    url = own if own.lower().startswith(("http://", "https://")) else source_url(origin.rstrip("/"), chunk, page) if origin else None
    return {
        "title": chunk.shown_title,
        "page": page,
        "section": chunk.section_at(offset),
        "url": url,
        "file_name": str(chunk.metadata.get("file_name", "")),
        "doc_id": chunk.doc_id,
    }


def _files(report: Report) -> Iterator[IngestedFile]:
    for name, document in report.documents.items():
        if document.state in ("READY", "FAILED", "DELETED"):
            yield IngestedFile(name, document.state, document.chunks, document.reason, document.remedy, document.doc_id)
    for name, reason in report.refused.items():
        yield IngestedFile(name, "REFUSED", 0, reason, None, None)
