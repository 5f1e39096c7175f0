"""E-books: chapters in the order of the spine."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block
from tests.footnote.ingest.packages import xml, zip_of

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
BOOK = xml(
    "package",
    "<metadata><dc:title>Der See</dc:title></metadata>"
    '<manifest><item id="b" href="text/two%20.xhtml"/><item id="a" href="text/one.xhtml"/>'
    '<item id="n" href="nav.xhtml" properties="nav"/></manifest>'
    '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="missing"/></spine>',
)
FILES: dict[str, str | bytes] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": BOOK,
    "OEBPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
    "OEBPS/text/one.xhtml": "<html><head><title>x</title></head><body><h1>Eins</h1><p>Tief.</p></body></html>",
    "OEBPS/text/two .xhtml": "<html><body><h1>둘</h1><p>넓다.</p></body></html>",
}


def test_chapters_come_in_the_order_of_the_spine_and_once() -> None:
    parsed = parse(zip_of(FILES), "see.epub")
    assert parsed.blocks == (
        Block("heading", "Eins", 1),
        Block("paragraph", "Tief."),
        Block("heading", "둘", 1),
        Block("paragraph", "넓다."),
    )
    assert (parsed.title, parsed.format) == ("Der See", "epub")


def test_a_copy_protected_book_is_refused() -> None:
    protection = '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></EncryptedData></encryption>'
    with pytest.raises(UnreadableFile) as caught:
        parse(zip_of(FILES | {"META-INF/encryption.xml": protection}), "lake.epub")
    assert caught.value.reason == "This e-book is copy-protected."


def test_fonts_may_be_obfuscated() -> None:
    fonts = '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></EncryptedData></encryption>'
    assert len(parse(zip_of(FILES | {"META-INF/encryption.xml": fonts}), "lake.epub").blocks) == 4
