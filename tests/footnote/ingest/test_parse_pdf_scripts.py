"""PDF: raised digits are powers or the numbers of notes."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from tests.footnote.ingest.pdf_files import Drawing, Rule, Run, Text, make_pdf, paragraph


def text_of(*page: Drawing) -> str:
    return "\n".join(block.text for block in parse(make_pdf([page]), "a.pdf").blocks)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("The mill burned in 1871^2^ and was built again.", "The mill burned in 1871 and was built again."),
        ("It was sold in 1902^3^.", "It was sold in 1902."),
        ("The miller^4^, his wife and two servants", "The miller, his wife and two servants"),
        ("All were saved.^5^ The horse too.", "All were saved. The horse too."),
        ("It ground 3 \\327 10^6^ grains a day.", "It ground 3 × 10⁶ grains a day."),
        ("The yard has 40 m^2^, the wheel a power of 9 kg m^2^/s.", "The yard has 40 m², the wheel a power of 9 kg m²/s."),
        ("The sources^1,2^ disagree.", "The sources disagree."),
        ("Two floors of 12 m and 3.50 euros in 1905, 1906/07", "Two floors of 12 m and 3.50 euros in 1905, 1906/07"),
    ],
)
def test_raised_digits_join_no_number_or_word(run: str, expected: str) -> None:
    assert text_of(*paragraph("The history of the mill is short."), Run(60, 600, run)) == f"The history of the mill is short.\n{expected}"


def test_the_number_of_a_note_keeps_apart_from_its_text() -> None:
    assert text_of(Run(60, 100, "^7^Some say 1872.", 8)) == "7 Some say 1872."


def test_punctuation_after_a_raised_number_stays() -> None:
    page = [
        Text(60, 600, "Otto Kern"),
        Text(102.8, 603.5, "1", 6),
        Text(106.2, 600, ", Ada Lind"),
        *paragraph("They built the mill.", y=560),
    ]
    assert text_of(*page).startswith("Otto Kern, Ada Lind\n")


def test_letters_of_another_size_stay_in_their_words() -> None:
    assert text_of(Run(60, 600, "On the 1^st^ floor L^A^TEX was set.")) == "On the 1st floor LATEX was set."


def test_smaller_digits_on_the_line_are_no_powers() -> None:
    line = "BT /F1 12 Tf 1 0 0 1 60 600 Tm (Room ) Tj (4) Tj /F1 8 Tf (12) Tj ET"

    class Smaller(Rule):
        def drawn(self) -> str:
            return line

    assert text_of(Smaller(0, 0, 0, 0)) == "Room 412"


@pytest.mark.parametrize(
    ("size", "rise", "expected"),
    [(8, 3.6, "10⁶ seeds"), (10, 4, "10⁶ seeds"), (10, 1, "106 seeds"), (8, 0, "106 seeds")],
)
def test_hardly_smaller_digits_are_raised_if_they_are_high(size: float, rise: float, expected: str) -> None:
    class Set(Rule):
        def drawn(self) -> str:
            return f"BT /F1 10 Tf 1 0 0 1 60 600 Tm (10) Tj /F1 {size} Tf {rise} Ts (6) Tj /F1 10 Tf 0 Ts ( seeds) Tj ET"

    assert text_of(Set(0, 0, 0, 0)) == expected


def test_raised_digits_in_turned_text_are_read_alike() -> None:
    page = [Text(300, 200, "Built in 1871", upwards=True), Text(296, 255.2, "2", 6, upwards=True)]
    data = make_pdf([page], page_keys="/Rotate 90")
    assert parse(data, "a.pdf").blocks[0].text == "Built in 1871"


def test_raised_digits_in_a_table_stay_in_their_cells() -> None:
    rules = [Rule(50, y, 350, y) for y in (720, 690, 660)] + [Rule(x, 660, x, 720) for x in (50, 200, 350)]
    page: list[Drawing] = [*rules, Text(60, 700, "Year"), Text(210, 700, "Sacks"), Run(60, 670, "1871^2^"), Run(210, 670, "10^3^")]
    assert text_of(*page) == "| Year | Sacks |\n| --- | --- |\n| 1871 | 10³ |"
