"""The parts of a ZIP-based file (Office, OpenDocument, EPUB): read one by one in memory, within limits, never unpacked to disk."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from footnote.errors import UnreadableFile
from footnote.ingest.parse.title import usable_title

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_ENTRIES = 5_000
MAX_EXPANDED = 200 * 1024 * 1024
"""Bytes of all parts together."""
MAX_RATIO = 100
"""Of a part's size to its compressed size, from `_RATIO_FLOOR` bytes on: small parts may be all white space."""
MAX_TREE = 64 * 1024 * 1024
"""Bytes of one part that is read as a tree; larger ones are read in a stream or not at all."""

_RATIO_FLOOR = 8 * 1024 * 1024
_DIRECTORY_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ELSEWHERE = "Open it in the program that it comes from, save it again and add the new file."
_SPLIT = "Split it into smaller files and add those."


class Relation(NamedTuple):
    """What a part refers to: `kind` is the last word of its type, e.g. `header`; `target` a part's name."""

    kind: str
    target: str


class Package:
    """Names are compared without case, as the Office formats ask. Raises UnreadableFile past a limit and for damaged files."""

    def __init__(self, data: bytes) -> None:
        if data.count(_DIRECTORY_ENTRY) > 4 * MAX_ENTRIES:  # before the directory is read: its entries cost memory
            raise _suspicious("it holds too many parts")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            entries = self._archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as exc:
            raise damaged() from exc
        if len(entries) > MAX_ENTRIES:
            raise _suspicious("it holds too many parts")
        if sum(entry.file_size for entry in entries) > MAX_EXPANDED:
            raise UnreadableFile("This file is too large when it is unpacked.", _SPLIT)
        if any(e.file_size > _RATIO_FLOOR and e.file_size > MAX_RATIO * max(e.compress_size, 1) for e in entries):
            raise _suspicious("a part of it is packed too tightly")
        self._entries = {_key(entry.filename): entry for entry in entries}

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._entries

    def names(self, folder: str) -> list[str]:
        """The parts below a folder, in the order of the file."""
        return [name for name in self._entries if name.startswith(_key(folder))]

    def read(self, name: str) -> bytes:
        """A part's bytes; b"" where there is none of this name."""
        entry = self._entries.get(_key(name))
        if entry is None:
            return b""
        if entry.flag_bits & 0x1:
            raise needs_password()
        if entry.compress_type not in _METHODS:
            raise damaged()
        try:
            return self._archive.read(entry)  # never more than the size that the directory names
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as exc:
            raise damaged() from exc

    def xml(self, name: str) -> _Element | None:
        """A part's root element, without comments; None where there is no such part."""
        data = self.read(name)
        if len(data) > MAX_TREE:
            raise UnreadableFile("A part of this file is too large.", _SPLIT)
        return parse_xml(data) if data.strip() else None

    def rows(self, name: str, *tags: str) -> Iterator[_Element]:
        """The elements of these local names in a part of any size, one after the other; each is emptied after its turn."""
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
        """Id → what `part` ("" = the package itself) refers to within the package."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for node in root if root is not None else ():
            if node.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, unquote(node.get("Target") or "")))
                found[node.get("Id") or ""] = Relation((node.get("Type") or "").rpartition("/")[2], target.lstrip("/"))
        return found

    def main_part(self, usual: str) -> str:
        """The part that an Office file begins with; `usual` where it does not say."""
        return next((r.target for r in self.related("").values() if r.kind == "officeDocument" and r.target in self), usual)

    def title(self, part: str = "docProps/core.xml") -> str:
        """The title among the document's properties, where a person wrote one."""
        root = self.xml(part)
        found = root.find(".//{http://purl.org/dc/elements/1.1/}title") if root is not None else None
        return usable_title("".join(found.itertext())) if found is not None else ""


def parse_xml(data: bytes) -> _Element:
    """The root. Entities are neither resolved nor loaded, and a file that defines some is refused."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root: _Element = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as exc:
        raise _broken(data) from exc
    if root.getroottree().docinfo.internalDTD is not None:
        raise _suspicious("it defines entities")
    return root


def local(node: _Element) -> str:
    """An element's name without its namespace: strict and transitional Office files differ in nothing else."""
    tag: str = node.tag
    return tag.rpartition("}")[2]


def attr(node: _Element | None, name: str) -> str | None:
    """An attribute by its name without namespace."""
    if node is None:
        return None
    value: str | None = node.get(name)
    if value is None:
        value = next((found for key, found in node.items() if key.endswith(f"}}{name}")), None)
    return value


def count(node: _Element | None, name: str, most: int, default: int = 1) -> int:
    """An attribute that is a number, at most `most`: a file may claim anything."""
    value = attr(node, name) or ""
    return min(int(value), most) if value.isdecimal() and len(value) < 10 else default


def child(node: _Element | None, *path: str) -> _Element | None:
    """The first child of this local name, then its first child of the next …"""
    for name in path:
        node = next((found for found in node if local(found) == name), None) if node is not None else None
    return node


def damaged() -> UnreadableFile:
    return UnreadableFile("This file is damaged: a part of it cannot be read.", _ELSEWHERE)


def _broken(xml: bytes) -> UnreadableFile:
    """Entities that would grow without end break the parser before it can be asked for them."""
    return _suspicious("it defines entities") if b"<!ENTITY" in xml[: 1 << 16].replace(b"\0", b"") else damaged()


def needs_password() -> UnreadableFile:
    return UnreadableFile("This file needs a password.", "Remove the password, save it again and add the new file.")


def _suspicious(why: str) -> UnreadableFile:
    return UnreadableFile(f"This file looks like an attack: {why}.", _ELSEWHERE)


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
