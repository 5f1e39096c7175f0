"""What a golden case checks in the text of an answer, and what of a proposed answer it can check."""

from __future__ import annotations

import pytest

from footnote.learn.golden_cases import contains, expect, facts_in
from footnote.types import Part
from tests.fakes import make_chunk, make_document


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Employees receive **28  days** of leave.", "28 days"),
        ("It is the STRASSE of 1894.", "Straße"),
        ("It was 1894, in March.", "1894"),
        ("It costs 1.50 euros.", "1.50"),
        ("It takes 28.", "28"),
        ("매년 28일입니다.", "28일"),
        ("The e-mail arrives.", "E-Mail"),
    ],
)
def test_a_fact_is_found_whatever_its_case_spaces_and_punctuation(text: str, fact: str) -> None:
    assert contains(text, fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("It takes 128 days.", "28 days"),
        ("It was 2024.", "2"),
        ("It costs 2.50 euros.", "2"),
        ("It costs 2.50 euros.", "50"),
        ("There are 10.000 of them.", "10"),
        ("It takes 30 days.", "28 days"),
    ],
)
def test_a_number_is_not_part_of_a_longer_one(text: str, fact: str) -> None:
    assert not contains(text, fact)


@pytest.mark.parametrize(
    ("proposed", "facts"),
    [
        ("Two weeks.", ("Two weeks",)),
        ("30 Tage", ("30 Tage",)),
        ("30일입니다.", ("30일입니다",)),
        ("It is 30 days since 2024-03-01, not 28, and 30 for all.", ("30", "2024-03-01", "28")),
        ("The contract has to be signed by both sides first.", ()),
        ("Call [phone] first.", ()),
        ("…", ()),
        ("", ()),
    ],
)
def test_a_short_proposed_answer_is_checked_whole_and_a_longer_one_by_its_figures(proposed: str, facts: tuple[str, ...]) -> None:
    assert facts_in(proposed) == facts


def test_a_block_of_code_is_one_sentence_of_an_expected_passage() -> None:
    """As it is in the index, so that it is found again as a whole."""
    prose, code = (
        "First the shop is opened by its owner. ",
        "# Light the lamps in every hall. Then wait for the first guests.\nlight(all)\n",
    )
    parts = Part(0, None, 0, 0, "paragraph"), Part(len(prose), None, 1, 0, "code")
    chunk = make_chunk(make_document("manual"), prose + code, parts=parts)
    assert len(expect(chunk).sentences) == 2
    assert len(expect(make_chunk(make_document("manual"), prose + code)).sentences) > 2
