"""Finds items of a list that are separated by empty lines, in groups of lines that have none within."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.ingest.parse.man_page import indent_of

_NUMBERED = re.compile(r"\s*(\(?)(\d{1,3})([.)])\s+\S")
_MARKED = re.compile(r"\s*([-*•·‣▪◦])\s+\S")
_LONG = 90
"""Characters of a line that is no heading."""
_ENDS = (".", ":", ",", ";", "!", "。", "：")

Group = Sequence[str]


def find_items(groups: Sequence[Group]) -> Iterator[range]:
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


def _mark_of(groups: Sequence[Group], number: int, steps: frozenset[int]) -> str:
    """What the items of its list begin with; "" = it is no item."""
    if number in steps:
        return "1"
    match = _MARKED.match(groups[number][0])
    return f"{match[1]}{indent_of(groups[number][0])}" if match else ""


def _is_below(group: Group, item: Group) -> bool:
    """Whether all lines are indented further than the item's mark."""
    return all(indent_of(line) > indent_of(item[0]) for line in group)


def _steps(groups: Sequence[Group]) -> frozenset[int]:
    """The groups that begin with a number of a sequence 1, 2, 3 of mostly sentences, with any text between them."""
    found: set[int] = set()
    sequence: list[int] = []
    style, last = ("", ""), 0
    for number, group in enumerate(groups):
        if not (match := _NUMBERED.match(group[0])):
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


def _sentences(groups: Sequence[Group], sequence: Sequence[int]) -> set[int]:
    """The sequence, if most of its groups are longer than a heading or end as a sentence does."""
    long = sum(len(groups[i]) > 1 or len(groups[i][0]) > _LONG or groups[i][0].endswith(_ENDS) for i in sequence)
    return set(sequence) if len(sequence) > 1 and long * 2 > len(sequence) else set()
