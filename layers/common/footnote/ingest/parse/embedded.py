"""Finds the files that are embedded in Office and OpenDocument files, as they would be if they were saved by themselves."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
from collections.abc import Iterator

from footnote.errors import UnreadableFile
from footnote.ingest.parse.ole import SIGNATURE, Container
from footnote.ingest.parse.package import Package, Relation
from footnote.types import FileWithin

_KINDS = ("package", "oleObject", "aFChunk")
"""Relationships of objects that another program made, and of whole files within a text."""
_NATIVE = "\x01Ole10Native"
"""The stream that holds a file of any format, with its name."""
_WRAPPED = ("Package", "CONTENTS")
"""Streams that hold a whole file: a newer Office file, or a PDF."""


def embedded(package: Package, relation: Relation | None, page: int | None = None) -> FileWithin | None:
    """The file that an object of an Office file contains; None if it is linked or of another kind. `page`: that the object stands on."""
    if relation is None or relation.kind not in _KINDS or relation.target not in package:
        return None
    return _taken_out(posixpath.basename(relation.target), package.read(relation.target), page)


def embedded_in(package: Package, part: str, page: int | None = None) -> Iterator[FileWithin]:
    """The files that the objects of a part of an Office file contain, such as a sheet."""
    for relation in {each.target: each for each in package.related(part).values()}.values():
        if file := embedded(package, relation, page):
            yield file


def embedded_object(package: Package, href: str, page: int | None = None) -> FileWithin | None:
    """The file that an object of an OpenDocument file contains; None if it is missing. `href`: a folder with its parts, or one part."""
    name = posixpath.normpath(href)
    if name in package:
        return _taken_out(posixpath.basename(name), package.read(name), page)
    if name in (".", "") or f"{name}/content.xml" not in package:
        return None
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", package.media_type(f"{name}/"))
        for part in package.names(f"{name}/"):
            if not part.endswith("/"):
                archive.writestr(part[len(name) + 1 :], package.read(part))
    return FileWithin(posixpath.basename(name), packed.getvalue(), page)


def _taken_out(name: str, data: bytes, page: int | None) -> FileWithin:
    """The file that an OLE object wraps, with its own name if it has one; anything else as it is."""
    try:
        file = Container(data) if data.startswith(SIGNATURE) else None
        if file is not None and _NATIVE in file:
            name, data = _native(file.read(_NATIVE)) or (name, data)
        elif file is not None and (wrapped := next((each for each in _WRAPPED if each in file), None)):
            data = file.read(wrapped)
    except UnreadableFile:
        pass  # whoever reads it says what is wrong with it
    return FileWithin(name, data, page)


def _native(stream: bytes) -> tuple[str, bytes] | None:
    """(name, content) of a file that an object of the kind “Package” holds: its size, two bytes, its name and path, four bytes, the path
    of a temporary copy with its length before it, the length of the content, and that."""
    try:
        name, _, rest = stream[6:].partition(b"\0")
        _, _, rest = rest.partition(b"\0")
        (path,) = struct.unpack_from("<4xI", rest)
        (size,) = struct.unpack_from("<I", rest, 8 + path)
        content = rest[12 + path : 12 + path + size]
    except struct.error:
        return None
    return (name.decode("cp1252", "replace"), content) if size and len(content) == size else None
