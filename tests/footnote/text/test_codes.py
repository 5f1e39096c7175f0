"""What is a code, and what only looks like one."""

from __future__ import annotations

import pytest

from footnote.text.codes import code_terms, codes_in


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Which voltage has 6ES7214-1AG41?", "1ag41 6es7214 6es7214_1ag41"),
        ("the 6ES7214-1AG41-0XB0.", "0xb0 1ag41 6es7214 6es7214_1ag41 6es7214_1ag41_0xb0"),
        ("6ES7214-1AG41은 얼마인가요?", "1ag41 6es7214 6es7214_1ag41"),
        ("버전2026.4.10에는", "2026_4_10"),
        ("(v1.2.3), version 1.2.3", "1_2_3"),
        ("V2.5.10-Release", "2_5_10"),
        ("1.0.0-rc1 and 2.5.1.3", "1_0_0_rc1 2_5_1_3 rc1"),
        ("A-113 and A‑113, a-113", "a_113"),
        ("RFC-2119", "rfc_2119"),
        ("nach DIN 4102-B1", "4102_b1 b1"),
        ("EN 13501-1", "13501_1"),
        ("E2042 or E2043", "e2042 e2043"),
        ("4711-0815", "4711_0815"),
        ("the GDPR (EU) 2016/679", "2016_679"),
        ("Richtlinie 2006/42/EG", "2006_42_eg"),
        ("S3/EC2", "ec2 s3"),
        ("CVE-2024-31497-Lücke", "cve_2024 cve_2024_31497"),
        ("ping 192.168.0.1:8080", "192_168_0_1"),
        ("20-40-60", "20_40_60"),
        ("handbook-2.1.3.pdf", "2_1_3"),
        ("３.１４.２", "3_14_2"),
        ("제3.2.14호", "3_2_14"),
    ],
)
def test_a_code_is_told_without_case_and_signs(text: str, codes: str) -> None:
    assert sorted(codes_in(text)) == codes.split()


@pytest.mark.parametrize(
    "text",
    [
        "self-service by E-Mail, and/or TCP/IP",
        "a 24-hour, 20-year-old, top-10, mid-1990s, 50-jährige, Typ-2-Diabetes",
        "4.50 or 4,50 or 1.000.000 or 3.14159",
        "2.5kg, 1.5GB, 2.4-GHz, 10-20V, 3.5-4.0, 4.50-EUR, 24-V, 100W",
        "10.04.2026, 10/04/2026, 10/04/26, 2026-04-10, 2026/4/10, 2026.04.10, 2026. 4. 10.",
        "2019-2020, 1914-18, 2019/20, 9/11, 24/7, 3-1, 119-97, 1/2, 10-20",
        "12:30-13:30, 50 %, § 12, 1990s, 2nd, 3D, v2, version 7",
        "a.b.c",
        "010-1234-5678, 1-800-827-1000, 916.464.4311, 030-1234567",
        "",
    ],
)
def test_words_amounts_dates_ranges_and_phones_are_no_codes(text: str) -> None:
    assert codes_in(text) == frozenset()


def test_codes_of_one_part_are_words_anyway() -> None:
    assert code_terms("6ES7214-1AG41-0XB0, E2042, A-113 and A-113") == ["6es7214_1ag41", "6es7214_1ag41_0xb0", "a_113", "a_113"]


@pytest.mark.parametrize("part", ["1-", "A1-", "1.", "1/", "a-", "가1", "1", "a1가-"])
def test_a_hostile_text_takes_no_longer_than_another(part: str) -> None:
    assert len(code_terms(part * 20_000)) <= 20_000


def test_numbers_of_any_length_are_compared() -> None:
    assert codes_in(f"123-{'9' * 5000} {'9' * 5000}-1") == {f"{'9' * 5000}_1"}
