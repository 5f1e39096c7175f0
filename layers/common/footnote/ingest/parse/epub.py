"""Parses e-books (EPUB): chapters are web pages, in the order of the spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote

from footnote.errors import UnreadableFile
from footnote.ingest.parse import html
from footnote.ingest.parse.html_styles import LONGEST_SHEETS, Styles
from footnote.ingest.parse.package import Element, Package, damaged
from footnote.ingest.parse.struck import reported
from footnote.types import Block, Parsed

_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Obfuscated fonts do not affect the text."""


def parse(data: bytes) -> Parsed:
    """Parses an e-book (.epub)."""
    package = Package(data)
    container = package.xml("META-INF/container.xml")
    root_file = container.find(".//{*}rootfile") if container is not None else None
    part = root_file.get("full-path") or "" if root_file is not None else ""
    book = package.xml(part)
    if book is None:
        raise damaged()
    protection = package.xml("META-INF/encryption.xml")
    if protection is not None and any(
        node.get("Algorithm") not in _FONTS for node in protection.iterfind("{*}EncryptedData/{*}EncryptionMethod")
    ):
        raise UnreadableFile("This e-book is copy-protected.", "Add a version of it without copy protection.")
    items = {node.get("id"): node for node in book.iterfind("{*}manifest/{*}item")}
    folder = posixpath.dirname(part)
    styles = Styles(_sheets(package, [_part(folder, item) for item in items.values() if item.get("media-type") == "text/css"]))
    blocks: list[Block] = []
    struck = 0
    read: set[str] = set()
    for node in book.iterfind("{*}spine/{*}itemref"):
        item = items.get(node.get("idref"))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        name = _part(folder, item)
        if name not in read and (page := package.read(name)):
            read.add(name)
            chapter, struck_here = html.read(html.decoded(page), styles=styles)
            blocks.extend(chapter.blocks)
            struck += struck_here
    return reported(Parsed(tuple(blocks), package.title(part) or html.first_heading(blocks)), struck)


def _part(folder: str, item: Element) -> str:
    """The name of the part that an item of the manifest stands for."""
    return posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))


def _sheets(package: Package, names: Sequence[str]) -> Iterator[str]:
    """The book's style sheets. A damaged one takes no text from it."""
    for name in names:
        with suppress(UnreadableFile):
            yield package.read(name)[:LONGEST_SHEETS].decode("utf-8", "replace")
