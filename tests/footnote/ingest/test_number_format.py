"""Numbers, dates and times of spreadsheets, shown as Excel shows them."""

from __future__ import annotations

import pytest

from footnote.ingest.parse.number_format import BUILT_IN, show, show_text

ACCOUNTING = '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'
SIZES = '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0'


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        # numbers
        (45292, "General", "45292"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1E+20"),
        (12345678901, "General", "12345678901"),
        (5, 'General" pcs"', "5 pcs"),
        (7, "000", "007"),
        (2.5, "0", "3"),
        (0.125, "0.00", "0.13"),
        (-0.3, "0", "0"),
        (1.005, "0.##", "1.01"),
        (5, "0.##", "5"),
        (0.5, "#.##", ".5"),
        (0, "#", ""),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (1234567, "#,##0", "1,234,567"),
        (5, "0,000", "0,005"),
        (0.1234, "0.0%", "12.3%"),
        (0.07, '0.0%;-0.0%;"none"', "7.0%"),
        (12, "[$€-407] #,##0", "€ 12"),
        (-12, "[$€-407] #,##0", "-€ 12"),
        (1500, "[$₩-412]#,##0", "₩1,500"),
        (12.5, "#,##0.00 [$CHF-807]", "12.50 CHF"),
        (5, "[Red]0", "5"),
        (3, "@", "3"),
        (3, '0 "kg"', "3 kg"),
        (3, "▲ 0.0;▼ 0.0", "▲ 3.0"),
        (-3, "▲ 0.0;▼ 0.0", "▼ 3.0"),
        # a section chosen by sign or condition
        (-5, "0;(0)", "(5)"),
        (0, '0;-0;"none"', "none"),
        (0, "0;-0;;@", ""),
        (0, ";;;", ""),
        (0, ACCOUNTING, "- €"),
        (1234.5, ACCOUNTING, "1,234.50 €"),
        (-1234.5, ACCOUNTING, "-1,234.50 €"),
        (0, BUILT_IN[41], "-"),
        (-81, BUILT_IN[41], "(81)"),
        (-1234.5, BUILT_IN[44], "$(1,234.50)"),
        (1234567, SIZES, "1.2M"),
        (1234.5, SIZES, "1.2K"),
        (12, SIZES, "12"),
        (-5, "[<0](0);0", "(5)"),
        (5, "[<0](0);0", "5"),
        (5, '[=5]"five"', "five"),
        (6, '[=5]"five"', "6"),
        # digits scaled and placed
        (1234567.891, "0.0,", "1234.6"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (0.00012, "0.0E-0", "1.2E-4"),
        (1234567, "##0.0E+0", "1.2E+6"),
        (5.25, "# ?/?", "5 1/4"),
        (-0.5, "# ??/??", "-1/2"),
        (5.25, "?/?", "21/4"),
        (0.3, "# ?/8", "2/8"),
        (3, "# ?/?", "3"),
        (5551234567, "(###) ###-####", "(555) 123-4567"),
        (1, "000-00-0000", "000-00-0001"),
        (5551234, "(###) ###-####", "() 555-1234"),
        # dates, with four digits of the year
        (45292, "dd.mm.yyyy", "01.01.2024"),
        (45292, "d.m.yy", "1.1.2024"),
        (45292, "yyyy/m/d", "2024/1/1"),
        (45292, r"yyyy\-mm\-dd", "2024-01-01"),
        (45292.5, "dd.mm.yyyy hh:mm", "01.01.2024 12:00"),
        (45356, "mmm-yy", "Mar-2024"),
        (45356, "mmmm yyyy", "March 2024"),
        (45292, "yyyy", "2024"),
        (45356, "dddd, mmmm d, yyyy", "Tuesday, March 5, 2024"),
        (45356, "[$-407]dddd, d. mmmm yyyy", "Dienstag, 5. März 2024"),
        (45356, "[$-de-DE]mmm yyyy", "Mär 2024"),
        (45356, "[$-412]d mmmm dddd", "5 3월 화요일"),
        (45292, "yyyy년 m월 d일", "2024년 1월 1일"),
        (45292, 'yyyy"년"mm"월"dd"일"', "2024년01월01일"),
        (59, "d.m.yyyy", "28.2.1900"),
        (-1, "yyyy-mm-dd", "-1"),
        # times
        (0.75, "h:mm", "18:00"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.0, "h:mm AM/PM", "12:00 AM"),
        (0.75, "[$-412]AM/PM h:mm", "오후 6:00"),
        (1.5, "[h]:mm", "36:00"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (-1.5, "[h]:mm", "-36:00"),
        (0.01, "[mm]:ss", "14:24"),
        (0.0001, "mm:ss.0", "00:08.6"),
        (43831.999988, "h:mm", "23:59"),
        (45355.75, "m/d/yy h:mm", "2024-03-04 18:00"),
    ],
)
def test_a_value_is_shown_by_its_format(value: float, code: str, expected: str) -> None:
    assert show(value, code) == expected


@pytest.mark.parametrize(
    "code", ["m/d/yyyy", "d/m/yy", "dd-mm-yyyy", "[$-40C]d mmmm yyyy", r"[$-F800]dddd\,\ mmmm\ dd\,\ yyyy", BUILT_IN[14]]
)
def test_a_date_that_could_be_misread_is_in_iso_8601(code: str) -> None:
    assert show(45355, code) == "2024-03-04"


def test_the_1904_date_system_is_supported() -> None:
    assert show(43830, "yyyy-mm-dd", since_1904=True) == "2024-01-01"


@pytest.mark.parametrize(
    ("code", "expected"),
    [("General", "a"), ("@", "a"), ('"No. "@', "No. a"), (";;;", ""), ("0;-0;;@", "a"), ("0;(0)", "a"), (ACCOUNTING, "a")],
)
def test_a_text_is_shown_by_its_format(code: str, expected: str) -> None:
    assert show_text("a", code) == expected
