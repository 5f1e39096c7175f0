"""`python -m footnote_local.turn_drawing` generates assets/turn.svg from the pipeline's tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape

from footnote.errors import Unavailable
from footnote.guard.identity import LOCAL
from footnote.pipeline import ANSWER, DOCUMENTS, EXPAND, REMOTE, SEARCH, UNDERSTAND
from footnote.plan import make_plan
from footnote.settings import Settings
from footnote.steps import BLOCK, FAIL, FALLBACK, IGNORE, SKIP, OnError, Row, Step, Switch, steps_of
from footnote.types import Profile, Request, Turn, begin_turn
from footnote_local.drawing import ASSETS, LEFT, ROOT, line, svg, text

DRAWING = ASSETS / "turn.svg"
LABELS = ROOT / "functions" / "query" / "footnote_query" / "web" / "i18n" / "en.js"

COLUMN, LINE, CHIP = 450, 28, 128
MODES = {
    "rag": "the documents",
    "gpt": "the model alone",
    "vision": "the model, about images",
    "pa": "an agent with tools",
    "greeting": "small talk, without a model",
    "last_answer": "about the last answer",
}
POLICIES = {
    FAIL: ("fails", "the turn ends with an error"),
    BLOCK: ("blocks", "the question is not answered"),
    FALLBACK: ("falls back", "something simpler answers"),
    SKIP: ("is left out", "done without; before the answer, that is marked as degraded"),
    IGNORE: ("is ignored", "done without"),
}
USUAL = Profile("usual", live=True, citation_style="numbered", prompt="answer_numbered")
"""The profile whose failure policies are drawn where APIs differ."""


def draw() -> str:
    """The SVG: stages from top to bottom, the steps of each in two columns, numbered in order."""
    switch = next(row for row in ANSWER if isinstance(row, Switch))
    search = [row for row in DOCUMENTS if row in (*REMOTE, *EXPAND, *SEARCH)]
    first, last = DOCUMENTS.index(search[0]), DOCUMENTS.index(search[-1])
    stages = [
        ("What is asked?", UNDERSTAND),
        ("Is there an answer?", DOCUMENTS[:first]),
        ("Where might it be?", search),
        ("What do we say?", DOCUMENTS[last + 1 :]),
        ("What lasts?", ANSWER[ANSWER.index(switch) + 1 :]),
    ]
    parts, y, number = ['<text x="24" y="26" class="h">question</text>'], 46, 1
    for title, rows in stages:
        steps = list(steps_of(rows))
        parts += [line(y), text(24, y + 27, title, "h")]
        for place, step in enumerate(steps):
            parts += _step(number + place, step, LEFT + place % 2 * COLUMN, y + 10 + place // 2 * LINE)
        if rows is search:
            parts.append(text(24, y + 45, "for agents the same, without derived queries", "s"))
        number, y = number + len(steps), y + 10 + (len(steps) + 1) // 2 * LINE + 10
    parts += [line(y), text(24, y + 24, "cited answer", "h")]
    y += 44
    parts += [line(y), text(24, y + 27, "Who else answers", "h")]
    for mode, table in switch.tables.items():
        if table is not DOCUMENTS:
            parts.append(text(LEFT, y + 27, f"{MODES[mode]}:  {'  →  '.join(_names(table))}"))
            y += 20
    parts.append(text(LEFT, y + 27, "in place of the three stages in the middle", "s"))
    y += 44
    parts += [line(y), text(24, y + 27, "A step that fails", "h")]
    for place, (word, meaning) in enumerate(POLICIES.values()):
        x = LEFT + place % 2 * COLUMN
        parts += [text(x, y + 27 + place // 2 * 20, word, "f"), text(x + 80, y + 27 + place // 2 * 20, meaning, "s")]
    parts.append(text(LEFT + COLUMN, y + 67, "dashed: only where it is needed", "s"))
    y += 84
    return svg("The steps of a turn, from the question to the cited answer", y, parts)


def _step(number: int, step: Step, x: int, y: int) -> Iterator[str]:
    shape = ' class="o"' if step.when is not None else ""
    yield text(x, y + 17, str(number), "s")
    yield f'<rect x="{x + 22}" y="{y}" width="{CHIP}" height="24" rx="5"{shape}/>'
    yield f'<text x="{x + 22 + CHIP // 2}" y="{y + 16}" text-anchor="middle" class="n">{escape(step.name)}</text>'
    yield text(x + 32 + CHIP, y + 17, _labels()[step.stage])
    policy = step.on_error if isinstance(step.on_error, OnError) else step.on_error(_usual_turn(), Unavailable())
    word = POLICIES[policy][0]
    yield f'<text x="{x + COLUMN - 20}" y="{y + 17}" text-anchor="end" class="f">{word}</text>'


@cache
def _usual_turn() -> Turn:
    request = Request("", "")
    return begin_turn("", LOCAL, USUAL, request, make_plan(request, USUAL, Settings()))


def _names(rows: Sequence[Row]) -> list[str]:
    return [row.name for row in rows]


def _labels() -> dict[str, str]:
    """Stage → its label on the page."""
    return dict(re.findall(r"^  stage_(\w+): '(.*)',$", LABELS.read_text("utf-8"), re.MULTILINE))


if __name__ == "__main__":
    DRAWING.write_text(draw(), "utf-8")
