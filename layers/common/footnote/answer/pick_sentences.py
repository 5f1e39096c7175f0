"""Picks the sentences of an extractive answer, in the shape that the question asks for.

The best sentence first, then up to four more by maximal marginal relevance: score − SAME · overlap with what is already picked. If the
best one introduces something (“To build it, run:”), what it introduces follows it instead. A question how to do something gets the steps
of its section in their order, a list the whole list or table, a yes or no its condition. The sentences of a passage are given together,
in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from footnote.answer.score_sentences import Scored
from footnote.text.question_shapes import Shape

MOST = 5
FALL_OFF = 0.25
NEARLY = 0.05
"""How much below prose the best row of a table may be to join it. Other rows would fill the answer."""
SAME = 0.3
LEAST_FRESH = 2
"""Terms beyond question and headings, without which a sentence says nothing new."""
LONGEST_LIST = 10
LONGEST_TABLE = 20
"""Rows; the best ones of a longer table are picked like sentences."""
LONGEST_STEPS = 12
LONGEST_TEXT = 1500
"""Characters of the steps of a section."""
OF_ROW = 0.3
"""Share of the question's weight above which a row is one that the question asks for."""
OF_HEADING, SAME_HEADING = 0.25, 0.5
"""Share of the question's weight from which a heading is that of its steps: they are then given from the first one on, even if the best
sentence comes too late to be among them."""
CONDITION = re.compile(
    r"(?:unless|except|but|however|only|if|otherwise|außer|es sei denn|aber|jedoch|allerdings|nur|sofern|wenn|falls|sonst)\b"
    r"|단|다만|그러나|하지만",
    re.IGNORECASE,
)


def pick(sentences: Iterable[Scored], shape: Shape) -> list[Scored]:
    """The sentences to quote, in the order in which to show them. `sentences`: those of all passages, in their order."""
    every = list(sentences)
    ranked = sorted((each for each in every if each.quotable or each.introduces), key=lambda each: -each.score)
    for best in ranked:
        same = [each for each in every if each.hit is best.hit]
        if (block := _block(best, same, shape)) and len(block) > 1:
            return block
        together = _introduced(best, same) if best.introduces else _paragraph(best, same) if shape == "topic" else []
        if best.quotable or together:
            return _by_passage(_relevant([best, *together], [each for each in ranked if each.quotable], same, shape))
    return []


def _block(best: Scored, same: Sequence[Scored], shape: Shape) -> list[Scored]:
    """The steps, list or table that the best sentence belongs to or introduces, with the line that introduces them, or the table that
    the section of a topic begins with; [] = none is asked for."""
    if shape == "how_to":
        return _steps(best, same)
    if shape == "topic":
        opening = next((each for each in _section(best, same) if each.quotable), best)
        return _table(best, same) if opening.is_row else []
    if shape != "list":
        return []
    return [best, *_introduced(best, same)] if best.introduces else _table(best, same) or _list(best, same)


def _relevant(first: Sequence[Scored], ranked: Sequence[Scored], same: Sequence[Scored], shape: Shape) -> list[Scored]:
    """`first`, which begins with the best sentence, and others by maximal marginal relevance."""
    best, picked = first[0], list(first)
    if shape == "yes_no" and (condition := _following(best, same)) and CONDITION.match(condition.text):
        picked.append(condition)
    rest = [each for each in ranked if each not in picked and _adds(each) and best.score - each.score <= FALL_OFF]
    if not any(each.is_row for each in first):
        rows = [each for each in rest if each.is_row]
        rest = [each for each in rest if not each.is_row or (each is rows[0] and best.score - each.score <= NEARLY)]
    said = {_plain(each) for each in picked}
    while rest and len(picked) < MOST:
        chosen = max(rest, key=lambda each: each.score - SAME * max(_overlap(each, other) for other in picked))
        rest.remove(chosen)
        if _plain(chosen) in said or chosen in picked:
            continue
        if best.score - chosen.score + SAME * max(_overlap(chosen, other) for other in picked) > FALL_OFF:
            break
        said.add(_plain(chosen))
        picked.append(chosen)
    return picked


def _section(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """The sentences below the heading of the best one, in their order."""
    start = end = same.index(best)
    while start > 0 and same[start - 1].heading == best.heading and not same[start - 1].is_heading:
        start -= 1
    while end + 1 < len(same) and same[end + 1].heading == best.heading and not same[end + 1].is_heading:
        end += 1
    return list(same[start : end + 1])


def _steps(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """The steps of the best sentence's section: from the first one on if its heading has words of the question, else from the list, code or
    lead-in of the best sentence on; [] if the section has none."""
    section = _section(best, same)
    at = section.index(best)
    ends = [step + each.introduces for step, each in enumerate(section) if each.introduces or _is_act(each)]
    if not ends or (best.features.heading < OF_HEADING and not any(at <= end <= at + 3 for end in ends)):
        return []
    if best.features.heading < (SAME_HEADING if at >= LONGEST_STEPS else OF_HEADING) or at > max(ends):
        while at > 0 and _is_act(section[at]) and (_is_act(section[at - 1]) or section[at - 1].introduces):
            at -= 1
        if at > 0 and _is_act(section[at]):
            at -= 1  # the sentence before the first step
    else:
        at = 0
    steps: list[Scored] = []
    for each in section[at : max(*ends, section.index(best)) + 1]:
        if len(steps) == LONGEST_STEPS or sum(len(other.text) for other in steps) > LONGEST_TEXT:
            break
        steps.append(each)
    return steps


def _is_act(sentence: Scored) -> bool:
    return _kind(sentence) in ("list", "code")


def _introduced(lead: Scored, same: Sequence[Scored]) -> list[Scored]:
    """What follows a lead-in: its list, code or table, else the two next sentences."""
    after = [each for each in same if each.number > lead.number and each.heading == lead.heading and not each.is_heading]
    if not after:
        return []
    if after[0].is_row:
        rows = [each for each in after if each.is_row and each.quotable]
        if len(rows) > LONGEST_TABLE:
            rows = ([each for each in rows if each.features.own > OF_ROW] or rows)[:LONGEST_LIST]
        return rows
    kind = _kind(after[0])
    if kind not in ("list", "code"):
        return after[:2]
    block: list[Scored] = []
    for each in after[:LONGEST_LIST]:
        if _kind(each) != kind:
            break
        block.append(each)
    return block


def _paragraph(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """The other sentences of the best one's paragraph; [] if it is no prose, or long."""
    if best.is_row or _kind(best) in ("list", "code"):
        return []
    others = [each for each in same if each.part == best.part and each.quotable and each is not best]
    return others if len(others) < MOST else []


def _list(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """The list that the best sentence belongs to, or that follows it, with the line before it."""
    section = _section(best, same)
    at = section.index(best)
    if _kind(best) != "list":
        first = next((step for step in (at + 1, at + 2) if step < len(section) and _kind(section[step]) == "list"), None)
        if first is None:
            return []
    else:
        first = at
        while at > 0 and _kind(section[at - 1]) == "list":
            at -= 1
        first, at = at, max(0, at - 1)
    block = list(section[at:first])
    for each in section[first:]:
        if _kind(each) != "list":
            break
        block.append(each)
    return block[:LONGEST_LIST]


def _table(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """All rows of the table of the best sentence, or of the first table below its heading if title and heading hold as much of the
    question as it does; [] if the question names some of the rows, or if there are many."""
    section = [each for each in same if each.heading == best.heading]
    first = best if best.is_row else next((each for each in section if each.is_row and each.quotable), None)
    if first is None or not (first.held and first.held >= best.held):
        return []
    rows = [first]
    for step in (1, -1):
        at = same.index(first) + step
        while 0 <= at < len(same) and same[at].is_row and same[at].quotable:
            rows.append(same[at])
            at += step
    named = any(each.features.own > OF_ROW for each in rows)
    return sorted(rows, key=lambda each: each.number) if len(rows) <= LONGEST_TABLE and not named else []


def _kind(sentence: Scored) -> str | None:
    return sentence.hit.chunk.kind_at(sentence.start)


def _following(best: Scored, same: Sequence[Scored]) -> Scored | None:
    return next((each for each in same if each.number == best.number + 1 and each.quotable), None)


def _adds(sentence: Scored) -> bool:
    return sentence.fresh >= LEAST_FRESH


def _plain(sentence: Scored) -> str:
    return " ".join(sentence.text.split()).casefold()


def _overlap(one: Scored, other: Scored) -> float:
    a, b = set(_plain(one).split()), set(_plain(other).split())
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _by_passage(picked: Sequence[Scored]) -> list[Scored]:
    """Passages in the order of their best sentence, each one's sentences in theirs."""
    order = list(dict.fromkeys(each.hit.chunk.chunk_id for each in picked))
    return sorted(picked, key=lambda each: (order.index(each.hit.chunk.chunk_id), each.number))
