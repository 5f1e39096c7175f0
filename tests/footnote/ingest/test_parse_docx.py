"""Word files: headings, lists, tables, notes, text boxes and page headers."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed
from tests.footnote.ingest.packages import core, relations, xml, zip_of

STYLES = xml(
    "w:styles",
    '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:styleId="2"><w:name w:val="제목 2"/></w:style>'
    '<w:style w:styleId="Caption"><w:name w:val="caption"/></w:style>'
    '<w:style w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:styleId="TOC2"><w:name w:val="toc 2"/></w:style>',
)
NUMBERING = xml(
    "w:numbering",
    '<w:abstractNum w:abstractNumId="7">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>',
)


def read(body: str, parts: dict[str, str] | None = None, **related: str) -> Parsed:
    files: dict[str, str | bytes] = {
        "word/document.xml": xml("w:document", f"<w:body>{body}</w:body>"),
        "word/styles.xml": STYLES,
        "word/numbering.xml": NUMBERING,
        "word/_rels/document.xml.rels": relations(styles="styles.xml", numbering="numbering.xml", **related),
    }
    return parse(zip_of(files | (parts or {})), "letter_2024.docx")


def p(text: str, style: str = "", num: tuple[int, int] | None = None) -> str:
    numbering = f'<w:numPr><w:ilvl w:val="{num[1]}"/><w:numId w:val="{num[0]}"/></w:numPr>' if num else ""
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{numbering}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def tc(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def test_headings_are_recognised_by_style_in_any_language() -> None:
    parsed = read(p("Die Fähre", "berschrift1") + p("Sie fährt im Sommer.") + p("운행 시간", "2") + p("Preise", "Kapitel"))
    assert parsed.blocks == (
        Block("heading", "Die Fähre", 1),
        Block("paragraph", "Sie fährt im Sommer."),
        Block("heading", "운행 시간", 2),
        Block("heading", "Preise", 1),
    )
    assert (parsed.title, parsed.format, parsed.pages) == ("Die Fähre", "docx", None)


def test_without_style_definitions_a_style_is_recognised_by_name() -> None:
    data = zip_of({"word/document.xml": xml("w:document", f"<w:body>{p('Ferries', 'Heading2')}{p('They run.')}</w:body>")})
    assert parse(data, "a.docx").blocks == (Block("heading", "Ferries", 2), Block("paragraph", "They run."))


def test_a_short_bold_paragraph_reads_like_a_heading() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r></w:p>"
    read_ = read(bold.format("Opening hours") + bold.format("It is closed.")).blocks
    assert read_ == (Block("heading", "Opening hours", 6), Block("paragraph", "It is closed."))


def test_a_bold_line_is_a_heading_below_those_of_styles() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Opening hours</w:t></w:r></w:p>"
    part = '<w:p><w:pPr><w:outlineLvl w:val="{}"/></w:pPr><w:r><w:t>Part</w:t></w:r></w:p>'
    assert [block.level for block in read(part.format(0) + bold + part.format(4) + bold).blocks] == [1, 6, 5, 6]


def test_merged_cells_keep_their_visual_position() -> None:
    body = table(
        tc("Boat") + tc("Fee", '<w:gridSpan w:val="2"/>'),
        tc("Kayak", '<w:vMerge w:val="restart"/>') + tc("5") + tc("summer"),
        tc("", "<w:vMerge/>") + tc("4") + tc("winter"),
    )
    expected = "| Boat | Fee |  |\n| --- | --- | --- |\n| Kayak | 5 | summer |\n| Kayak | 4 | winter |"
    assert read(body).blocks == (Block("table", expected),)


def test_titles_and_notes_of_a_table_are_read_beside_it() -> None:
    lines = [tc(text, '<w:gridSpan w:val="3"/>') for text in ("Boats of the club", "In thousands", "Without tax")]
    rows = ["".join(map(tc, row)) for row in (("Boat", "Fee", "Crew"), ("Kayak", "5", "2"), ("Ferry", "7", "3"))]
    assert read(table(*lines[:2], *rows, lines[2])).blocks == (
        Block("caption", "Boats of the club"),
        Block("caption", "In thousands"),
        Block("table", "| Boat | Fee | Crew |\n| --- | --- | --- |\n| Kayak | 5 | 2 |\n| Ferry | 7 | 3 |"),
        Block("paragraph", "Without tax"),
    )


def test_a_table_without_names_of_columns_has_an_empty_header() -> None:
    rows = (("7", "Ada", "Lake", "311"), ("8", "Ben", "Hill", "312"))
    assert read(table(*("".join(map(tc, row)) for row in rows))).blocks == (
        Block("table", "|  |  |  |  |\n| --- | --- | --- | --- |\n| 7 | Ada | Lake | 311 |\n| 8 | Ben | Hill | 312 |"),
    )


@pytest.mark.parametrize(("value", "is_header"), [("", True), (' w:val="1"', True), (' w:val="0"', False)])
def test_rows_that_word_repeats_on_each_page_are_the_header(value: str, is_header: bool) -> None:
    mark = f"<w:trPr><w:tblHeader{value}/></w:trPr>"
    body = table(mark + tc("7") + tc("Ada"), tc("8") + tc("Ben"), tc("9") + tc("Cleo"))
    rows = "| 8 | Ben |\n| 9 | Cleo |"
    header = "| 7 | Ada |\n| --- | --- |" if is_header else "|  |  |\n| --- | --- |\n| 7 | Ada |"
    assert read(body).blocks == (Block("table", f"{header}\n{rows}"),)


def test_a_table_within_a_cell_is_read_within_that_cell() -> None:
    inner = table(tc("May") + tc("June"), tc("5") + tc("6"))
    body = table(tc("Boat") + tc("Fees"), tc("Kayak") + f"<w:tc>{inner}{p('each')}</w:tc>")
    assert read(body).blocks == (Block("table", "| Boat | Fees |\n| --- | --- |\n| Kayak | May, June; 5, 6; each |"),)


def test_two_successive_tables_stay_separate() -> None:
    one, two = table(tc("a") + tc("b"), tc("1") + tc("2")), table(tc("c") + tc("d"), tc("3") + tc("4"))
    assert [block.kind for block in read(one + two).blocks] == ["table", "table"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Fees</w:t></w:r></w:p>',
            (Block("heading", "Fees", 3),),
            id="an outline level makes a heading",
        ),
        pytest.param(
            p("Book", num=(1, 0)) + p("by phone", num=(1, 1)) + p("by mail", num=(1, 1)) + p("Pay", num=(1, 0)) + p("cash", num=(1, 1)),
            (Block("list", "1. Book\n  1.a) by phone\n  1.b) by mail\n2. Pay\n  2.a) cash"),),
            id="lists keep their numbers and their nesting",
        ),
        pytest.param(p("oars", num=(2, 0)) + p("a rope", num=(2, 0)), (Block("list", "- oars\n- a rope"),), id="bullets become dashes"),
        pytest.param(p("Scope", "berschrift1", (1, 0)), (Block("heading", "1. Scope", 1),), id="a numbered heading keeps its number"),
        pytest.param(
            p("Figure 1: The lake", "Caption") + p("a = 1", "Code") + p("b = 2", "Code") + p("Fees 3", "TOC2"),
            (Block("caption", "Figure 1: The lake"), Block("code", "a = 1\nb = 2"), Block("list", "  - Fees 3")),
            id="captions code and tables of contents are recognised by style",
        ),
        pytest.param(
            table(tc("Fees 2024", '<w:gridSpan w:val="2"/>'), tc("Boat") + tc("Fee"), tc("Kayak") + tc("5")),
            (Block("caption", "Fees 2024"), Block("table", "| Boat | Fee |\n| --- | --- |\n| Kayak | 5 |")),
            id="a title row over all columns is a caption",
        ),
        pytest.param(
            table(tc("A note."), tc("Another.")),
            (Block("paragraph", "A note."), Block("paragraph", "Another.")),
            id="a table of one column is read as text",
        ),
        pytest.param(
            "<w:p><w:r><w:t>The fee is </w:t></w:r><w:del><w:r><w:delText>5</w:delText></w:r></w:del><w:ins><w:r><w:t>7</w:t></w:r></w:ins>"
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t> secret</w:t></w:r><w:r><w:instrText>PAGE</w:instrText><w:t> francs.</w:t></w:r></w:p>",
            (Block("paragraph", "The fee is 7 francs."),),
            id="deleted and hidden text is skipped and inserted text is read",
        ),
    ],
)
def test_a_word_file_becomes_blocks(given: Any, expected: Any) -> None:
    assert read(given).blocks == expected


def test_a_text_box_is_read_once() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Beware of waves.</w:t></w:r></w:p></w:txbxContent>"
    choice = f"<mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
    both = f"<mc:AlternateContent>{choice}<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    body = f"<w:p><w:r><w:t>Read this.</w:t>{both}</w:r></w:p>"
    assert read(body).blocks == (Block("paragraph", "Read this."), Block("paragraph", "Beware of waves."))


def test_alternative_texts_are_read_but_not_file_names() -> None:
    drawing = '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="{}"/></wp:inline></w:drawing></w:r></w:p>'
    assert read(drawing.format("A ferry at the pier") + drawing.format("IMG_17.jpg")).blocks == (Block("image", "A ferry at the pier"),)


def test_a_chart_becomes_a_table() -> None:
    series = (
        "<c:ser><c:tx><c:v>Visits</c:v></c:tx><c:cat><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt></c:cat>"
        "<c:val><c:pt idx='0'><c:v>10</c:v></c:pt><c:pt idx='1'><c:v>0.30000000000000004</c:v></c:pt></c:val></c:ser>"
    )
    chart = xml("c:chartSpace", f"<c:chart><c:title><a:t>Guests</a:t></c:title><c:plotArea>{series}</c:plotArea></c:chart>")
    body = '<w:p><w:r><w:drawing><c:chart r:id="chart"/></w:drawing></w:r></w:p>'
    blocks = read(body, {"word/charts/one.xml": chart}, chart="charts/one.xml").blocks
    assert blocks == (Block("caption", "Guests"), Block("table", "|  | Visits |\n| --- | --- |\n| May | 10 |\n| June | 0.3 |"))


def test_a_footnote_follows_the_paragraph_that_refers_to_it() -> None:
    notes = xml(
        "w:footnotes", f'<w:footnote w:id="0" w:type="separator">{p("–")}</w:footnote><w:footnote w:id="2">{p("Since 1890.")}</w:footnote>'
    )
    body = '<w:p><w:r><w:t>It runs.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' + p("It stops.")
    blocks = read(body, {"word/footnotes.xml": notes}, footnotes="footnotes.xml").blocks
    assert [block.text for block in blocks] == ["It runs.", "Since 1890.", "It stops."]


def test_page_headers_come_first_unless_the_text_contains_them() -> None:
    parts = {
        "word/header1.xml": xml("w:hdr", p("Confidential")),
        "word/header2.xml": xml("w:hdr", p("Confidential")),
        "word/footer1.xml": xml("w:ftr", p("Seite 3 von 7") + p("The lake")),
    }
    body = p("The lake", "berschrift1") + p("It is deep.")
    parsed = read(body, parts, header="header1.xml", header_2="header2.xml", footer="footer1.xml")
    assert [block.text for block in parsed.blocks] == ["Confidential", "The lake", "It is deep."]
    assert parsed.title == "The lake"


def test_pages_are_counted_by_words_own_marks() -> None:
    mark = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>{}</w:t></w:r></w:p>"
    forced = '<w:p><w:r><w:t>One.</w:t><w:br w:type="page"/></w:r></w:p>'
    parsed = read(forced + mark.format("Two.") + mark.format("Three."))
    assert [(block.text, block.page) for block in parsed.blocks] == [("One.", 1), ("Two.", 2), ("Three.", 3)]
    assert parsed.pages == 3


def test_manual_breaks_give_no_page_numbers_if_a_page_would_be_too_long() -> None:
    body = p("x" * 7000) + '<w:p><w:r><w:br w:type="page"/></w:r></w:p>' + p("End.")
    assert [block.page for block in read(body).blocks] == [None, None]


def test_the_title_is_the_one_among_the_properties() -> None:
    parts = {"docProps/core.xml": core("Rules of the lake")}
    assert read(p("Lake", "berschrift1"), parts).title == "Rules of the lake"
    assert read(p("Hello"), {"docProps/core.xml": core("Document1")}).title == "letter 2024"


def test_a_strict_document_is_read_like_any_other() -> None:
    body = xml("w:document", f"<w:body>{p('Hello')}</w:body>").replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"
    )
    assert parse(zip_of({"word/document.xml": body}), "a.docx").blocks == (Block("paragraph", "Hello"),)


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


STRIKING = (
    '<w:style w:styleId="Old"><w:name w:val="Old"/><w:rPr><w:strike/></w:rPr></w:style>'
    '<w:style w:styleId="Older"><w:name w:val="Older"/><w:basedOn w:val="Old"/></w:style>'
    '<w:style w:styleId="Kept"><w:name w:val="Kept"/><w:basedOn w:val="Old"/><w:rPr><w:strike w:val="0"/></w:rPr></w:style>'
    '<w:style w:styleId="Twice"><w:name w:val="Twice"/><w:rPr><w:dstrike w:val="true"/></w:rPr></w:style>'
    '<w:style w:styleId="Ref"><w:name w:val="Ref"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
    '<w:style w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>'
)


def text_of(runs: str, style: str = "") -> str:
    body = f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{runs}</w:p>'
    styles = STYLES.replace("</w:styles>", f"{STRIKING}</w:styles>")
    return "\n".join(block.text for block in read(body, {"word/styles.xml": styles}).blocks or [Block("paragraph", "")])


@pytest.mark.parametrize(
    "properties",
    [
        "<w:strike/>",
        "<w:dstrike/>",
        '<w:strike w:val="1"/>',
        *(f'<w:rStyle w:val="{style}"/>' for style in ("Old", "Older", "Twice", "Secret")),
    ],
)
def test_struck_text_is_left_out_also_by_a_style(properties: str) -> None:
    assert text_of(run("The toll is ") + run("4.10 ", properties) + run("5.30 euros.")) == "The toll is 5.30 euros."


@pytest.mark.parametrize(
    ("properties", "style"),
    [
        ('<w:strike w:val="0"/>', "Old"),
        ('<w:strike w:val="false"/><w:dstrike w:val="off"/>', "Older"),
        ('<w:rStyle w:val="Old"/><w:strike w:val="0"/>', ""),
        ('<w:rStyle w:val="Kept"/>', ""),
        ('<w:rStyle w:val="Old"/>', "Old"),  # a second style that strikes switches it off
        ("", "Kept"),
    ],
)
def test_text_that_a_run_or_style_does_not_strike_is_read(properties: str, style: str) -> None:
    assert text_of(run("The toll", properties) + run(" is 5.30.", '<w:strike w:val="0"/>'), style) == "The toll is 5.30."


def test_a_paragraph_of_a_style_that_strikes_is_left_out() -> None:
    body = '<w:p><w:pPr><w:pStyle w:val="Older"/></w:pPr><w:r><w:t>It opens at 8.</w:t></w:r></w:p>' + p("It opens at 9.")
    parsed = read(body, {"word/styles.xml": STYLES.replace("</w:styles>", f"{STRIKING}</w:styles>")})
    assert parsed.blocks == (Block("paragraph", "It opens at 9."),)


RAISED = '<w:vertAlign w:val="superscript"/>'


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (run("The dam broke in 1976") + run("2", RAISED) + run("."), "The dam broke in 1976."),
        (run("It broke in 1976.") + run("2", '<w:rStyle w:val="Ref"/>'), "It broke in 1976."),
        (run("An area of 45 km") + run("2", RAISED) + run(" burned."), "An area of 45 km² burned."),
        (run("Some 10") + run("−", RAISED) + run("9", RAISED) + run(" mol"), "Some 10⁻⁹ mol"),
        (run("CO") + run("2", '<w:vertAlign w:val="subscript"/>') + run(" levels"), "CO2 levels"),
        (run("1976") + run("2", f'{RAISED}<w:vertAlign w:val="baseline"/>'.replace(RAISED, "")), "19762"),
    ],
)
def test_raised_text_keeps_apart_from_the_number_before_it(runs: str, expected: str) -> None:
    assert text_of(runs) == expected


def test_the_marker_that_an_author_chose_for_a_note_is_left_out() -> None:
    notes = xml("w:footnotes", f'<w:footnote w:id="2">{p("By ferry.")}</w:footnote>')
    body = '<w:p><w:r><w:t>Fare 12</w:t></w:r><w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>3</w:t></w:r></w:p>'
    assert [block.text for block in read(body, {"word/footnotes.xml": notes}, footnotes="footnotes.xml").blocks] == ["Fare 12", "By ferry."]


def remark(name: int, author: str, text: str, paragraph: str = "") -> str:
    content = f'<w:p w14:paraId="{paragraph}"><w:r><w:annotationRef/><w:t>{text}</w:t></w:r></w:p>'
    return f'<w:comment w:id="{name}" w:author="{author}">{content}</w:comment>'


def commented(text: str, *names: int) -> str:
    starts = "".join(f'<w:commentRangeStart w:id="{name}"/>' for name in names)
    ends = "".join(f'<w:commentRangeEnd w:id="{name}"/><w:r><w:commentReference w:id="{name}"/></w:r>' for name in names)
    return f"<w:p>{starts}<w:r><w:t>{text}</w:t></w:r>{ends}</w:p>"


COMMENTS = xml(
    "w:comments",
    remark(0, "Ida Falk", "Is it 6?", "0A")
    + remark(1, "Tom Ray", "No, 7.", "0B")
    + remark(2, "", "Ask the port.")
    + remark(5, "Eva", "Old."),
)
REPLIES = xml("w15:commentsEx", '<w15:commentEx w15:paraId="0A" w15:done="1"/><w15:commentEx w15:paraId="0B" w15:paraIdParent="0A"/>')


def test_a_comment_with_its_replies_follows_its_paragraph() -> None:
    parts = {"word/comments.xml": COMMENTS, "word/commentsExtended.xml": REPLIES}
    body = commented("The fare is 7.", 0, 1) + p("Dogs are free.") + commented("Bikes cost 2.", 2)
    parsed = read(body, parts, comments="comments.xml", commentsExtended="commentsExtended.xml")
    assert [block.text for block in parsed.blocks] == [
        "The fare is 7.",
        "Comment (Ida Falk): Is it 6?\nReply (Tom Ray): No, 7.",
        "Dogs are free.",
        "Bikes cost 2.",
        "Comment: Ask the port.",
        "Comment (Eva): Old.",  # nothing refers to it
    ]


def test_a_comment_in_a_table_or_list_names_what_it_is_about() -> None:
    cell = f"<w:tc>{commented('7', 0)}</w:tc>"
    item = commented("by boat", 2).replace("<w:p>", '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr>')
    body = table(tc("Boat") + tc("Fee"), tc("Kayak") + cell) + item + p("on foot", num=(2, 0))
    parsed = read(body, {"word/comments.xml": COMMENTS}, comments="comments.xml")
    assert [(block.kind, block.text) for block in parsed.blocks[:4]] == [
        ("table", "| Boat | Fee |\n| --- | --- |\n| Kayak | 7 |"),
        ("list", "Comment on “7” (Ida Falk): Is it 6?"),
        ("list", "- by boat\n- on foot"),
        ("list", "Comment on “by boat”: Ask the port."),
    ]


def test_equations_are_read_in_their_sentence() -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    power = f"<m:sSup><m:e>{r('v')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>"
    fraction = f"<m:f><m:num>{r('m')}{power}</m:num><m:den>{r('2')}</m:den></m:f>"
    total = f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup><m:e>{r('F')}</m:e></m:nary>"
    body = f"<w:p><w:r><w:t>With</w:t></w:r><m:oMath>{r('E=')}{fraction}</m:oMath><w:r><w:t>it moves.</w:t></w:r></w:p>"
    alone = f"<w:p><m:oMathPara><m:oMath>{r('S=')}{total}</m:oMath></m:oMathPara></w:p>"
    assert [block.text for block in read(body + alone).blocks] == ["With E = mv²/2 it moves.", "S = ∑_(i=1)^n F"]


def checkbox(checked: str, sign: str) -> str:
    state = f'<w14:checkbox><w14:checked w14:val="{checked}"/></w14:checkbox>' if checked else "<w14:checkbox/>"
    return f"<w:sdt><w:sdtPr>{state}</w:sdtPr><w:sdtContent><w:r>{sign}</w:r></w:sdtContent></w:sdt>"


def test_check_boxes_show_whether_they_are_checked() -> None:
    boxes = [checkbox("1", "<w:t>☒</w:t>"), checkbox("0", '<w:sym w:font="Wingdings" w:char="F0A8"/>'), checkbox("", "<w:t>☐</w:t>")]
    lines = "".join(
        f"<w:p>{box}<w:r><w:t> {label}</w:t></w:r></w:p>" for box, label in zip(boxes, ("Life vest", "Oars", "Rope"), strict=True)
    )
    field = '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData>{}</w:ffData></w:fldChar></w:r><w:r><w:t> {}</w:t></w:r></w:p>'
    old = field.format('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', "Insured")
    old += field.format('<w:checkBox><w:default w:val="0"/></w:checkBox>', "Member")
    listed = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="May"/><w:listEntry w:val="June"/></w:ddList>'
    texts = [block.text for block in read(lines + old + field.format(listed, "2026")).blocks]
    assert texts == ["☑ Life vest", "☐ Oars", "☐ Rope", "☑ Insured", "☐ Member", "June 2026"]


def test_titles_of_pictures_and_texts_of_pictures_in_groups_are_read_once() -> None:
    picture = '<wp:docPr id="1" name="x" title="Plan" descr="Plan of the {0}"/><a:pic><a:cNvPr id="2" name="y" descr="{1}"/></a:pic>'
    drawing = f"<w:p><w:r><w:drawing><wp:inline>{picture}</wp:inline></w:drawing></w:r></w:p>"
    blocks = read(drawing.format("pier", "The crane") + drawing.format("lock", "Plan of the lock").replace('title="Plan" ', "")).blocks
    assert [block.text for block in blocks] == ["Plan: Plan of the pier", "The crane", "Plan of the lock"]
    old = '<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" alt="The old crane"/></w:pict></w:r></w:p>'
    assert read(old).blocks == (Block("image", "The old crane"),)


def test_a_file_that_is_mostly_struck_says_so() -> None:
    struck = f"<w:p>{run('The lock opens at 7 on all days.', '<w:strike/>')}</w:p>"
    assert read(struck + p("It is closed.")).reason == "Most of the text is struck through and was left out."
    assert read(struck + p("It is closed from November until the ice is gone.")).reason is None
    with pytest.raises(UnreadableFile, match="All text of this file is struck through"):
        read(struck)


def test_signs_of_symbol_fonts_are_read() -> None:
    sign = '<w:r><w:sym w:font="{}" w:char="{}"/></w:r>'
    runs = run("Grains of 40 ") + sign.format("Symbol", "F06D") + run("m ") + sign.format("Symbol", "F0B1") + run("2, dry ")
    more = sign.format("Wingdings", "F0FC") + sign.format("Wingdings", "F04D") + sign.format("Symbol", "x") + run(".")
    assert text_of(runs + more) == "Grains of 40 μm ±2, dry ✓."


def test_plain_text_in_a_symbol_font_is_read_as_its_signs() -> None:
    wingdings = '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>'
    boxes = run("\uf0fe", wingdings) + run(" Pumps off ") + run("\u00a8", wingdings) + run(" Gate shut ") + run("\uf04d", wingdings)
    assert text_of(boxes) == "☑ Pumps off ☐ Gate shut"
    assert text_of(run("\uf0fd Fuse out, \uf0b7 and \uf04d")) == "☒ Fuse out, \uf0b7 and \uf04d"


def test_a_symbol_font_may_be_that_of_a_style() -> None:
    greek = '<w:style w:styleId="Greek"><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:style></w:styles>'
    own = '<w:rStyle w:val="Greek"/><w:rFonts w:asciiTheme="minorHAnsi"/>'
    runs = run("40 ") + run("m", '<w:rStyle w:val="Greek"/>') + run("m", own)
    assert read(f"<w:p>{runs}</w:p>", {"word/styles.xml": STYLES.replace("</w:styles>", greek)}).blocks[0].text == "40 μm"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ('<w:position w:val="8"/><w:sz w:val="19"/>', "An area of 90 m² in all"),
        ('<w:position w:val="8"/>', "An area of 90 m² in all"),
        ('<w:position w:val="-6"/><w:sz w:val="14"/>', "An area of 90 m2 in all"),
        ('<w:position w:val="2"/>', "An area of 90 m2 in all"),
        ('<w:position w:val="high"/>', "An area of 90 m2 in all"),
    ],
)
def test_text_at_a_distance_above_the_line_is_raised(properties: str, expected: str) -> None:
    assert text_of(run("An area of 90 m") + run("2", properties) + run(" in all")) == expected


def test_digits_at_a_distance_below_the_line_are_lowered() -> None:
    assert text_of(run("It is 1010") + run("2", '<w:position w:val="-6"/><w:sz w:val="14"/>')) == "It is 1010₂"


def test_a_wholly_lowered_paragraph_is_plain_text() -> None:
    assert text_of(run("The ferry leaves at 9.", '<w:position w:val="-8"/>')) == "The ferry leaves at 9."
