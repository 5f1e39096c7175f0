"""Hostile ZIP-based files: small when packed, huge or recursive when unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from tests.footnote.ingest.packages import NAMESPACES, core, relations, xml, zip_of
from tests.hostile.case import Case

DECLARED = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{entities}]>'
LAUGHS = DECLARED.format(entities="".join(f'<!ENTITY a{i} "{f"&a{i - 1 if i else str()};" * 10}">' for i in range(9)))
BLOWUP = f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'
FILE = '<!DOCTYPE x [<!ENTITY a8 SYSTEM "file:///etc/passwd">]>'
WEB = '<!DOCTYPE x [<!ENTITY a8 SYSTEM "http://127.0.0.1:9/x">]>'
PARAMETER = '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>'
SUBSET = '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">'

ATTACK = "This file looks like an attack"
DAMAGED = "This file is damaged"
ENTITIES = f"{ATTACK}: it defines entities."


def with_doctype(document: str, doctype: str) -> str:
    head, mark, body = document.partition("?>")
    return f"{head}{mark}{doctype}{body}"


def docx(body: str, doctype: str = "", **parts: str | bytes) -> bytes:
    document = with_doctype(xml("w:document", f"<w:body>{body}</w:body>"), doctype)
    return zip_of({"_rels/.rels": relations(officeDocument="word/document.xml"), "word/document.xml": document, **parts})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pptx(text: str, doctype: str = "") -> bytes:
    slide = xml("p:sld", f"<p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld>")
    deck = xml("p:presentation", '<p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst>')
    return zip_of(
        {
            "_rels/.rels": relations(officeDocument="ppt/presentation.xml"),
            "ppt/presentation.xml": deck,
            "ppt/_rels/presentation.xml.rels": relations(slide="slides/slide1.xml"),
            "ppt/slides/slide1.xml": with_doctype(slide, doctype),
        }
    )


def xlsx(rows: str, doctype: str = "", strings: str = "", more: str = "") -> bytes:
    sheet = f"<?xml version='1.0'?>{doctype}<worksheet {NAMESPACES}><sheetData>{rows}</sheetData>{more}</worksheet>"
    return zip_of(
        {
            "_rels/.rels": relations(officeDocument="xl/workbook.xml"),
            "xl/workbook.xml": xml("workbook", '<sheets><sheet name="S" sheetId="1" r:id="worksheet"/></sheets>'),
            "xl/_rels/workbook.xml.rels": relations(worksheet="worksheets/sheet1.xml", sharedStrings="sharedStrings.xml"),
            "xl/worksheets/sheet1.xml": sheet,
            "xl/sharedStrings.xml": strings or xml("sst", ""),
        }
    )


def cell(text: str, at: str = "") -> str:
    return f'<c {f"r={at!r}" if at else ""} t="inlineStr"><is><t>{text}</t></is></c>'


def odt(body: str, doctype: str = "") -> bytes:
    content = xml("office:document-content", f"<office:body><office:text>{body}</office:text></office:body>")
    return zip_of({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": with_doctype(content, doctype)})


def ods(rows: str) -> bytes:
    table = f'<office:body><office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
    return zip_of({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": xml("office:document-content", table)})


def epub(page: str, opf_doctype: str = "", pages: int = 1) -> bytes:
    container = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    items = "".join(f'<item id="p{i}" href="p.xhtml" media-type="application/xhtml+xml"/>' for i in range(pages))
    spine = "".join(f'<itemref idref="p{i}"/>' for i in range(pages))
    opf = f"<?xml version='1.0'?>{opf_doctype}<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
    return zip_of({"mimetype": "application/epub+zip", "META-INF/container.xml": container, "book.opf": opf, "p.xhtml": page})


# --- the archive itself ----------------------------------------------------------------------


def padded(size: int, parts: int = 1) -> bytes:
    """A valid document with additional parts full of zeros."""
    return docx(paragraph("Hi."), **{f"word/media/{i}.bin": bytes(size) for i in range(parts)})


def many_parts(count: int) -> bytes:
    return zip_of({f"word/{i}.xml": "" for i in range(count)}, zipfile.ZIP_STORED)


def nested(depth: int) -> bytes:
    inner = bytes(1000)
    for _ in range(depth):
        inner = zip_of({"word/document.xml": inner, "inner.zip": inner})
        inner = inner[:4_000_000]
    return inner


def overlapping(count: int, size: int) -> bytes:
    """Directory entries that all point to the same part."""
    body = zlib.compress(bytes(size), 9)[2:-4]
    crc = zlib.crc32(bytes(size))
    name = b"word/document.xml"
    numbers = struct.pack("<HHHHIIIHH", 20, 0, 8, 0, crc, len(body), size, len(name), 0)
    data = b"PK\x03\x04" + numbers + name + body
    directory = b"".join(
        b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 0, crc, len(body), size, len(entry), 0, 0, 0, 0, 0, 0) + entry
        for entry in (b"word/%06d.xml" % i for i in range(count))
    )
    end = struct.pack("<HHHHIIH", 0, 0, min(count, 65_535), min(count, 65_535), len(directory), len(data), 0)
    return data + directory + b"PK\x05\x06" + end


def lying_size(real: int, declared: int) -> bytes:
    """A part that unpacks to more than its headers declare."""
    data = bytearray(docx(paragraph("x" * real)))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = -1
        while (start := data.find(mark, start + 1)) >= 0:
            if struct.unpack_from("<I", data, start + at)[0] >= real:
                struct.pack_into("<I", data, start + at, declared)
    return bytes(data)


def itself() -> bytes:
    """A part whose directory entry points at the start of the archive itself."""
    data = zip_of({"word/document.xml": b"PK\x03\x04" * 10}, zipfile.ZIP_STORED)
    return data + data


def named(*names: str) -> bytes:
    """A valid document, and parts with these names and another text."""
    buffer = io.BytesIO(docx(paragraph("Hi.")))
    with zipfile.ZipFile(buffer, "a") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), xml("w:document", f"<w:body>{paragraph('Evil.')}</w:body>"))
    return buffer.getvalue()


def twice() -> bytes:
    buffer = io.BytesIO(docx(paragraph("Hi.")))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(zipfile.ZipInfo("WORD/Document.XML"), xml("w:document", f"<w:body>{paragraph('Evil.')}</w:body>"))
    return buffer.getvalue()


def linked() -> bytes:
    """A document that is a symbolic link to a file of the machine."""
    link = zipfile.ZipInfo("word/document.xml")
    link.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("_rels/.rels", relations(officeDocument="word/document.xml"))
        archive.writestr(link, "/etc/passwd")
    return buffer.getvalue()


def pointing_out(target: str) -> bytes:
    body = paragraph("Hi.") + '<w:sectPr><w:headerReference r:id="header"/></w:sectPr>'
    return docx(body, **{"word/_rels/document.xml.rels": relations(header=target)})


def deep(depth: int) -> str:
    return "<w:sdt><w:sdtContent>" * depth + paragraph("Deep.") + "</w:sdtContent></w:sdt>" * depth


def nested_tables(depth: int) -> str:
    return "<w:tbl><w:tr><w:tc>" * depth + paragraph("Deep.") + "</w:tc></w:tr></w:tbl>" * depth


def lying_image(width: int) -> bytes:
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, width, 8, 6, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    jpeg = b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 65535, 65535) + b"\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xd9"
    return docx(paragraph("Hi."), **{"word/media/image1.png": png, "word/media/image2.jpg": jpeg})


CASES = [
    Case("a part of zeros", "a.docx", lambda: padded(60 << 20), f"{ATTACK}: a part of it is packed too tightly."),
    Case("many parts of zeros", "a.docx", lambda: padded(7 << 20, 30), "This file is too large when unpacked."),
    Case("too many parts", "a.docx", lambda: many_parts(6_000), f"{ATTACK}: it holds too many parts."),
    Case("a hundred thousand parts", "a.docx", lambda: overlapping(100_000, 10), f"{ATTACK}: it holds too many parts."),
    Case("overlapping parts", "a.docx", lambda: overlapping(4_000, 1 << 20), "This file is too large when unpacked."),
    Case("few overlapping parts", "a.docx", lambda: overlapping(20, 1 << 20), DAMAGED),
    Case("zip in zip in zip", "a.docx", lambda: nested(30), DAMAGED),
    Case("a zip of zips", "a.zip", lambda: zip_of({"a.zip": nested(10)}), "This is a ZIP archive"),
    Case("a part larger than it says", "a.docx", lambda: lying_size(30 << 20, 1000), DAMAGED),
    Case("an archive twice", "a.docx", itself, DAMAGED),
    Case("an archive that begins with another", "a.docx", lambda: zip_of({"x": "y"}) + docx(paragraph("Hi.")), None, "Hi."),
    Case("a ZIP that is cut in the middle", "a.docx", lambda: docx(paragraph("Hi."))[:-200], DAMAGED),
    Case("a directory of ones", "a.docx", lambda: docx(paragraph("Hi."))[:-22] + b"PK\x05\x06" + b"\xff" * 18, DAMAGED),
    Case("only the end of a directory", "a.docx", lambda: b"PK\x05\x06" + bytes(18), "This is a ZIP archive"),
    Case("an unknown compression method", "a.docx", lambda: docx(paragraph("Hi.")).replace(b"\x08\x00", b"\x63\x00"), DAMAGED),
    Case("a part packed with LZMA", "a.docx", lambda: zip_of({"word/document.xml": "x"}, zipfile.ZIP_LZMA), DAMAGED),
    # --- names ---------------------------------------------------------------------------------
    Case("names that climb out", "a.docx", lambda: named("../../../etc/cron.d/x", "..\\..\\x"), None, "Hi."),
    Case("absolute names and drives", "a.docx", lambda: named("/etc/passwd", "C:\\Windows\\x", "\\\\server\\share\\x"), None, "Hi."),
    Case("names with NUL and controls", "a.docx", lambda: named("word/\x01\x02.xml", "word/a\0b.xml"), None, "Hi."),
    Case("a name of 60,000 characters", "a.docx", lambda: named("n" * 60_000), None, "Hi."),
    Case("a second document in capitals", "a.docx", twice, None, "Evil."),
    Case("a part that is a link", "a.docx", linked, DAMAGED),
    Case("a relation that climbs out", "a.docx", lambda: pointing_out("../../../../etc/passwd"), None, "Hi."),
    Case("a relation to a file", "a.docx", lambda: pointing_out("file:///etc/passwd"), None, "Hi."),
    Case("a relation to itself", "a.docx", lambda: pointing_out("document.xml"), None, "Hi."),
    # --- entities --------------------------------------------------------------------------------
    *(
        Case(f"{name} in a {kind}", f"a.{kind}", lambda make=make, text=text, kind=kind, doctype=doctype: make(text, doctype), why)
        for kind, make, text in (
            ("docx", docx, paragraph("&a8;")),
            ("pptx", pptx, "&a8;"),
            ("xlsx", xlsx, f"<row>{cell('&a8;')}</row>"),
            ("odt", odt, "<text:p>&a8;</text:p>"),
        )
        for name, doctype, why in (
            ("billion laughs", LAUGHS, ENTITIES),
            ("an entity of a file", FILE, ENTITIES),
            ("an entity of the web", WEB, ENTITIES),
        )
    ),
    Case("quadratic blow-up in a docx", "a.docx", lambda: docx(paragraph("&a;" * 50_000), BLOWUP), ENTITIES),
    Case("a parameter entity in a docx", "a.docx", lambda: docx(paragraph("Hi."), PARAMETER), ENTITIES),
    Case("an outside DTD in a docx", "a.docx", lambda: docx(paragraph("Hi."), SUBSET), ENTITIES),
    Case(
        "billion laughs in shared strings",
        "a.xlsx",
        lambda: xlsx("<row><c t='s'><v>0</v></c></row>", strings=with_doctype(xml("sst", "<si><t>&a8;</t></si>"), LAUGHS)),
        ENTITIES,
    ),
    Case("billion laughs in a relation", "a.docx", lambda: zip_of({"_rels/.rels": LAUGHS + "<x>&a8;</x>", "word/x": ""}), ENTITIES),
    Case(
        "billion laughs in a title",
        "a.docx",
        lambda: docx(paragraph("Hi."), **{"docProps/core.xml": with_doctype(core("&a8;"), LAUGHS)}),
        ENTITIES,
    ),
    Case("billion laughs in an epub's list", "a.epub", lambda: epub("<p>Hi.</p>", LAUGHS), ENTITIES),
    Case(
        "billion laughs on an epub's page",
        "a.epub",
        lambda: epub(f"<?xml version='1.0'?>{LAUGHS}<html><body><p>Hi &a8;</p></body></html>"),
        None,
        "Hi",
    ),
    Case(
        "a part in UTF-16 with entities",
        "a.docx",
        lambda: zip_of({"word/document.xml": f'<?xml version="1.0" encoding="utf-16"?>{LAUGHS}<x>&a8;</x>'.encode("utf-16")}),
        ENTITIES,
    ),
    # --- nesting and size ------------------------------------------------------------------------
    Case("100,000 elements deep", "a.docx", lambda: docx("<w:a>" * 100_000 + "</w:a>" * 100_000), DAMAGED),
    Case("200 controls deep", "a.docx", lambda: docx(deep(100)), None, "Deep."),
    Case("60 tables deep", "a.docx", lambda: docx(nested_tables(60)), None, "Deep."),
    Case("100,000 elements deep in a sheet", "a.xlsx", lambda: xlsx("<row>" * 100_000), DAMAGED),
    Case(
        "200 lists deep in an odt",
        "a.odt",
        lambda: odt("<text:list><text:list-item>" * 100 + "<text:p>Deep.</text:p>" + "</text:list-item></text:list>" * 100),
        None,
        "Deep.",
    ),
    Case("10,000 columns", "a.xlsx", lambda: xlsx("".join(f"<row>{cell('x') * 10_000}</row>" for _ in range(5))), None, "x"),
    Case(
        "a cell in the last corner",
        "a.xlsx",
        lambda: xlsx(f"<row r='1'>{cell('First.', 'A1')}</row><row r='1048576'>{cell('Last.', 'XFD1048576')}</row>"),
        None,
        "Last.",
    ),
    Case(
        "a cell past the last corner",
        "a.xlsx",
        lambda: xlsx(f"<row r='1'>{cell('First.', 'A1')}</row><row r='99999999'>{cell('Past.', 'ZZZ99999999')}</row>"),
        None,
        "First.",
    ),
    Case(
        "merged over everything",
        "a.xlsx",
        lambda: xlsx(
            "".join(f"<row r='{i}'>{cell('x', f'A{i}')}</row>" for i in range(1, 2_000)),
            more="<mergeCells>" + "<mergeCell ref='A1:XFD1048576'/>" * 2_000 + "</mergeCells>",
        ),
        None,
        "x",
    ),
    Case(
        "a string that is used 1,000 times",
        "a.xlsx",
        lambda: xlsx(
            "<row><c t='s'><v>0</v></c></row>" * 1_000,
            strings=xml("sst", f"<si><t>{'y' * 3_000}</t></si>"),
        ),
        None,
        "y",
    ),
    Case("20,000 rows", "a.xlsx", lambda: xlsx("<row><c><v>1</v></c></row>" * 20_000), None, "1"),
    Case(
        "a repeated cell in an ods",
        "a.ods",
        lambda: ods(
            "<table:table-row table:number-rows-repeated='1048576'>"
            "<table:table-cell table:number-columns-repeated='16384' office:value-type='string'><text:p>x</text:p></table:table-cell>"
            "</table:table-row>"
        ),
        None,
        "x",
    ),
    Case(
        "a spine of 20,000 times one page",
        "a.epub",
        lambda: epub(f"<html><body><p>{'z ' * 5_000}</p></body></html>", pages=20_000),
        None,
        "z z",
    ),
    Case("images that claim to be huge", "a.docx", lambda: lying_image(2**31 - 1), None, "Hi."),
    Case(
        "a span over 10 million columns",
        "a.docx",
        lambda: docx(f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="10000000"/></w:tcPr>{paragraph("Wide.")}</w:tc></w:tr></w:tbl>'),
        None,
        "Wide.",
    ),
    Case("spaces by the billion in an odt", "a.odt", lambda: odt('<text:p>a<text:s text:c="999999999"/>b</text:p>'), None, "a b"),
    Case("a docx that is really an xlsx", "a.docx", lambda: xlsx(f"<row>{cell('Sheet.')}</row>"), None, "Sheet."),
]
