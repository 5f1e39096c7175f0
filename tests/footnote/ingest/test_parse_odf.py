"""OpenDocument texts, presentations and spreadsheets."""

from __future__ import annotations

import re

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed
from tests.footnote.ingest.packages import xml, zip_of

STYLES = (
    '<style:style style:name="P1" style:parent-style-name="Heading_20_2"/>'
    '<style:style style:name="P2" style:parent-style-name="Title"/>'
    '<style:style style:name="Break"><style:paragraph-properties fo:break-before="page"/></style:style>'
    '<style:style style:name="Secret"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="Gone"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="GoneToo" style:parent-style-name="Gone"/>'
    '<style:style style:name="Twice"><style:text-properties style:text-line-through-type="double"/></style:style>'
    '<style:style style:name="Kept"><style:text-properties style:text-line-through-style="none"/></style:style>'
    '<style:style style:name="Up"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="Higher"><style:text-properties style:text-position="33% 58%"/></style:style>'
    '<style:style style:name="Down"><style:text-properties style:text-position="sub 58%"/></style:style>'
    '<style:style style:name="Sign"><style:text-properties style:font-name="Wingdings1"/></style:style>'
    '<style:style style:name="Plain"><style:text-properties style:font-name="Serif"/></style:style>'
    '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>'
)
FONTS = '<style:font-face style:name="Wingdings1" svg:font-family="\'Wingdings\'"/>'
HEADER = "<style:master-page><style:header><text:p>Vertraulich</text:p></style:header></style:master-page>"


def read(content: str, kind: str = "text", parts: dict[str, str | bytes] | None = None) -> Parsed:
    extension = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}[kind]
    body = f"<office:font-face-decls>{FONTS}</office:font-face-decls><office:automatic-styles>{STYLES}</office:automatic-styles>"
    body += f"<office:body><office:{kind}>{content}</office:{kind}></office:body>"
    files: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": xml("office:document-content", body),
    }
    return parse(zip_of(files | (parts or {})), f"a.{extension}")


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def test_headings_are_recognised_by_level_or_style() -> None:
    parsed = read(
        '<text:h text:outline-level="1">Die Fähre</text:h><text:p>Sie<text:s text:c="3"/>fährt<text:line-break/>täglich.</text:p>'
        '<text:p text:style-name="P1">운행 시간</text:p>'
    )
    assert parsed.blocks == (
        Block("heading", "Die Fähre", 1),
        Block("paragraph", "Sie fährt\ntäglich."),
        Block("heading", "운행 시간", 2),
    )
    assert (parsed.title, parsed.format) == ("Die Fähre", "odt")


def test_lists_keep_their_numbers_and_their_nesting() -> None:
    inner = "<text:list><text:list-item><text:p>by phone</text:p></text:list-item></text:list>"
    items = f"<text:list-item><text:p>Book</text:p>{inner}</text:list-item><text:list-item><text:p>Pay</text:p></text:list-item>"
    assert read(f'<text:list text:style-name="L1">{items}</text:list>').blocks == (Block("list", "1. Book\n  - by phone\n2. Pay"),)


def test_merged_cells_keep_their_visual_position() -> None:
    covered = "<table:covered-table-cell/>"
    table = (
        row(cell("Boat"), cell("Fees", 'table:number-columns-spanned="2"'), covered)
        + row(cell("Kayak", 'table:number-rows-spanned="2"'), cell("5"), cell("6"))
        + row(covered, cell("7"), cell("8"))
    )
    expected = "| Boat | Fees |  |\n| --- | --- | --- |\n| Kayak | 5 | 6 |\n| Kayak | 7 | 8 |"
    assert read(f"<table:table>{table}</table:table>").blocks == (Block("table", expected),)


def test_titles_and_notes_of_a_table_are_read_beside_it() -> None:
    covered = "<table:covered-table-cell/>" * 2
    wide = 'table:number-columns-spanned="3"'
    lines = [row(cell(text, wide), covered) for text in ("Boats of the club", "In thousands", "Without tax")]
    rows = "".join(row(*map(cell, texts)) for texts in (("Boat", "Fee", "Crew"), ("Kayak", "5", "2"), ("Ferry", "7", "3")))
    assert read(f"<table:table>{lines[0]}{lines[1]}{rows}{lines[2]}</table:table>").blocks == (
        Block("caption", "Boats of the club"),
        Block("caption", "In thousands"),
        Block("table", "| Boat | Fee | Crew |\n| --- | --- | --- |\n| Kayak | 5 | 2 |\n| Ferry | 7 | 3 |"),
        Block("paragraph", "Without tax"),
    )


def test_a_block_of_merged_cells_shifts_no_column() -> None:
    covered = "<table:covered-table-cell/>"
    block = cell("Closed", 'table:number-columns-spanned="2" table:number-rows-spanned="2"')
    rows = [row(*map(cell, ("Boat", "May", "June", "July"))), row(cell("Kayak"), block, covered, cell("5"))]
    rows.append(row(cell("Ferry"), '<table:covered-table-cell table:number-columns-repeated="2"/>', cell("7")))
    expected = "| Boat | May | June | July |\n| --- | --- | --- | --- |\n| Kayak | Closed |  | 5 |\n| Ferry | Closed |  | 7 |"
    assert read(f"<table:table>{''.join(rows)}</table:table>").blocks == (Block("table", expected),)


def test_a_table_without_names_of_columns_has_an_empty_header() -> None:
    rows = "".join(row(*map(cell, texts)) for texts in (("7", "Ada", "Lake", "311"), ("8", "Ben", "Hill", "312")))
    assert read(f"<table:table>{rows}</table:table>").blocks == (
        Block("table", "|  |  |  |  |\n| --- | --- | --- | --- |\n| 7 | Ada | Lake | 311 |\n| 8 | Ben | Hill | 312 |"),
    )


def test_deleted_and_hidden_text_is_not_read() -> None:
    content = (
        "<text:tracked-changes><text:deletion><text:p>old</text:p></text:deletion></text:tracked-changes>"
        "<text:p>The fee is "
        '<text:span text:style-name="Secret">not </text:span>7.</text:p>'
    )
    assert read(content).blocks == (Block("paragraph", "The fee is 7."),)


def test_text_boxes_pictures_and_notes_follow_their_paragraph() -> None:
    frame = "<draw:frame><draw:text-box><text:p>Beware.</text:p></draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><svg:desc>A ferry</svg:desc></draw:frame>"
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Since 1890.</text:p></text:note-body></text:note>"
    assert read(f"<text:p>It runs{note}.{frame}{picture}</text:p>").blocks == (
        Block("paragraph", "It runs."),
        Block("paragraph", "Since 1890."),
        Block("paragraph", "Beware."),
        Block("image", "A ferry"),
    )


def test_page_breaks_count_pages() -> None:
    parsed = read('<text:p>One.</text:p><text:p text:style-name="Break">Two.</text:p><text:p><text:soft-page-break/>Three.</text:p>')
    assert ([block.page for block in parsed.blocks], parsed.pages) == ([1, 2, 3], 3)


def test_a_header_comes_first() -> None:
    parts: dict[str, str | bytes] = {"styles.xml": xml("office:document-styles", HEADER)}
    assert [block.text for block in read("<text:p>Hallo.</text:p>", parts=parts).blocks] == ["Vertraulich", "Hallo."]


def test_a_slide_is_a_page_and_its_title_a_heading() -> None:
    frames = (
        "<draw:frame><draw:text-box><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></draw:text-box></draw:frame>"
        '<draw:frame presentation:class="title"><draw:text-box><text:p>The lake</text:p></draw:text-box></draw:frame>'
    )
    smile = '<draw:frame presentation:class="notes"><draw:text-box><text:p>Smile.</text:p></draw:text-box></draw:frame>'
    notes = f"<presentation:notes>{smile}</presentation:notes>"
    parsed = read(f"<draw:page>{frames}{notes}</draw:page><draw:page/>", "presentation")
    assert parsed.blocks == (Block("heading", "The lake", 1, 1), Block("list", "- deep", page=1), Block("paragraph", "Smile.", page=1))


def test_sheets_become_tables_and_hidden_ones_are_left_out() -> None:
    empty = (
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    shown = f'<table:table table:name="Fees">{row(cell("Boat"), cell("Fee"))}{row(cell("Kayak"), cell("5,00 €"))}{empty}</table:table>'
    hidden = f'<table:table table:name="Draft" table:style-name="ta2">{row(cell("secret"))}</table:table>'
    parsed = read(shown + hidden, "spreadsheet")
    assert parsed.blocks == (Block("heading", "Fees", 1, 1), Block("table", "| Boat | Fee |\n| --- | --- |\n| Kayak | 5,00 € |", page=1))
    assert (parsed.format, parsed.reason) == ("ods", "Hidden sheets were left out: 1.")


HEADER_ROW = "<table:table-row>{}</table:table-row>".format("".join(cell(text) for text in ("Name", "Salary", "Room")))
ROWS = [
    row(cell("Alma"), cell("4100"), cell("101")),
    row(cell("Bela"), cell("3900"), cell("102")),
    row(cell("Cleo"), cell("3800"), cell("103")),
]
COLUMN = "<table:table-column/>"


@pytest.mark.parametrize(
    ("columns", "rows", "reason"),
    [
        (COLUMN + '<table:table-column table:visibility="collapse"/>' + COLUMN, "".join(ROWS), "Hidden columns were left out: 1."),
        (
            f'{COLUMN}<table:table-column-group table:display="false">{COLUMN}</table:table-column-group>{COLUMN}',
            "".join(ROWS),
            "Hidden columns were left out: 1.",
        ),
        *(
            (
                COLUMN * 3,
                ROWS[0] + ROWS[1].replace("-row>", f'-row table:visibility="{how}">', 1) + ROWS[2],
                "Hidden rows were left out: 1.",
            )
            for how in ("collapse", "filter")
        ),
        (
            COLUMN * 3,
            f'{ROWS[0]}<table:table-row-group table:display="false"><table:table-row-group>{ROWS[1]}</table:table-row-group>'
            f"</table:table-row-group>{ROWS[2]}",
            "Hidden rows were left out: 1.",
        ),
    ],
)
def test_hidden_filtered_and_collapsed_parts_of_a_sheet_are_left_out(columns: str, rows: str, reason: str) -> None:
    parsed = read(f'<table:table table:name="Staff">{columns}{HEADER_ROW}{rows}</table:table>', "spreadsheet")
    assert (parsed.reason, parsed.remedy) == (reason, "Show them and add the file again.")
    assert parsed.blocks[1].text.split("\n") == (
        ["| Name | Room |", "| --- | --- |", "| Alma | 101 |", "| Bela | 102 |", "| Cleo | 103 |"]
        if "columns" in reason
        else ["| Name | Salary | Room |", "| --- | --- | --- |", "| Alma | 4100 | 101 |", "| Cleo | 3800 | 103 |"]
    )


def spreadsheet(*rows: str) -> Parsed:
    return read(f'<table:table table:name="S">{"".join(rows)}</table:table>', "spreadsheet")


def test_formulas_of_a_sheet_without_saved_values_are_counted() -> None:
    formulas = '<table:table-cell table:formula="of:=[.A2]*2"/><table:table-cell table:formula="of:=[.A2]" office:string-value=""/>'
    parsed = spreadsheet(row(cell("a"), cell("b"), cell("c")), row(cell("3"), formulas))
    assert parsed.blocks[1].text == "| a | c |\n| --- | --- |\n| 3 |  |"
    assert parsed.reason == "Cells with formulas but no saved values: 1."
    assert parsed.remedy == "Open the file in a spreadsheet program, save it there and add it again."


def test_a_cell_of_a_sheet_shows_long_integers_and_values_without_texts() -> None:
    value = '<table:table-cell office:value-type="float" office:value="{}">{}</table:table-cell>'
    card = value.format("5105105105105100", "<text:p>5.1051051051051E+15</text:p>")
    parsed = spreadsheet(row(cell("card"), cell("fee"), cell("code")), row(card, value.format("7.5", ""), cell("007")))
    assert parsed.blocks[1].text.split("\n")[2] == "| 5105105105105100 | 7.5 | 007 |"


def test_a_note_of_a_sheet_is_a_comment_and_not_in_its_cell() -> None:
    texts = "<dc:creator>Ada Berg</dc:creator><dc:date>2025-01-01</dc:date><text:p>from</text:p><text:p>May</text:p>"
    note = f"<office:annotation>{texts}</office:annotation>"
    fee = f"<table:table-cell>{note}<text:p>5</text:p></table:table-cell>"
    blocks = spreadsheet(row(cell("boat"), cell("fee")), row(cell("Kayak"), fee)).blocks
    assert [block.text for block in blocks[1:]] == [
        "| boat | fee |\n| --- | --- |\n| Kayak | 5 |",
        "Comment on Kayak, fee (Ada Berg): from May",
    ]


def test_the_header_of_a_sheet_is_below_its_titles() -> None:
    data = [row(*map(cell, texts)) for texts in (("boat", "fee", "crew"), ("kayak", "5", "2"), ("ferry", "7", "3"))]
    blocks = spreadsheet(row(cell("Boats of the club")), row(cell("As of"), cell("2025")), *data, row(cell("Harbour office"))).blocks[1:]
    assert [(block.kind, block.text.split("\n")[0]) for block in blocks] == [
        ("caption", "Boats of the club"),
        ("caption", "As of · 2025"),
        ("table", "| boat | fee | crew |"),
        ("paragraph", "Harbour office"),
    ]


def test_a_merged_cell_of_a_sheet_moves_to_its_first_visible_column() -> None:
    hidden = '<table:table-column table:visibility="collapse"/>'
    first = row(cell("2024", 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>", cell("Note"))
    rows = first + row(cell("Fee"), cell("Visits"), cell("Text")) + row(cell("5"), cell("7"), cell("wet"))
    parsed = read(f'<table:table table:name="S">{hidden}{COLUMN * 2}{rows}</table:table>', "spreadsheet")
    assert parsed.blocks[1].text.split("\n")[0] == "| 2024 | Note |"


def test_a_document_with_a_password_is_refused() -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    with pytest.raises(UnreadableFile) as caught:
        read("<text:p>x</text:p>", parts={"META-INF/manifest.xml": manifest})
    assert caught.value.reason == "This file needs a password."


def span(text: str, style: str) -> str:
    return f'<text:span text:style-name="{style}">{text}</text:span>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"<text:p>The toll is {span('4.10', 'Gone')} 5.30.</text:p>", ["The toll is 5.30."]),
        (f"<text:p>It is {span('3 ', 'GoneToo')}{span('4 ', 'Twice')}<text:a>{span('5', 'Kept')}</text:a>.</text:p>", ["It is 5."]),
        (f'<text:p text:style-name="GoneToo">Old {span("and new", "Kept")}.</text:p>', ["and new"]),
        ('<text:h text:style-name="Gone" text:outline-level="1">Closed</text:h><text:p>Open.</text:p>', ["Open."]),
    ],
)
def test_struck_text_is_left_out_also_by_a_named_style(content: str, expected: list[str]) -> None:
    assert [block.text for block in read(content).blocks] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"The dam broke in 1976{span('2', 'Up')}.", "The dam broke in 1976."),
        (f"It covers 45 km{span('2', 'Higher')} of land.", "It covers 45 km² of land."),
        (f"CO{span('2', 'Down')} levels", "CO2 levels"),
    ],
)
def test_raised_text_keeps_apart_from_the_number_before_it(content: str, expected: str) -> None:
    assert [block.text for block in read(f"<text:p>{content}</text:p>").blocks] == [expected]


def remark(author: str, text: str, attributes: str = "") -> str:
    named = f"<dc:creator>{author}</dc:creator>" if author else ""
    return f"<office:annotation {attributes}>{named}<dc:date>2026-01-02</dc:date><text:p>{text}</text:p></office:annotation>"


def test_comments_follow_their_paragraph_and_name_their_author() -> None:
    asked, reply = remark("Ida Falk", "Is it 6?", 'office:name="c1"'), remark("Tom Ray", "No, 7.", 'loext:parent-name="c1"')
    content = f"<text:p>The fare{asked}{reply} is 7.</text:p><text:p>Bikes{remark('', 'Free?')}.</text:p>"
    table = row(cell("Boat"), cell("Fee")) + row(cell("Kayak"), cell(f"{remark('Eva', 'Too low.')}5"))
    assert [block.text for block in read(f"{content}<table:table>{table}</table:table>").blocks] == [
        "The fare is 7.",
        "Comment (Ida Falk): Is it 6?\nReply (Tom Ray): No, 7.",
        "Bikes.",
        "Comment: Free?",
        "| Boat | Fee |\n| --- | --- |\n| Kayak | 5 |",
        "Comment on “5” (Eva): Too low.",
    ]


def test_comments_of_a_slide_are_read() -> None:
    title = '<draw:frame presentation:class="title"><draw:text-box><text:p>Lake</text:p></draw:text-box></draw:frame>'
    parsed = read(f"<draw:page>{title}{remark('Ida Falk', 'Add a map.')}</draw:page>", "presentation")
    assert parsed.blocks[1:] == (Block("list", "Comment (Ida Falk): Add a map.", page=1),)


MATH = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>F</mi><mo>=</mo><mfrac><mi>m</mi><msup><mi>t</mi><mn>2</mn>'
    '</msup></mfrac></mrow><annotation encoding="StarMath 5.0">F = {m} over {t^2}</annotation></semantics></math>'
)
FRAME = '<draw:frame><draw:object xlink:href="./Object 1"><loext:p/></draw:object><draw:image/></draw:frame>'


@pytest.mark.parametrize("math", [MATH, re.sub(r"<(/?)(\w)", r"<\1math:\2", MATH).replace("xmlns=", "xmlns:math=")])
def test_an_equation_is_read_in_its_sentence(math: str) -> None:
    blocks = read(f"<text:p>With {FRAME} it stops.</text:p>", parts={"Object 1/content.xml": math}).blocks
    assert blocks == (Block("paragraph", "With F = m/t² it stops."),)


def test_an_equation_on_a_slide_is_read() -> None:
    title = '<draw:frame presentation:class="title"><draw:text-box><text:p>Brakes</text:p></draw:text-box></draw:frame>'
    blocks = read(f"<draw:page>{FRAME}{title}</draw:page>", "presentation", {"Object 1/content.xml": MATH}).blocks
    assert [block.text for block in blocks] == ["Brakes", "F = m/t²"]


def test_an_embedded_chart_becomes_a_table() -> None:
    rows = row(cell(""), cell("Visits")) + row(cell("May"), cell("10")) + row(cell("June"), cell("0.30000000000000004"))
    inner = f"<chart:title><text:p>Guests</text:p></chart:title><table:table><table:table-rows>{rows}</table:table-rows></table:table>"
    chart = xml("office:document-content", f"<office:body><office:chart><chart:chart>{inner}</chart:chart></office:chart></office:body>")
    assert read(f"<text:p>{FRAME}</text:p>", parts={"Object 1/content.xml": chart}).blocks == (
        Block("caption", "Guests"),
        Block("table", "|  | Visits |\n| --- | --- |\n| May | 10 |\n| June | 0.3 |"),
    )


def test_form_controls_show_their_values() -> None:
    controls = (
        '<form:checkbox form:id="a" form:label="Life vest" form:state="unchecked" form:current-state="checked"/>'
        '<form:checkbox form:id="b" form:label="Oars"/><form:radio form:id="c" form:label="by boat" form:current-selected="true"/>'
        '<form:text form:id="d" form:current-value="L-31"/>'
        '<form:listbox form:id="e"><form:option form:label="May"/>'
        '<form:option form:label="June" form:current-selected="true"/></form:listbox>'
    )
    forms = f"<office:forms><form:form>{controls}</form:form></office:forms>"
    lines = "".join(f'<text:p>{name}: <draw:control draw:control="{name}"/></text:p>' for name in "abcde")
    box = '<text:p><loext:content-control loext:checkbox="true" loext:checked="{}">x</loext:content-control> Rope</text:p>'
    parsed = read(forms + lines + box.format("true") + box.format("false"))
    assert [block.text for block in parsed.blocks] == [
        "a: ☑ Life vest",
        "b: ☐ Oars",
        "c: ☑ by boat",
        "d: L-31",
        "e: June",
        "☑ Rope",
        "☐ Rope",
    ]


def test_descriptions_of_shapes_and_groups_are_read() -> None:
    shape = "<draw:custom-shape><svg:title>Arrow</svg:title><svg:desc>To the pier</svg:desc><text:p>Go.</text:p></draw:custom-shape>"
    group = f"<draw:g><svg:desc>Both banks</svg:desc>{shape}</draw:g>"
    assert [block.text for block in read(f"<text:p>See:{group}</text:p>").blocks] == ["See:", "Go.", "Arrow To the pier", "Both banks"]


def test_headers_are_read_with_styles_of_their_own_and_said_once() -> None:
    header = f"<style:header><text:p>Ref. {span('A-1 ', 'T1')}B-2</text:p><text:p>Seite 3 von 7</text:p></style:header>"
    first = "<style:header-first><text:p>Ref. B-2</text:p></style:header-first>"
    struck = '<style:style style:name="T1"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    parts: dict[str, str | bytes] = {
        "styles.xml": xml("office:document-styles", f"{struck}<style:master-page>{header}{first}</style:master-page>")
    }
    assert [block.text for block in read("<text:p>Hallo.</text:p>", parts=parts).blocks] == ["Ref. B-2", "Hallo."]


def test_a_file_that_is_mostly_struck_says_so() -> None:
    struck = f"<text:p>{span('The lock opens at 7 on all days.', 'Gone')}</text:p>"
    assert read(f"{struck}<text:p>It is closed.</text:p>").reason == "Most of the text is struck through and was left out."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (cell("12", 'table:style-name="GoneToo"'), ""),
        (cell(span("12", "Gone") + " " + span("15", "Kept")), "15"),
        (cell(span("12 ", "Kept") + "15", 'table:style-name="Gone"'), "12"),
        (cell("80 km" + span("2", "Up")), "80 km²"),
        (cell("1987" + span("3", "Higher")), "1987"),
        (cell("pay<text:line-break/>now<text:s/>only"), "pay now only"),
    ],
)
def test_struck_and_raised_text_of_a_sheet_is_read_as_it_looks(content: str, expected: str) -> None:
    parsed = spreadsheet(row(cell("boat"), cell("fee")), row(cell("Kayak"), content), row(cell("Canoe"), cell("7")))
    assert parsed.blocks[1].text.split("\n")[-2:] == [f"| Kayak | {expected} |", "| Canoe | 7 |"]


def test_struck_rows_and_columns_of_a_sheet_leave_no_gap() -> None:
    gone = '<table:table-column table:default-cell-style-name="Gone"/>'
    lines = [
        row(cell("boat"), cell("old fee"), cell("fee")),
        row(cell("Kayak"), cell("7"), cell("9")),
        row(cell("Ferry"), cell("4"), cell("5")).replace("-row>", '-row table:default-cell-style-name="Gone">', 1),
        row(cell("Canoe"), cell("3"), cell("6", 'table:style-name="Kept"')),
    ]
    parsed = read(f'<table:table table:name="S">{COLUMN}{gone}{COLUMN}{"".join(lines)}</table:table>', "spreadsheet")
    assert [block.text for block in parsed.blocks[1:]] == ["| boat | fee |\n| --- | --- |\n| Kayak | 9 |\n| Canoe | 6 |"]
    assert parsed.reason is None


def manifest(media_type: str) -> str:
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>'
    entries = entry.format("content.xml", "text/xml") + entry.format("/", media_type)
    return f'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{entries}</manifest:manifest>'


@pytest.mark.parametrize(("kind", "name"), [("text", "odt"), ("spreadsheet", "ods"), ("presentation", "odp")])
def test_the_manifest_names_the_kind_of_a_file_that_does_not(kind: str, name: str) -> None:
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    content = {
        "text": "<text:p>Kayak</text:p>",
        "spreadsheet": f'<table:table table:name="S">{row(cell("Kayak"))}</table:table>',
        "presentation": "<draw:page><draw:frame><draw:text-box><text:p>Kayak</text:p></draw:text-box></draw:frame></draw:page>",
    }[kind]
    body = f"<office:body><office:{kind}>{content}</office:{kind}></office:body>"
    files: dict[str, str | bytes] = {"META-INF/manifest.xml": manifest(media_type), "content.xml": xml("office:document-content", body)}
    parsed = parse(zip_of(files), "a.bin")
    assert (parsed.format, "Kayak" in str(parsed.blocks)) == (name, True)


def test_a_drawing_without_a_type_of_its_own_is_refused_by_its_name() -> None:
    data = zip_of({"META-INF/manifest.xml": manifest("application/vnd.oasis.opendocument.graphics"), "content.xml": "<a/>"})
    with pytest.raises(UnreadableFile, match=r"an OpenDocument drawing \(\.odg\)"):
        parse(data, "a.odg")


def test_text_in_a_symbol_font_is_read_as_its_signs() -> None:
    off, shut, plain = span("\uf0fe", "Sign"), span("¨", "Sign"), span(span("not", "Plain"), "Sign")
    boxes = f"<text:p>{off} Pumps off {shut} Gate shut {plain} yet</text:p><text:p>\uf0fd Fuse out</text:p>"
    assert [block.text for block in read(boxes).blocks] == ["☑ Pumps off ☐ Gate shut not yet", "☒ Fuse out"]


def test_fields_of_word_files_show_their_values() -> None:
    def field(kind: str, *parameters: tuple[str, str], tag: str = "fieldmark") -> str:
        nodes = "".join(f'<field:param field:name="{name}" field:value="{value}"/>' for name, value in parameters)
        names = 'xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"'
        return f'<field:{tag} {names} field:type="vnd.oasis.opendocument.field.{kind}">{nodes}</field:{tag}>'

    entries = [("Dropdown_ListEntry", "May"), ("Dropdown_ListEntry", "June")]
    lines = [
        field("FORMCHECKBOX", ("Checkbox_Checked", "true")) + " Life vest " + field("FORMCHECKBOX") + " Oars",
        field("FORMCHECKBOX", ("Checkbox_Checked", "false"), tag="fieldmark-start") + " Rope",
        field("FORMDROPDOWN", *entries, ("Dropdown_Selected", "1")) + " 2026",
        field("FORMDROPDOWN", *entries, ("Dropdown_Selected", "7")) + "Berth " + field("FORMTEXT", tag="fieldmark-start") + "L-31",
    ]
    blocks = read("".join(f"<text:p>{line}</text:p>" for line in lines)).blocks
    assert [block.text for block in blocks] == ["☑ Life vest ☐ Oars", "☐ Rope", "June 2026", "Berth L-31"]
