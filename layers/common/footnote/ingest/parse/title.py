"""Titles of files: the title in the file if it is meaningful, else its name."""

from __future__ import annotations

import re

_LONGEST = 200
_FILE_NAME = re.compile(r"\.(docx?|pdf|xlsx?|pptx?|odt|txt|md|indd|qxd|tex|dvi|ps|jpe?g|png|tiff?|html?)$", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"(untitled|unbenannt|no title|제목 없음)(\W.*|\d*)"
    r"|(title|document|dokument|문서|about:blank|slide|folie|슬라이드|(powerpoint\W)?(presentation|präsentation|프레젠테이션))\W*\d*",
    re.IGNORECASE,
)


def usable_title(title: str) -> str:
    """The title, or \"\" if a program generated it: a file name, "Untitled", a single character."""
    title = re.sub(r"^Microsoft (Word|PowerPoint|Excel) - ", "", " ".join(title.split()))
    if len(title) < 2 or not any(c.isalpha() for c in title) or _FILE_NAME.search(title) or _NO_TITLE.fullmatch(title):
        return ""
    return title if len(title) <= _LONGEST else title[:_LONGEST].rsplit(" ", 1)[0] + " …"


def name_for_people(file_name: str) -> str:
    """`reports/handbook_2024.pdf` → `handbook 2024`."""
    name = re.split(r"[/\\]", file_name)[-1]
    stem = re.sub(r"\.\w{1,8}$", "", name) or name
    return re.sub(r"[\s_]+|(?<=\w)-(?=\w)", " ", stem).strip() or name
