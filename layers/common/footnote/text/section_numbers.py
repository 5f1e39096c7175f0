"""The numbers of sections, as terms: “section 2.2”, “§ 5”, “Artikel 7” and “제3조” in any text, and the number that a heading begins with.

A question names a section by its number, and the heading of that section seldom has the word that the question has for it. What names a
section has the term section_2_2; what stands below its heading has headed_2_2, too. Some kinds are counted each by itself: § 5, Article 5
and chapter 5 are three sections of one document. What stands below the heading of one of those has a term of its kind besides:
headed_article_5."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

PLAIN, SIGN, EITHER = "", "paragraph", "either"
"""The kind of a section or of a bare number; of a §; of a “paragraph”, which is one of both."""
WORDS = {
    PLAIN: "section sections sec. secs. clause clauses abschnitt abschnitte abschnitten abschnitts ziffer ziffern ziff. punkt punkte",
    SIGN: "§ paragraf paragrafen paragrafs",
    EITHER: "paragraph paragraphs paragraphen",
    "article": "article articles art. arts. artikel artikeln artikels",
    "chapter": "chapter chapters ch. kapitel kapiteln kapitels",
    "part": "part parts teil teile teilen teils",
    "annex": "annex annexes appendix appendices anhang anhänge anhängen anhangs anlage anlagen",
}
"""What stands before the number of a section, by kind."""
OF_LAWS = (SIGN, "article")
"""Kinds that only the texts have in which they are so called."""
KINDS = {word: kind for kind, words in WORDS.items() for word in words.split()}
ALL_KINDS = tuple(KINDS)
KOREAN = {"장": "chapter", "절": PLAIN, "조": "article"}
"""What stands behind it in Korean without 제 before it."""
KOREAN_KINDS = {**KOREAN, "편": "part", "부": "part"}
NUMBER = re.compile(
    r"([0-9A-Z](?<![a-zA-Z0-9_.].)"  # by these characters `re` finds the few numbers of a text fast
    r"(?:(?<=\d)\d{0,3}[a-z]?(?:\.\d{1,3}[a-z]?)*|(?<=[IVXLC])[IVXLC]{1,5}|(?<=[A-Z])(?:\.\d{1,3})*))(?![a-zA-Z0-9_%]|[.,]\d)"
    r"(?:\s?([장절조편부관항])(?:의\s?(\d{1,2}))?)?"
)
"""The number, what stands behind it in Korean, and that of an article that was put in later: 제12조의2."""
HEADING = re.compile(r"(?P<number>\d{1,3}[a-z]?(?:\.\d{1,3}[a-z]?)*)[.):]?(?:\s|$)")
ALONE = re.compile(r"\s*(?P<number>\d{1,3}[a-z]?(?:\.\d{1,3}[a-z]?)*)\.?\s*\?*\s*")
"""A question that is a number only."""
JOINED = re.compile(r"\s*(?:,|&|/|·|(?:,\s*)?(?:and|or|und|oder|sowie)\b|및|[와과](?=\s)|(?P<range>-|–|~|to\b|through\b|bis\b|부터))\s*")
"""What stands between several numbers after one word for sections."""
LONGEST_JOINT, LONGEST_RANGE = 12, 10
ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
NAMED, HEADED, JOINT = "section", "headed", "_"
LONGEST = max(map(len, KINDS)) + 1


class Section(NamedTuple):
    """A section by its number, in Arabic digits: 2_2."""

    kind: str
    number: str

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of what stands below its heading, that of its kind last."""
        of_kind = (JOINT.join((HEADED, self.kind, self.number)),) if self.kind not in (PLAIN, EITHER) else ()
        return (JOINT.join((HEADED, self.number)), *of_kind)

    def has(self, other: Section) -> bool:
        """Whether the other one is this one or in it, by their numbers."""
        return other.number == self.number or other.number.startswith(self.number + JOINT)

    def heads(self, terms: Collection[str], *, of_kind: bool) -> bool:
        """Whether what has these terms stands below its heading."""
        number, own = self.terms[0], self.terms[-1]
        if not of_kind or own != number:
            return own in terms if of_kind else number in terms
        others = (Section(kind, self.number) for kind in WORDS if kind != EITHER)
        return number in terms and not any(other.terms[-1] in terms for other in others if not self.is_kind_of(other))

    def is_kind_of(self, other: Section) -> bool:
        """Whether both are of one kind."""
        return self.kind == other.kind or (self.kind == EITHER and other.kind in (PLAIN, SIGN))


class _Mention(NamedTuple):
    start: int
    end: int
    kind: str
    number: str


def sections_named(text: str) -> list[str]:
    """The terms of the sections that a text names, with repetitions: section_2_2."""
    return [JOINT.join((NAMED, _digits(mention.number))) for mention in _mentions(text)]


def sections_asked(text: str) -> list[Section]:
    """The sections that a question names by their numbers. One that is a number only asks for the section with it."""
    if alone := ALONE.fullmatch(text):
        return [Section(PLAIN, _digits(alone["number"]))]
    return [Section(mention.kind, _digits(mention.number)) for mention in _mentions(text)]


def headings_asked(text: str) -> list[str]:
    """The terms by which a question finds what stands below the headings of the sections that it names: headed_2_2."""
    return [term for section in sections_asked(text) for term in section.terms]


def without_sections(text: str) -> str:
    """The text without the names of sections in it."""
    if ALONE.fullmatch(text):
        return ""
    kept, last = list[str](), 0
    for mention in _mentions(text):
        kept.append(text[last : mention.start])
        last = mention.end
    return " ".join((*kept, text[last:]))


def section_of(heading: str) -> Section | None:
    """The section that begins with this heading."""
    heading = heading.strip()
    named = next(_mentions(heading), None)
    if named is not None and named.start == 0:
        return Section(named.kind, _digits(named.number))
    found = HEADING.match(heading)
    return Section(PLAIN, _digits(found["number"])) if found else None


def sections_headed(headings: Iterable[str]) -> list[str]:
    """All terms of each of the sections that begin with these headings."""
    sections = filter(None, map(section_of, headings))
    return [term for section in sections for term in (JOINT.join((NAMED, section.number)), *section.terms)]


def _mentions(text: str) -> Iterator[_Mention]:
    """Each section that is named; of “sections 1 to 3”, three."""
    before: _Mention | None = None
    waiting: re.Match[str] | None = None
    """The first number of 제1~3조."""
    for match in NUMBER.finditer(text):
        named = _mention(text, match)
        start = match.start() if named is None else named.start
        joint = JOINED.fullmatch(text, before.end, start) if before is not None and start - before.end <= LONGEST_JOINT else None
        if named is None and before is not None and not _counts_on(before.number, match[1], is_range=bool(joint and joint["range"])):
            joint = None
        if before is not None and joint is not None:
            kind, number, end = (before.kind, match[1], match.end()) if named is None else (named.kind, named.number, named.end)
            named = _Mention(before.end, end, kind, number)
            for number in _between(before.number, named.number) if joint["range"] else ():
                yield _Mention(before.end, before.end, named.kind, number)
        elif named is not None and waiting is not None and (joint := JOINED.fullmatch(text, waiting.end(), start)):
            first = text.rindex("제", 0, waiting.start())
            yield _Mention(first, waiting.end(), named.kind, waiting[1])
            for number in _between(waiting[1], named.number) if joint["range"] else ():
                yield _Mention(start, start, named.kind, number)
        if named is not None:
            yield named
        before = named
        waiting = match if named is None and _has_je(text, match.start()) else None


def _mention(text: str, match: re.Match[str]) -> _Mention | None:
    """The section that is named by this number and what stands beside it."""
    start = match.start()
    before = text[start - LONGEST if start > LONGEST else 0 : start].rstrip()
    if (lower := before.lower()).endswith(ALL_KINDS):
        word = max((word for word in KINDS if lower.endswith(word)), key=len)
        at = text.rindex(before[-len(word) :], 0, start)
        if word == "§" or not text[max(0, at - 1) : at].isalpha():
            return _Mention(at, match.end(1), KINDS[word], match[1])
    elif match[2] and match[1][0].isdigit() and (match[2] in KOREAN or before.endswith("제")):
        at = text.rindex("제", 0, start) if before.endswith("제") else start
        number = f"{match[1]}.{match[3]}" if match[3] else match[1]
        return _Mention(at, match.end(), KOREAN_KINDS.get(match[2], PLAIN), number)
    return None


def _has_je(text: str, start: int) -> bool:
    return text[max(0, start - 2) : start].rstrip().endswith("제")


def _counts_on(first: str, last: str, *, is_range: bool) -> bool:
    """Whether the second number may be meant as the first one is: “§§ 1 to 3”, but not “part 4712-0815”."""
    return first[0].isdigit() == last[0].isdigit() and (not is_range or _steps(first, last) > 0)


def _between(first: str, last: str) -> list[str]:
    """The numbers between two of one level, if there are few."""
    *above, low = _digits(first).split(JOINT)
    return [".".join((*above, str(int(low) + step))) for step in range(1, _steps(first, last))]


def _steps(first: str, last: str) -> int:
    """How much higher the second number is than the first one at the same level, 0 = it is no range, or a long one."""
    *above, low = _digits(first).split(JOINT)
    *above_last, high = _digits(last).split(JOINT)
    if above != above_last or not (low.isdecimal() and high.isdecimal()):
        return 0
    return max(int(high) - int(low), 0) if int(high) - int(low) <= LONGEST_RANGE else 0


def _digits(number: str) -> str:
    if len(number) > 1 and number.isalpha():
        number = str(_arabic(number))
    return number.lower().replace(".", JOINT)


def _arabic(roman: str) -> int:
    values = [ROMAN[letter] for letter in roman]
    return sum(-value if value < max(values[at + 1 :], default=0) else value for at, value in enumerate(values))
