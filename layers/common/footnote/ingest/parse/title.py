"""Titles of files: the title in the file if it is meaningful, else its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.types import Block

_LONGEST = 200
_START = 5_000
"""Characters of a text in which its title is looked for, beside its headings."""
_PARTS = re.compile(r"\s+[-–—|·:»]+\s+|:\s+")
"""What separates a page from its site and a title from its subtitle."""
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


def is_supported(title: str, blocks: Sequence[Block], file_name: str) -> bool:
    """Whether half of the words of a title, or of one of its parts, are in the first text, a heading or the file's name. Others are
    left over from a template or from the file that this one was copied from."""
    seen = " ".join((name_for_people(file_name), *_first_texts(blocks))).casefold()
    return any(_share(part.casefold(), seen) >= 0.5 for part in (title, *_PARTS.split(title)))


def _first_texts(blocks: Sequence[Block]) -> Iterator[str]:
    left = _START
    for block in blocks:
        if left > 0 or block.kind == "heading":
            yield block.text[: max(left, _LONGEST)]
        left -= len(block.text)


def _share(title: str, seen: str) -> float:
    """The share of the words that are in a text; short words of Latin script are in every one."""
    words = re.findall(r"[^\W_]+", title)
    words = [word for word in words if len(word) > 3 or not word.isascii()] or words
    return sum(word in seen for word in words) / max(len(words), 1)


def name_for_people(file_name: str) -> str:
    """`reports/handbook_2024.pdf` → `handbook 2024`."""
    name = re.split(r"[/\\]", file_name)[-1]
    stem = re.sub(r"\.\w{1,8}$", "", name) or name
    return re.sub(r"[\s_]+|(?<=\w)-(?=\w)", " ", stem).strip() or name
