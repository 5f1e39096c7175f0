"""Personal data is found by its shape and its check digit, in three languages."""

from __future__ import annotations

import time

import pytest

from footnote.text.pii import find_pii, has_pii, mask_pii


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write to Ann.Lee+jobs@mail.example.co.kr.", {("email", "Ann.Lee+jobs@mail.example.co.kr")}),
        ("Mail: müller@firma-süd.de", set()),  # no valid domain
        ("Call +49 30 901820 or come by.", {("phone", "+49 30 901820")}),
        ("(212) 555-0123 is the desk", {("phone", "(212) 555-0123")}),
        ("Telefon: 030 / 90 18 20", {("phone", "Telefon: 030 / 90 18 20")}),
        ("Mobil 0171 1234567", {("phone", "Mobil 0171 1234567")}),
        ("0171 1234567, 010-1234-5678", {("phone", "0171 1234567"), ("phone", "010-1234-5678")}),
        ("연락처: 010-1234-5678", {("phone", "연락처: 010-1234-5678")}),
        ("대표번호 02-123-4567번", set()),  # ends within a word
        ("대표번호 02-123-4567", {("phone", "02-123-4567")}),
        ("Sie erreichen uns unter 06221/54-1234.", {("phone", "06221/54-1234")}),
        ("Ruf 0351 463 12 34", {("phone", "0351 463 12 34")}),
        ("전화 02) 123-4567", {("phone", "전화 02) 123-4567")}),
        ("010.1234.5678 또는 +82 10-1234-5678", {("phone", "010.1234.5678"), ("phone", "+82 10-1234-5678")}),
        ("Reach us at 463-612-6138 x036 today", {("phone", "Reach us at 463-612-6138 x036")}),
        ("085 175 7641-Office", {("phone", "085 175 7641")}),
        ("They call me on 450 0840.", {("phone", "call me on 450 0840")}),
        ("the number is 64-6221541", set()),
        ("IBAN DE89 3704 0044 0532 0130 00", {("iban", "DE89 3704 0044 0532 0130 00")}),
        ("IBAN DE88 3704 0044 0532 0130 00", set()),
        ("GB29NWBK60161331926819", {("iban", "GB29NWBK60161331926819")}),
        ("Visa 4111 1111 1111 1111", {("card", "4111 1111 1111 1111")}),
        ("Visa 4111 1111 1111 1112", set()),
        ("Amex 3782 822463 10005, Diners 3056-930902-5904", {("card", "3782 822463 10005"), ("card", "3056-930902-5904")}),
        ("JCB 180065008155082", {("card", "180065008155082")}),
        ("Karte 584528792610", {("card", "Karte 584528792610")}),
        ("카드 번호: 584528792610", {("card", "카드 번호: 584528792610")}),
        ("number 584528792610", set()),  # nothing says that it is a card
        ("order 9111111111111111", set()),  # no network
        ("Steuer-ID 86 095 742 719", {("tax_id", "86 095 742 719")}),
        ("Steuer-ID 86 095 742 718", set()),
        ("12345678903", set()),  # the digits are all different
        ("주민등록번호 900101-1234568", {("korean_id", "900101-1234568")}),
        ("주민등록번호 900101-1234567", set()),
        ("주민등록번호 901301-1234568", set()),  # no thirteenth month
        ("주민등록번호 210401-3234567", {("korean_id", "210401-3234567")}),  # issued without a check digit
        ("SSN 078-05-1120", {("us_ssn", "078-05-1120")}),
        ("SSN 666-05-1120, 078-00-1120", set()),
    ],
)
def test_personal_data_is_found_with_its_kind(text: str, found: set[tuple[str, str]]) -> None:
    assert {(kind, text[start:end]) for kind, start, end in find_pii(text)} == found
    assert has_pii(text) is bool(found)


@pytest.mark.parametrize(
    "text",
    [
        "In 1985–1986 they won 3-2, 4-1 and 12-10 before 23,456,789 spectators.",
        "ISBN 978-3-16-148410-0, DOI 10.1000/182, version 1.22.333.4444",
        "Between 2019-03-04 and 2020-05-06 12:30:45 the pressure was 101325.0000001 Pa.",
        "Die Nummer 2023/0042-17 vom 01.01.2020 bis 31.12.2020, Betrag 1.234.567,89 Euro.",
        "제12조 제3항, 2020년 12월 18일 7시 40분, 1,234,567원",
        "SHA 86095742719a, file 4111111111111111.pdf, see https://example.com/900101-1234568",
        "Rows: 05 10 15 20 25 30, 0.25 - 0.50 - 0.75",
        "from 100 000 000 to 250 000 000 people call 12 of 24 in 1999-2000",
        "@Override public int foo(); a@b; user@localhost",
    ],
)
def test_numbers_of_other_kinds_are_not_personal(text: str) -> None:
    assert list(find_pii(text)) == []


@pytest.mark.parametrize("text", ["1" * 100_000, "a@" * 50_000, "1-" * 50_000, "+1 (" * 25_000, "tel " * 25_000, "12 345 678 90" * 8_000])
def test_the_time_grows_with_the_length_alone(text: str) -> None:
    started = time.process_time()
    has_pii(text)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Wrong: write to ann.lee@example.com or call +49 30 901820.", "Wrong: write to [e-mail] or call [phone]."),
        ("Reach us at 463-612-6138 x036 today", "Reach us at [phone] today"),
        ("Mein Konto: DE89 3704 0044 0532 0130 00, Telefon: 030 / 90 18 20", "Mein Konto: [IBAN], Telefon: [phone]"),
        ("Karte 4111 1111 1111 1111, Steuer-ID 86 095 742 719", "Karte [card], Steuer-ID [id]"),
        ("SSN 123-45-6789", "SSN [id]"),
        ("담당자는 kim@example.co.kr으로, 010-1234-5678로 연락하세요.", "담당자는 [e-mail]으로, [phone]로 연락하세요."),
        ("주민번호 800101-1234560은 틀렸어요", "주민번호 [id]은 틀렸어요"),
        ("대표번호02-123-4567번", "대표번호[phone]번"),
        ("Built in 1894, section 12.3.4, version 2024-05-01.", "Built in 1894, section 12.3.4, version 2024-05-01."),
        ("1894년 5월 1일에 3,000명이 왔다.", "1894년 5월 1일에 3,000명이 왔다."),
        ("", ""),
    ],
)
def test_personal_data_is_masked_and_the_words_around_it_stay(text: str, masked: str) -> None:
    assert mask_pii(text) == masked
    assert mask_pii(masked) == masked
