"""`GET /documents/{doc_id}/content`: the file itself, or its text with a cited passage marked."""

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

DESCRIPTION = """The file as it was added or, as JSON, what was read of it.

`as=blocks`: its text, block by block. `as=marks`: no text, only where the passage `chunk_id` stands in it: as offsets
into the blocks and, in a PDF, as boxes on its pages. `bounds=12-80`, more than once if need be, narrows the passage
to some of its characters, such as a citation's `bounds`.

A browser that follows a link here (`Accept: text/html`, neither `as` nor `save`) is led to the page, which shows the passage."""


class SourceBlock(BaseModel):
    kind: BlockKind
    text: str
    level: int = Field(description="Depth of a heading, from 1; else 0.")
    page: int | None = Field(description="Page, slide or sheet, from 1.")


class SourceMark(BaseModel):
    block: int = Field(description="Number of the block, from 0.")
    start: int = Field(description="Code points from the beginning of the block's text.")
    end: int
    bound: int = Field(description="Number of the `bounds` that it belongs to, from 0, in the order of the request.")


class SourceBox(BaseModel):
    """In points from the upper left corner of the page as it is shown."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    bound: int


class Source(BaseModel):
    doc_id: str
    title: str
    file_name: str
    format: str
    pages: int | None
    blocks: list[SourceBlock]
    marks: list[SourceMark]
    boxes: list[SourceBox]
    quote: str = Field(description="The marked words as they are now.")


FILE = {"type": "string", "format": "binary"}
CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, or a JSON object about it.",
        "model": Source,
        "content": {"application/pdf": {"schema": FILE}, "application/octet-stream": {"schema": FILE}},
    },
    303: {"description": "To the page, for a browser that wants to show the document."},
    307: {"description": "A large file in AWS: the address leads to the bucket, for five minutes."},
}


class Content(Route):
    """A person who follows a citation's link comes with a browser: they are led to the page, which asks them to sign in where
    they have to, and shows the passage marked. The fragment of the link, its page, goes along by itself."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def lead(request: Request) -> Response:
            if not _is_visit(request):
                return await handle(request)
            chunk_id = request.query_params.get("chunk_id")
            named = {"doc_id": request.path_params["doc_id"], **({"chunk_id": chunk_id} if chunk_id else {})}
            return RedirectResponse(f"/?{urlencode(named)}", 303, {"vary": "accept", "cache-control": "no-store"})

        return lead


def _is_visit(request: Request) -> bool:
    """Whether a browser wants to show something. Scripts and programs do not ask for HTML."""
    return "text/html" in request.headers.get("accept", "") and not {"as", "save"} & request.query_params.keys()


def as_file(document: Document, data: bytes, *, save: bool) -> Response:
    """A PDF opens in the browser; anything else is saved, because a browser might run what is in it."""
    told = file_headers(document, save=save)
    headers = {"content-disposition": told["disposition"], "cache-control": "private, no-cache"}
    return Response(data, media_type=told["content_type"], headers=headers)


def file_headers(document: Document, *, save: bool) -> dict[str, str]:
    """`save`: a PDF too. A link's own `download` does not survive the way to the bucket."""
    kind = "application/pdf" if document.format == "pdf" else "application/octet-stream"
    place = "inline" if document.format == "pdf" and not save else "attachment"
    name = quote(PurePosixPath(document.file_name.replace("\\", "/")).name)
    return {"content_type": kind, "disposition": f"{place}; filename*=UTF-8''{name}"}


def as_source(document: Document, parsed: Parsed, view: View, passage: Passage | None) -> Source:
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
    return [(int(start), int(end)) for start, _, end in (each.partition("-") for each in bounds)]


Save = Annotated[bool, Query(description="Of the original: to be saved, a PDF too.")]
AsView = Annotated[View, Query(alias="as")]
BoundsOf = Annotated[list[Bounds] | None, Query(max_length=50)]
