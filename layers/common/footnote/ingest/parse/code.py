"""Parses source code into blocks, one for each top-level definition, under the definition's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnote.ingest.parse.decode import decode
from footnote.types import Block, Parsed

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|partial|async|pub(?:\(\w+\))?|unsafe|extern|const"
    r"|inline|override|virtual|open|data|suspend|declare)[ \t]+){0,6}"
)
_NAME = r"(?P<name>[\w$.:~<>]*[\w$~>])"
_TYPES = "class|interface|enum|struct|trait|impl|record|namespace|module|protocol|extension|object|union|mod|type"
_FAMILIES: tuple[re.Pattern[str], ...] = (
    re.compile(
        rf"^(?P<indent>[ \t]{{0,12}})(?=\S){_MODIFIERS}(?:"
        rf"(?:def|fun|func|function\*?|fn|sub|macro|task)[ \t]+(?:\([^)\n]*\)[ \t]*)?{_NAME}"
        rf"|(?:{_TYPES})(?:<[^>\n]*>)?[ \t]+(?:class[ \t]+)?(?P<type>[\w$.:]+(?:<[^>\n]*>)?(?:[ \t]+for[ \t]+[\w:]+(?:<[^>\n]*>)?)?)"
        r"|(?:const|let|var)[ \t]+(?P<arrow>[\w$]+)[ \t]*(?::[^=\n]+)?=[ \t]*(?:async[ \t]*)?"
        r"(?:function\b|\([^)\n]*\)[ \t]*(?::[^=\n]+)?=>|[\w$]+[ \t]*=>)"
        r"|(?P<shell>[\w-]+)[ \t]*\(\)[ \t]*\{"
        r"|(?:[\w:<>,\[\]?]{1,80}[ \t*&]{1,8}){1,8}(?P<c>~?[\w:]+)[ \t]*"
        r"\([^;{}=]{0,500}\)[ \t]*(?:const[ \t]*)?(?:throws[ \t]+[\w., ]+)?\{?[ \t]*$"
        r")",
        re.MULTILINE,
    ),
    re.compile(  # SQL
        r"^(?P<indent>)[ \t]*(?:create|alter)\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*"
        r"(?:table|view|function|procedure|trigger|index|type|schema)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`\[\]]+)",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"^(?P<indent>)\[+(?P<name>[^\]\n]+)\]+[ \t]*$", re.MULTILINE),  # TOML, INI
    re.compile(r"^(?P<indent>)(?P<name>[\w.$/\"'-]+):(?=[ \t]|$)", re.MULTILINE),  # YAML
)
_NOT_NAMES = frozenset("if for while switch return else elif catch new throw delete sizeof await yield in not and or".split())
_BELONGS = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|@|\[|<!--|template\b|\"\"\"|'''|export$)")
"""Comments, decorators and attributes directly above a definition belong to it."""
_MAX_LINE = 2_000


def parse(data: bytes) -> Parsed:
    """Parses source code."""
    text = decode(data)
    cuts = _cuts(text)
    blocks: list[Block] = []
    starts = [*(start for start, _, _ in cuts), len(text)]
    _append(blocks, text[: starts[0]])
    for (start, level, name), end in zip(cuts, starts[1:], strict=True):
        blocks.append(Block("heading", name, level))
        _append(blocks, text[start:end])
    return Parsed(tuple(blocks))


def _append(blocks: list[Block], code: str) -> None:
    if code.strip():
        blocks.append(Block("code", code.strip("\n").rstrip()))


def _cuts(text: str) -> list[tuple[int, int, str]]:
    """(start, level, name) of each definition; the level of a method is 2."""
    if max(map(len, text.split("\n"))) > _MAX_LINE:  # generated, e.g. minified
        return []
    for family in _FAMILIES:
        found = [(match.start(), _level(match), name) for match in family.finditer(text) if (name := _name(match))]
        shallow = [(start, level, name) for start, level, name in found if level <= 2]
        if any(level == 1 for _, level, _ in shallow):
            return list(_with_comments(text, shallow))
    return []


def _level(match: re.Match[str]) -> int:
    width = len(match["indent"].expandtabs(4))
    return 1 if width == 0 else 2 if width <= 4 else 3


def _name(match: re.Match[str]) -> str:
    name = next((found for found in match.groupdict().items() if found[0] != "indent" and found[1]), ("", ""))[1]
    first = match[0].split(None, 1)[0] if match[0].strip() else ""
    return "" if name in _NOT_NAMES or first in _NOT_NAMES else name.strip("\"'`[]: ")


def _with_comments(text: str, cuts: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    last = 0
    for start, level, name in cuts:
        while start > last:
            above = text.rfind("\n", 0, start - 1) + 1
            line = text[above : start - 1]
            if above < last or not line.strip() or not _BELONGS.match(line):
                break
            start = above
        last = start + 1
        yield start, level, name
