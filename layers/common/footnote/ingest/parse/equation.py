"""Writes equations as a line of text that people can read: (a + b)/2, √(x + 1), x², ∑_(i=1)^n i.

One function for each construct of MathML and of Office's OMML. They take the parts of a construct as text and return text, so a parser
walks its own tree from the leaves up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from footnote.ingest.parse.superscript import lowered, raised

_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b"))
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_PRIMES = ("", "′", "″", "‴", "'", "*", "°")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_RELATIONS = frozenset("= ≠ ≈ ≡ ≅ ∼ ≃ < > ≤ ≥ ≪ ≫ ∝ → ← ↔ ⇒ ⇐ ⇔ ↦ ∈ ∉ ⊂ ⊆ ⊃ ⊇ ∪ ∩ ∧ ∨ × ÷ · ⋅ ∘ := == != <= >=".split())
"""Operators with a space on both sides."""
_SIGNS = frozenset("+-−±∓")
"""Operators with spaces between two operands; before a single one they are its sign."""
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[:=!<>]=|\S")
_OPERAND = re.compile(r"(?:\d+(?:[.,]\d+)*|[^\W\d_]+\d*)'*[⁰¹²³⁴-⁹⁺⁻⁽⁾ⁿ₀-₉₊₋]*")
"""A number, a variable or a word, which needs no brackets as part of a construct."""


_AROUND = re.compile(r" ?([^\w\s]) ?")
"""A sign with the spaces around it, which a script is written without."""


def tokens(run: str) -> list[str]:
    """The operands and operators of a run of text, as parts of a row."""
    return _TOKEN.findall(run.translate(_INVISIBLE))


def text(written: str) -> str:
    """The text of a leaf: without the characters for invisible products and applications of functions."""
    return " ".join(written.translate(_INVISIBLE).split())


def row(parts: Iterable[str]) -> str:
    """Parts that stand beside each other. Letters stay together (mc²), words, numbers and compound parts apart (sin x, 1/2 m); relations
    get spaces."""
    line: list[str] = []
    last = ""  # the part before
    for part in filter(None, parts):
        if part in _RELATIONS or (part in _SIGNS and _ends_operand(last)):
            line.append(f" {part} ")
        elif part in (",", ";"):
            line.append(f"{part} ")
        else:
            line.append(f" {part}" if _is_apart(last, part) else part)
        last = part
    return " ".join("".join(line).split())


def _ends_operand(part: str) -> bool:
    return part != "" and (part[-1].isalnum() or part[-1] in ")]}|!%′'°∞")


def _is_apart(last: str, part: str) -> bool:
    """Whether two parts, the second of which is no operator, would be misread without a space between them."""
    if not last or not (part[0].isalnum() or part[0] in "√∛∜∑∏∫"):
        return False
    if not _ends_operand(last) or last in ")]}|":
        return False
    if any(sign in each for each in (last, part) for sign in "/^_"):
        return True
    end, start = _word(last[::-1]), _word(part)
    return len(end) > 1 or len(start) > 1 or (last[-1].isdigit() and part[0].isdigit())


def _word(part: str) -> str:
    """The letters at the beginning."""
    return "".join(takewhile(str.isalpha, part[:20]))


def grouped(part: str) -> str:
    """The part in brackets, unless it is one number, word or bracketed expression."""
    return part if len(part) < 2 or _OPERAND.fullmatch(part) or _is_enclosed(part) else f"({part})"


def _is_enclosed(part: str) -> bool:
    """Whether the bracket at the beginning is closed at the end."""
    opening, closing = part[0], _PAIRS.get(part[0])
    if not closing or not part.endswith(closing):
        return False
    depth = 0
    for at, char in enumerate(part):
        depth += (char == opening) - (char == closing)
        if depth == 0:
            return at == len(part) - 1
    return False


def fraction(over: str, under: str) -> str:
    """A fraction, with brackets around sums and products."""
    return f"{grouped(over)}/{grouped(under)}"


def binomial(over: str, under: str) -> str:
    """Two parts above each other without a line: a binomial coefficient."""
    return f"({over} over {under})"


def radical(body: str, degree: str = "") -> str:
    """A root."""
    sign = _ROOTS.get(degree)
    return f"{sign or f'{grouped(degree)}√'}({body})"


def script(base: str, sub: str = "", sup: str = "") -> str:
    """A base with what stands below and above it, at its right: indices, powers, the bounds of a sum."""
    sub, sup = (_AROUND.sub(r"\1", " ".join(part.split())) for part in (sub, sup))
    above = sup if sup in _PRIMES else raised(sup) or f"^{grouped(sup)}"
    below = lowered(sub) or f"_{grouped(sub)}" if sub else ""
    return f"{_base(base)}{below}{above}"


def _base(base: str) -> str:
    """The base of a script: in brackets if it is more than one operand. Operators (∑, lim) stay as they are."""
    return grouped(base) if any(char.isalnum() for char in base) and not re.fullmatch(r"\w+[₀-₉]*(?:_\w+)?", base) else base


def stacked(base: str, under: str = "", over: str = "") -> str:
    """A base with what stands under and over it. A line, arrow or hat over it is part of the letter."""
    if over in _DECORATION:
        over, base = "", f"{base}{_ACCENTS[over]}" if len(base) == 1 and over in _ACCENTS else base
    if under in _DECORATION:
        under = ""
    return script(base, under, over) if under or over else base


_ACCENTS = {
    **dict.fromkeys(("^", "ˆ", "\u0302"), "\u0302"),
    **dict.fromkeys(("¯", "‾", "_", "\u0304", "\u0305", "―"), "\u0304"),
    **dict.fromkeys(("~", "˜", "\u0303"), "\u0303"),
    **dict.fromkeys(("→", "⃗", "\u20d7"), "\u20d7"),
    **dict.fromkeys(("˙", "\u0307"), "\u0307"),
    **dict.fromkeys(("¨", "\u0308"), "\u0308"),
}
"""An accent as it is written above a letter → the mark that combines with it."""
_DECORATION = frozenset((*_ACCENTS, *"⏞⏟⏜⏝⎴⎵︷︸"))
"""What over or under a part is no text of its own; a bound such as ∞ is."""


def fenced(parts: Sequence[str], opening: str = "(", closing: str = ")", separator: str = ",") -> str:
    """Parts between brackets."""
    return f"{opening}{f'{separator} '.join(parts) if separator in ',;' else separator.join(parts)}{closing}"


def matrix(rows: Iterable[Sequence[str]]) -> str:
    """A matrix, its rows divided by semicolons. A column of equations is one line for each."""
    return "; ".join(", ".join(filter(None, cells)) for cells in rows if any(cells))
