"""Which time a question wants documents of."""

from __future__ import annotations

from datetime import date

import pytest

from footnote.text.periods import find_period
from footnote.types import Period

TODAY = date(2026, 5, 20)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "first", "end"),
    [
        ("Which contracts since 2024 name a supplier?", "2024-01-01", None),
        ("emails from March", "2026-03-01", "2026-04-01"),
        ("emails from November", "2025-11-01", "2025-12-01"),
        ("emails from Anna since last week", "2026-05-11", None),
        ("reports after 3 May 2021", "2021-05-04", None),
        ("last month's reports", "2026-04-01", "2026-05-01"),
        ("files from May 2026 on", "2026-05-01", None),
        ("What do the may reports say?", "2026-05-01", "2026-06-01"),
        ("What may firms offer according to May reports?", "2026-05-01", "2026-06-01"),
        ("May 2025 reports", "2025-05-01", "2025-06-01"),
        ("Verträge seit 2024", "2024-01-01", None),
        ("Was steht in den E-Mails vom März?", "2026-03-01", "2026-04-01"),
        ("Rechnungen vor Juni 2025", None, "2025-06-01"),
        ("Protokolle aus dem letzten Jahr", "2025-01-01", "2026-01-01"),
        ("die Rechnung vom 3. Dezember 2021", "2021-12-03", "2021-12-04"),
        ("2024년 이후 계약서", "2024-01-01", None),
        ("3월에 받은 이메일", "2026-03-01", "2026-04-01"),
        ("지난달 보고서", "2026-04-01", "2026-05-01"),
        ("2025년 12월까지의 회의록", None, "2026-01-01"),
    ],
)
def test_a_time_beside_a_kind_of_document_is_a_period(question: str, first: str | None, end: str | None) -> None:
    expected = Period(date.fromisoformat(first) if first else None, date.fromisoformat(end) if end else None)
    assert find_period(question, TODAY) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1894?",
        "contracts that expire before March 2025",
        "What did the report say in 2020?",
        "the contract may end",
        "What discounts do firms say that they may offer?",
        "Which firms may offer credit?",
        "What may contracts contain?",
        "May contracts be signed by fax?",
        "Who may report a defect, and who may file it?",
        "letters from 31 June 2020",
        "Was geschah 2019 im Werk?",
        "Verträge, die vor März 2025 enden",
        "2025년 3월 전에 끝나는 계약",
        "2019년에 공장에서 무슨 일이 있었나요?",
    ],
)
def test_the_time_of_what_is_told_is_not_the_time_of_the_document(question: str) -> None:
    assert find_period(question, TODAY) is None
