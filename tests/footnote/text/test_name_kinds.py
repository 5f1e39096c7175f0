"""What names name."""

from __future__ import annotations

import pytest

from footnote.text import name_kinds
from footnote.text.name_kinds import FITTED, Kind, kind_of, lead


@pytest.mark.parametrize(
    ("name", "before", "after", "lang", "kind"),
    [
        ("Angela Merkel", "In 2015, chancellor ", " said so.", "en", "person"),
        ("Thomas Weber", "Gestern hat Herr ", " gekündigt.", "de", "person"),
        ("김민수", "지난주에 ", " 씨는 퇴사했다.", "ko", "person"),
        ("Microsoft Corp.", "She works for ", " in the legal team.", "en", "organisation"),
        ("Brauer GmbH", "Die ", " meldete Insolvenz an.", "de", "organisation"),
        ("삼성전자", "", "는 실적을 발표했다.", "ko", "organisation"),
        ("Germany", "They moved to ", " in 1990.", "en", "place"),
        ("Frankreich", "Sie zogen nach ", ".", "de", "place"),
        ("프랑스", "그는 ", "에서 살았다.", "ko", "place"),
        ("Windows", "How can I install it on ", " 10?", "en", "product"),
    ],
)
def test_plain_names_are_told_apart_in_three_languages(name: str, before: str, after: str, lang: str, kind: Kind) -> None:
    assert kind_of(name, before, after, lang) == kind


def test_the_words_beside_a_name_decide_where_its_letters_do_not() -> None:
    assert kind_of("Jordan", "She lives in ", ".", "en") == "place"
    assert kind_of("Jordan", "", " says he is sorry.", "en") == "person"


def test_any_text_has_a_kind() -> None:
    for name in ("", " ", "\ud800", "x" * 10_000, "--"):
        assert kind_of(name, "", "", "en") in FITTED


def test_the_file_has_a_mark_and_weights_for_each_slot_and_is_small() -> None:
    marks, weights = name_kinds._marks_and_weights()
    assert len(marks) == name_kinds.SLOTS
    assert len(weights) == name_kinds.SLOTS * len(FITTED)
    assert len(marks) + len(weights) <= 256 * 1024
    slot, mark = next(each for each in name_kinds.own_features("Germany") if marks[each[0]] == each[1])
    assert any(weights[slot * len(FITTED) : (slot + 1) * len(FITTED)])
    assert mark < 256


def test_only_the_kind_of_a_name_leads_over_the_others() -> None:
    assert [kind for kind in FITTED if lead("Peter Johnson", kind) > 0] == ["person"]
    assert [kind for kind in FITTED if lead("Germany", kind) > 0] == ["place"]
