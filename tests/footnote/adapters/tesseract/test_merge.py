"""Words that two models read, merged by their scripts."""

from __future__ import annotations

from footnote.adapters.tesseract.hocr import Char, Line, Word
from footnote.adapters.tesseract.merge import merge


def word(text: str, x0: int, x1: int, confidence: float, y0: int = 10) -> Word:
    """Its characters have equal widths."""
    step = (x1 - x0) / len(text)
    chars = tuple(Char(char, round(x0 + step * i), round(x0 + step * (i + 1))) for i, char in enumerate(text))
    return Word(chars, confidence, x0, y0, x1, y0 + 28)


def merged(latin: list[Word], other: list[Word]) -> list[list[str]]:
    return [[each.text for each in line.words] for line in merge([Line(tuple(latin))], [Line(tuple(other))])]


def test_a_misread_word_becomes_that_of_the_other_script() -> None:
    assert merged([word("SuHE", 0, 90, 41)], [word("항", 0, 28, 93), word("만", 30, 58, 93), word("은", 60, 90, 96)]) == [["항만은"]]


def test_latin_letters_stay_before_an_ending_in_the_other_script() -> None:
    assert merged([word("Dockero|", 0, 160, 34)], [word("00640", 0, 118, 5), word("에서", 120, 160, 93)]) == [["Docker에서"]]


def test_a_sure_latin_word_stays_as_it_is() -> None:
    assert merged([word("Hafen", 0, 100, 96)], [word("바다", 0, 100, 93)]) == [["Hafen"]]


def test_unsure_pieces_of_the_other_script_change_nothing() -> None:
    assert merged([word("berth", 0, 100, 88)], [word("다래", 0, 60, 41), word("1", 60, 100, 30)]) == [["berth"]]


def test_a_word_that_is_a_part_of_its_neighbour_is_dropped() -> None:
    assert merged([word("OFS", 0, 84, 20), word("ot", 60, 80, 30)], [word("사무소", 0, 84, 94)]) == [["사무소"]]


def test_pieces_of_another_line_are_not_taken() -> None:
    assert merged([word("rope", 0, 80, 60)], [word("사무소", 0, 84, 94, y0=200)]) == [["rope"], ["사무소"]]


def test_a_number_that_the_other_model_is_sure_of_is_kept_in_its_word() -> None:
    assert merged([word("2A]", 0, 90, 38)], [word("14", 0, 40, 91), word("시", 45, 90, 92)]) == [["14시"]]


def test_a_number_that_both_models_see_needs_less_confidence() -> None:
    assert merged([word("3I1]", 0, 90, 38)], [word("31", 0, 40, 80), word("일", 45, 90, 92)]) == [["31일"]]


def test_latin_letters_are_no_number_where_only_the_other_model_sees_one() -> None:
    assert merged([word("OSo]", 0, 90, 38)], [word("05", 0, 40, 80), word("에", 45, 90, 92)]) == [["OS에"]]


def test_a_number_of_which_the_latin_model_is_surer_stays() -> None:
    assert merged([word("70ol", 0, 90, 91)], [word("10", 0, 40, 90), word("에", 45, 90, 92)]) == [["70에"]]


def test_words_that_only_the_other_model_sees_are_added() -> None:
    pieces = [
        word("공", 0, 28, 93),
        word("지", 30, 58, 93),
        word("Azure", 80, 180, 40),
        word("안내", 200, 256, 95),
        word("뷁", 300, 328, 20),
    ]
    assert merged([word("Azure", 80, 180, 96)], pieces) == [["공지", "Azure", "안내"]]


def test_lines_that_only_the_other_model_sees_stand_in_their_order() -> None:
    latin = [Line((word("rope", 0, 80, 96, y0=10),)), Line((word("berth", 0, 80, 96, y0=200),))]
    found = merge(latin, [Line((word("사무소", 0, 84, 94, y0=100), word("앞", 100, 128, 94, y0=100)))])
    assert [[each.text for each in line.words] for line in found] == [["rope"], ["사무소", "앞"], ["berth"]]
