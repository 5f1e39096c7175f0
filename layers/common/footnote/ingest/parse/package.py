"""Reads the parts of ZIP-based files (Office, OpenDocument, EPUB) one by one in memory, within limits; nothing is written to disk."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote

from footnote.errors import UnreadableFile
from footnote.ingest.parse.title import usable_title

if TYPE_CHECKING:
    from lxml.etree import _Element

Element: TypeAlias = "_Element"
"""Of a part in XML. A name only, so that nothing loads lxml."""
MAX_ENTRIES = 5_000
MAX_EXPANDED = 200 * 1024 * 1024
"""Maximum bytes of all uncompressed parts."""
MAX_RATIO = 100
"""Maximum compression ratio of parts of more than `_RATIO_FLOOR` bytes; small parts may be all white space."""
MAX_TREE = 64 * 1024 * 1024
"""Maximum bytes of a part that is read as a tree; larger ones are streamed or refused."""

_RATIO_FLOOR = 8 * 1024 * 1024
_DIRECTORY_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ELSEWHERE = "Open it in the program that created it, save it again and add the new file."
_SPLIT = "Split it into smaller files and add those."


class Relation(NamedTuple):
    """A relationship of a part. `kind`: the last word of its type, e.g. `header`; `target`: the name of another part."""

    kind: str
    target: str


class Package:
    """An opened ZIP-based file. Part names are case-insensitive, as the Office formats require.

    Raises UnreadableFile above a limit and for damaged files."""

    def __init__(self, data: bytes) -> None:
        if data.count(_DIRECTORY_ENTRY) > 4 * MAX_ENTRIES:  # checked before the directory is read, because its entries take memory
            raise _suspicious("it holds too many parts")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            entries = self._archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as exc:
            raise damaged() from exc
        if len(entries) > MAX_ENTRIES:
            raise _suspicious("it holds too many parts")
        if sum(entry.file_size for entry in entries) > MAX_EXPANDED:
            raise UnreadableFile("This file is too large when unpacked.", _SPLIT)
        if any(e.file_size > _RATIO_FLOOR and e.file_size > MAX_RATIO * max(e.compress_size, 1) for e in entries):
            raise _suspicious("a part of it is packed too tightly")
        self._entries = {_key(entry.filename): entry for entry in entries}

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._entries

    def names(self, folder: str) -> list[str]:
        """The names of the parts in a folder, in file order."""
        return [name for name in self._entries if name.startswith(_key(folder))]

    def read(self, name: str) -> bytes:
        """A part's bytes; b"" if there is no such part."""
        entry = self._entries.get(_key(name))
        if entry is None:
            return b""
        if entry.flag_bits & 0x1:
            raise needs_password()
        if entry.compress_type not in _METHODS:
            raise damaged()
        try:
            return self._archive.read(entry)  # never more than the size in the directory
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as exc:
            raise damaged() from exc

    def xml(self, name: str) -> Element | None:
        """A part's root element, without comments; None if there is no such part."""
        data = self.read(name)
        if len(data) > MAX_TREE:
            raise UnreadableFile("A part of this file is too large.", _SPLIT)
        return parse_xml(data) if data.strip() else None

    def rows(self, name: str, *tags: str) -> Iterator[Element]:
        """Streams the elements with these local names from a part of any size; each is cleared after use."""
        from lxml import etree

        data = self.read(name)
        if not data.strip():
            return
        events = etree.iterparse(
            io.BytesIO(data),
            tag=[f"{{*}}{tag}" for tag in tags],
            resolve_entities=False,
            no_network=True,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            for _, element in events:
                if element.getroottree().docinfo.internalDTD is not None:
                    raise _suspicious("it defines entities")
                yield element
                element.clear(keep_tail=False)
                while element.getprevious() is not None:
                    del element.getparent()[0]
        except etree.XMLSyntaxError as exc:
            raise _broken(data) from exc

    def related(self, part: str) -> dict[str, Relation]:
        """Id → relationship of `part` ("" = the package itself) within the package."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for node in root if root is not None else ():
            if node.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, unquote(node.get("Target") or "")))
                found[node.get("Id") or ""] = Relation((node.get("Type") or "").rpartition("/")[2], target.lstrip("/"))
        return found

    def main_part(self, usual: str) -> str:
        """The main part of an Office file; `usual` if the file does not name it."""
        return next((r.target for r in self.related("").values() if r.kind == "officeDocument" and r.target in self), usual)

    def media_type(self, path: str) -> str:
        """What the manifest of an OpenDocument file says that a document in it is; "" if nothing. `path`: "/" = the file itself."""
        entries = self.rows("META-INF/manifest.xml", "file-entry")
        return next((attr(entry, "media-type") or "" for entry in entries if _key(attr(entry, "full-path") or "") == _key(path)), "")

    def title(self, part: str = "docProps/core.xml") -> str:
        """The title in the document's properties, if it is usable."""
        root = self.xml(part)
        found = root.find(".//{http://purl.org/dc/elements/1.1/}title") if root is not None else None
        return usable_title("".join(found.itertext())) if found is not None else ""


def parse_xml(data: bytes) -> Element:
    """Parses XML and returns its root. A file that defines entities is refused; none are resolved or loaded."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root: Element = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as exc:
        raise _broken(data) from exc
    if root.getroottree().docinfo.internalDTD is not None:
        raise _suspicious("it defines entities")
    return root


def local(node: Element) -> str:
    """An element's name without its namespace, in which strict and transitional Office files differ."""
    tag: str = node.tag
    return tag.rpartition("}")[2]


def attr(node: Element | None, name: str) -> str | None:
    """An attribute, by its name without namespace."""
    if node is None:
        return None
    value: str | None = node.get(name)
    if value is None:
        value = next((found for key, found in node.items() if key.endswith(f"}}{name}")), None)
    return value


def count(node: Element | None, name: str, most: int, default: int = 1) -> int:
    """A numeric attribute, capped at `most` because files are untrusted."""
    value = attr(node, name) or ""
    return min(int(value), most) if value.isdecimal() and len(value) < 10 else default


def child(node: Element | None, *path: str) -> Element | None:
    """The first child with the first local name, then its first child with the next, and so on."""
    for name in path:
        if node is None:
            return None
        for found in node:  # a generator takes twice the time
            if found.tag.rpartition("}")[2] == name:
                node = found
                break
        else:
            return None
    return node


def damaged() -> UnreadableFile:
    """The error for a damaged file."""
    return UnreadableFile("This file is damaged: a part of it cannot be read.", _ELSEWHERE)


def _broken(xml: bytes) -> UnreadableFile:
    """The error for XML that does not parse. Exponential entities make parsing fail before they can be checked."""
    return _suspicious("it defines entities") if b"<!ENTITY" in xml[: 1 << 16].replace(b"\0", b"") else damaged()


def needs_password() -> UnreadableFile:
    """The error for a file with a password."""
    return UnreadableFile("This file needs a password.", "Remove the password, save it again and add the new file.")


def _suspicious(why: str) -> UnreadableFile:
    return UnreadableFile(f"This file looks like an attack: {why}.", _ELSEWHERE)


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
