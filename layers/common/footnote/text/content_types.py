"""The type of a passage that seldom answers: a glossary or list of references, a table of contents, image credits or an imprint.

By patterns, in English, German and Korean: a heading, or most lines of the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from footnote.types import ContentType

LONGEST = 60
"""Characters of a line that can be a heading."""
LONGEST_LINE = 300
LINES_READ = 40
LEAST_LINES = 3
SHARE = 0.6
"""Share of the lines from which their type is that of the text."""

NUMBER = re.compile(
    r"[\s#*_]*(?:(?:appendix|annex|anhang|부록)\s+)?(?:(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,5})[\s.:)–-]+)?", re.IGNORECASE
)
"""Text before a heading's words."""


def _names(**words: str) -> dict[str, ContentType]:
    return {name: kind for kind, listed in words.items() for name in listed.split("|")}  # type: ignore[misc]


HEADINGS = _names(
    contents="contents|table of contents|inhalt|inhaltsverzeichnis|inhaltsübersicht|목차|차례",
    reference="references|references cited|bibliography|works cited|list of references|list of abbreviations|list of acronyms|abbreviations"
    "|acronyms|index|subject index|alphabetical index|literatur|literaturverzeichnis|literaturhinweise|quellenverzeichnis"
    "|abkürzungsverzeichnis|stichwortverzeichnis|sachverzeichnis|sachregister|bibliografie|bibliographie|begriffsverzeichnis"
    "|참고문헌|참고 문헌|참고자료|참고 자료|인용문헌|인용 문헌|찾아보기|색인|약어|약어 목록|약어표"
    "|용어 설명|용어 정의|용어 해설|용어 풀이|용어설명|용어정의",
    credits="image credits|image credit|photo credits|photo credit|picture credits|photograph credits|photography credits"
    "|illustration credits|art credits|image sources|photo sources|bildnachweis|bildnachweise|bildquellen|bildrechte|fotonachweis"
    "|fotonachweise|abbildungsnachweis|abbildungsnachweise|사진 출처|사진출처|사진 제공|이미지 출처|이미지출처|이미지 저작권"
    "|그림 출처|삽화 출처|imprint|legal notice|impressum|판권|판권지|간기",
)
"""The words of a heading, alone."""
GLOSSARIES = ("glossar", "용어집", "용어 사전", "용어사전")
"""Parts of the heading of a glossary."""
ENTRIES: Mapping[ContentType, re.Pattern[str]] = {
    "contents": re.compile(r"[.…·_][.…·_\s]{3,}+(?:\d{1,4}|[ivxlc]{1,6})\s*$", re.IGNORECASE),
    "reference": re.compile(r"^\s*(?:\[\d{1,3}\]|\d{1,3}\.)\s+\D.{20,}?\b(?:1[89]|20)\d\d\b"),
    "credits": re.compile(
        r"^\s*(?:(?:photo|image|picture|illustration|foto|bild|abbildung)s?(?: (?:credits?|courtesy|by|von))?\s*(?:\d+\s*)?[:©]"
        r"|(?:사진|이미지|그림)\s*(?:제공|출처)?\s*[=:©]|.{0,40}©)",
        re.IGNORECASE,
    ),
}
"""The form of a line in such a passage."""


def content_type_of(title: str, headings: Sequence[str], text: str) -> ContentType:
    """The type that a heading, the title or the first line names, or most lines have; “text” = any other passage."""
    lines = text.strip().split("\n", LINES_READ)[:LINES_READ]
    own = {lines[0], *headings[-1:]}
    for line in (title, *headings, lines[0]):
        # A table of contents has no sections: what stands below another heading under it is the text that follows.
        if len(line) <= LONGEST and (kind := _named(line)) and (kind != "contents" or line in own):
            return kind
    if len(lines) < LEAST_LINES:
        return "text"
    said = [line for line in lines if line and len(line) <= LONGEST_LINE]
    probes = said[:: max(1, len(said) // LEAST_LINES)]
    for kind, entry in ENTRIES.items():  # most texts are told apart by a few lines
        if any(map(entry.search, probes)) and sum(map(bool, map(entry.search, said))) >= max(LEAST_LINES, SHARE * len(said)):
            return kind
    return "text"


def _named(heading: str) -> ContentType | None:
    said = heading.lower()
    if any(part in said for part in GLOSSARIES):
        return "reference"
    return HEADINGS.get(said[NUMBER.match(said).end() :].strip(" :*_\t"))  # type: ignore[union-attr]
