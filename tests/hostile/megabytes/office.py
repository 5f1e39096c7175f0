"""Megabytes of Word and PowerPoint."""

from __future__ import annotations

from tests.footnote.ingest.packages import relations, xml, zip_of
from tests.hostile import packages
from tests.hostile.megabytes.tools import Shapes


def _w(content: str) -> bytes:
    return packages.docx(content)


def _paragraphs(count_: int) -> str:
    return "".join(packages.paragraph(f"Paragraph {i}.") for i in range(count_))


W_CELL = f"<w:tc>{packages.paragraph('a')}</w:tc>"
DOCX: Shapes = {
    "of paragraphs": lambda: _w(_paragraphs(150_000)),
    "of empty paragraphs": lambda: _w(packages.paragraph("Hi.") + "<w:p/>" * 1_000_000),
    "of runs": lambda: _w("<w:p>" + "<w:r><w:t>a</w:t></w:r>" * 300_000 + "</w:p>"),
    "of breaks": lambda: _w("<w:p><w:r><w:t>a</w:t>" + "<w:br/>" * 500_000 + "</w:r></w:p>"),
    "of a table of many rows": lambda: _w("<w:tbl>" + f"<w:tr>{W_CELL * 5}</w:tr>" * 30_000 + "</w:tbl>"),
    "of a table of one row": lambda: _w(f"<w:tbl><w:tr>{W_CELL * 150_000}</w:tr></w:tbl>"),
    "of tables": lambda: _w(f"<w:tbl><w:tr>{W_CELL * 2}</w:tr></w:tbl>" * 30_000),
    "of nested tables": lambda: _w(packages.nested_tables(80)),
    "of controls": lambda: _w(packages.deep(120)),
    "of spans": lambda: _w(
        "<w:tbl>"
        + ('<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000"/></w:tcPr>' + packages.paragraph("a") + f"</w:tc>{W_CELL}</w:tr>") * 10_000
        + "</w:tbl>"
    ),
    "of merged rows": lambda: _w(
        "<w:tbl>" + f"<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>{packages.paragraph('a')}</w:tc>{W_CELL}</w:tr>" * 20_000 + "</w:tbl>"
    ),
    "of headings": lambda: _w(
        "".join(
            f'<w:p><w:pPr><w:pStyle w:val="Heading{i % 6 + 1}"/></w:pPr><w:r><w:t>Part {i}</w:t></w:r></w:p>{packages.paragraph("Text.")}'
            for i in range(50_000)
        )
    ),
    "of bold lines": lambda: _w("<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bold</w:t></w:r></w:p>" * 100_000),
    "of fields": lambda: _w('<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>' * 100_000 + packages.paragraph("Hi.")),
    "of numbered items": lambda: _w(
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>' * 80_000
    ),
    "of footnotes": lambda: packages.docx(
        "".join(f'<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id="{i}"/></w:r></w:p>' for i in range(40_000)),
        **{
            "word/_rels/document.xml.rels": relations(footnotes="footnotes.xml"),
            "word/footnotes.xml": xml(
                "w:footnotes", "".join(f'<w:footnote w:id="{i}">{packages.paragraph("b")}</w:footnote>' for i in range(40_000))
            ),
        },
    ),
    "of styles": lambda: packages.docx(
        packages.paragraph("Hi."),
        **{
            "word/_rels/document.xml.rels": relations(styles="styles.xml"),
            "word/styles.xml": xml(
                "w:styles",
                "".join(
                    f'<w:style w:type="paragraph" w:styleId="s{i}"><w:name w:val="s{i}"/><w:basedOn w:val="s{i + 1}"/></w:style>'
                    for i in range(50_000)
                ),
            ),
        },
    ),
    "of one word": lambda: _w(packages.paragraph("a" * 9_000_000)),
    "of links": lambda: _w('<w:p><w:hyperlink r:id="x"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>' * 100_000),
    "of text boxes": lambda: _w(
        f"<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{packages.paragraph('a')}"
        "</w:txbxContent></wps:txbx></w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>" * 30_000
    ),
    "of deletions": lambda: _w("<w:p><w:del><w:r><w:delText>a</w:delText></w:r></w:del><w:r><w:t>b</w:t></w:r></w:p>" * 80_000),
    "of parts": lambda: packages.docx(packages.paragraph("Hi."), **{f"word/x{i}.xml": "<a/>" for i in range(4_000)}),
    "of text not packed": lambda: zip_of(
        {
            "_rels/.rels": relations(officeDocument="word/document.xml"),
            "word/document.xml": xml("w:document", f"<w:body>{_paragraphs(20_000)}</w:body>"),
        },
        0,
    ),
}  # fmt: skip


def _deck(slides: int, body: str) -> bytes:
    slide = xml("p:sld", f"<p:cSld><p:spTree>{body}</p:spTree></p:cSld>")
    listed = "".join(f'<p:sldId id="{256 + i}" r:id="slide_{i}"/>' for i in range(slides))
    return zip_of(
        {
            "_rels/.rels": relations(officeDocument="ppt/presentation.xml"),
            "ppt/presentation.xml": xml("p:presentation", f"<p:sldIdLst>{listed}</p:sldIdLst>"),
            "ppt/_rels/presentation.xml.rels": relations(**{f"slide_{i}": f"slides/slide{i}.xml" for i in range(slides)}),
            **{f"ppt/slides/slide{i}.xml": slide for i in range(slides)},
        }
    )


A_P = "<a:p><a:r><a:t>a</a:t></a:r></a:p>"
SHAPE = f"<p:sp><p:txBody>{A_P}</p:txBody></p:sp>"
PPTX: Shapes = {
    "of slides": lambda: _deck(2_000, SHAPE),
    "of shapes": lambda: _deck(1, SHAPE * 100_000),
    "of groups": lambda: _deck(1, "<p:grpSp>" * 100 + SHAPE * 50_000 + "</p:grpSp>" * 100),
    "of placed shapes": lambda: _deck(
        1,
        "".join(
            f'<p:sp><p:spPr><a:xfrm><a:off x="{i % 977}" y="{i % 1013}"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr>'
            f"<p:txBody>{A_P}</p:txBody></p:sp>"
            for i in range(50_000)
        ),
    ),
    "of paragraphs": lambda: _deck(1, f"<p:sp><p:txBody>{A_P * 200_000}</p:txBody></p:sp>"),
    "of a table": lambda: _deck(
        1,
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>"
        + f"<a:tr>{f'<a:tc><a:txBody>{A_P}</a:txBody></a:tc>' * 50}</a:tr>" * 1_500
        + "</a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
    ),
}
