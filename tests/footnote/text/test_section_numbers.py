"""The numbers of sections are terms: of what names a section, and of what stands below its heading."""

from __future__ import annotations

import pytest

from footnote.text.section_numbers import headings_asked, sections_headed, sections_named, without_sections
from footnote.text.tokens import content_terms, query_tokens


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What does section 4.1 say?", "4_1"),
        ("Was steht in Abschnitt 4.1?", "4_1"),
        ("4.1절에는 무슨 내용이 있나요?", "4_1"),
        ("§ 12, §13a and §\u00a014", "12 13a 14"),
        ("Article 9 and Art. 10 GDPR", "9 10"),
        ("Artikel 9, Ziffer 3.2", "9 3_2"),
        ("제9조와 제 2 장", "9 2"),
        ("제8조의2를", "8_2"),
        ("Chapter IV, chapter XIX", "4 19"),
        ("appendix C.2 or Anhang D", "c_2 d"),
        ("See chapter 3.", "3"),
    ],
)
def test_what_names_a_section_has_its_number_as_a_term(text: str, numbers: str) -> None:
    assert sections_named(text) == [f"section_{number}" for number in numbers.split()]
    assert headings_asked(text) == [f"headed_{number}" for number in numbers.split()]


@pytest.mark.parametrize(
    "text", ["room 12 on level 3", "4.1 million", "section 3.5%", "subsection 4", "3항목 10부", "article", "The Part", "§", "in 2024"]
)
def test_other_numbers_are_no_sections(text: str) -> None:
    assert sections_named(text) == []


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("4.1 Fees", "4_1"), ("4.1. Fees", "4_1"), ("4) Fees", "4"), ("4", "4"), ("§ 4a Gebühren", "4a"), ("Article 4", "4"),
        ("제4조 (요금)", "4"), ("Kapitel IV: Gebühren", "4"), ("ANNEX B", "b"),
    ],
)  # fmt: skip
def test_a_heading_begins_with_its_number(heading: str, number: str) -> None:
    assert sections_headed([heading]) == [f"section_{number}", f"headed_{number}"]


@pytest.mark.parametrize(
    "heading", ["Fees", "2024 in figures", "24-hour service", "3D printing", "10% more", "Fees of section 4", "A guide"]
)
def test_other_headings_have_no_number(heading: str) -> None:
    assert sections_headed([heading]) == []


def test_a_question_looks_for_the_heading_besides() -> None:
    assert query_tokens("section 4.1", "en") == ("section", "4", "1", "section_4_1", "headed_4_1")
    assert content_terms("section 4.1", "en") == ["section", "4", "1", "section_4_1"]


def test_what_else_a_question_has_is_told_from_the_section() -> None:
    assert without_sections("How much is the fee in section 4.1 and 제2조에?").split() == "How much is the fee in and 에?".split()


def test_a_long_text_of_numbers_takes_linear_time() -> None:
    assert sections_named("1." * 50_000) == []
    assert len(sections_named("§ 1 " * 20_000)) == 20_000
