"""Values compare as values, however they are written."""

from __future__ import annotations

import pytest

from footnote.text.values import missing_values, values_in


@pytest.mark.parametrize(
    ("text", "lang", "values"),
    [
        ("5 €, 5,00 EUR, fünf Euro", "de", {"5"}),
        ("22 Uhr, 22:00, 10 pm, 10 p.m.", "en", {"t10:00"}),
        ("3. November, 03.11., 3.11.2025", "de", {"d03-11", "2025"}),
        ("November 3, 2025-11-03, 11/3/25", "en", {"d03-11", "2025"}),
        ("오후 10시 30분, 3만 원, 1만 8천 명, 11월 3일", "ko", {"t10:30", "30000", "18000", "d03-11"}),
        ("1.234,50 and 1,234.5", "de", {"1234.5"}),
        ("8.55 million, 2 Milliarden", "en", {"8550000", "2000000000"}),
        ("version 2026.4.2, 1.234.567", "en", {"2026.4.2", "1234567"}),
        ("call 0800 555 111", "en", {"800", "555111"}),
        ("4·10⁶ fibres, 4·10^6", "en", {"4", "10", "6"}),
        ("85 m², 85 m^2, 85 m2, H₂O", "en", {"85"}),
    ],
)
def test_a_value_is_read_in_each_of_its_forms(text: str, lang: str, values: set[str]) -> None:
    assert values_in(text, lang) == values


def test_a_bare_number_is_there_if_a_time_or_a_date_has_it() -> None:
    said = values_in("open from 9:00 to 17:00 until 27 August", "en")
    assert missing_values(values_in("from 9 to 17, to the 27", "en"), said) == frozenset()
    assert missing_values(values_in("from 7 to 17:30", "en"), said) == {"7", "t5:30"}
