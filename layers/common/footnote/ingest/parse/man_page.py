"""Recognises man pages as text: the lines at the top and the bottom of a page, and section names above indented text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = r"[\w.:+-]+\(\d\w{0,5}\)"
_HEADER = re.compile(rf"\s*({_NAME})(?:\s{{2,}}\S.*?)?\s{{2,}}\1\s*")
"""`PS(1)          User Commands          PS(1)`."""
_FOOTER = re.compile(rf"(?:\S.*\S|\S)?\s{{2,}}({_NAME})\s*")
"""`procps-ng          11 May 2022          PS(1)`."""
_SECTIONS = frozenset(
    """NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS EXAMPLES EXAMPLE ENVIRONMENT FILES NOTES BUGS HISTORY AUTHOR AUTHORS COPYRIGHT DIAGNOSTICS
    BEZEICHNUNG ÜBERSICHT BESCHREIBUNG OPTIONEN BEFEHLE BEISPIELE BEISPIEL UMGEBUNGSVARIABLEN UMGEBUNG DATEIEN ANMERKUNGEN FEHLER GESCHICHTE
    AUTOR AUTOREN
    이름 요약 개요 사용법 설명 옵션 명령 예제 예시 환경 환경변수 파일 주의 버그 역사 저자 만든이 저작권""".split()
)
"""Names of sections of one word, which are headings without the line at the top as well."""
_SHORTEST = 3
"""Letters of a section name in capitals that is not in _SECTIONS."""
_LONGEST = 60
"""Characters of a heading."""
_SUBSECTION = range(1, 6)
"""Columns of indent of a subsection's name; the text of sections stands further in."""


def man_page_of(lines: Sequence[str]) -> str:
    """The name in the line at the top, `PS(1)`; "" if the text is not a man page."""
    first = next((line for line in lines if line.strip()), "")
    match = _HEADER.fullmatch(first)
    return match[1] if match else ""


def is_running_line(line: str, name: str) -> bool:
    """Whether it is at the top or the bottom of a page of the man page `name`: it ends with the name, after a gap."""
    match = _HEADER.fullmatch(line) or _FOOTER.fullmatch(line)
    return "\n" not in line and match is not None and match[1].casefold() == name.casefold()


def section_level(line: str, following: Sequence[str], *, is_man_page: bool) -> int:
    """The level of a section name above indented text: 1, or 2 for a subsection of a man page; 0 if it is none.
    `following`: the lines below it, until an empty one."""
    indent, text = indent_of(line), line.strip()
    if (
        not 2 <= len(text) <= _LONGEST
        or text[0] in "-([$#<"
        or text[-1] in ".,;!…。"
        or any(indent_of(each) <= indent for each in following)
    ):
        return 0
    if is_man_page and indent:
        return 2 if indent in _SUBSECTION and following and text[0].isalpha() and text[-1].isalnum() else 0
    letters = [c for c in text if c.isalpha()]
    in_capitals = len(letters) >= _SHORTEST and all(c.isupper() for c in letters)
    is_name = is_man_page or (bool(following) and (in_capitals or text.rstrip(":：") in _SECTIONS))
    return int(not indent and bool(letters) and is_name)


def indent_of(line: str) -> int:
    """Columns before the text of a line."""
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
