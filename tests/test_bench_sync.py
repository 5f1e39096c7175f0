"""The benchmark of syncs counts what a run writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.sync import run


@pytest.mark.nightly
@pytest.mark.nightly
def test_a_second_run_writes_nothing_and_a_changed_file_is_written(tmp_path: Path) -> None:
    figures = list(run(12, tmp_path))
    runs = [[figure.value for figure in figures[at + 2 : at + 5]] for at in (0, 5, 10)]
    (first, again, changed) = runs
    assert (first[0], first[1] > 12, first[2]) == (12, True, 24)  # each file and its text
    assert again == [0, 0, 0]
    assert (changed[0], 0 < changed[1] < first[1], changed[2]) == (1, True, 4)  # the new ones, and the old ones are deleted
    assert [figure.met for figure in figures if figure.met is not None] == [True, True, True]
