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
KOREAN = frozenset("장절조")
"""What stands behind it in Korean without 제 before it."""
NUMBER = re.compile(
    r"([0-9A-Z](?<![a-zA-Z0-9_.].)"  # by these characters `re` finds the few numbers of a text fast
    r"(?:(?<=\d)\d{0,3}[a-z]?(?:\.\d{1,3}[a-z]?)*|(?<=[IVXLC])[IVXLC]{1,5}|(?<=[A-Z])(?:\.\d{1,3})*))(?![a-zA-Z0-9_%]|[.,]\d)"
    r"(?:\s?([장절조편부관항])(?:의\s?(\d{1,2}))?)?"
)
"""The number, what stands behind it in Korean, and that of an article that was put in later: 제12조의2."""
HEADING = re.compile(r"(?P<number>\d{1,3}[a-z]?(?:\.\d{1,3}[a-z]?)*)[.):]?(?:\s|$)")
ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
NAMED, HEADED, JOINT = "section", "headed", "_"
LONGEST = max(map(len, KINDS)) + 1


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
        start = match.start()
        before = text[start - LONGEST if start > LONGEST else 0 : start].rstrip()
        if before.lower().endswith(KINDS):
            kind = next(kind for kind in KINDS if before.lower().endswith(kind))
            at = text.rindex(before[-len(kind) :], 0, start)
            if kind == "§" or not text[max(0, at - 1) : at].isalpha():
                yield at, match.end(1), match[1]
        elif match[2] and match[1][0].isdigit() and (match[2] in KOREAN or before.endswith("제")):
            at = text.rindex("제", 0, start) if before.endswith("제") else start
            yield at, match.end(), f"{match[1]}.{match[3]}" if match[3] else match[1]


def _term(prefix: str, number: str) -> str:
    if len(number) > 1 and number.isalpha():
        number = str(_arabic(number))
    return JOINT.join((prefix, *number.lower().split(".")))


def _arabic(roman: str) -> int:
    values = [ROMAN[letter] for letter in roman]
    return sum(-value if value < max(values[at + 1 :], default=0) else value for at, value in enumerate(values))
