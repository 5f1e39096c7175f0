"""Hostile PDFs, written object by object."""

from __future__ import annotations

import zlib

from tests.footnote.ingest.packages import zip_of
from tests.footnote.ingest.pdf_files import Text, make_pdf
from tests.hostile.case import REFUSED, Case, zeros

DAMAGED = "This PDF is damaged"
SCANNED = "The pages of this PDF contain only images, no text."
PASSWORD = "This PDF needs a password."
GOOD = make_pdf([[Text(60, 700, "Hi there.")]])
FONT = "/Resources << /Font << /F1 4 0 R >> >>"
HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
SHOWN = "BT /F1 10 Tf 60 700 Td (Hi there.) Tj ET"


def pdf(*objects: str | bytes, trailer: str = "/Root 1 0 R") -> bytes:
    """A PDF of these objects, numbered from 1, with a matching cross-reference table."""
    data, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body if isinstance(body, bytes) else body.encode("latin-1"))
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer.encode(), len(data))
    return data + head + table + tail


def stream(content: bytes, keys: str = "") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), keys.encode(), content)


def flate(content: bytes, keys: str = "") -> bytes:
    return stream(zlib.compress(content, 9), f"/Filter /FlateDecode {keys}")


def one_page(content: bytes, page: str = "", catalog: str = "", *more: str | bytes) -> bytes:
    """A PDF of one page. Objects: catalog 1, pages 2, page 3, font 4, content 5, then `more` from 6 on."""
    return pdf(
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {page or FONT} /Contents 5 0 R >>",
        HELVETICA,
        content,
        *more,
    )


def shown(catalog: str = "", page: str = "", *more: str | bytes) -> bytes:
    return one_page(stream(SHOWN.encode()), page, catalog, *more)


def tree(count: int, kids: str) -> bytes:
    return pdf("<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {count} /Kids [{kids}] >>")


def form_of_forms(depth: int) -> bytes:
    """Forms of which each draws the next one ten times."""
    forms = [
        stream(b"/X Do " * 10, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {7 + i} 0 R >> >>")
        for i in range(depth)
    ]
    last = stream(SHOWN.encode(), f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] {FONT}")
    return one_page(stream(b"/X Do"), "/Resources << /XObject << /X 6 0 R >> >>", "", *forms, last)


def form_of_itself() -> bytes:
    form = stream(SHOWN.encode() + b" /X Do", f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] {FONT[:-2]} /XObject << /X 6 0 R >> >>")
    return one_page(stream(b"/X Do"), "/Resources << /XObject << /X 6 0 R >> >>", "", form)


def huge_image() -> bytes:
    keys = "/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    image = stream(zeros(8 << 20), f"/Filter /FlateDecode {keys}")
    page = f"{FONT[:-2]} /XObject << /X 6 0 R >> >>"
    return one_page(stream(SHOWN.encode() + b" q 600 0 0 800 0 0 cm /X Do Q"), page, "", image)


def object_stream(size: int) -> bytes:
    body = stream(zeros(size), "/Type /ObjStm /N 100000 /First 1000000 /Filter /FlateDecode")
    return pdf("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [9 0 R] >>", body)


def encrypted() -> bytes:
    keys = f"<< /Filter /Standard /V 1 /R 2 /O <{'00' * 32}> /U <{'11' * 32}> /P -4 >>"
    return pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 0 /Kids [] >>",
        keys,
        trailer="/Root 1 0 R /Encrypt 3 0 R /ID [<00><00>]",
    )


CASES = [
    Case("a page of 300 MB of zeros", "a.pdf", lambda: one_page(stream(zeros(300 << 20), "/Filter /FlateDecode")), REFUSED),
    Case(
        "zeros packed three times",
        "a.pdf",
        lambda: one_page(stream(zlib.compress(zlib.compress(zeros(200 << 20))), "/Filter [/FlateDecode /FlateDecode /FlateDecode]")),
        REFUSED,
    ),
    Case("a stream of objects of a gigabyte", "a.pdf", lambda: object_stream(1 << 30), DAMAGED),
    Case("a page tree that holds itself", "a.pdf", lambda: tree(1, "2 0 R"), DAMAGED),
    Case("a page tree that claims a billion pages", "a.pdf", lambda: tree(1_000_000_000, "3 0 R"), DAMAGED),
    Case("a page tree with a negative count", "a.pdf", lambda: tree(-5, ""), DAMAGED),
    Case(
        "one page a thousand times",
        "a.pdf",
        lambda: shown().replace(b"/Count 1 /Kids [3 0 R]", b"/Count 1000 /Kids [" + b"3 0 R " * 1_000 + b"]"),
        None,
        "Hi there.",
    ),
    Case("forms that draw forms", "a.pdf", lambda: form_of_forms(6), REFUSED),
    Case("a form that draws itself", "a.pdf", form_of_itself, None, "Hi there."),
    Case("an image of 100,000 × 100,000", "a.pdf", huge_image, None, "Hi there."),
    Case("a page of a million miles", "a.pdf", lambda: shown().replace(b"[0 0 600 800]", b"[0 0 9e9 9e9]"), None, "Hi there."),
    Case(
        "letters of no and of endless size",
        "a.pdf",
        lambda: one_page(stream(b"BT /F1 0 Tf (No.) Tj /F1 1e30 Tf (Big.) Tj /F1 10 Tf 60 700 Td (Hi there.) Tj ET")),
        None,
        "Hi there.",
    ),
    Case(
        "200,000 letters on one spot",
        "a.pdf",
        lambda: one_page(stream(b"BT /F1 10 Tf " + b"1 0 0 1 60 700 Tm (Hi.) Tj " * 70_000 + b"ET")),
        None,
        "Hi.",
    ),
    Case(
        "100,000 lines on one page",
        "a.pdf",
        lambda: one_page(flate(b"".join(b"BT /F1 1 Tf 1 0 0 1 60 %.3f Tm (Hi.) Tj ET " % (i * 0.007) for i in range(100_000)))),
        None,
        "Hi.",
    ),
    Case(
        "100,000 rules on one page",
        "a.pdf",
        lambda: one_page(
            flate(
                SHOWN.encode()
                + b"".join(b" %d 0 m %d 800 l S 0 %d m 600 %d l S" % (i % 600, i % 600, i % 800, i % 800) for i in range(50_000))
            )
        ),
        None,
        "Hi there.",
    ),
    Case(
        "100,000 boxes in one another",
        "a.pdf",
        lambda: one_page(flate(SHOWN.encode() + b"".join(b" %.3f %.3f 300 300 re S" % (i / 300, i / 300) for i in range(50_000)))),
        None,
        "Hi there.",
    ),
    Case("graphic states 200,000 deep", "a.pdf", lambda: one_page(flate(b"q " * 200_000 + SHOWN.encode())), None, "Hi there."),
    Case("arrays 100,000 deep", "a.pdf", lambda: one_page(flate(b"[" * 100_000 + SHOWN.encode())), SCANNED),
    Case("a dictionary 100,000 deep", "a.pdf", lambda: shown("/X " + "<< /X " * 100_000 + ">>" * 100_000), None, "Hi there."),
    Case(
        "JavaScript that opens",
        "a.pdf",
        lambda: shown("/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9'\\)) >>"),
        None,
        "Hi there.",
    ),
    Case("a program that is launched", "a.pdf", lambda: shown("/OpenAction << /S /Launch /F (/bin/sh) >>"), None, "Hi there."),
    Case(
        "an embedded file",
        "a.pdf",
        lambda: shown(
            "/Names << /EmbeddedFiles << /Names [(a.exe) 6 0 R] >> >>",
            "",
            "<< /Type /Filespec /F (a.exe) /EF << /F 7 0 R >> >>",
            stream(b"MZ" * 1_000),
        ),
        None,
        "Hi there.",
    ),
    Case(
        "a stream that is a file of the machine",
        "a.pdf",
        lambda: one_page(b"<< /Length 0 /F (/etc/passwd) >>\nstream\n\nendstream"),
        SCANNED,
    ),
    Case("a password", "a.pdf", encrypted, PASSWORD),
    Case("a PDF that is cut in the middle", "a.pdf", lambda: GOOD[: len(GOOD) // 2], DAMAGED),
    Case(
        "its last table points at itself",
        "a.pdf",
        lambda: GOOD.replace(b"trailer << ", b"trailer << /Prev %d " % GOOD.rindex(b"xref\n0")),
        None,
        "Hi there.",
    ),
    Case(
        "its tables point at each other",
        "a.pdf",
        lambda: GOOD.replace(b"trailer << ", b"trailer << /Prev 20 /XRefStm 20 "),
        None,
        "Hi there.",
    ),
    Case("a table of lies", "a.pdf", lambda: GOOD.replace(b"00000 n", b"99999 n"), None, "Hi there."),
    Case("a length of two billion", "a.pdf", lambda: GOOD.replace(b"/Length ", b"/Length 2000000000"), None, "Hi there."),
    Case(
        "an outline without an end",
        "a.pdf",
        lambda: shown("/Outlines 6 0 R", "", "<< /First 6 0 R /Last 6 0 R /Next 6 0 R /Title (x) >>"),
        None,
        "Hi there.",
    ),
    Case(
        "a structure that holds itself",
        "a.pdf",
        lambda: shown(
            "/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R",
            f"{FONT} /StructParents 0",
            "<< /Type /StructTreeRoot /K [7 0 R] /ParentTree << /Nums [0 [7 0 R]] >> >>",
            "<< /Type /StructElem /S /Figure /P 7 0 R /Pg 3 0 R /K [7 0 R 0] /Alt (A figure) >>",
        ),
        None,
        "Hi there.",
    ),
    Case(
        "a comment that answers itself",
        "a.pdf",
        lambda: shown("", f"{FONT} /Annots [6 0 R]", "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (Me.) /IRT 6 0 R >>"),
        None,
        "Hi there.",
    ),
    Case(
        "a field below itself",
        "a.pdf",
        lambda: shown(
            "/AcroForm << /Fields [6 0 R] >>",
            f"{FONT} /Annots [6 0 R]",
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Me.) /Rect [0 0 90 90] /Parent 6 0 R /Kids [6 0 R] >>",
        ),
        None,
        "Hi there.",
    ),
    Case(
        "100,000 fields on one page",
        "a.pdf",
        lambda: shown(
            "/AcroForm << /Fields [6 0 R] >>",
            f"{FONT} /Annots [{'6 0 R ' * 100_000}]",
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Me.) /Rect [0 0 90 90] >>",
        ),
        None,
        "Hi there.",
    ),
    Case("a title of a megabyte", "a.pdf", lambda: make_pdf([[Text(60, 700, "Hi there.")]], title="t" * 1_000_000), None, "Hi there."),
    Case("only a header", "a.pdf", lambda: b"%PDF-1.7\n", DAMAGED),
    Case("a PDF with HTML before it", "a.pdf", lambda: b"<html><body>Evil.</body></html>\n" + GOOD, None, "Hi there."),
    Case("a PDF that ends as a ZIP", "a.pdf", lambda: GOOD + zip_of({"word/document.xml": "<x/>"}), None, "Hi there."),
    Case("a ZIP that calls itself PDF", "a.pdf", lambda: zip_of({"x.txt": "Hi."}), "This is a ZIP archive"),
    Case("a PDF that calls itself text", "a.txt", lambda: GOOD, None, "Hi there."),
]
