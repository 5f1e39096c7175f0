"""Parses plain text into paragraphs, lists and the headings that are recognisable without mark-up. The items of a list may be separated by
empty lines. A log is a list of its records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.log_lines import records
from footnote.ingest.parse.man_page import indent_of, is_running_line, man_page_of, section_level
from footnote.ingest.parse.section_lines import section_levels
from footnote.types import Block, Parsed

ITEM = re.compile(r"\s*(?:[-*•·‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
"""The start of a list item: a bullet, `1.`, `2)`, `(a)`."""

_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[^\W\d_]")
_NAMED = re.compile(r"(?:chapter|part|appendix|section|kapitel|teil|anhang|abschnitt)\s+[\divxlc]+\b|제\s?\d+\s?[편장절조]", re.IGNORECASE)
_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*")
_SPLIT_WORD = re.compile(r"(?<=[^\W\d_])\u2010[ \t]*\n([ \t]*)(?!(?:und|oder|bzw|and|or)\b)([a-zß-öø-ÿ]\S*)([ \t]*\n)?[ \t]*")
"""A word that `man` divided at a line end, and what follows it."""
_CONJUNCTION = re.compile(r"(?:und|oder|bzw|bis|and|or|to)\b")
_HYPHENS = ("-", "\u2010")
_SENTENCE_ENDS = tuple(".!?…。”\"'»)")
_WRAPPED = 45
"""A paragraph with this average line width was wrapped by a program, so its lines are joined."""
_STEP = re.compile(r"\s*(\(?)(\d{1,3})([.)])\s+\S")
_MARKED = re.compile(r"\s*([-*•·‣▪◦])\s+\S")
_LONG = 90
"""Characters of a line that is no heading."""
_ENDS = (".", ":", ",", ";", "!", "。", "：")

_Group = Sequence[str]


def parse(data: bytes) -> Parsed:
    """Parses plain text."""
    return parse_text(decode(data))


def parse_text(text: str) -> Parsed:
    """Parses decoded plain text."""
    if logged := records(text.split("\n")):
        return Parsed(tuple(logged))
    lines = _SPLIT_WORD.sub(_rejoined, text).strip("\n").split("\n")
    man_page = man_page_of(lines)
    groups = _groups(lines, man_page)
    items = {each.start: each for each in _find_items(groups)} if not man_page else {}
    levels = section_levels(groups) if not man_page else {}
    is_titled = 1 in levels and len(groups[0]) == 1 and len(groups[0][0]) <= _LONG and not groups[0][0].endswith(_ENDS)
    blocks: list[Block] = []
    number = 0
    while number < len(groups):
        if number in items:
            blocks.append(Block("list", "\n".join(_item_or_below(groups[each]) for each in items[number])))
            number = items[number].stop
        elif number in levels or (is_titled and number == 0):
            blocks.append(Block("heading", groups[number][0].strip(), levels[number] + is_titled if number in levels else 1))
            blocks.extend(_blocks(groups[number][1:]) if groups[number][1:] else [])
            number += 1
        else:
            blocks.extend(_blocks(groups[number], man_page))
            number += 1
    return Parsed(tuple(blocks), groups[0][0].strip() if is_titled else "")


def _rejoined(match: re.Match[str]) -> str:
    """The rest of a divided word, which ends its first line."""
    return f"{match[2]}\n{match[1]}"


def _groups(lines: Sequence[str], man_page: str) -> list[list[str]]:
    """Lines without an empty one between them. A man page's line at the top or the bottom of a page is alone."""
    groups: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            groups.append([])
        elif man_page and is_running_line(line, man_page):
            groups += [[line.rstrip()], []]
        else:
            groups[-1].append(line.rstrip())
    return [group for group in groups if group]


def _item_or_below(group: list[str]) -> str:
    """The text of an item, or of what is indented below one."""
    return _items(group) if ITEM.match(group[0]) else "\n".join(f"  {line}" for line in join_wrapped(group).split("\n"))


def _blocks(lines: list[str], man_page: str = "") -> list[Block]:
    if level := section_level(lines[0], lines[1:], is_man_page=bool(man_page)):
        heading = Block("heading", lines[0].strip().rstrip(":："), level)
        return [heading, *(_blocks(lines[1:], man_page) if lines[1:] else [])]
    if len(lines) == 1 and not man_page and (level := heading_level(lines[0].strip())):
        return [Block("heading", lines[0].strip(), level)]
    if len(lines) > 1 and (mark := _UNDERLINE.fullmatch(lines[1])) and len(lines[0]) < 100 and not _UNDERLINE.fullmatch(lines[0]):
        return [Block("heading", lines[0].strip(), 1 if mark[1][0] in "=*" else 2), *(_blocks(lines[2:]) if lines[2:] else [])]
    lines = [line for line in lines if not _UNDERLINE.fullmatch(line)]
    if not lines:
        return []
    return [block for part in _paragraphs(lines) for block in _paragraph_or_list(part)]


def _paragraph_or_list(lines: list[str]) -> list[Block]:
    items = [i for i, line in enumerate(lines) if ITEM.match(line)]
    if len(items) < 2 or len(items) < 0.2 * len(lines):
        return [Block("paragraph", join_wrapped(lines))]
    lead = [Block("paragraph", join_wrapped(lines[: items[0]]))] if items[0] else []
    return [*lead, Block("list", _items(lines[items[0] :]))]


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Splits wrapped text without blank lines into paragraphs, each of which ends with a short line."""
    width = sorted(map(len, lines))[len(lines) * 9 // 10]
    if len(lines) < 8 or not _WRAPPED <= width <= 160:
        return [lines]
    parts: list[list[str]] = [[]]
    before = ""
    for line in lines:
        was_short = len(before) < 0.75 * width
        if parts[-1] and was_short and (before[-1:] in _SENTENCE_ENDS or len(line) >= 0.75 * width):
            parts.append([])
        parts[-1].append(line)
        before = line
    return parts


def heading_level(line: str) -> int:
    """The heading level, from 1, of a line that stands alone; 0 if it is not a heading."""
    if not 2 <= len(line) <= 90 or line[-1] in ".,;:!?…。" or not any(c.isalpha() for c in line):
        return 0
    if match := _NUMBERED.match(line):
        return match[1].count(".") + 1
    if _NAMED.match(line):
        return 1
    letters = [c for c in line if c.isalpha()]
    return 2 if len(letters) >= 4 and all(c.isupper() for c in letters) else 0


def join_wrapped(lines: list[str]) -> str:
    """Joins lines that a program wrapped; short ones (verse, addresses) are kept."""
    stripped = [line.strip() for line in lines]
    if len(stripped) > 1 and sum(map(len, stripped[:-1])) / (len(stripped) - 1) >= _WRAPPED:
        # lines this long were not wrapped, so each is a paragraph
        return "\n".join(stripped) if min(map(len, stripped[:-1])) > 160 else join_lines(stripped)
    return "\n".join(stripped)


def join_lines(lines: Sequence[str]) -> str:
    """Joins lines into one; a word that was hyphenated at a line end is rejoined."""
    return join_with_offsets(lines)[0]


def join_with_offsets(lines: Sequence[str]) -> tuple[str, list[int]]:
    """(`join_lines(lines)`, start of each line in it). No line may be empty."""
    text = lines[0]
    offsets = [0]
    for line in lines[1:]:
        if _divides(text, line):
            text = text[:-1]
        elif not (text.endswith(_HYPHENS) and text[-2:-1].isalpha() and not _CONJUNCTION.match(line)):
            text += " "
        offsets.append(len(text))
        text += line
    return text, offsets


def _divides(text: str, line: str) -> bool:
    """Whether the hyphen only divides a word: `inter-` + `national`, but neither `Haupt-` + `und` nor `E-` + `Mail`."""
    return text.endswith(_HYPHENS) and text[-3:-1].isalpha() and len(text) > 2 and line[:1].islower() and not _CONJUNCTION.match(line)


def _items(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if ITEM.match(line) or not items:
            items.append(line.rstrip())
        else:
            items[-1] = join_lines([items[-1], line.strip()])
    return "\n".join(items)


def _find_items(groups: Sequence[_Group]) -> Iterator[range]:
    """Ranges of groups that are one list: items with one mark, or steps that count 1, 2, 3, each with the groups that are indented below
    it. Steps that are not mostly sentences are headings."""
    steps = _steps(groups)
    number = 0
    while number < len(groups):
        mark = _mark_of(groups, number, steps)
        end = number + 1
        while mark and end < len(groups) and (_mark_of(groups, end, steps) == mark or _is_below(groups[end], groups[number])):
            end += 1
        found = sum(_mark_of(groups, each, steps) == mark for each in range(number, end))
        if mark and (found > 1 or number in steps):
            yield range(number, end)
            number = end
        else:
            number += 1


def _mark_of(groups: Sequence[_Group], number: int, steps: frozenset[int]) -> str:
    """What the items of its list begin with; "" = it is no item."""
    if number in steps:
        return "1"
    match = _MARKED.match(groups[number][0])
    return f"{match[1]}{indent_of(groups[number][0])}" if match else ""


def _is_below(group: _Group, item: _Group) -> bool:
    """Whether all lines are indented further than the item's mark."""
    return all(indent_of(line) > indent_of(item[0]) for line in group)


def _steps(groups: Sequence[_Group]) -> frozenset[int]:
    """The groups that begin with a number of a sequence 1, 2, 3 of mostly sentences, with any text between them."""
    found: set[int] = set()
    sequence: list[int] = []
    style, last = ("", ""), 0
    for number, group in enumerate(groups):
        if not (match := _STEP.match(group[0])):
            continue
        here, value = (match[1], match[3]), int(match[2])
        if sequence and value == last + 1 and here == style:
            sequence.append(number)
        elif value == 1:
            found |= _sentences(groups, sequence)
            sequence, style = [number], here
        else:
            continue
        last = value
    return frozenset(found | _sentences(groups, sequence))


def _sentences(groups: Sequence[_Group], sequence: Sequence[int]) -> set[int]:
    """The sequence, if most of its groups are longer than a heading or end as a sentence does."""
    long = sum(len(groups[i]) > 1 or len(groups[i][0]) > _LONG or groups[i][0].endswith(_ENDS) for i in sequence)
    return set(sequence) if len(sequence) > 1 and long * 2 > len(sequence) else set()
