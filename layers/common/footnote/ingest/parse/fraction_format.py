"""Shows a spreadsheet's numbers as fractions: `5.25` with `# ?/?` is `5 1/4`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from footnote.ingest.parse.date_format import Token


def is_fraction(tokens: list[Token]) -> bool:
    """Whether a slash stands between digits, as in `# ?/?`."""
    place = tokens.index(("sign", "/"))
    return place > 0 and tokens[place - 1][0] == "digit" and place + 1 < len(tokens) and tokens[place + 1][1][:1] in "0123456789#?"


def show_fraction(tokens: tuple[Token, ...], value: float) -> str:
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
