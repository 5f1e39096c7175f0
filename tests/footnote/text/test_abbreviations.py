"""What an abbreviation stands for."""

from __future__ import annotations

import time

import pytest

from footnote.text.abbreviations import spells_out


@pytest.mark.parametrize(
    ("sentence", "abbreviation", "does"),
    [
        ("The tool was granted an Authorization to Operate (ATO).", "ATO", True),
        ("PII (personally identifiable information) is never sent.", "PII", True),
        ("The Federal Risk and Authorization Management Program (FedRAMP) decides.", "FEDRAMP", True),
        ("Die Datenschutz-Grundverordnung der EU („DSGVO“) gilt.", "DSGVO", True),  # letters within words
        ("A Lead Programmer (L3) reviews.", "L3", True),
        ("We have seen it (ATO) there.", "ATO", False),
        ("Ask for the ATO (early).", "ATO", False),
        ("An ATO is needed.", "ATO", False),
        ('It has members of the MLT ("Mattermost Leadership Team", which is our senior leaders).', "MLT", True),
        ("Software as a Service (SaaS) is bought.", "SAAS", True),
        ("We have seen it (in the office).", "IT", False),  # a small word
        ("DAU: Daily Active Users.", "DAU", True),
        ("| R&D | Research and development |", "R&D", True),
        ("HR: How to reach us.", "HR", False),  # an initial is left over
        ("CSAT stands for how content customers are.", "CSAT", True),
        ("DSGVO steht für Datenschutz-Grundverordnung.", "DSGVO", True),
        ("우리의 최고경영자(CEO)는 서울에 있다.", "CEO", True),
        ("MOU(양해각서)를 체결한다.", "MOU", True),
        ("KPI는 핵심 성과 지표의 약자이다.", "KPI", True),
        ("CEO는 서울에 있다.", "CEO", False),
    ],
)
def test_a_sentence_may_say_what_letters_stand_for(sentence: str, abbreviation: str, does: bool) -> None:
    assert spells_out(sentence, abbreviation) == does


@pytest.mark.parametrize("text", ["word " * 5_000 + "(ATX)", "a" * 20_000 + " (ATX)", "ATO: " * 5_000, "(" * 20_000, "ATO (" * 5_000])
def test_text_that_goes_on_without_an_end_is_read_in_linear_time(text: str) -> None:
    started = time.process_time()
    assert not spells_out(f"{text} ATO", "ATO")
    assert time.process_time() - started < 2
