"""`GET /documents/{doc_id}/content`: the original file, its extracted text, or the position of a cited passage."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from footnote.ingest.sources import Passage
from footnote.types import BlockKind, Document, Parsed
from footnote_http.callers import Route

View = Literal["original", "blocks", "marks"]
Bounds = Annotated[str, Field(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]

DESCRIPTION = """Returns the original file or, as JSON, its extracted text.

`as=blocks`: the text, block by block. `as=marks`: no text, only the position of the passage `chunk_id`, as offsets into the
blocks and, for a PDF, as boxes on its pages. `bounds=12-80` (may be repeated) narrows the passage to some of its characters,
such as a citation's `bounds`.

A browser that follows a link here (`Accept: text/html`, neither `as` nor `save`) is redirected to the page, which shows the passage."""


class SourceBlock(BaseModel):
    """A block of the extracted text."""

    kind: BlockKind
    text: str
    level: int = Field(description="Depth of a heading, from 1; else 0.")
    page: int | None = Field(description="Page, slide or sheet, from 1.")


class SourceMark(BaseModel):
    """A range of the cited passage within a block."""

    block: int = Field(description="Index of the block, from 0.")
    start: int = Field(description="Offset in the block's text, in code points.")
    end: int
    bound: int = Field(description="Index of its `bounds` parameter, from 0.")


class SourceBox(BaseModel):
    """A box around cited text, in points from the upper left corner of the displayed page."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    bound: int


class Source(BaseModel):
    """A document's extracted text and the position of a passage in it."""

    doc_id: str
    title: str
    file_name: str
    format: str
    pages: int | None
    blocks: list[SourceBlock]
    marks: list[SourceMark]
    boxes: list[SourceBox]
    quote: str = Field(description="The current text of the marked ranges.")


FILE = {"type": "string", "format": "binary"}
CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, or its text as JSON.",
        "model": Source,
        "content": {"application/pdf": {"schema": FILE}, "application/octet-stream": {"schema": FILE}},
    },
    303: {"description": "Redirect of a browser to the page, which shows the document."},
    307: {"description": "Redirect to the bucket, for a large file in AWS. The URL is valid for five minutes."},
}


class Content(Route):
    """Redirects browsers that follow a citation's link to the page, which handles sign-in and shows the passage. Browsers keep
    the fragment of the link, its page number."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which redirects browsers."""
        handle = super().get_route_handler()

        async def lead(request: Request) -> Response:
            if not _is_visit(request):
                return await handle(request)
            chunk_id = request.query_params.get("chunk_id")
            named = {"doc_id": request.path_params["doc_id"], **({"chunk_id": chunk_id} if chunk_id else {})}
            return RedirectResponse(f"../../?{urlencode(named)}", 303, {"vary": "accept", "cache-control": "no-store"})

        return lead


def _is_visit(request: Request) -> bool:
    """Whether a browser navigates here. Scripts and programs do not accept HTML."""
    return "text/html" in request.headers.get("accept", "") and not {"as", "save"} & request.query_params.keys()


def as_file(document: Document, data: bytes, *, save: bool) -> Response:
    """The original file. A PDF opens in the browser; any other file is downloaded, because a browser might execute it."""
    described = file_headers(document, save=save)
    headers = {"content-disposition": described["disposition"], "cache-control": "private, no-cache"}
    return Response(data, media_type=described["content_type"], headers=headers)


def file_headers(document: Document, *, save: bool) -> dict[str, str]:
    """Content type and disposition. `save`: download a PDF, too, because a link's `download` attribute is lost on the redirect to
    the bucket."""
    kind = "application/pdf" if document.format == "pdf" else "application/octet-stream"
    place = "inline" if document.format == "pdf" and not save else "attachment"
    name = quote(PurePosixPath(document.file_name.replace("\\", "/")).name)
    return {"content_type": kind, "disposition": f"{place}; filename*=UTF-8''{name}"}


def as_source(document: Document, parsed: Parsed, view: View, passage: Passage | None) -> Source:
    """The response for `as=blocks` and `as=marks`."""
    blocks = parsed.blocks if view == "blocks" else ()
    return Source(
        doc_id=document.doc_id,
        title=document.title,
        file_name=document.file_name,
        format=document.format,
        pages=document.pages,
        blocks=[SourceBlock(kind=b.kind, text=b.text, level=b.level, page=b.page) for b in blocks],
        marks=[SourceMark(**mark._asdict()) for mark in passage.marks] if passage else [],
        boxes=[SourceBox(**box._asdict()) for box in passage.boxes] if passage else [],
        quote=passage.quote if passage else "",
    )


def read_bounds(bounds: Iterable[str]) -> list[tuple[int, int]]:
    """Parses `bounds` parameters such as 12-80."""
    return [(int(start), int(end)) for start, _, end in (each.partition("-") for each in bounds)]


Save = Annotated[bool, Query(description="Download the original, even if it is a PDF.")]
AsView = Annotated[View, Query(alias="as")]
BoundsOf = Annotated[list[Bounds] | None, Query(max_length=50)]
