"""The numbers of sections are terms: of what names a section, and of what stands below its heading."""

from __future__ import annotations

import pytest

from footnote.text.section_numbers import (
    Section,
    headings_asked,
    section_of,
    sections_asked,
    sections_headed,
    sections_named,
    without_sections,
)
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
    assert [section.terms[0] for section in sections_asked(text)] == [f"headed_{number}" for number in numbers.split()]
    assert headings_asked(text) == [term for section in sections_asked(text) for term in section.terms]


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
    assert sections_headed([heading])[:2] == [f"section_{number}", f"headed_{number}"]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("§ 4a Gebühren", "paragraph"), ("Article 4", "article"), ("Art. 4 Fees", "article"), ("제4조 (요금)", "article"),
        ("Kapitel IV: Gebühren", "chapter"), ("제4장 요금", "chapter"), ("제4편", "part"), ("ANNEX B", "annex"), ("4.1 Fees", ""),
        ("Section 4", ""), ("4절 요금", ""),
    ],
)  # fmt: skip
def test_kinds_that_are_counted_by_themselves_are_told_apart(heading: str, kind: str) -> None:
    section = section_of(heading)
    assert section is not None
    assert section.kind == kind
    assert sections_headed([heading])[2:] == ([f"headed_{kind}_{section.number}"] if kind else [])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What do sections 4.1 and 4.3 say?", "4_1 4_3"),
        ("Sections 4.1 & 4.3?", "4_1 4_3"),
        ("Articles 7, 9, and 12", "7 9 12"),
        ("Was steht in §§ 6, 8 und 9a?", "6 8 9a"),
        ("Kapitel 2 bis 4", "2 3 4"),
        ("chapters II to IV", "2 3 4"),
        ("part 4711-0815", "4711"),
        ("sections 4.1-4.3", "4_1 4_2 4_3"),
        ("제6조와 제8조", "6 8"),
        ("제6조 및 제8조", "6 8"),
        ("제6조부터 제8조까지", "6 7 8"),
        ("제6~8조", "6 7 8"),
        ("4.1절과 4.3절", "4_1 4_3"),
        ("section 4, of 12 members", "4"),
        ("section 4 and a guide of 12", "4"),
        ("sections 1 to 400", "1"),
    ],
)
def test_one_word_names_several_sections(text: str, numbers: str) -> None:
    sections = sections_asked(text)
    assert [section.number for section in sections] == numbers.split()
    assert len({section.kind for section in sections}) == 1


@pytest.mark.parametrize(("text", "numbers"), [("4.1", "4_1"), (" 4.1? ", "4_1"), ("4", "4"), ("4.1 million", ""), ("2024", ""), ("", "")])
def test_a_number_alone_asks_for_its_section(text: str, numbers: str) -> None:
    assert [section.number for section in sections_asked(text)] == numbers.split()


def test_a_section_has_those_below_it_and_is_of_its_kind() -> None:
    two, either = Section("", "2"), Section("either", "2")
    assert two.has(Section("", "2_1"))
    assert not two.has(Section("", "21"))
    assert two.heads({"headed_2"}, of_kind=True)
    assert not two.heads({"headed_2", "headed_article_2"}, of_kind=True)
    assert two.heads({"headed_2", "headed_article_2"}, of_kind=False)
    assert either.heads({"headed_2", "headed_paragraph_2"}, of_kind=True)
    assert not Section("article", "2").heads({"headed_2"}, of_kind=True)


@pytest.mark.parametrize(
    "heading", ["Fees", "2024 in figures", "24-hour service", "3D printing", "10% more", "Fees of section 4", "A guide"]
)
def test_other_headings_have_no_number(heading: str) -> None:
    assert sections_headed([heading]) == []


def test_a_question_looks_for_the_heading_besides() -> None:
    assert query_tokens("section 4.1", "en") == ("section", "4", "1", "section_4_1", "headed_4_1")
    assert content_terms("section 4.1", "en") == ["section", "4", "1", "section_4_1"]


def test_what_else_a_question_has_is_told_from_the_section() -> None:
    assert without_sections("How much is the fee in section 4.1 and 제2조에?").split() == "How much is the fee in 에?".split()


def test_a_long_text_of_numbers_takes_linear_time() -> None:
    assert sections_named("1." * 50_000) == []
    assert len(sections_named("§ 1 " * 20_000)) == 20_000
    assert len(sections_named("§§ 1" + " und 2" * 20_000)) == 20_001
