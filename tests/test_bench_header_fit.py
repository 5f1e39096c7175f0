"""What the weights for the headers of tables are fitted to: the tables of web pages, whose header cells are marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.header_fit import Example as Of
from bench.header_fit import Labelled, fit, group_of, tables_of, told, written

HEADER = (
    "<table><tr><th>Boat</th><th colspan=2>Fee</th></tr><tr><th></th><th>child</th><th>adult</th></tr>"
    "<tr><td>Kayak</td><td>5</td><td>7</td></tr><tr><td>Ferry</td><td>6</td><td>8</td></tr></table>"
)
LABELS = "<table><tr><th>Load</th><td>12 t</td></tr><tr><th>Maker</th><td>Halden</td></tr><tr><th>Year</th><td>2011</td></tr></table>"
UNMARKED = "<table><tr><td>Load</td><td>12 t</td></tr><tr><td>Maker</td><td>Halden</td></tr><tr><td>Year</td><td>2011</td></tr></table>"


@pytest.fixture
def tables(tmp_path: Path) -> list[Labelled]:
    (tmp_path / "page.html").write_text(f"<body>{HEADER}{LABELS}{UNMARKED}{LABELS}</body>", "utf-8")
    (tmp_path / "ports.csv").write_text("port,depth\nLake,4\nHill,7\n", "utf-8")
    return list(tables_of(tmp_path))


def test_tables_are_labelled_by_their_marks_each_once(tables: list[Labelled]) -> None:
    assert [(group_of(table), table.heads) for table in tables] == [("header", 2), ("labels of two", 0), ("header of two", 1)]


def test_a_table_is_written_as_formats_write_it(tables: list[Labelled]) -> None:
    rows = {how: table.rows[0] for how, table in written(tables[0])}
    assert rows == {"merged": ["Boat", "Fee", ""], "gaps": ["Boat", "Fee", ""], "repeats": ["Boat", "Fee", "Fee"]}


def test_the_rows_that_are_found_are_counted(tables: list[Labelled]) -> None:
    assert [told(table, "merged") for table in tables] == [table.heads for table in tables]


def test_a_feature_that_tells_them_apart_gets_weight() -> None:
    found = fit(
        [Of("a", {"above": 1.0, "same": 1.0}, is_header=True), Of("b", {"above": 0.0, "same": 1.0}, is_header=False)] * 50,
        {"a": 1.0, "b": 1.0},
        1,
    )
    assert found["above"] > 1
    assert set(found) == {"", "above"}
