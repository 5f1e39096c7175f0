"""Shows a spreadsheet's numbers as Excel does: `0.5` with `0%` is `50%`, a zero with `_-* "-"??_-` is `-`.

Separators are English (1,234.50), whatever the language of the program that wrote the file. Padding is left out. `date_format` shows
dates and times.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Literal, NamedTuple

from footnote.ingest.parse.date_format import DATE_PARTS, Token, has_date, show_date

# fmt: off
BUILT_IN: dict[int, str] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)",
    41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 42: '_($* #,##0_);_($* \\(#,##0\\);_($* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', 44: '_($* #,##0.00_);_($* \\(#,##0.00\\);_($* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}
# fmt: on
"""Built-in formats, which files reference by number; including those of East Asian editions."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<pad>[_*].?)'
    r"|\[\$(?P<currency>[^\]-]*)(?:-(?P<locale>[^\]]*))?\]|\[(?P<bracket>[^\]]*)\]"
    rf"|(?P<general>General|Standard)|(?P<date>{DATE_PARTS})|(?P<power>E[+-])"
    r"|(?P<digit>[0#?])|(?P<sign>[.,%/@])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_MAX_DIGITS = 30
_QUANTA = [Decimal(1).scaleb(-decimals) for decimals in range(_MAX_DIGITS + 1)]
_EXACT = Context(prec=400)
"""For numbers of any size."""


@dataclass(frozen=True)
class _Section:
    """A part of a format. `tokens`: without padding and colours."""

    tokens: tuple[Token, ...]
    kind: Literal["general", "date", "number", "fraction", "text", "literal"]
    locale: str
    condition: tuple[str, float] | None

    def holds(self, value: float) -> bool:
        return self.condition is not None and _COMPARE[self.condition[0]](value, self.condition[1])

    @property
    def is_negative(self) -> bool:
        """Whether its condition holds for negative numbers only, so that it writes their sign itself."""
        return self.condition is not None and self.condition[0] in ("<", "<=") and self.condition[1] <= 0


def show(value: int | float, code: str, *, since_1904: bool = False) -> str:
    """The number as text; "" if its format hides it, as `0;-0;` does with zeros."""
    if not isfinite(value):
        return str(value)
    found, writes_sign = _choose(_sections(code), value)
    if found is None or found.kind == "text":
        return _general(value)
    if found.kind == "date" and (date := show_date(found.tokens, value, found.locale, since_1904)) is not None:
        return _tidy(date)
    shown = abs(value) if writes_sign else value
    if found.kind == "general":
        return _tidy("".join(_general(shown) if kind == "general" else text for kind, text in found.tokens))
    if found.kind == "literal":
        return _tidy("".join(text for _, text in found.tokens))
    if found.kind == "fraction":
        return _tidy(_show_fraction(found.tokens, shown))
    return _tidy(_number(found.tokens, shown)) if found.kind == "number" else _general(value)


def show_text(text: str, code: str) -> str:
    """A cell's text: `"No. "@` writes something before it, and `;;;` hides it."""
    if ";" not in code and "@" not in code:
        return text
    sections = _sections(code)
    found = sections[3] if len(sections) > 3 else next((each for each in sections if each.kind == "text"), None)
    if found is None:
        return text
    return _tidy("".join(text if (kind, sign) == ("sign", "@") else sign for kind, sign in found.tokens))


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _general(value: float) -> str:
    """At most eleven digits, as in Excel: neither `0.30000000000000004` nor `3.0`; of integers all, whatever the column's width, because
    long ones are numbers of cards, devices and accounts."""
    if isinstance(value, int):
        return str(value)
    return f"{Decimal(repr(value)):.0f}" if value == int(value) and abs(value) < 1e18 else f"{value:.11g}".upper()


def _choose(sections: tuple[_Section, ...], value: float) -> tuple[_Section | None, bool]:
    """(the section for this value, whether it writes the sign of negative numbers itself); no section = the format has none."""
    numeric = sections[:3]
    if len(sections) < 4 and numeric[-1].kind == "text":
        numeric = numeric[:-1]  # `0;@` has none for negative numbers
    if not numeric:
        return None, False
    if any(each.condition for each in numeric):
        for place, each in enumerate(numeric):
            rest = place == len(numeric) - 1 or (place == 1 and value < 0)
            if each.holds(value) or (each.condition is None and (rest or (place == 0 and value > 0))):
                return each, each.is_negative
        return None, False
    place = 1 if value < 0 and len(numeric) > 1 else 2 if value == 0 and len(numeric) > 2 else 0
    return numeric[place], place == 1


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    """The sections of a format: for positive numbers, negative ones, zeros and text, or as their conditions say."""
    parts: list[list[re.Match[str]]] = [[]]
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            parts.append([])
        else:
            parts[-1].append(match)
    return tuple(map(_read, parts))


def _read(matches: list[re.Match[str]]) -> _Section:
    tokens: list[Token] = []
    locale, condition = "", None
    for match in matches:
        kind = match.lastgroup or ""
        if kind == "bracket":
            if match[kind].lower().strip("hms") == "" and match[kind]:
                tokens.append(("elapsed", match[kind].lower()))
            elif found := _CONDITION.fullmatch(match[kind].strip()):
                condition = (found[1], float(found[2]))
        elif kind in ("currency", "locale"):
            locale = (match["locale"] or "").lower() or locale
            tokens.append(("text", match["currency"]))
        elif kind == "pad":
            tokens.append(("text", " " if match[kind][0] == "_" else ""))
        else:
            tokens.append(("text" if kind in ("quoted", "escaped", "other") else kind, match[kind]))
    kinds = {kind for kind, _ in tokens}
    if ("sign", "@") in tokens:
        kind = "text"
    elif "general" in kinds:
        kind = "general"
    elif has_date(tokens):
        kind = "date"
    elif "digit" in kinds:
        kind = "fraction" if ("sign", "/") in tokens and _is_fraction(tokens) else "number"
    else:
        kind = "literal"
    if not tokens and not matches:
        return _Section((), "literal", "", None)
    return _Section(tuple(tokens), "general" if not any(text for _, text in tokens) else kind, locale, condition)  # type: ignore[arg-type]


class _Layout(NamedTuple):
    """Where a format has its digits, as places in its tokens."""

    whole: tuple[int, ...]
    point: int
    decimals: tuple[int, ...]
    power: int
    hidden: frozenset[int]
    """Commas."""
    thousands: bool
    shift: int
    """The exponent of ten that the number is multiplied by."""
    minimum: int
    """Digits before the decimal point that are always shown."""
    needed: int
    """Digits after it that are always shown."""
    around: tuple[str, str] | None
    """What stands before and after the digits; None if something stands between them."""


@lru_cache(maxsize=512)
def _lay_out(tokens: tuple[Token, ...]) -> _Layout:
    places = [i for i, (kind, _) in enumerate(tokens) if kind == "digit"]
    power = next((i for i, (kind, _) in enumerate(tokens) if kind == "power"), len(tokens))
    point = next((i for i, token in enumerate(tokens) if token == ("sign", ".")), power)
    whole = [i for i in places if i < point]
    decimals = [i for i in places if point < i < power]
    commas = [i for i, token in enumerate(tokens) if token == ("sign", ",")]
    scale = {i for i in commas if _ends_digits(tokens, i)}  # each divides by a thousand
    inside = {i for i in commas if whole and whole[0] < i < whole[-1]}
    used = {*places, *scale, *inside, *([point] if point < power else [])}
    first, last = min(used), max(used)
    is_plain = power == len(tokens) and bool(whole) and len(used) == last - first + 1
    texts = [text for _, text in tokens]
    return _Layout(
        tuple(whole),
        point,
        tuple(decimals),
        power,
        frozenset(scale | inside),
        bool(inside - scale),
        2 * tokens.count(("sign", "%")) - 3 * len(scale),
        min(next((len(whole) - n for n, i in enumerate(whole) if tokens[i][1] == "0"), 0), _MAX_DIGITS),
        max((n for n, i in enumerate(decimals, 1) if tokens[i][1] == "0"), default=0),
        ("".join(texts[:first]), "".join(texts[last + 1 :])) if is_plain else None,
    )


def _number(tokens: tuple[Token, ...], value: float) -> str:
    """The number with its digits in the places of the format."""
    layout = _lay_out(tokens)
    number = abs(Decimal(repr(value)))
    if layout.shift:
        number = number.scaleb(layout.shift)
    exponent = 0
    if layout.power < len(tokens) and number:
        step = max(len(layout.whole), 1)
        exponent = number.adjusted() - (number.adjusted() % step if step > 1 else 0)
        number = number.scaleb(-exponent)
    number = number.quantize(_QUANTA[min(len(layout.decimals), _MAX_DIGITS)], ROUND_HALF_UP, _EXACT)
    digits, _, fraction = f"{number:f}".partition(".")
    digits = digits.lstrip("0").zfill(layout.minimum)
    if layout.thousands and len(digits) > 3:
        digits = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", digits)
    fraction = fraction[: layout.needed] + fraction[layout.needed :].rstrip("0")
    sign = "-" if value < 0 and number else ""
    if layout.around:
        return f"{sign}{layout.around[0]}{digits}{'.' if fraction else ''}{fraction}{layout.around[1]}"
    return sign + "".join(_shown(tokens, i, layout, digits, fraction, exponent) for i in range(len(tokens)))


def _shown(tokens: tuple[Token, ...], i: int, layout: _Layout, digits: str, fraction: str, exponent: int) -> str:
    """What stands in the place of a token."""
    kind, text = tokens[i]
    if i in layout.hidden:
        return ""
    if kind == "power":
        width = sum(each == "digit" for each, _ in tokens[i + 1 :])
        return f"E{'-' if exponent < 0 else '+' if text[1] == '+' else ''}{abs(exponent):0{max(width, 1)}d}"
    if i == layout.point and i < layout.power:
        return ("" if layout.whole else digits) + ("." if fraction else "")
    if kind != "digit":
        return text
    if i < layout.point:
        return _whole_digit(digits, layout, i)
    if i < layout.power and i in layout.decimals:
        place = layout.decimals.index(i)
        return fraction[place : place + 1]
    return ""


def _ends_digits(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a comma follows the last digit before it, the decimal point or the end of the digits: `0.0,,`."""
    before, after = i, i
    while before >= 0 and tokens[before] == ("sign", ","):
        before -= 1
    while after < len(tokens) and tokens[after] == ("sign", ","):
        after += 1
    return before >= 0 and tokens[before][0] == "digit" and (after == len(tokens) or tokens[after][0] != "digit")


def _whole_digit(digits: str, layout: _Layout, i: int) -> str:
    """What stands in a place before the decimal point; the first holds all digits that have no place of their own."""
    if layout.thousands:
        return digits if i == layout.whole[0] else ""
    end = len(digits) - len(layout.whole) + layout.whole.index(i) + 1
    return digits[0 if i == layout.whole[0] else max(end - 1, 0) : max(end, 0)]


def _is_fraction(tokens: list[Token]) -> bool:
    """Whether a slash stands between digits, as in `# ?/?`."""
    place = tokens.index(("sign", "/"))
    return place > 0 and tokens[place - 1][0] == "digit" and place + 1 < len(tokens) and tokens[place + 1][1][:1] in "0123456789#?"


def _show_fraction(tokens: tuple[Token, ...], value: float) -> str:
    """The number as a fraction with the digits, or over the number, that the format has below the slash."""
    slash = tokens.index(("sign", "/"))
    digits = [i for i, (kind, _) in enumerate(tokens) if kind == "digit"]
    first = slash
    while first - 1 in digits:
        first -= 1
    below = slash + 1
    while below < len(tokens) and (below in digits or tokens[below][1].isdecimal()):
        below += 1
    denominator = "".join(text for _, text in tokens[slash + 1 : below])
    number = Fraction(Decimal(repr(abs(value))))
    if denominator.strip("0").isdecimal():
        fixed = int(denominator)
        above, under = round(number * fixed), fixed
    else:
        number = number.limit_denominator(10 ** min(max(len(denominator), 1), 5) - 1)
        above, under = number.numerator, number.denominator
    has_whole = any(i < first for i in digits)
    whole, above = divmod(above, under) if has_whole else (0, above)
    before = "".join(text for kind, text in tokens[:first] if kind == "text")
    shown = " ".join([str(whole)] * bool(has_whole and (whole or not above)) + [f"{above}/{under}"] * bool(above or not has_whole))
    after = "".join(text for kind, text in tokens[below:] if kind == "text")
    return ("-" if value < 0 and (whole or above) else "") + before.strip() + shown + after
