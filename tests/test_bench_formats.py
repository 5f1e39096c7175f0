"""The measurement of what is read of files of every kind; its figures are not tested here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.formats import cells_with_headers, main, words
from footnote.types import Block, Parsed


def test_words_are_counted_with_divided_ones_joined() -> None:
    assert words("The inter-\nnational fee: 12,553 and 7 a") == Counter(["the", "international", "fee", "12553", "and", "7"])
    assert words("배편 값 x") == Counter(["배편", "값"])


def test_a_cell_counts_where_its_passage_has_its_header_and_its_row() -> None:
    rows = [["Id", "Fee"], ["K1", "12"], ["K2", "-"]]
    table = Block("table", "| Id | Fee |\n| --- | --- |\n| K1 | 12 |\n| K2 | - |")
    assert cells_with_headers(Parsed((table,)), rows) == (3, 3)
    assert cells_with_headers(Parsed((Block("paragraph", "K1 12 K2"),)), rows) == (0, 3)


def test_files_are_read_or_refused_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.formats.find_libreoffice", lambda: None)
    (tmp_path / "fees.txt").write_text("The fee is two euros.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "utf16.csv").write_bytes("name,fee\nKöln,2\n".encode("utf-16-le"))
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED empty.txt: This file is empty. Check")
    assert [line.split()[:5] for line in lines[2:]] == [
        ["csv", "1", "0", "1.000", "1.000"],
        ["txt", "1", "1", "1.000", "1.000"],
        ["all", "2", "1", "1.000"],
    ]
