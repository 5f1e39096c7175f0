"""`footnote stats`: periods that are not possible are refused in words."""

from __future__ import annotations

import pytest

from tests.footnote_local.conftest import Footnote


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--to", "0001-01-05"), "Choose days from 2000-01-01 on."),
        (("--from", "1999-12-31"), "Choose days from 2000-01-01 on."),
        (("--from", "2026-01-16", "--to", "2026-01-15"), "`from` is after `to`."),
        (("--by", "hour", "--from", "2026-01-01", "--to", "2026-01-15"), "By hour, a period has at most 7 days."),
    ],
)
def test_a_period_that_is_not_possible_is_refused_as_over_http(options: tuple[str, ...], said: str, footnote: Footnote) -> None:
    result = footnote("stats", *options)
    assert (result.exit_code, said in result.output, "Traceback" in result.output) == (2, True, False), result.output


def test_the_first_day_of_all_is_possible(footnote: Footnote) -> None:
    result = footnote("stats", "--to", "2000-01-01")
    assert (result.exit_code, "There were no turns in this period." in result.output) == (0, True), result.output
