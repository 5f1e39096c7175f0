"""Finds personal data in a text by its shape and, where there is one, its check digit, and masks it.

E-mail addresses; phone numbers of any country with its prefix, those of Germany, Korea and the United States also without; IBANs;
payment cards; the German tax id; the Korean resident registration number; the US social security number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date

NO_CHECK_SINCE = date(2020, 10, 5)
"""Korean registration numbers issued from this day on have no check digit."""
CENTURIES = {"1": 1900, "2": 1900, "5": 1900, "6": 1900, "3": 2000, "4": 2000, "7": 2000, "8": 2000}
"""First digit after the hyphen of a Korean registration number → century of birth."""
WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
BEGIN, END = r"(?<![\w.+/-])", r"(?![\w/-]|\.\w)"
NATIONAL = rf"{BEGIN}(?<!\d )(?!\d{{3}}-\d\d-\d{{4}}\b)"
"""Not the end of a longer number in groups, nor one with the groups of a US social security number."""
CUE = (
    r"(?:(?:tel(?:efon|ephone)?|phone|mobil[e]?|cell|handy|fax|call|dial|rufnummer|hotline|office|desk|whatsapp)(?:nummer)?"
    r"|(?:call|reach|contact|text|ring|phone|message) (?:me|us|him|her|them)(?: back)?(?: (?:on|at|under))?"
    r"|(?:answering|reached|erreichbar|messages? to|erreichen sie (?:uns|mich)|rufen sie|anruf)(?: (?:on|at|unter))?"
    r"|전화(?:번호)?(?:는|:)?|휴대폰|핸드폰|연락처|팩스)"
)
"""Words that announce a phone number."""
EXTENSION = r"(?: ?(?:x|ext\.?|extension|durchwahl|내선) ?\d{1,5})?"
CARD_CUE = r"(?:cards?|cc|maestro|kreditkarten?|debitkarten?|karten?|kartennummer|카드)"


def passes_luhn(digits: str) -> bool:
    """The check of payment cards (ISO/IEC 7812)."""
    doubled = (int(digit) * (2 if i % 2 else 1) for i, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def passes_iban(iban: str) -> bool:
    """The check of ISO 13616: the number, rearranged, is 1 modulo 97."""
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def is_tax_id(digits: str) -> bool:
    """The German tax id: among the first ten digits one occurs two or three times and no other more than once; the last one is a check
    digit (ISO/IEC 7064, MOD 11,10)."""
    repeated = [count for count in Counter(digits[:10]).values() if count > 1]
    if len(digits) != 11 or digits[0] == "0" or len(repeated) != 1 or repeated[0] > 3:
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_korean_id(digits: str) -> bool:
    """The Korean resident registration number: a date of birth, and a check digit if it was issued before October 2020."""
    try:
        born = date(CENTURIES[digits[6]] + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
    except (KeyError, ValueError):
        return False
    check = (11 - sum(int(digit) * weight for digit, weight in zip(digits, WEIGHTS, strict=False)) % 11) % 10
    return born >= NO_CHECK_SINCE or check == int(digits[12])


def _is_card(digits: str) -> bool:
    return CARD.fullmatch(digits) is not None and passes_luhn(digits)


def _is_named_card(digits: str) -> bool:
    return MAESTRO.fullmatch(digits) is not None and passes_luhn(digits)


CARD = re.compile(r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|35|6\d|2[2-7])\d{14}|(?:2131|1800)\d{11}|3[47]\d{13}|3[068]\d{12}")
"""Lengths and first digits of the large networks."""
MAESTRO = re.compile(r"(?:5[0678]|6\d)\d{10,17}")
"""Too frequent among other numbers to count unless the text calls it a card."""
EMAIL = re.compile(r"(?<![\w.+-])[\w+-][\w.+-]{0,63}@(?:[a-z\d][a-z\d-]{0,62}\.){1,5}[a-z]{2,24}\b", re.IGNORECASE)
MANY_DIGITS = re.compile(r"\d(?:[ ()./+-]{0,3}\d){6,}")
BEFORE, AFTER = 40, 12
"""Characters around the digits that belong to a shape: a word that announces a phone number, the letters of an IBAN."""
KINDS: Sequence[tuple[str, re.Pattern[str], Callable[[str], bool] | None]] = (
    (
        "phone",
        re.compile(
            rf"{BEGIN}(?:\+|(?<!\d )00)[1-9]\d{{0,2}}[ ./-]?(?:\(0?\d{{0,4}}\)[ ./-]?)?\d{{1,5}}(?:[ ./-]?\d{{2,5}}){{1,4}}{EXTENSION}{END}"
            rf"|{BEGIN}\(?[2-9]\d\d\)?[ .-][2-9]\d\d[.-]\d{{4}}{EXTENSION}{END}"
            rf"|{NATIONAL}\(?0[1-9]\d{{1,3}}\)?(?:[ /-]\d{{2,4}}){{2,4}}{EXTENSION}{END}"
            rf"|{NATIONAL}\(?0[1-9]\d{{1,3}}\)?[ /-]\d{{5,8}}(?:-\d{{1,4}})?{END}"
            rf"|{BEGIN}\(?\d{{2,5}}\)?(?:[ .-]\d{{2,5}}){{1,3}}(?=[ -]{{1,2}}(?:office|fax|mobile|desk|cell|phone)\b)"
            rf"|{BEGIN}\(\d{{2,4}}\) ?\d{{3,4}}-\d{{4}}{EXTENSION}{END}"
            rf"|{BEGIN}01[016-9][ .-]\d{{3,4}}[ .-]\d{{4}}{END}|{BEGIN}0(?:2|[3-6]\d|70)-\d{{3,4}}-\d{{4}}{END}"
            rf"|{BEGIN}01[567]\d{{1,2}}[ /-]?\d{{3,4}}[ ]?\d{{3,5}}{END}"
            rf"|\b{CUE}[.:)]{{0,2}}\s{{0,3}}\(?\d{{2,5}}\)?[ /.-]{{0,3}}\d{{2,4}}(?:[ .-]?\d{{2,5}}){{1,3}}{EXTENSION}{END}",
            re.IGNORECASE,
        ),
        lambda digits: 7 <= len(digits) <= 18,
    ),
    ("iban", re.compile(rf"{BEGIN}[A-Z]{{2}}\d{{2}}(?: ?[A-Z\d]{{4}}){{2,7}}(?: ?[A-Z\d]{{1,3}})?{END}"), passes_iban),
    ("card", re.compile(rf"\b{CARD_CUE}\b[^\d\n]{{0,30}}\d{{4}}(?:[ -]?\d{{2,6}}){{2,5}}{END}", re.IGNORECASE), _is_named_card),
    ("card", re.compile(rf"{BEGIN}\d{{4}}(?:[ -]?\d{{2,6}}){{2,4}}{END}"), _is_card),
    ("tax_id", re.compile(rf"{BEGIN}[1-9]\d ?\d{{3}} ?\d{{3}} ?\d{{3}}{END}"), is_tax_id),
    ("korean_id", re.compile(rf"{BEGIN}\d{{6}}-[1-8]\d{{6}}{END}"), is_korean_id),
    ("us_ssn", re.compile(rf"{BEGIN}(?!000|666|9)\d{{3}}-(?!00)\d\d-(?!0000)\d{{4}}{END}"), None),
)
"""(kind, shape, check of the digits; of an IBAN, of all characters)."""
MASKS = {"email": "[e-mail]", "phone": "[phone]", "iban": "[IBAN]", "card": "[card]"}
"""Kind → its replacement; of other kinds MASK."""
MASK = "[id]"
TOUCHING_HANGUL = re.compile(r"(?<=[0-9A-Za-z])[가-힣]|[가-힣](?=[0-9A-Za-z+(])")
"""A particle directly behind a number or an address, or a word before it, would make it part of a word."""


def find_pii(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each piece of personal data; one of two kinds occurs twice."""
    if "@" in text:
        yield from (("email", *match.span()) for match in EMAIL.finditer(text))
    for near in MANY_DIGITS.finditer(text):  # ten times as fast as a search for every shape in all of the text
        for kind, shape, check in KINDS:
            for match in shape.finditer(text, max(near.start() - BEFORE, 0), near.end() + AFTER):
                if match.start() >= near.end():  # of the digits that follow, and cut off
                    break
                bare = match[0].replace(" ", "") if kind == "iban" else "".join(filter(str.isdigit, match[0]))
                if check is None or check(bare):
                    yield kind, *match.span()


def has_pii(text: str) -> bool:
    """Whether the text contains personal data."""
    return next(find_pii(text), None) is not None


def mask_pii(text: str) -> str:
    """The text with each piece of personal data replaced by its kind. Words that announce it stay: “call [phone]”."""
    masked, end = [], 0
    for kind, first, last in sorted(_spans(text), key=lambda span: (span[1], -span[2])):
        if last <= end:
            continue
        masked += [text[end:first], MASKS.get(kind, MASK)] if first >= end else []
        end = last
    return "".join([*masked, text[end:]])


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    """As `find_pii`, without the words before a number."""
    for kind, first, last in find_pii(TOUCHING_HANGUL.sub(" ", text)):
        if kind in ("phone", "card"):
            first = next(at for at in range(first, last) if text[at].isdigit() or text[at] in "+(")
        yield kind, first, last
