"""Megabytes of sheets, OpenDocument, e-books, PDF, Hangul and others."""

from __future__ import annotations

from tests.footnote.ingest import ole_files
from tests.footnote.ingest.packages import xml, zip_of
from tests.footnote.ingest.pdf_files import make_pdf
from tests.footnote.ingest.pdf_files import paragraph as lines_of
from tests.hostile import packages
from tests.hostile.megabytes.tools import MEGABYTE, Shapes, fill
from tests.hostile.pdfs import flate, one_page

HIDDEN = b"<cols><col min='1' max='16384' hidden='1'/></cols><sheetData>"
ROW = "".join(packages.cell("a") for _ in range(20))
XLSX: Shapes = {
    "of rows": lambda: packages.xlsx("<row><c><v>1</v></c></row>" * 300_000),
    "of cells": lambda: packages.xlsx(f"<row>{ROW}</row>" * 15_000),
    "of a million cells": lambda: packages.xlsx(f"<row>{'<c><v>1</v></c>' * 1_000}</row>" * 1_000),
    "of a wide row": lambda: packages.xlsx(f"<row>{packages.cell('a') * 16_000}</row>" * 15),
    "of empty rows between": lambda: packages.xlsx(
        "".join(f'<row r="{i}">{packages.cell("a", f"A{i}")}{packages.cell("b", f"B{i}")}</row>' for i in range(1, 300_000, 2))
    ),
    "of scattered cells": lambda: packages.xlsx(
        "".join(f'<row r="{i}"><c r="{chr(65 + i % 26)}{i}"><v>{i}</v></c></row>' for i in range(1, 200_000))
    ),
    "of a diagonal": lambda: packages.xlsx(
        "".join(f'<row r="{i}">{packages.cell("a", f"{_name(i)}{i}")}</row>' for i in range(1, 16_000))
    ),
    "of merged cells": lambda: packages.xlsx(
        "".join(f'<row r="{i}">{packages.cell("a", f"A{i}")}</row>' for i in range(1, 20_000)),
        more="<mergeCells>" + "".join(f'<mergeCell ref="A{i}:C{i + 1}"/>' for i in range(1, 100_000)) + "</mergeCells>",
    ),
    "of cells merged over all": lambda: packages.xlsx(
        "".join(f'<row r="{i}">{packages.cell("a", f"A{i}")}</row>' for i in range(1, 20_000)),
        more="<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 100_000 + "</mergeCells>",
    ),
    "of strings": lambda: packages.xlsx(
        "".join(f"<row><c t='s'><v>{i}</v></c></row>" for i in range(100_000)),
        strings=xml("sst", "".join(f"<si><t>text {i}</t></si>" for i in range(100_000))),
    ),
    "of one long string": lambda: packages.xlsx(
        "<row><c t='s'><v>0</v></c></row>" * 10_000, strings=xml("sst", f"<si><t>{'y' * 30_000}</t></si>")
    ),
    "of hidden columns": lambda: packages.xlsx(f"<row>{ROW}</row>" * 15_000).replace(b"<sheetData>", HIDDEN),
    "of formats": lambda: packages.xlsx("<row><c s='1'><v>45000.5</v></c></row>" * 200_000),
}  # fmt: skip
P = "<text:p>a</text:p>"
ODS_CELL = f"<table:table-cell office:value-type='string'>{P}</table:table-cell>"
PAGE = f"<draw:page><draw:frame><draw:text-box>{P}</draw:text-box></draw:frame></draw:page>"
SHOWN = b"BT /F1 9 Tf 72 700 Td (Hi.) Tj ET"


def _ods_cell(attribute: str, number: int) -> str:
    return ODS_CELL.replace(" ", f" table:{attribute}='{number}' ", 1)


def _name(column: int) -> str:
    """Three letters."""
    return "".join(chr(65 + column // each % 26) for each in (676, 26, 1))


ODF: dict[str, Shapes] = {
    "a.odt": {
        "of paragraphs": lambda: packages.odt(P * 300_000),
        "of nested lists": lambda: packages.odt(
            "<text:list><text:list-item>" * 110 + P + "</text:list-item></text:list>" * 110
        ),
        "of nested sections": lambda: packages.odt("<text:section>" * 230 + P + "</text:section>" * 230),
        "of spans": lambda: packages.odt("<text:p>" + "<text:span>a</text:span>" * 200_000 + "</text:p>"),
        "of a table": lambda: packages.odt(
            "<table:table>" + f"<table:table-row>{ODS_CELL * 20}</table:table-row>" * 5_000 + "</table:table>"
        ),
        "of repeated cells": lambda: packages.odt(
            "<table:table>"
            + f"<table:table-row>{_ods_cell('number-columns-repeated', 100_000)}</table:table-row>" * 2_000
            + "</table:table>"
        ),
        "of headings": lambda: packages.odt("<text:h text:outline-level='2'>a</text:h><text:p>b</text:p>" * 60_000),
        "of notes": lambda: packages.odt(
            "<text:p>a<text:note><text:note-body><text:p>b</text:p></text:note-body></text:note></text:p>" * 50_000
        ),
        "of items": lambda: packages.odt("<text:list>" + f"<text:list-item>{P}</text:list-item>" * 100_000 + "</text:list>"),
    },
    "a.ods": {
        "of cells": lambda: packages.ods(f"<table:table-row>{ODS_CELL * 20}</table:table-row>" * 10_000),
        "of repeated rows": lambda: packages.ods(
            f"<table:table-row table:number-rows-repeated='1000'>{ODS_CELL * 20}</table:table-row>" * 2_000
        ),
        "of repeated cells": lambda: packages.ods(
            f"<table:table-row>{_ods_cell('number-columns-repeated', 1_000) * 20}</table:table-row>" * 1_000
        ),
        "of empty repeated rows": lambda: packages.ods(
            "<table:table-row table:number-rows-repeated='1000'><table:table-cell/></table:table-row>" * 100_000
            + f"<table:table-row>{ODS_CELL}</table:table-row>"
        ),
        "of cells that span rows": lambda: packages.ods(
            f"<table:table-row>{_ods_cell('number-rows-spanned', 1_000_000) * 20}</table:table-row>" * 3_000
        ),
        "of row groups": lambda: packages.ods(
            "<table:table-row-group>" * 200 + f"<table:table-row>{ODS_CELL}</table:table-row>" * 50_000 + "</table:table-row-group>" * 200
        ),
    },
    "a.odp": {
        "of slides": lambda: zip_of(
            {
                "mimetype": "application/vnd.oasis.opendocument.presentation",
                "content.xml": xml(
                    "office:document-content",
                    f"<office:body><office:presentation>{PAGE * 50_000}"
                    "</office:presentation></office:body>",
                ),
            }
        ),
    },
}  # fmt: skip
EPUB: Shapes = {
    "of nested <div>": lambda: packages.epub("<html><body>" + "<div>" * (MEGABYTE // 5) + "Deep.</body></html>"),
    "of chapters": lambda: packages.epub("<html><body><p>Hi.</p></body></html>", pages=10_000),
    "of paragraphs": lambda: packages.epub("<html><body>" + "<p>a</p>" * 500_000 + "</body></html>"),
}


def _text_page(units: int) -> bytes:
    return one_page(flate(b"BT /F1 12 Tf 72 700 Td " + b"(a) Tj 0 -1 Td " * units + b"ET"))


def _scattered(units: int) -> bytes:
    return one_page(
        flate(b"BT /F1 9 Tf " + b"".join(b"1 0 0 1 %d %d Tm (a) Tj " % (i * 37 % 600, i * 91 % 800) for i in range(units)) + b"ET")
    )


PDF: Shapes = {
    "of letters": lambda: _text_page(60_000),
    "of more letters": lambda: _text_page(1_000_000),
    "of scattered letters": lambda: _scattered(50_000),
    "of many scattered letters": lambda: _scattered(300_000),
    "of lines": lambda: one_page(flate(b"".join(b"%d 0 m %d 800 l S " % (i % 600, i % 600) for i in range(200_000)) + SHOWN)),
    "of a grid": lambda: one_page(
        flate(
            b"".join(b"%d 0 m %d 800 l S 0 %d m 600 %d l S " % (i, i, i, i) for i in range(0, 600, 2))
            + b"BT /F1 3 Tf "
            + b"".join(b"1 0 0 1 %d %d Tm (a) Tj " % (x, y) for x in range(1, 600, 4) for y in range(1, 800, 4))
            + b"ET"
        )
    ),
    "of rectangles": lambda: one_page(
        flate(b"".join(b"%d %d 5 5 re f " % (i * 7 % 600, i * 13 % 800) for i in range(200_000)) + SHOWN)
    ),
    "of pages": lambda: make_pdf([lines_of("Hello there.", "And more.") for _ in range(2_000)]),
    "of open groups": lambda: one_page(flate(b"q " * 1_000_000 + SHOWN)),
    "of spaces": lambda: one_page(flate(b"BT /F1 9 Tf 72 700 Td (" + b"a " * 500_000 + b") Tj ET")),
}  # fmt: skip


def _hangul(body: bytes) -> bytes:
    return ole_files.ole({}) if not body else ole_files.hangul(body)


def _hwpx(*sections: str) -> bytes:
    files = {f"Contents/section{i}.xml": section for i, section in enumerate(sections)}
    return zip_of({"mimetype": "application/hwp+zip", **files})


HP = 'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section"'
HP_P = "<hp:p><hp:run><hp:t>a</hp:t></hp:run></hp:p>"
HANGUL: dict[str, Shapes] = {
    "a.hwp": {
        "of paragraphs": lambda: _hangul(ole_files.hangul_paragraph("a") * 30_000),
        "of deeper paragraphs": lambda: _hangul(b"".join(ole_files.hangul_paragraph("a", i % 900) for i in range(20_000))),
        "of cells": lambda: _hangul(
            ole_files.hangul_paragraph("a", controls=1)
            + ole_files.control(b"tbl ", 1)
            + b"".join(ole_files.hangul_cell(i // 50, i % 50, "a", 2) for i in range(20_000))
        ),
    },
    "a.hwpx": {
        "of paragraphs": lambda: _hwpx(f"<hs:sec {HP}>{HP_P * 100_000}</hs:sec>"),
        "of runs": lambda: _hwpx(f"<hs:sec {HP}><hp:p>{'<hp:run><hp:t>a</hp:t></hp:run>' * 100_000}</hp:p></hs:sec>"),
        "of sections": lambda: _hwpx(*[f"<hs:sec {HP}>{HP_P}</hs:sec>"] * 3_000),
        "of cells": lambda: _hwpx(
            f"<hs:sec {HP}><hp:p><hp:run><hp:tbl>"
            + "".join(
                f'<hp:tr><hp:tc><hp:cellAddr colAddr="0" rowAddr="{i}"/><hp:subList>{HP_P}</hp:subList></hp:tc></hp:tr>'
                for i in range(30_000)
            )
            + "</hp:tbl></hp:run></hp:p></hs:sec>"
        ),
    },
}  # fmt: skip
OTHER: dict[str, Shapes] = {
    "a.msg": {
        "of text": lambda: ole_files.ole(ole_files.message({"1000": "Hello there.\r\n" * 35_000, "0037": "Hi"})),
        "of HTML": lambda: ole_files.ole(ole_files.message({"1013": fill("<div>"), "0037": "Hi"})),
    },
    "a.xlsb": {"of cells": lambda: ole_files.xlsb({"S": [["a", 1.0] * 10] * 5_000})},
    "a.svg": {"of groups": lambda: fill("<g>", "<svg xmlns='http://www.w3.org/2000/svg'>")},
    "a.confluence.xml": {
        "of <div>": lambda: fill("<div>", "<ac:confluence><p>Hi.</p>"),
        "of macros": lambda: fill('<ac:structured-macro ac:name="a"><ac:rich-text-body>', "<ac:confluence><p>Hi.</p>"),
        "of tables": lambda: fill("<table><tr><td>a", "<ac:confluence><p>Hi.</p>"),
    },
    "a.zip": {"of parts": lambda: zip_of({f"{i}.txt": "a" for i in range(8_000)})},
    "a.doc": {"of text": lambda: fill("word ")},
    "a.bin": {"of bytes": lambda: bytes(range(256)) * 3_900},
}
