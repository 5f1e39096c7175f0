"""Picks the sentences of an extractive answer, in the shape that the question asks for.

The best sentence first, then up to four more by maximal marginal relevance: score − SAME · overlap with what is already picked. A
question how to do something gets the steps below the best sentence's heading, a list the whole list or table; a yes or no its
condition. The sentences of a passage are given together, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from footnote.answer.score_sentences import Scored
from footnote.text.question_shapes import Shape

MOST = 5
FALL_OFF = 0.3
NEARLY = 0.05
"""How much below prose the best row of a table may be to join it. Other rows would fill the answer."""
SAME = 0.3
LEAST_FRESH = 2
"""Terms beyond question and headings, without which a sentence says nothing new."""
LONGEST_LIST = 10
LONGEST_TABLE = 20
"""Rows; the best ones of a longer table are picked like sentences."""
OF_ROW = 0.3
"""Share of the question's weight above which a row is one that the question asks for."""
CONDITION = re.compile(
    r"(?:unless|except|but|however|only|if|otherwise|außer|es sei denn|aber|jedoch|allerdings|nur|sofern|wenn|falls|sonst)\b"
    r"|단|다만|그러나|하지만",
    re.IGNORECASE,
)


def pick(ranked: Sequence[Scored], sentences: Iterable[Scored], shape: Shape) -> list[Scored]:
    """The sentences to quote, in the order in which to show them. `ranked`: those that may be quoted, best first; `sentences`: all."""
    if not ranked:
        return []
    best = ranked[0]
    same = [sentence for sentence in sentences if sentence.hit is best.hit]
    if (block := _block(best, same, shape)) and len(block) > 1:
        return block
    picked = [best]
    if shape == "yes_no" and (condition := _following(best, same)) and CONDITION.match(condition.text):
        picked.append(condition)
    rest = [each for each in ranked[1:] if _adds(each) and best.score - each.score <= FALL_OFF]
    if not best.is_row:
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
    return _by_passage(picked)


def _block(best: Scored, same: Sequence[Scored], shape: Shape) -> list[Scored]:
    """The list or steps that the best sentence belongs to or introduces, with the line that introduces them; [] = none is asked for."""
    if shape not in ("how_to", "list"):
        return []
    if shape == "list" and (rows := _table(best, same)):
        return rows
    kinds = {each.number: each.hit.chunk.kind_at(each.start) for each in same}
    wanted = ("list", "code") if shape == "how_to" else ("list",)
    after = [each for each in same if each.number >= best.number and each.heading == best.heading]
    start = best.number
    if kinds[best.number] not in wanted:  # steps may follow the sentence after one or two more
        first = next((each.number for each in after[1:3] if kinds[each.number] in wanted), None)
        if first is None:
            return []
    else:
        while start > 0 and kinds.get(start - 1) == kinds[best.number] and same[start - 1].heading == best.heading:
            start -= 1
        if start > 0 and same[start - 1].heading == best.heading and not same[start - 1].is_heading:
            start -= 1  # the line that introduces the list
    block: list[Scored] = []
    for each in same[start:]:
        if each.heading != best.heading or each.is_heading:
            break
        if any(kinds[other.number] in wanted for other in block) and kinds[each.number] not in wanted:
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
