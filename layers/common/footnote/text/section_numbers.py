"""The numbers of sections, as terms: “section 2.2”, “§ 5”, “Artikel 7” and “제3조” in any text, and the number that a heading begins with.

A question names a section by its number, and the heading of that section seldom has the word that the question has for it. What names a
section has the term section_2_2; what stands below its heading has headed_2_2, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

KINDS = (
    "section", "sec.", "chapter", "ch.", "article", "art.", "clause", "part", "paragraph", "annex", "appendix", "§",
    "abschnitt", "kapitel", "artikel", "ziffer", "ziff.", "punkt", "teil", "paragraf", "anhang", "anlage",
)  # fmt: skip
"""What stands before the number of a section."""
KOREAN, KOREAN_ORDINAL = "장절조", "장절조편부관항"
"""What stands behind it in Korean, and what only with 제 before it."""
NUMBER = re.compile(
    r"[0-9A-Z](?<![a-zA-Z0-9_.].)(?:(?<=\d)\d{0,3}[a-z]?(?:\.\d{1,3}[a-z]?)*|(?<=[IVXLC])[IVXLC]{1,5}|(?<=[A-Z])(?:\.\d{1,3})*)(?![a-zA-Z0-9_%]|[.,]\d)"
)
"""Begins with a set of characters, by which `re` finds the few numbers of a text fast."""
HEADING = re.compile(r"(?P<number>\d{1,3}[a-z]?(?:\.\d{1,3}[a-z]?)*)[.):]?(?:\s|$)")
OF_ARTICLE = re.compile(r"의\s?(\d{1,2})")
"""제12조의2: an article that was put in."""
ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
NAMED, HEADED, JOINT = "section", "headed", "_"
_LONGEST = max(map(len, KINDS)) + 1


def sections_named(text: str) -> list[str]:
    """The terms of the sections that a text names, with repetitions: section_2_2."""
    return [_term(NAMED, number) for _, _, number in _mentions(text)]


def headings_asked(text: str) -> list[str]:
    """The terms by which a question finds what stands below the headings of the sections that it names: headed_2_2."""
    return [_term(HEADED, number) for _, _, number in _mentions(text)]


def without_sections(text: str) -> str:
    """The text without the names of sections in it."""
    kept, last = list[str](), 0
    for start, end, _ in _mentions(text):
        kept.append(text[last:start])
        last = end
    return " ".join((*kept, text[last:]))


def sections_headed(headings: Iterable[str]) -> list[str]:
    """Both terms of each of the sections that begin with these headings."""
    terms = list[str]()
    for heading in map(str.strip, headings):
        named = next(_mentions(heading), None)
        found = HEADING.match(heading)
        number = named[2] if named is not None and named[0] == 0 else found["number"] if found else ""
        terms += [_term(NAMED, number), _term(HEADED, number)] if number else []
    return terms


def _mentions(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, number) of each section that is named."""
    for match in NUMBER.finditer(text):
        start, end = match.span()
        before = text[max(0, start - _LONGEST) : start].removesuffix("\N{NO-BREAK SPACE}").removesuffix(" ")
        at = start - 1 if text[start - 1 : start].isspace() else start
        behind = text[end : end + 2].lstrip()[:1]
        if kind := next((kind for kind in KINDS if before.lower().endswith(kind)), ""):
            if kind == "§" or not text[max(0, at - len(kind) - 1) : at - len(kind)].isalpha():
                yield at - len(kind), end, match[0]
        elif behind and match[0][0].isdigit() and behind in (KOREAN_ORDINAL if before.endswith("제") else KOREAN):
            end = text.index(behind, end) + 1
            further = OF_ARTICLE.match(text, end)
            number = f"{match[0]}.{further[1]}" if further else match[0]
            yield at - before.endswith("제"), further.end() if further else end, number


def _term(prefix: str, number: str) -> str:
    if len(number) > 1 and number.isalpha():
        number = str(_arabic(number))
    return JOINT.join((prefix, *number.lower().split(".")))


def _arabic(roman: str) -> int:
    values = [ROMAN[letter] for letter in roman]
    return sum(-value if value < max(values[at + 1 :], default=0) else value for at, value in enumerate(values))
