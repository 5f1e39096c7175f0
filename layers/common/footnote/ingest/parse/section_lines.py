"""Finds the headings of sections in text whose format marks none: short lines that begin with the number of a section, and ascend."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from footnote.text.section_numbers import HEADING, JOINT, PLAIN, Section, section_of

_LONGEST, _LONGEST_ABOVE = 90, 60
"""Characters of a heading that stands alone; of one with text directly below it, which may as well be the first line of a paragraph."""
_WORDED = "section"
"""The kind of “section 2”, which no list has."""
_ENDS = tuple(".,;:!?…。")


def section_levels(groups: Sequence[Sequence[str]]) -> Mapping[int, int]:
    """Group whose first line is the heading of a section → its level. `groups`: lines that stand together.

    Those of one kind ascend, and text follows most of them: in a table of contents, the next one does. Bare numbers, which lists have too,
    count from 1 without a gap, and text follows each."""
    found = {at: section for at, group in enumerate(groups) if (section := _section(group)) is not None}
    runs: defaultdict[str, list[list[int]]] = defaultdict(list)
    for at, section in found.items():
        of_kind = runs[section.kind]
        last = found[of_kind[-1][-1]] if of_kind else None
        if last is not None and _follows(last, section):
            of_kind[-1].append(at)
        elif section.kind != PLAIN or section.number == "1":
            of_kind.append([at])
    kept = {at: found[at] for of_kind in runs.values() for run in of_kind if _are_headings(run, found, groups) for at in run}
    kinds = list(dict.fromkeys(section.kind for section in kept.values() if section.kind != PLAIN))
    return {
        at: 1 + (kinds.index(section.kind) if section.kind in kinds else len(kinds) + section.number.count(JOINT))
        for at, section in kept.items()
    }


def _section(group: Sequence[str]) -> Section | None:
    line = group[0].strip()
    if len(line) > (_LONGEST if len(group) == 1 else _LONGEST_ABOVE) or line.endswith(_ENDS):
        return None
    if len(group) > 1 and group[1].lstrip()[:1].islower():
        return None
    section = section_of(line)
    if section is None or section.kind != PLAIN:
        return section
    number = HEADING.match(line)
    if number is None:
        return section._replace(kind=_WORDED)
    title = line[number.end() :] if not number[0].rstrip().endswith((")", ":")) else ""
    return section if title[:1].isalpha() and not title[0].islower() else None


def _follows(last: Section, section: Section) -> bool:
    """Whether the number is higher, and if it is a bare one, the next at its level or the first one below."""
    if section.kind != PLAIN:
        return _value(last) < _value(section)
    *above, own = section.number.split(JOINT)
    before = last.number.split(JOINT)
    if above == before:
        return own == "1"
    return len(before) > len(above) and before[: len(above)] == above and _value(section)[-1][0] == _value(last)[len(above)][0] + 1


def _value(section: Section) -> list[tuple[int, str]]:
    """Orders 5, 5a, 12."""
    parts = section.number.split(JOINT)
    return [(int(digits) if (digits := part.rstrip("abcdefghijklmnopqrstuvwxyz")) else 0, part) for part in parts]


def _are_headings(run: Sequence[int], found: Mapping[int, Section], groups: Sequence[Sequence[str]]) -> bool:
    """Whether there are several, with text below them."""
    in_run = frozenset(run)
    with_text = [at for at in run if len(groups[at]) > 1 or (at + 1 < len(groups) and at + 1 not in in_run)]
    if found[run[0]].kind != PLAIN:
        return len(run) > 1 and 2 * len(with_text) >= len(run)
    above = {at for at in run if at + 1 in in_run and found[at].has(found[at + 1])}
    return len(run) > 1 and len(above.union(with_text)) == len(run)
