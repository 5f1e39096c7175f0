"""Builds small Office and OpenDocument files from XML strings, without any code of the parsers under test."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0" '
    'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" '
    'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
)
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zip_of(files: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def xml(root: str, content: str, attributes: str = "") -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><{root} {NAMESPACES} {attributes}>{content}</{root}>'


def relations(**targets: str) -> str:
    """`styles="styles.xml"`: a relation of this kind with the id `styles`; of several of a kind: `header_2=…`."""
    nodes = (
        f'<Relationship Id="{name}" Type="{_TYPES}/{name.split("_")[0]}" Target="{target}"{EXTERNAL if "://" in target else ""}/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(nodes)}</Relationships>'


EXTERNAL = ' TargetMode="External"'


def core(title: str) -> str:
    return xml("coreProperties", f"<dc:title>{title}</dc:title>")


def workbook(**sheets: Sequence[Sequence[str]]) -> bytes:
    """An Excel file: sheet → its rows of cells, all of them text."""
    names = list(sheets)
    nodes = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="worksheet_{i}"/>' for i, name in enumerate(names, 1))
    files: dict[str, str | bytes] = {
        "xl/workbook.xml": xml("workbook", f"<sheets>{nodes}</sheets>"),
        "xl/_rels/workbook.xml.rels": relations(**{f"worksheet_{i}": f"worksheets/sheet{i}.xml" for i in range(1, len(names) + 1)}),
    }
    for i, rows in enumerate(sheets.values(), 1):
        cells = ["".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) for row in rows]
        files[f"xl/worksheets/sheet{i}.xml"] = xml("worksheet", f"<sheetData>{''.join(f'<row>{row}</row>' for row in cells)}</sheetData>")
    return zip_of(files)
