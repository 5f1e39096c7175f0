"""Spreadsheets: displayed values, and several tables on one sheet."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse, sheet, xlsx
from footnote.ingest.parse.sheet import MAX_CELLS, Comment, Sheet, to_parsed
from footnote.types import Block, Parsed
from tests.footnote.ingest.packages import relations, xml, zip_of

STYLES = xml(
    "styleSheet",
    '<numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/><numFmt numFmtId="165" formatCode="#,##0.00 &quot;CHF&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="165"/></cellXfs>',
)


def c(reference: str, value: str = "", kind: str = "inlineStr", style: int = 0) -> str:
    content = f"<is><t>{value}</t></is>" if kind == "inlineStr" else f"<v>{value}</v>"
    return f'<c r="{reference}" t="{kind}" s="{style}">{content}</c>'


def rows(*cells: str) -> str:
    """Rows of cells; a row's number is that of its first cell."""
    numbers = ["".join(sign for sign in row.split('"')[1] if sign.isdigit()) for row in cells]
    return "".join(f'<row r="{number}">{row}</row>' for number, row in zip(numbers, cells, strict=True))


def read(
    *sheets: str,
    parts: dict[str, str] | None = None,
    merged: str = "",
    state: str = "",
    strings: str = "",
    styles: str = STYLES,
    columns: str = "",
) -> Parsed:
    nodes = "".join(
        f'<sheet name="{("Fees", "보트")[i]}" sheetId="{i + 1}" r:id="worksheet_{i}" {state if i else ""}/>' for i in range(len(sheets))
    )
    targets = {f"worksheet_{i}": f"worksheets/sheet{i}.xml" for i in range(len(sheets))}
    merges = "".join(f'<mergeCell ref="{area}"/>' for area in merged.split())
    files: dict[str, str | bytes] = {
        "xl/workbook.xml": xml("workbook", f"<sheets>{nodes}</sheets>"),
        "xl/_rels/workbook.xml.rels": relations(styles="styles.xml", sharedStrings="sharedStrings.xml", person="person.xml", **targets),
        "xl/styles.xml": styles,
        "xl/sharedStrings.xml": xml("sst", strings),
    }
    files.update(parts or {})
    for i, content in enumerate(sheets):
        files[f"xl/worksheets/sheet{i}.xml"] = xml(
            "worksheet", f"<cols>{columns}</cols><sheetData>{content}</sheetData><mergeCells>{merges}</mergeCells>"
        )
    return parse(zip_of(files), "fees.xlsx")


def grid(text: str, merged: list[tuple[int, int, int, int]] | None = None) -> list[tuple[str, str]]:
    """The blocks of a sheet given as text: a line per row, cells separated by commas."""
    cells = {row: {column: cell for column, cell in enumerate(line.split(",")) if cell} for row, line in enumerate(text.split("\n"))}
    sheet = Sheet("S", 1, {row: found for row, found in cells.items() if found}, merged or [])
    return [(block.kind, block.text) for block in to_parsed([sheet], "", 1, 0, False).blocks[1:]]


def test_a_sheet_is_a_heading_and_a_page() -> None:
    parsed = read(rows(c("A1", "Boat") + c("B1", "Fee"), c("A2", "Kayak") + c("B2", "5", "n")), rows(c("A1", "노") + c("B1", "돛")))
    assert parsed.blocks == (
        Block("heading", "Fees", 1, 1),
        Block("table", "| Boat | Fee |\n| --- | --- |\n| Kayak | 5 |", page=1),
        Block("heading", "보트", 1, 2),
        Block("table", "| 노 | 돛 |\n| --- | --- |", page=2),
    )
    assert (parsed.pages, parsed.title, parsed.format) == (2, "fees", "xlsx")


def test_cells_are_read_as_displayed() -> None:
    cells = [
        c("A2", "45292", "n", 1),
        c("B2", "0.5", "n", 2),
        c("C2", "1234.5", "n", 3),
        c("D2", "1", "b"),
        c("E2", "#N/A", "e"),
        c("F2", "0", "s"),
    ]
    header = "".join(c(f"{letter}1", letter.lower()) for letter in "ABCDEF")
    table = read(rows(header, "".join(cells)), strings="<si><r><t>Fäh</t></r><r><t>re</t></r><rPh><t>フ</t></rPh></si>").blocks[1].text
    assert table.split("\n")[2] == "| 01.01.2024 | 50% | 1,234.50 CHF | TRUE | #N/A | Fähre |"


def test_a_formula_is_read_as_its_last_value() -> None:
    cell = '<c r="A2"><f>SUM(B1:B9)</f><v>42</v></c>'
    assert read(rows(c("A1", "Total") + c("B1", "x"), cell)).blocks[1].text.endswith("| 42 |  |")


def test_hidden_sheets_are_left_out_and_named() -> None:
    parsed = read(rows(c("A1", "a") + c("B1", "b")), rows(c("A1", "secret") + c("B1", "b")), state='state="hidden"')
    assert "secret" not in str(parsed.blocks)
    assert (parsed.reason, parsed.remedy) == ("Hidden sheets were left out: 1.", "Show them and add the file again.")


STAFF = rows(
    c("A1", "Name") + c("B1", "Salary") + c("C1", "Room") + c("D1", "Bonus"),
    c("A2", "Alma") + c("B2", "4100") + c("C2", "101") + c("D2", "7"),
    c("A3", "Bela") + c("B3", "3900") + c("C3", "102") + c("D3", "8"),
    c("A4", "Cleo") + c("B4", "3800") + c("C4", "103") + c("D4", "9"),
)
HIDDEN_B = '<col min="2" max="2" hidden="1"/>'
SHOW = "Show them and add the file again."


@pytest.mark.parametrize("how", ['hidden="1"', 'hidden="true"', 'width="0" customWidth="1"', 'hidden="1" outlineLevel="1"'])
def test_hidden_columns_are_left_out_with_their_headers_and_their_number_is_told(how: str) -> None:
    parsed = read(STAFF, columns=f'<col min="2" max="2" {how}/><col min="4" max="16384" hidden="1"/><col min="1" max="1" width="9"/>')
    assert [block.text for block in parsed.blocks] == [
        "Fees",
        "| Name | Room |\n| --- | --- |\n| Alma | 101 |\n| Bela | 102 |\n| Cleo | 103 |",
    ]
    assert (parsed.reason, parsed.remedy) == ("Hidden columns were left out: 2.", SHOW)


@pytest.mark.parametrize("how", ['hidden="1"', 'ht="0" customHeight="1"', 'hidden="true" collapsed="1"'])
def test_hidden_and_filtered_rows_are_left_out_and_those_around_them_stay_one_table(how: str) -> None:
    parsed = read(STAFF.replace('<row r="3">', f'<row r="3" {how}>'))
    assert "Bela" not in str(parsed.blocks)
    assert parsed.blocks[1].text.split("\n")[2:] == ["| Alma | 4100 | 101 | 7 |", "| Cleo | 3800 | 103 | 9 |"]
    assert (parsed.reason, parsed.remedy) == ("Hidden rows were left out: 1.", SHOW)


def test_a_merged_cell_stays_where_a_part_of_it_is_visible() -> None:
    sheet = rows(
        c("A1", "2024"),
        c("A2", "Name") + c("B2", "Fee") + c("C2", "Visits") + c("D2", "Text"),
        c("A3", "Pier") + c("B3", "5", "n") + c("C3", "7", "n") + c("D3", "open"),
        c("B4", "6", "n") + c("C4", "8", "n") + c("D4", "shut"),
        c("B5", "9", "n") + c("C5", "3", "n") + c("D5", "wet"),
    ).replace('<row r="3">', '<row r="3" hidden="1">')
    parsed = read(sheet, merged="A1:C1 A3:A5", columns='<col min="2" max="2" hidden="1"/>')
    assert parsed.blocks[1].text.split("\n") == [
        "| 2024 Name | 2024 Visits | Text |",
        "| --- | --- | --- |",
        "| Pier | 8 | shut |",
        "| Pier | 3 | wet |",
    ]
    parsed = read(sheet, merged="A1:C1", columns='<col min="1" max="1" hidden="1"/>')
    assert parsed.blocks[1].text.split("\n")[0] == "| 2024 Fee | 2024 Visits | Text |"


def test_formulas_keep_their_values_beside_hidden_columns() -> None:
    sum_ = '<c r="C2"><f>A2+B2</f><v>9</v></c>'
    parsed = read(rows(c("A1", "a") + c("B1", "b") + c("C1", "sum"), c("A2", "4", "n") + c("B2", "5", "n") + sum_), columns=HIDDEN_B)
    assert parsed.blocks[1].text.split("\n")[2] == "| 4 | 9 |"


def test_hidden_rows_and_columns_without_text_are_not_told() -> None:
    parsed = read(STAFF + '<row r="5" hidden="1"/>', columns='<col min="5" max="16384" hidden="1"/>')
    assert parsed.reason is None


def test_one_reason_covers_hidden_cells_and_sheets_of_the_workbook() -> None:
    one = rows(c("A1", "a") + c("B1", "b") + c("C1", "d"), c("A2", "c") + c("B2", "d") + c("C2", "e"))
    parsed = read(one, one, columns=HIDDEN_B)
    assert (parsed.reason, parsed.remedy) == ("Hidden columns were left out: 2.", SHOW)
    parsed = read(one.replace('r="2">', 'r="2" hidden="1">'), one, columns=HIDDEN_B, state='state="hidden"')
    assert parsed.reason == "Hidden sheets were left out: 1. Hidden rows were left out: 1. Hidden columns were left out: 1."


def test_a_single_cell_at_the_far_corner_costs_nothing() -> None:
    parsed = read(rows(c("A1", "a") + c("B1", "b"), c("XFD1048576", "end")))
    assert [block.text for block in parsed.blocks] == ["Fees", "| a | b |\n| --- | --- |", "end"]


def test_cells_above_the_limit_are_left_out_with_a_note() -> None:
    parsed = to_parsed([Sheet("S", 1, {0: {0: "a"}})], "", 1, 0, True)
    assert (parsed.reason, parsed.remedy) == ("Only the first 500,000 cells were read.", "Split it into smaller files and add those.")
    assert MAX_CELLS == 500_000


@pytest.mark.parametrize(
    ("limit", "kept", "reads_next", "is_cut"),
    [
        (7, "abcdef", True, False),
        (6, "abcdef", False, True),
        (5, "abcde", False, True),
        (1, "a", False, True),
    ],
)
def test_a_file_is_read_up_to_the_limit_of_cells(
    limit: int, kept: str, reads_next: bool, is_cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all its sheets."""
    for module in (sheet, xlsx):
        monkeypatch.setattr(module, "MAX_CELLS", limit)
    first = rows(*(c(f"A{row}", one) + c(f"B{row}", other) for row, (one, other) in enumerate(("ab", "cd", "ef"), 1)))
    parsed = read(first, rows(c("A1", "next")))
    texts = " ".join(block.text for block in parsed.blocks)
    assert "".join(letter for letter in "abcdef" if f" {letter} " in f" {texts} ") == kept
    assert ("next" in texts) is reads_next
    assert (parsed.reason, parsed.remedy) == (
        (f"Only the first {limit} cells were read.", "Split it into smaller files and add those.") if is_cut else (None, None)
    )


@pytest.mark.parametrize(("length", "is_cut"), [(499, False), (500, True)])
def test_a_long_text_counts_as_several_cells(length: int, is_cut: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Since any number of cells may share it: one more for each hundred characters."""
    monkeypatch.setattr(xlsx, "MAX_CELLS", 10)
    parsed = read(rows(c("A1", "0", "s") + c("B1", "0", "s")), strings=f"<si><t>{'x' * length}</t></si>")
    assert (parsed.reason is not None) is is_cut


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            "Fees 2024\nboat,fee\nkayak,5\n\nGuests\n\nmonth,guests\nMay,10",
            [
                ("caption", "Fees 2024"),
                ("table", "| boat | fee |\n| --- | --- |\n| kayak | 5 |"),
                ("caption", "Guests"),
                ("table", "| month | guests |\n| --- | --- |\n| May | 10 |"),
            ],
            id="empty rows separate tables and a title becomes a caption",
        ),
        pytest.param(
            "boat,fee,,month,guests\nkayak,5,,May,10\nferry,7",
            [
                ("table", "| boat | fee |\n| --- | --- |\n| kayak | 5 |\n| ferry | 7 |"),
                ("table", "| month | guests |\n| --- | --- |\n| May | 10 |"),
            ],
            id="tables side by side are separated by their empty column",
        ),
        pytest.param(
            "zone,sales,,profit,tax\neast,5,,3,1\nwest,7,,(2),—",
            [("table", "| zone | sales | profit | tax |\n| --- | --- | --- | --- |\n| east | 5 | 3 | 1 |\n| west | 7 | (2) | — |")],
            id="an empty column before numbers is only visual",
        ),
        pytest.param(
            "zone,sales\neast,5\n\nwest,7",
            [("table", "| zone | sales |\n| --- | --- |\n| east | 5 |\n| west | 7 |")],
            id="an empty row before numbers is only visual",
        ),
    ],
)
def test_empty_rows_and_columns_separate_tables_or_are_only_visual(given: Any, expected: Any) -> None:
    assert grid(given) == expected


def test_titles_above_and_notes_below_a_table_are_no_rows_of_it() -> None:
    expected = [
        ("caption", "Boats of the club"),
        ("caption", "As of: 03.02.2025"),
        ("table", "| boat | fee | crew | port |\n| --- | --- | --- | --- |\n| kayak | 5 | 2 | lake |\n| ferry | 7 | 3 | hill |"),
        ("paragraph", "Harbour office"),
    ]
    given = "Boats of the club\nAs of:,03.02.2025\nboat,fee,crew,port\nkayak,5,2,lake\nferry,7,3,hill\nHarbour office"
    assert grid(given) == expected
    assert grid(given.replace("\nboat", "\n\nboat").replace("\nHarbour", "\n\nHarbour")) == expected


def test_a_header_of_two_rows_without_merged_cells_becomes_one() -> None:
    assert grid(",child,,adult,\nboat,fee,trips,fee,trips\nkayak,5,8,6,9\nferry,7,3,9,1")[0][1].split("\n")[0] == (
        "| boat | child fee | child trips | adult fee | adult trips |"
    )


def test_a_sheet_without_column_names_has_an_empty_header() -> None:
    assert grid("kayak,5.5,2.1\nferry,7.25,3.2\nraft,1.5,2.4")[0][1].startswith("|  |  |  |\n| --- | --- | --- |\n| kayak |")


def test_a_header_of_two_rows_with_merged_cells_becomes_one() -> None:
    assert grid(",2023,,2024,\nboat,fee,trips,fee,trips\nkayak,5,8,6,9", [(0, 1, 0, 2), (0, 3, 0, 4)]) == [
        ("table", "| boat | 2023 fee | 2023 trips | 2024 fee | 2024 trips |\n| --- | --- | --- | --- | --- |\n| kayak | 5 | 8 | 6 | 9 |")
    ]


def test_a_cell_merged_over_rows_is_repeated_in_each() -> None:
    assert grid("zone,boat\neast,kayak\n,ferry", [(1, 0, 2, 0)]) == [
        ("table", "| zone | boat |\n| --- | --- |\n| east | kayak |\n| east | ferry |")
    ]


def test_cells_merged_over_rows_are_repeated_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all of them: a small file may merge every cell over every row."""
    monkeypatch.setattr(sheet, "_MAX_REPEATS", 2)
    text = "line,stop,zone\n8,Cologne,1\n,Bonn,\n,Trier,"
    assert grid(text, [(1, 0, 3, 0), (1, 2, 3, 2)])[0][1].split("\n")[2:] == ["| 8 | Cologne | 1 |", "| 8 | Bonn |  |", "| 8 | Trier |  |"]


def test_long_texts_below_each_other_are_paragraphs() -> None:
    long = "A sentence that nobody would write into a cell of a table " * 2
    assert grid(f"{long}\n{long}") == [("paragraph", long), ("paragraph", long)]


def test_a_format_may_hide_a_cell_or_write_around_its_text() -> None:
    styles = STYLES.replace(
        "<numFmts>", '<numFmts><numFmt numFmtId="170" formatCode=";;;"/><numFmt numFmtId="171" formatCode="&quot;No. &quot;@"/>'
    )
    styles = styles.replace("</cellXfs>", '<xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>')
    cells = c("A2", "5", "n", 4) + c("B2", "secret", style=4) + c("C2", "7", style=5)
    header = "".join(c(f"{letter}1", letter.lower()) for letter in "ABC")
    assert read(rows(header, cells), styles=styles).blocks[1].text == "| a | b | c |\n| --- | --- | --- |\n|  |  | No. 7 |"


def test_formulas_without_saved_values_are_counted_and_the_remedy_named() -> None:
    formula = '<c r="B2"><f>A2*2</f><v></v></c><c r="C2"><f t="shared" si="0"/></c><c r="D2"><f>A2*3</f><v>9</v></c>'
    empty_text = '<c r="E2" t="str"><f>IF(A2,"","x")</f><v></v></c>'
    header = "".join(c(f"{letter}1", letter.lower()) for letter in "ABCDE")
    parsed = read(rows(header, c("A2", "3", "n") + formula + empty_text))
    assert parsed.reason == "Cells with formulas but no saved values: 2."
    assert parsed.remedy == "Open the file in a spreadsheet program, save it there and add it again."
    assert parsed.blocks[1].text == "| a | d | e |\n| --- | --- | --- |\n| 3 | 9 |  |"


def test_a_column_keeps_its_name_where_one_of_its_formulas_has_a_value() -> None:
    formulas = [f'<c r="C{row}"><f>B{row}*2</f>{value}</c>' for row, value in ((2, ""), (3, "<v>14</v>"), (4, ""))]
    names = "".join(c(f"{letter}1", name) for letter, name in zip("ABC", ("boat", "fee", "double"), strict=True))
    body = [c(f"A{row}", f"boat {row}") + c(f"B{row}", f"{row}", "n") + formula for row, formula in enumerate(formulas, 2)]
    total = c("A5", "count") + '<c r="B5"><f>COUNT(B2:B4)</f></c>'
    parsed = read(rows(names, *body, total))
    assert parsed.blocks[1].text.split("\n") == [
        "| boat | fee | double |",
        "| --- | --- | --- |",
        "| boat 2 | 2 |  |",
        "| boat 3 | 3 | 14 |",
        "| boat 4 | 4 |  |",
    ]
    assert parsed.reason == "Cells with formulas but no saved values: 3."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("5105105105105100", "5105105105105100"),
        ("89014103211118510720", "89014103211118510720"),
        ("-5105105105105100", "-5105105105105100"),
        ("5.1051051051051E+15", "5105105105105100"),
        ("6.02214076E+23", "6.02214076E+23"),
        ("0.1", "0.1"),
    ],
)
def test_long_integers_keep_all_digits(written: str, shown: str) -> None:
    cells = c("A2", written, "n") + c("B2", "000123") + c("C2", "DE02120300000000202051")
    parsed = read(rows(c("A1", "card") + c("B1", "code") + c("C1", "account"), cells))
    assert parsed.blocks[1].text.split("\n")[2] == f"| {shown} | 000123 | DE02120300000000202051 |"


def test_the_rows_of_a_form_stay_whole_across_an_empty_column() -> None:
    assert grid("1.1,Length,,m,:,14\n1.2,Colour,,,:,blue\n1.3,Crew,,,:,3")[0][1].split("\n")[2:] == [
        "| 1.1 | Length | m | : | 14 |",
        "| 1.2 | Colour |  | : | blue |",
        "| 1.3 | Crew |  | : | 3 |",
    ]


def test_a_table_that_starts_beside_the_numbers_of_another_has_its_own_header() -> None:
    first, second = grid("boat,fee\nkayak,5\nferry,7,,crew,trips\nraft,2,,3,9\ncanoe,4,,2,8")
    assert first[1].split("\n")[0] == "| boat | fee |"
    assert second == ("table", "| crew | trips |\n| --- | --- |\n| 3 | 9 |\n| 2 | 8 |")


@pytest.mark.parametrize(
    ("attributes", "header"), [("", "| 7 | Ada |"), ('headerRowCount="1"', "| 7 | Ada |"), ('headerRowCount="0"', "|  |  |")]
)
def test_what_excel_formats_as_a_table_names_its_columns(attributes: str, header: str) -> None:
    parts = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations(table="../tables/table1.xml"),
        "xl/tables/table1.xml": xml("table", "", f'ref="A1:B3" {attributes}'),
    }
    cells = rows(*(c(f"A{number}", str(number + 6)) + c(f"B{number}", name) for number, name in enumerate(("Ada", "Ben", "Cleo"), 1)))
    assert read(cells, parts=parts).blocks[-1].text.split("\n")[0] == header


def test_comments_follow_the_table_and_name_their_cells() -> None:
    """Threads have copies as notes, for older programs."""
    notes = {"A1": "boats of 2025", "B2": "[Threaded comment] copy", "B3": "Ben Sato:\nuntil May", "C7": "nothing here"}
    listed = "".join(f'<comment ref="{cell}" authorId="0"><text><r><t>{text}</t></r></text></comment>' for cell, text in notes.items())
    thread = (
        '<threadedComment ref="B2" personId="{1}" id="{a}"><text>Is this right?</text></threadedComment>'
        '<threadedComment ref="B2" personId="{2}" id="{b}" parentId="{a}"><text>Yes.</text></threadedComment>'
    )
    parts = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations(comments="../comments1.xml", threadedComment="../threads.xml"),
        "xl/comments1.xml": xml("comments", f"<authors><author>Ben Sato</author></authors><commentList>{listed}</commentList>"),
        "xl/threads.xml": xml("ThreadedComments", thread),
        "xl/person.xml": xml("personList", '<person displayName="Ada Berg" id="{1}"/><person displayName="Cleo Marsh" id="{2}"/>'),
    }
    table = rows(c("A1", "boat") + c("B1", "fee"), c("A2", "Kayak") + c("B2", "5", "n"), c("A3", "Ferry") + c("B3", "7", "n"))
    assert [block.text for block in read(table, parts=parts).blocks[2:]] == [
        "Comment on boat (Ben Sato): boats of 2025",
        "Comment on Kayak, fee (Ada Berg): Is this right?\nReply (Cleo Marsh): Yes.",
        "Comment on Ferry, fee (Ben Sato): until May",
        "Comment on C7 (Ben Sato): nothing here",
    ]


def test_a_comment_on_a_hidden_row_is_left_out() -> None:
    sheet = Sheet("S", 1, {0: {0: "boat", 1: "fee"}, 1: {0: "Kayak", 1: "5"}, 2: {0: "Ferry", 1: "7"}}, hidden_rows=[(1, 1)])
    sheet.comments = {1: {0: Comment("A2", [("", "secret")])}, 2: {1: Comment("B3", [("", "new")])}}
    assert [block.text for block in to_parsed([sheet], "", 1, 0, False).blocks[2:]] == ["Comment on Ferry, fee: new"]


def test_years_below_a_merged_header_belong_to_it() -> None:
    header = grid(",Fee,,Trips,\nboat,2023,2024,2023,2024\nkayak,5,8,6,9", [(0, 1, 0, 2), (0, 3, 0, 4)])[0][1].split("\n")[0]
    assert header == "| boat | Fee 2023 | Fee 2024 | Trips 2023 | Trips 2024 |"


LINED = xml(
    "styleSheet",
    '<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>'
    '<cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="0" fontId="1"/><xf numFmtId="0" fontId="2"/></cellXfs>',
)
GONE, KEPT = 1, 2


def run(text: str, look: str = "") -> str:
    return f'<r>{f"<rPr>{look}</rPr>" if look else ""}<t xml:space="preserve">{text}</t></r>'


def rich(reference: str, *runs: str, style: int = 0) -> str:
    return f'<c r="{reference}" t="inlineStr" s="{style}"><is>{"".join(runs)}</is></c>'


def body(parsed: Parsed) -> list[str]:
    """The rows of the first table below its header."""
    return next(block.text for block in parsed.blocks if block.kind == "table").split("\n")[2:]


OLD_AND_NEW = run("12 ", "<strike/>") + run("15", "<b/>")


@pytest.mark.parametrize("is_shared", [True, False])
def test_struck_and_raised_parts_of_a_cell_are_read_as_they_look(is_shared: bool) -> None:
    texts = [
        OLD_AND_NEW,
        run("80 km") + run("2", '<vertAlign val="superscript"/>'),
        run("1987") + run("3", '<vertAlign val="superscript"/>'),
        run("still on", '<strike val="0"/>'),
        run("H") + run("2", '<vertAlign val="subscript"/>') + run("O") + "<rPh><t>aqua</t></rPh>",
    ]
    cells = [c(f"B{i}", str(i - 2), "s") if is_shared else rich(f"B{i}", text) for i, text in enumerate(texts, 2)]
    lines = [rows(c(f"A{i}", f"boat {i}") + cell) for i, cell in enumerate(cells, 2)]
    parsed = read(rows(c("A1", "Name") + c("B1", "Text")) + "".join(lines), strings="".join(f"<si>{text}</si>" for text in texts))
    assert [line.split(" | ")[1].strip(" |") for line in body(parsed)] == ["15", "80 km²", "1987", "still on", "H2O"]
    assert parsed.reason is None


def test_struck_cells_rows_and_columns_leave_and_the_table_stays_one() -> None:
    head = c("A1", "Boat") + c("B1", "Old fee", style=GONE) + c("C1", "Fee") + c("D1", "Pier")
    kayak = c("A2", "Kayak") + c("B2", "7", "n", GONE) + c("C2", "9", "n", KEPT) + c("D2", "West", style=GONE)
    ferry = c("A3", "Ferry", style=GONE) + c("B3", "4", "n", GONE) + c("C3", "5", "n", GONE) + c("D3", "East", style=GONE)
    canoe = c("A4", "Canoe") + c("B4", "3", "n", GONE) + c("C4", "6", "n") + c("D4", "North")
    parsed = read(rows(head, kayak, ferry, canoe), styles=LINED)
    assert [(block.kind, block.text) for block in parsed.blocks[1:]] == [
        ("table", "| Boat | Fee | Pier |\n| --- | --- | --- |\n| Kayak | 9 |  |\n| Canoe | 6 | North |")
    ]
    assert parsed.reason is None


def test_a_run_with_a_look_of_its_own_stays_in_a_struck_cell() -> None:
    cells = rich("B2", run("old "), run("new", "<b/>"), style=GONE)
    parsed = read(rows(c("A1", "Boat") + c("B1", "State"), c("A2", "Kayak") + cells), styles=LINED)
    assert body(parsed) == ["| Kayak | new |"]


@pytest.mark.parametrize("sign", [c("B2", "☑"), c("B2", "1", "b")])
def test_a_struck_task_beside_a_checked_box_is_done_and_stays(sign: str) -> None:
    tasks = [c("A2", "Paint hull", style=GONE) + sign, c("A3", "Mend sail", style=GONE) + c("B3", "☐"), c("A4", "Buy rope") + c("B4", "☐")]
    lines = body(read(rows(c("A1", "Task") + c("B1", "Done"), *tasks), styles=LINED))[-3:]
    assert (lines[0][:14], lines[1], lines[2]) == ("| Paint hull |", "|  | ☐ |", "| Buy rope | ☐ |")


def test_a_struck_value_in_a_row_with_a_checked_box_leaves() -> None:
    line = c("A2", "Kayak") + c("B2", "7", "n", GONE) + c("C2", "☑")
    assert body(read(rows(c("A1", "Boat") + c("B1", "Fee") + c("C1", "Open"), line), styles=LINED)) == ["| Kayak |  | ☑ |"]


def test_a_workbook_that_is_mostly_or_all_struck_says_so() -> None:
    struck = c("A3", "The ferry to the island and its fares of the year before", style=GONE)
    parsed = read(rows(c("A1", "a") + c("B1", "b"), c("A2", "c") + c("B2", "d"), struck), styles=LINED)
    assert parsed.reason == "Most of the text is struck through and was left out."
    with pytest.raises(UnreadableFile, match="All text of this file is struck"):
        read(rows(struck), styles=LINED)


def calculated(flag: str, *values: str) -> Parsed:
    """A workbook with two columns of numbers, of which the second is formulas with these values."""
    lines = [
        f'<row r="{i}"><c r="A{i}"><v>{i}</v></c><c r="B{i}"><f>A{i}*2</f><v>{value}</v></c></row>' for i, value in enumerate(values, 2)
    ]
    book = xml("workbook", f'<sheets><sheet name="Fees" sheetId="1" r:id="worksheet_0"/></sheets><calcPr {flag}/>')
    return read(rows(c("A1", "Days") + c("B1", "Fee")) + "".join(lines), parts={"xl/workbook.xml": book})


@pytest.mark.parametrize("values", [("0", "0"), ("0", "")])
def test_zeros_of_formulas_that_were_never_calculated_are_no_values(values: tuple[str, str]) -> None:
    parsed = calculated('fullCalcOnLoad="1"', *values)
    assert "Fee" not in parsed.blocks[1].text
    assert parsed.reason == "Cells with formulas but no saved values: 2."


@pytest.mark.parametrize(("flag", "values"), [('fullCalcOnLoad="1"', ("0", "4")), ("", ("0", "0")), ('fullCalcOnLoad="0"', ("0", "0"))])
def test_zeros_of_calculated_formulas_are_values(flag: str, values: tuple[str, str]) -> None:
    parsed = calculated(flag, *values)
    assert body(parsed) == [f"| {i} | {value} |" for i, value in enumerate(values, 2)]
    assert parsed.reason is None


def test_a_line_of_labels_below_a_table_is_no_row_of_it() -> None:
    boats = "boat,fee,crew,pier\nkayak,5,2,west\nferry,7,3,east\n\n"
    for line, shown in (("Seen: Ada,,,Paid: Bo", "Seen: Ada · Paid: Bo"), ("Seen:,Ada,Paid:,Bo", "Seen: Ada · Paid: Bo")):
        assert grid(boats + line)[1:] == [("paragraph", shown)]
    two = grid(boats + "Seen: Ada,,,Paid: Bo\non: May 1,,,on: May 2")
    assert two[1:] == [("paragraph", "Seen: Ada · Paid: Bo"), ("paragraph", "on: May 1 · on: May 2")]
    assert grid(boats + "sum,12,5")[0][1].endswith("| sum | 12 | 5 |  |")
    assert grid(boats + "canoe,none,,west")[0][1].endswith("| canoe | none |  | west |")


def test_pairs_of_labels_and_mixed_values_above_a_table_are_its_titles() -> None:
    boats = "boat,fee,crew,pier\nkayak,5,2,west\nferry,7,3,east"
    assert grid("List,Boats\nAs of,2024-05-01\nBy,Ada\n\n" + boats)[:3] == [
        ("caption", "List · Boats"),
        ("caption", "As of · 2024-05-01"),
        ("caption", "By · Ada"),
    ]
    assert grid("pier,keeper\nwest,Ada\neast,Bo\n\n" + boats)[0] == (
        "table",
        "| pier | keeper |\n| --- | --- |\n| west | Ada |\n| east | Bo |",
    )


def test_a_repeated_header_starts_a_table_of_its_own_below_its_title() -> None:
    found = grid("North,,\nitem,count,price\nrope,40,3.20\nbuoy,12,18.00\nSouth,,\nitem,count,price\nrope,7,3.40\nbuoy,5,19.50")
    assert [(kind, text.split("\n")[0]) for kind, text in found] == [
        ("caption", "North"),
        ("table", "| item | count | price |"),
        ("caption", "South"),
        ("table", "| item | count | price |"),
    ]
    assert "| 40 |" not in found[3][1]
    assert len(grid("item,count\nrope,40\nitem,7\nbuoy,5")) == 1
