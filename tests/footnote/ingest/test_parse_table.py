"""CSV and TSV, and the headers of all tables."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.table import divide, to_markdown, with_header
from footnote.types import Block


def table(data: str, file_name: str = "list.csv") -> list[str]:
    (block,) = parse(data.encode(), file_name).blocks
    assert block.kind == "table"
    return block.text.split("\n")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["name", "fee"], ["Lake, north; east", "5"], ["Hill", "7"]]
    data = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert table(data) == ["| name | fee |", "| --- | --- |", "| Lake, north; east | 5 |", "| Hill | 7 |"]


def test_decimal_commas_do_not_hide_the_semicolons() -> None:
    assert table("Ort;Preis\nSee;1,50\nBerg;2,75\n")[2] == "| See | 1,50 |"


def test_empty_rows_are_left_out() -> None:
    assert len(table("a,b\n,\n\n1,2\n")) == 3


def test_a_title_above_the_header_is_a_caption() -> None:
    blocks = parse(b"Fees 2024,,\nname,fee,note\nLake,5,-\n", "list.csv").blocks
    assert blocks == (Block("caption", "Fees 2024"), Block("table", "| name | fee | note |\n| --- | --- | --- |\n| Lake | 5 | - |"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            'a,b\r\n"two\nlines","say ""x|y"""\r\n',
            ["| a | b |", "| --- | --- |", '| two lines | say "x\\|y" |'],
            id="a quoted cell may contain line ends quotes and bars",
        ),
        pytest.param(
            "a,b,c\n1\n1,2,3,4\n",
            ["| a | b | c |  |", "| --- | --- | --- | --- |", "| 1 |  |  |  |", "| 1 | 2 | 3 | 4 |"],
            id="short rows are padded",
        ),
        pytest.param("sep=|\na|b\n1,5|2,5\n", ["| a | b |", "| --- | --- |", "| 1,5 | 2,5 |"], id="excels sep line sets the delimiter"),
        pytest.param("name\nLake\nHill\n", ["| name |", "| --- |", "| Lake |", "| Hill |"], id="a single column is a table too"),
    ],
)
def test_a_list_becomes_a_table(given: Any, expected: Any) -> None:
    assert table(given) == expected


def blocks(data: str, file_name: str = "list.csv") -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(data.encode(), file_name).blocks]


FEES = "| boat | fee | crew | port |\n| --- | --- | --- | --- |\n| Kayak | 5 | 2 | Lake |\n| Ferry | 7 | 3 | Hill |"


@pytest.mark.parametrize(
    ("above", "captions"),
    [
        pytest.param(
            "Boats of the club\nAs of,03.02.2025,,\n", ["Boats of the club", "As of · 03.02.2025"], id="titles of one and two cells"
        ),
        pytest.param("Boats,May 2025\nHarbour,Lake\n\n", ["Boats · May 2025", "Harbour · Lake"], id="titles of two cells"),
        pytest.param("Club:,Lake,,\nBy:,Harbour office,,\n,,,\n", ["Club: Lake", "By: Harbour office"], id="lines and an empty row"),
        pytest.param(
            "# written by FleetTool 2\n# on 2025-02-03, at noon\n", ["written by FleetTool 2", "on 2025-02-03, at noon"], id="comments"
        ),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_lines_above_the_header_are_captions(above: str, captions: list[str], delimiter: str) -> None:
    data = "boat,fee,crew,port\nKayak,5,2,Lake\nFerry,7,3,Hill\n"
    given = (above if above.startswith("#") else above.replace(",", delimiter)) + data.replace(",", delimiter)
    assert blocks(given) == [*(("caption", line) for line in captions), ("table", FEES)]


def test_a_marked_header_is_no_comment() -> None:
    assert table("# boat,fee\nKayak,5\nFerry,7\n")[0] == "| boat | fee |"
    assert table("#,boat,fee\n1,Kayak,5\n2,Ferry,7\n")[0] == "| # | boat | fee |"


def test_notes_below_the_table_are_paragraphs_and_totals_stay_in_it() -> None:
    given = "boat,fee,crew\nKayak,5,2\nFerry,7,3\nSum,12,5\nHarbour office\n\nFees without tax\n"
    rows = "| boat | fee | crew |\n| --- | --- | --- |\n| Kayak | 5 | 2 |\n| Ferry | 7 | 3 |\n| Sum | 12 | 5 |"
    assert blocks(given) == [("table", rows), ("paragraph", "Harbour office"), ("paragraph", "Fees without tax")]


def test_a_last_row_of_one_cell_stays_where_others_have_one_too() -> None:
    assert table("boat,fee,crew\nKayak,5,2\nRaft,,\nFerry,7,3\nCanoe,,\n")[-1] == "| Canoe |  |  |"


def test_a_header_of_several_rows_becomes_one() -> None:
    assert table("boat,Fees,,port\n,child,adult,\nKayak,3,5,Lake\nFerry,4,7,Hill\n")[0] == "| boat | Fees child | Fees adult | port |"
    assert table("boat,Fees,,Trips,\n,2023,2024,2023,2024\nKayak,3,5,9,8\nFerry,4,7,6,5\n")[0] == (
        "| boat | Fees 2023 | Fees 2024 | Trips 2023 | Trips 2024 |"
    )
    assert table("boat,length,fee\n,m,EUR\nKayak,4,5\nFerry,30,7\n")[0] == "| boat | length m | fee EUR |"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["region,2022,2022,2023,2023", "region,people,homes,people,homes"],
            "| region | 2022 people | 2022 homes | 2023 people | 2023 homes |",
        ),
        (
            ["region,people,people,homes,homes", "region,2022,2023,2022,2023"],
            "| region | people 2022 | people 2023 | homes 2022 | homes 2023 |",
        ),
        (
            [",Day,Day,Day,Day", ",1.5.,1.5.,2.5.,2.5.", ",men,women,men,women"],
            "|  | Day 1.5. men | Day 1.5. women | Day 2.5. men | Day 2.5. women |",
        ),
    ],
)
def test_a_name_that_is_repeated_in_each_column_is_joined(lines: list[str], expected: str) -> None:
    data = ["Seoul,9417469,4098818,9384325,4141659", "Busan,3295760,1433214,3279604,1447825", "Daegu,2363691,1015000,2374960,1020000"]
    assert table("\n".join([*lines, *data]))[0] == expected


def test_a_first_row_of_texts_below_an_empty_corner_is_data() -> None:
    found = table(",2023,2024\nAuditor,Holm & Co,Brandt LLP\nRevenue,410,455\nStaff,31,34\n")
    assert found[::2] == ["|  | 2023 | 2024 |", "| Auditor | Holm & Co | Brandt LLP |", "| Staff | 31 | 34 |"]


def test_a_first_record_with_a_year_is_no_second_header() -> None:
    assert table("boat,built,\nKayak,1998,new\nFerry,2004,old\nRaft,2011,old\n")[2] == "| Kayak | 1998 | new |"


def test_records_between_empty_lines_are_one_table() -> None:
    given = "boat,port\n\nKayak,Lake\n\nFerry,Hill\nRaft,Lake\n\nCanoe,Hill\nBarge,Hill\n"
    assert len(table(given)) == 7


def test_another_table_below_an_empty_line_keeps_its_header() -> None:
    second = blocks("boat,fee\nKayak,5\nFerry,7\n\nport,depth\nLake,12\nHill,8\n")[1]
    assert second == ("table", "| port | depth |\n| --- | --- |\n| Lake | 12 |\n| Hill | 8 |")


@pytest.mark.parametrize("data", ["12.5,3.1,0.4\n11.9,3.0,0.5\n12.1,2.9,0.4\n", "1,1,a.wav,4\n1,2,b.wav,1\n1,3,c.wav,2\n"])
def test_a_list_of_numbers_without_names_has_an_empty_header(data: str) -> None:
    assert set(table(data)[0]) == {"|", " "}
    assert len(table(data)) == 5


def test_a_table_is_divided_into_titles_rows_and_notes() -> None:
    rows = [["Boats", "", ""], ["boat", "fee", "crew"], ["Kayak", "5", "2"], ["Ferry", "7", "3"], ["Harbour office", "", ""]]
    assert divide(rows) == (["Boats"], rows[1:4], ["Harbour office"])


BOATS = [["boat", "fee", "crew"], ["Kayak", "5", "2"], ["Ferry", "7", "3"]]


def test_a_row_that_one_cell_fills_is_a_title_or_a_note() -> None:
    rows = [["2024", "", ""], *BOATS, ["12", "", ""]]
    assert divide(rows, {0: {0: 2}, 4: {0: 2}}) == (["2024"], BOATS, ["12"])
    assert divide(rows[1:]) == ([], rows[1:], [])


def test_a_note_below_two_columns_is_found_by_its_merged_cell() -> None:
    rows = [["boat", "fee"], ["Kayak", "5"], ["Ferry", "7"], ["Fees without tax", ""]]
    assert divide(rows, {3: {0: 1}}) == ([], rows[:3], ["Fees without tax"])
    assert divide(rows) == ([], rows, [])


def test_rows_of_one_cell_within_a_table_stay_and_the_last_is_a_note() -> None:
    rows = [BOATS[0], ["Small ones", "", ""], BOATS[1], ["Large ones", "", ""], BOATS[2], ["Fees without tax", "", ""]]
    assert divide(rows, {1: {0: 2}, 3: {0: 2}, 5: {0: 2}}) == ([], rows[:5], ["Fees without tax"])


@pytest.mark.parametrize(
    "rows",
    [
        [["Name", ""], ["Port", ""], ["Boat", "Kayak"], ["Crew", "two"]],
        [["Name", "Port", "Signed"], ["Ada", "Lake", "yes"], ["Ben", "", ""], ["Cleo", "", ""]],
        [["Name", "Ada", "", ""], ["Boat", "Kayak", "Port", "Lake"], ["Fee", "5", "Crew", "2"]],
    ],
)
def test_empty_cells_of_a_document_are_no_part_of_a_line(rows: list[list[str]]) -> None:
    above, found, below = divide(rows, is_sheet=False)
    assert (above, found[-len(rows) :], below) == ([], rows, [])
    assert divide(rows) != ([], found, [])


def test_a_title_in_a_document_may_be_beside_empty_cells_of_a_wide_table() -> None:
    assert divide([["Boats", "", ""], *BOATS], is_sheet=False) == (["Boats"], BOATS, [])


@pytest.mark.parametrize(
    "rows",
    [
        [["", "Skipper"], ["Kayak", "Ada"], ["Ferry", "Ben"]],
        [["", "fee"], ["Kayak", "5"], ["Ferry", "7"]],
        [["", "", "fee"], ["Kayak", "Ada", "5"], ["Ferry", "Ben", "7"]],
    ],
)
def test_the_only_name_of_a_column_is_no_title(rows: list[list[str]]) -> None:
    assert divide(rows) == ([], rows, [])


def test_merged_cells_join_two_rows_only_if_the_second_names_columns() -> None:
    names = [["boat", "Fees", ""], ["", "child", "adult"], ["Kayak", "free", "paid"], ["Ferry", "paid", "paid"]]
    assert divide(names, {0: {1: 2}}).rows[0] == ["boat", "Fees child", "Fees adult"]
    years = [["boat", "Fees", ""], ["", "2023", "2024"], ["Kayak", "5", "6"], ["Ferry", "7", "8"]]
    assert divide(years, is_sheet=False).rows[0] == ["boat", "Fees 2023", "Fees 2024"]
    data = [["boat", "Fees", ""], ["Kayak", "5", "7"], ["Ferry", "6", "8"]]
    assert divide(data, {0: {1: 2}}).rows == data


def test_a_cell_with_a_null_character_or_spaces_shifts_no_column() -> None:
    assert to_markdown([["a ", " b\0", ""], ["|", "c  d", "e"]]) == "| a | b |  |\n| --- | --- | --- |\n| \\| | c d | e |"


def test_an_unclosed_quote_loses_no_text() -> None:
    assert "Hill" in "\n".join(table('name,fee\n"Lake,5\nHill,7\n'))


def test_a_very_long_cell_is_read() -> None:
    assert len(table("a,b\n" + "x" * 200_000 + ",1\n")[2]) > 200_000


@pytest.mark.parametrize(
    "rows",
    [
        [["Labor Day", "January 1"], ["May Day", "May 1"], ["Boxing Day", "last Monday"]],
        [["Neujahr", "1. Januar"], ["Tag der Arbeit", "1. Mai"], ["Silvester", "31. Dezember"]],
        [["설날", "1월 1일"], ["추석", "9월 25일"]],
        [["Rent", "1,200.00 €"], ["Water", "40 €"]],
        [["Name:", "Ada"], ["Boat:", "Kayak"]],
        [["Boat", "Aurora"], ["Captain", "Lena Voss"], ["Length", "84 m"], ["Home port", "Husum"]],
        [["담당자", "김하늘"], ["전화", "02-555-0199"], ["예산", "1200만원"], ["마감일", "2026-12-18"]],
        [["399.1989", "74.37753"], ["401.1274", "73.73457"], ["403.0559", "72.73132"]],
        [["1", "Kayak"], ["2", "Ferry"], ["3", "Raft"]],
        [["Ada", "Kayak", "41"], ["Ben", "Ferry", "55"], ["Cleo", "Raft", "30"]],
        [["12.5", "3.1"], ["11.9", "3.0"]],
        [["7", "Ada", "Lake", "311"], ["8", "Ben", "Hill", "312"], ["9", "Cleo", "Lake", "313"]],
        [["Ada", "Lake", "040-555-0101"], ["Ben", "Hill", "030-555-0102"], ["Cleo", "Lake", "040-555-0103"]],
        [["Ada", "+49 40 5550101"], ["Ben", "+49 30 55501 02"], ["Cleo", "+49 40 5550103"]],
    ],
)
def test_a_first_row_of_data_gets_an_empty_header_above_it(rows: list[list[str]]) -> None:
    assert with_header(rows) == [[""] * len(rows[0]), *rows]


@pytest.mark.parametrize(
    "rows",
    [
        [["Holiday", "Date"], ["May Day", "May 1"], ["Boxing Day", "December 26"]],
        [["Cost", "2024"], ["Rent", "1200"], ["Water", "400"]],
        [["Quantity", "100", "500"], ["Price", "1.20", "1.10"]],
        [["Year", "2023", "2022"], ["Sales", "12", "10"], ["Costs", "7", "9"]],
        [["Trip", "1", "2", "half", "3", "4"], ["Kayak", "5", "6", "11", "7", "8"]],
        [["Port", "18-25"], ["Lake", "12"], ["Hill", "15"]],
        [["Account", "01.01.2024", "31.12.2024"], ["Cash", "1,200.00", "900.00"]],
        [["", "Model A", "Model B"], ["Drive", "Diesel", "Power"], ["Seats", "5", "7"], ["Weight", "900", "1100"]],
        [["Hall", "Mo", "Tu"], ["08–10", "Judo", "free"], ["10–12", "closed", "Yoga"], ["12–14", "Choir", "free"]],
        [["Tag", "Früh", "Spät", "Nacht"], ["Montag", "Anna", "Bert", "Clara"], ["Dienstag", "Bert", "Clara", "Anna"]],
        [["부서", "담당자", "대체자", "위치"], ["개발팀", "김민수", "이서연", "3층"], ["인사팀", "박지훈", "최유진", "2층"]],
        [["Area", "Name", "E-mail"], ["", "Office", "info@acme.example"], ["Sales", "Ann Berg", "berg@acme.example"]],
        [["Rent", "1,200.00 €"]],
        [],
    ],
)
def test_a_first_row_that_may_be_a_header_stays_one(rows: list[list[str]]) -> None:
    assert with_header(rows) == rows
