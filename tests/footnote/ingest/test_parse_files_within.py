"""Files within files: attached to PDFs, and embedded in Office and OpenDocument files."""

from __future__ import annotations

import ctypes
import io
import signal
import struct
from collections.abc import Mapping

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from footnote.errors import Scan, UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.attached import Attachments
from footnote.types import Block, Parsed
from tests.footnote.ingest.ole_files import ole
from tests.footnote.ingest.packages import relations, workbook, xml, zip_of
from tests.footnote.ingest.pdf_files import Image, make_pdf, paragraph

LIST = workbook(Boats=[["Boat", "Berth"], ["Gull", "14"], ["Heron", "9"]])
BLANK = make_pdf([[]])
TABLE = "| Boat | Berth |\n| --- | --- |\n| Gull | 14 |\n| Heron | 9 |"
OTHER = "Save these attachments, and add them in a format that is read."


def with_attached(data: bytes, files: Mapping[str, bytes]) -> bytes:
    document = pypdfium2.PdfDocument(data)
    for name, content in files.items():
        document.new_attachment(name).set_data(content)
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def with_pinned(data: bytes, page: int, name: str, content: bytes) -> bytes:
    """The PDF with a file that is attached to a place on a page, from 1."""
    document = pypdfium2.PdfDocument(data)
    shown = document[page - 1]
    note = pdfium.FPDFPage_CreateAnnot(shown, pdfium.FPDF_ANNOT_FILEATTACHMENT)
    pdfium.FPDFAnnot_SetRect(note, pdfium.FS_RECTF(100, 120, 120, 100))
    wide = (name + "\0").encode("utf-16-le")
    file = pdfium.FPDFAnnot_AddFileAttachment(note, (ctypes.c_ushort * (len(wide) // 2)).from_buffer_copy(wide))
    pdfium.FPDFAttachment_SetFile(file, document, content, len(content))
    pdfium.FPDFPage_CloseAnnot(note)
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def native(name: str, content: bytes) -> bytes:
    """An OLE object of the kind “Package”, which Office makes of a file that it knows no program for."""
    path = f"C:\\tmp\\{name}\0".encode("cp1252")
    body = struct.pack("<H", 2) + name.encode("cp1252") + b"\0" + path + struct.pack("<II", 0x30000, len(path)) + path
    body += struct.pack("<I", len(content)) + content
    return ole({"\x01Ole10Native": struct.pack("<I", len(body)) + body})


def word(objects: Mapping[str, bytes], text: str = "Berths are listed below.") -> bytes:
    """`objects`: the name of a part → an embedded object."""
    nodes = "".join(f'<w:r><w:object><o:OLEObject r:id="package_{i}"/></w:object></w:r>' for i in range(len(objects)))
    body = f"<w:p><w:r><w:t>{text}</w:t></w:r>{nodes}</w:p>"
    files: dict[str, str | bytes] = {
        "word/document.xml": xml("w:document", f"<w:body>{body}</w:body>", 'xmlns:o="urn:schemas-microsoft-com:office:office"'),
        "word/_rels/document.xml.rels": relations(**{f"package_{i}": f"embeddings/{name}" for i, name in enumerate(objects)}),
    }
    return zip_of(files | {f"word/embeddings/{name}": content for name, content in objects.items()})


def slides(shapes: str, show: str = "", **parts: str) -> bytes:
    files: dict[str, str | bytes] = {
        "ppt/presentation.xml": xml("p:presentation", "<p:sldIdLst><p:sldId r:id='slide_1'/><p:sldId r:id='slide_2'/></p:sldIdLst>"),
        "ppt/_rels/presentation.xml.rels": relations(slide_1="slides/slide1.xml", slide_2="slides/slide2.xml"),
        "ppt/slides/slide1.xml": xml("p:sld", "<p:cSld><p:spTree/></p:cSld>"),
        "ppt/slides/slide2.xml": xml("p:sld", f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>", show),
        "ppt/slides/_rels/slide2.xml.rels": relations(**parts),
        "ppt/embeddings/list.xlsx": LIST,
        "ppt/charts/chart1.xml": xml("c:chartSpace", "<c:chart/>"),
        "ppt/charts/_rels/chart1.xml.rels": relations(package="../embeddings/list.xlsx"),
    }
    return zip_of(files)


FRAME = '<p:graphicFrame><a:graphic><a:graphicData><p:oleObj r:id="package"/></a:graphicData></a:graphic></p:graphicFrame>'


def open_document(content: str, kind: str, parts: Mapping[str, bytes]) -> bytes:
    types = {"Object 1/": "application/vnd.oasis.opendocument.spreadsheet", "/": f"application/vnd.oasis.opendocument.{kind}"}
    entries = "".join(f'<file-entry full-path="{path}" media-type="{name}"/>' for path, name in types.items())
    files: dict[str, str | bytes] = {
        "mimetype": types["/"],
        "META-INF/manifest.xml": xml("manifest", entries),
        "content.xml": xml(
            "office:document-content",
            f"<office:body><office:{kind}>{content}</office:{kind}></office:body>",
        ),
    }
    return zip_of(files | dict(parts))


def sheet(*cells: str) -> bytes:
    row = "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
    table = f'<table:table table:name="Berths"><table:table-row>{row}</table:table-row></table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    return xml("office:document-content", body).encode()


def headings(parsed: Parsed) -> list[tuple[int | None, str]]:
    return [(block.page, block.text) for block in parsed.blocks if block.kind == "heading"]


def test_files_attached_to_a_pdf_are_sections_at_its_end() -> None:
    inner = make_pdf([paragraph("Dogs must be on a lead.")])
    parsed = parse(with_attached(make_pdf([paragraph("See the rules.")]), {"rules.pdf": inner, "boats.xlsx": LIST}), "a.pdf")
    assert [(b.kind, b.level, b.page, b.text) for b in parsed.blocks] == [
        ("paragraph", 0, 1, "See the rules."),
        ("heading", 1, None, "boats.xlsx"),
        ("heading", 2, None, "boats.xlsx › Boats"),
        ("table", 0, None, TABLE),
        ("heading", 1, None, "rules.pdf"),
        ("paragraph", 0, None, "Dogs must be on a lead."),
    ]
    assert (parsed.reason, parsed.files, parsed.pages, parsed.format) == (None, (), 1, "pdf")


def test_a_file_pinned_to_a_page_of_a_pdf_is_read_with_that_page() -> None:
    pages = make_pdf([paragraph("First."), paragraph("The price is pinned here.")])
    parsed = parse(with_pinned(pages, 2, "price.txt", b"A berth costs 40 euros."), "a.pdf")
    assert parsed.blocks[-2:] == (Block("heading", "price.txt", 1, 2), Block("paragraph", "A berth costs 40 euros.", page=2))


def test_an_attachment_that_is_not_read_is_named_and_the_pdf_is_read() -> None:
    parsed = parse(with_attached(make_pdf([paragraph("See the photo.")]), {"pier.jpg": b"\xff\xd8\xff\xe0photo"}), "a.pdf")
    assert [block.text for block in parsed.blocks] == ["See the photo."]
    assert parsed.reason == "The attachment pier.jpg was not read. This is an image (.jpg), which is not supported."


def test_a_pdf_without_text_of_its_own_is_read_for_what_is_attached() -> None:
    parsed = parse(with_attached(BLANK, {"price.txt": b"A berth costs 40 euros."}), "a.pdf")
    assert [block.text for block in parsed.blocks] == ["price.txt", "A berth costs 40 euros."]


def test_a_scan_with_attached_text_is_still_given_to_ocr() -> None:
    parsed = parse(with_attached(make_pdf([[Image()]]), {"price.txt": b"A berth costs 40 euros."}), "a.pdf")
    assert parsed.scans is not None
    assert parsed.scans.pages == (1,)
    with pytest.raises(Scan) as refused:
        parse(with_attached(make_pdf([[Image()]]), {"pier.jpg": b"\xff\xd8\xff\xe0photo"}), "a.pdf")
    assert (refused.value.pages, refused.value.scans) == (1, (1,))


def test_a_workbook_in_a_text_is_read_once_and_after_the_text() -> None:
    parsed = parse(word({"boats.xlsx": LIST}), "a.docx")
    assert [block.text for block in parsed.blocks] == ["Berths are listed below.", "boats.xlsx", "boats.xlsx › Boats", TABLE]


def test_a_whole_file_within_a_text_is_read() -> None:
    inner = zip_of({"word/document.xml": xml("w:document", "<w:body><w:p><w:r><w:t>Dogs must be on a lead.</w:t></w:r></w:p></w:body>")})
    files: dict[str, str | bytes] = {
        "word/document.xml": xml("w:document", '<w:body><w:p><w:r><w:t>Rules</w:t></w:r></w:p><w:altChunk r:id="aFChunk"/></w:body>'),
        "word/_rels/document.xml.rels": relations(aFChunk="rules.docx"),
        "word/rules.docx": inner,
    }
    assert [block.text for block in parse(zip_of(files), "a.docx").blocks] == ["Rules", "rules.docx", "Dogs must be on a lead."]


@pytest.mark.parametrize(
    "wrapped",
    [native("boats.csv", b"Boat,Berth\nGull,14\nHeron,9\n"), ole({"Package": LIST}), ole({"CONTENTS": make_pdf([paragraph("Gull 14")])})],
    ids=["a file of any kind", "a newer Office file", "a PDF"],
)
def test_what_an_ole_object_wraps_is_taken_out(wrapped: bytes) -> None:
    parsed = parse(word({"oleObject1.bin": wrapped}), "a.docx")
    assert "Gull" in parsed.blocks[-1].text
    assert parsed.reason is None


def test_the_name_within_an_ole_object_is_used() -> None:
    parsed = parse(word({"oleObject1.bin": native("Preise März.txt", b"A berth costs 40 euros.")}), "a.docx")
    assert headings(parsed) == [(None, "Preise März.txt")]


@pytest.mark.parametrize("cut", [8, 40, 60])
def test_a_damaged_wrapper_is_said_to_be_unread(cut: int) -> None:
    stream = struct.pack("<I", 100) + b"\2\0list.txt\0C:\\list.txt\0" + struct.pack("<II", 0, 900)
    parsed = parse(word({"oleObject1.bin": ole({"\x01Ole10Native": stream[:cut]})}), "a.docx")
    assert str(parsed.reason).startswith("The attachment oleObject1.bin was not read. ")


def test_an_equation_of_an_old_office_version_is_named() -> None:
    parsed = parse(word({"oleObject1.bin": ole({"Equation Native": b"\x1c\0"})}), "a.docx")
    said = "This is an equation of an old Office version, which is not supported."
    assert parsed.reason == f"The attachment oleObject1.bin was not read. {said}"


def test_a_workbook_on_a_slide_is_read_with_the_number_of_the_slide() -> None:
    parsed = parse(slides(FRAME, package="../embeddings/list.xlsx"), "a.pptx")
    assert [(block.page, block.text) for block in parsed.blocks] == [(2, "list.xlsx"), (2, "list.xlsx › Boats"), (2, TABLE)]


@pytest.mark.parametrize(
    ("shape", "show"), [(FRAME, 'show="0"'), (FRAME.replace("<a:graphic>", '<p:nvPr><p:cNvPr hidden="1"/></p:nvPr><a:graphic>'), "")]
)
def test_a_workbook_that_no_slide_shows_is_not_read(shape: str, show: str) -> None:
    with pytest.raises(UnreadableFile):
        parse(slides(shape, show, package="../embeddings/list.xlsx"), "a.pptx")


def test_the_numbers_of_a_chart_are_not_read_twice() -> None:
    text = "<p:sp><p:txBody><a:p><a:r><a:t>Boats per berth</a:t></a:r></a:p></p:txBody></p:sp>"
    frame = '<p:graphicFrame><c:chart r:id="chart"/></p:graphicFrame>'
    parsed = parse(slides(text + frame, chart="../charts/chart1.xml"), "a.pptx")
    assert [block.text for block in parsed.blocks] == ["2", "Boats per berth"]


def test_an_object_alone_that_is_not_read_is_said_to_be_unread() -> None:
    with pytest.raises(UnreadableFile) as refused:
        parse(word({"oleObject1.bin": ole({"VisioDocument": b"x"})}, text=""), "a.docx")
    assert refused.value.reason == "The attachment oleObject1.bin was not read. This is a Visio drawing (.vsd), which is not supported."


def test_a_file_embedded_in_a_sheet_is_read_with_the_number_of_the_sheet() -> None:
    files: dict[str, str | bytes] = {
        "xl/workbook.xml": xml("workbook", '<sheets><sheet name="Plan" r:id="worksheet"/></sheets>'),
        "xl/_rels/workbook.xml.rels": relations(worksheet="worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": xml("worksheet", '<sheetData><row><c t="inlineStr"><is><t>See note</t></is></c></row></sheetData>'),
        "xl/worksheets/_rels/sheet1.xml.rels": relations(oleObject="../embeddings/oleObject1.bin"),
        "xl/embeddings/oleObject1.bin": native("note.txt", b"A berth costs 40 euros."),
    }
    parsed = parse(zip_of(files), "a.xlsx")
    assert [(b.page, b.text) for b in parsed.blocks[-2:]] == [(1, "note.txt"), (1, "A berth costs 40 euros.")]


@pytest.mark.parametrize(
    ("kind", "content", "page"),
    [
        ("text", "<text:p>Berths<draw:frame>{}</draw:frame></text:p>", None),
        ("presentation", "<draw:page><draw:frame><draw:text-box><text:p>Berths</text:p></draw:text-box>{}</draw:frame></draw:page>", 1),
        (
            "spreadsheet",
            '<table:table table:name="Plan"><table:table-row><table:table-cell><text:p>Berths</text:p><draw:frame>{}</draw:frame>'
            "</table:table-cell></table:table-row></table:table>",
            1,
        ),
    ],
)
def test_objects_in_opendocument_files_are_read(kind: str, content: str, page: int | None) -> None:
    shown = content.format('<draw:object xlink:href="./Object 1"/><draw:object-ole xlink:href="./Object 2"/>')
    parts = {"Object 1/content.xml": sheet("Gull", "14"), "Object 2": native("note.txt", b"A berth costs 40 euros.")}
    parsed = parse(open_document(shown, kind, parts), f"a.od{kind[0]}")
    assert [each for each in headings(parsed) if each[1] in ("Object 1", "note.txt")] == [(page, "Object 1"), (page, "note.txt")]
    assert any("| Gull | 14 |" in block.text for block in parsed.blocks)
    assert parsed.blocks[-1].text == "A berth costs 40 euros."


def test_a_chart_or_an_equation_is_no_embedded_file() -> None:
    root = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'
    content = '<text:p>With<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
    parsed = parse(open_document(content, "text", {"Object 1/content.xml": root.encode()}), "a.odt")
    assert [block.text for block in parsed.blocks] == ["With x"]


def test_files_within_files_are_read_three_deep() -> None:
    data = make_pdf([paragraph("level 4")])
    for level in (3, 2, 1):
        data = with_attached(make_pdf([paragraph(f"level {level}")]), {f"below{level}.pdf": data})
    parsed = parse(data, "a.pdf")
    assert [block.text for block in parsed.blocks] == [
        "level 1",
        "below1.pdf",
        "level 2",
        "below1.pdf › below2.pdf",
        "level 3",
    ]
    assert parsed.reason == "The attachment below3.pdf was not read. Attachments of attachments are read 3 deep."
    assert parsed.remedy == OTHER


def test_a_limit_of_files_holds_for_all_levels_together() -> None:
    inner = with_attached(make_pdf([paragraph("Rules")]), {"1.txt": b"one", "2.txt": b"two"})
    outer = Attachments(files=2)
    parsed = parse(with_attached(make_pdf([paragraph("Cover")]), {"a.pdf": inner, "b.txt": b"three"}), "a.pdf", outer)
    assert [block.text for block in parsed.blocks] == ["Cover", "a.pdf", "Rules", "a.pdf › 1.txt", "one"]
    assert [name for name, _ in outer.not_read] == ["2.txt", "b.txt"]


def test_an_inner_file_that_takes_too_long_does_not_end_the_limit_of_the_outer(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(data: bytes) -> None:
        while data:
            pass

    monkeypatch.setattr("footnote.ingest.parse.delimited.parse", hang)
    inner = with_attached(make_pdf([paragraph("Rules")]), {"1.csv": b"a,b", "2.csv": b"a,b", "3.csv": b"a,b"})
    signal.setitimer(signal.ITIMER_PROF, 2.0)
    try:
        parsed = parse(with_attached(make_pdf([paragraph("Cover")]), {"a.pdf": inner, "b.txt": b"Berths"}), "a.pdf")
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    assert [block.text for block in parsed.blocks if block.kind == "paragraph"][-1] == "Berths"
    assert "The attachment 1.csv was not read. Reading this file took longer than" in str(parsed.reason)
