"""Numbers, names and negations of a text."""

from __future__ import annotations

import pytest

from footnote.text.particulars import count_negations, particulars


@pytest.mark.parametrize(
    ("lang", "text", "found"),
    [
        ("en", "what is the notice period", set()),
        ("en", "What do I need?", set()),
        ("en", "Who led the Berlin office?", {"berlin"}),
        ("en", "who is on duty for two days", {"2"}),
        ("en", "is first class on trains allowed", set()),
        ("en", "Who doesn’t pay 1,500?", {"not", "1,500"}),
        ("de", "was ist nicht erlaubt", {"nicht", "not"}),
        ("de", "was ist erlaubt", set()),
        ("ko", "무엇이 허용되나요", set()),
        ("ko", "무엇이 허용되지 않나요", {"not"}),
        ("ko", "VPN을 쓰나요", {"vpn"}),
        ("ko", "제3조는", {"3"}),
    ],
)
def test_numbers_names_and_negations_are_particular(lang: str, text: str, found: set[str]) -> None:
    assert particulars(text, lang) == found


@pytest.mark.parametrize(("text", "count"), [("It can't, and may not.", 2), ("ohne Visum, nie", 2), ("비회원은 안 됩니다", 2), ("비용", 0)])
def test_negations_are_counted(text: str, count: int) -> None:
    assert count_negations(text) == count
