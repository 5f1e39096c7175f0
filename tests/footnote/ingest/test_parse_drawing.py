"""Charts of Office files: their categories and values."""

from __future__ import annotations

import pytest

from footnote.ingest.parse.drawing import read_chart
from footnote.ingest.parse.package import Package
from footnote.types import Block
from tests.footnote.ingest.packages import xml, zip_of


def chart(plot: str, head: str = "") -> list[Block]:
    content = xml("c:chartSpace", f"{head}<c:chart><c:plotArea>{plot}</c:plotArea></c:chart>")
    return read_chart(Package(zip_of({"chart.xml": content})), "chart.xml", None)


def points(*values: str, code: str = "") -> str:
    written = "".join(f"<c:pt idx='{i}'><c:v>{value}</c:v></c:pt>" for i, value in enumerate(values) if value)
    return (f"<c:formatCode>{code}</c:formatCode>" if code else "") + written


def numbers(*values: str, code: str = "General") -> str:
    return f"<c:numRef><c:numCache>{points(*values, code=code)}</c:numCache></c:numRef>"


def texts(*values: str) -> str:
    return f"<c:strRef><c:strCache>{points(*values)}</c:strCache></c:strRef>"


def levels(*names: tuple[str, ...]) -> str:
    inner = "".join(f"<c:lvl>{points(*level)}</c:lvl>" for level in names)
    return f"<c:multiLvlStrRef><c:multiLvlStrCache><c:ptCount val='4'/>{inner}</c:multiLvlStrCache></c:multiLvlStrRef>"


def series(name: str, **parts: str) -> str:
    inner = "".join(f"<c:{part}>{content}</c:{part}>" for part, content in parts.items())
    return f"<c:ser><c:tx>{texts(name)}</c:tx>{inner}</c:ser>"


def test_a_category_is_named_with_the_levels_above_it() -> None:
    names = levels(("Q1", "Q2", "Q1", "Q2"), ("2025", "", "2026", ""))
    assert chart(series("Guests", cat=names, val=numbers("4", "5", "6", "7"))) == [
        Block("table", "|  | Guests |\n| --- | --- |\n| 2025 › Q1 | 4 |\n| 2025 › Q2 | 5 |\n| 2026 › Q1 | 6 |\n| 2026 › Q2 | 7 |")
    ]


@pytest.mark.parametrize(
    ("head", "shown"),
    [("", "2002-01-05"), ("<c:date1904 val='1'/>", "2006-01-06")],
)
def test_dates_and_shares_are_shown_as_their_format_says(head: str, shown: str) -> None:
    plot = series("Full", cat=numbers("37261", code="yyyy\\-mm\\-dd"), val=numbers("0.15", code="0%"))
    assert chart(plot, head) == [Block("table", f"|  | Full |\n| --- | --- |\n| {shown} | 15% |")]


def test_series_with_points_of_their_own_are_tables_of_their_own() -> None:
    plot = series("Ebb", xVal=numbers("1", "2"), yVal=numbers("7", "8")) + series("Flood", xVal=numbers("3"), yVal=numbers("9"))
    assert chart(plot) == [
        Block("table", "|  | Ebb |\n| --- | --- |\n| 1 | 7 |\n| 2 | 8 |"),
        Block("table", "|  | Flood |\n| --- | --- |\n| 3 | 9 |"),
    ]


def test_a_series_without_categories_has_those_of_the_others() -> None:
    plot = series("Ebb", cat=texts("May", "June"), val=numbers("1", "2")) + series("Flood", val=numbers("3", "4"))
    assert chart(plot) == [Block("table", "|  | Ebb | Flood |\n| --- | --- | --- |\n| May | 1 | 3 |\n| June | 2 | 4 |")]


def test_the_sizes_of_bubbles_are_a_column() -> None:
    plot = series("Boats", xVal=numbers("1"), yVal=numbers("7"), bubbleSize=numbers("30"))
    assert chart(plot) == [Block("table", "|  | Boats | Boats (size) |\n| --- | --- | --- |\n| 1 | 7 | 30 |")]
