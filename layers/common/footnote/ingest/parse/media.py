"""Finds the pictures in presentations and text documents for OCR, in the child process that parses."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.package import Element, Package, attr, local

FORMATS = frozenset(("pptx", "docx", "odp", "odt"))
"""Formats whose pictures are read."""
MOST_IMAGES = 200
"""Of a file."""
_SMALLEST = 4_000
"""Bytes; smaller ones are icons and rules."""
_RASTER = re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\0|MM\0\*|BM|RIFF....WEBP", re.DOTALL)


class Picture(NamedTuple):
    """A picture of a file. `page`: the number of its slide; None in a text, where `after` is the text of the paragraph that it is in or
    follows."""

    page: int | None
    after: str
    data: bytes


def parse(data: bytes, file_name: str) -> bytes:
    """The pictures of a file, each once, as `read` wants them."""
    name = detect(data, file_name)
    package = Package(data)
    found = {"pptx": _slides, "docx": _word, "odp": _open_document, "odt": _open_document}.get(name)
    pictures: dict[bytes, tuple[int | None, str, str]] = {}
    for page, after, part in found(package) if found else ():
        picture = package.read(part)
        if len(picture) >= _SMALLEST and _RASTER.match(picture) and len(pictures) < MOST_IMAGES:
            pictures.setdefault(picture, (page, after, base64.b64encode(picture).decode()))
    return json.dumps([name, list(pictures.values())]).encode()


def read(answer: bytes) -> tuple[str, list[Picture]]:
    """(format, pictures) of what `parse` returned."""
    name, pictures = json.loads(answer)
    return str(name), [Picture(page, str(after), base64.b64decode(data)) for page, after, data in pictures]


def _slides(package: Package) -> Iterator[tuple[int | None, str, str]]:
    part = package.main_part("ppt/presentation.xml")
    root = package.xml(part)
    relations = package.related(part)
    for number, node in enumerate(() if root is None else root.iterfind("{*}sldIdLst/{*}sldId"), 1):
        slide = relations.get(_relation_id(node))
        shown = package.xml(slide.target) if slide else None
        if slide is not None and shown is not None and shown.get("show") not in ("0", "false"):
            own = package.related(slide.target)
            for picture in shown.iter("{*}blip"):
                if relation := own.get(attr(picture, "embed") or ""):
                    yield number, "", relation.target


def _word(package: Package) -> Iterator[tuple[int | None, str, str]]:
    part = package.main_part("word/document.xml")
    root = package.xml(part)
    relations = package.related(part)
    after = ""
    for node in () if root is None else root.iter("{*}p", "{*}blip", "{*}imagedata"):
        if local(node) == "p":
            after = "".join(text.text or "" for text in node.iter("{*}t")).strip() or after
        elif relation := relations.get(attr(node, "embed") or _relation_id(node)):
            yield None, after, relation.target


def _open_document(package: Package) -> Iterator[tuple[int | None, str, str]]:
    root = package.xml("content.xml")
    after, page = "", 0
    for node in () if root is None else root.iter("{*}p", "{*}h", "{*}page", "{*}image"):
        if local(node) == "page":
            page += 1
        elif local(node) == "image":
            yield page or None, after, (attr(node, "href") or "").removeprefix("./")
        else:
            after = "".join(node.itertext()).strip() or after


def _relation_id(node: Element) -> str:
    return next((value for name, value in node.attrib.items() if str(name).endswith("relationships}id")), "")
