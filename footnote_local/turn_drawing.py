"""`python -m footnote_local.turn_drawing` draws assets/turn.svg from the tables of the pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from footnote.errors import Unavailable
from footnote.guard.identity import LOCAL
from footnote.pipeline import ANSWER, DOCUMENTS, REMOTE, SEARCH, UNDERSTAND
from footnote.plan import make_plan
from footnote.settings import Settings
from footnote.steps import BLOCK, FAIL, FALLBACK, IGNORE, SKIP, OnError, Row, Step, Switch
from footnote.types import Profile, Request, Turn, begin_turn

ROOT = Path(__file__).parent.parent
DRAWING = ROOT / "assets" / "turn.svg"
LABELS = ROOT / "functions" / "query" / "web" / "i18n" / "en.js"

WIDTH, LEFT, COLUMN, LINE, CHIP = 1090, 180, 450, 28, 128
MODES = {"rag": "the documents", "gpt": "the model alone", "vision": "the model, about images", "pa": "an agent with tools"}
POLICIES = {
    FAIL: ("fails", "the turn ends with an error"),
    BLOCK: ("blocks", "the question is not answered"),
    FALLBACK: ("falls back", "something simpler answers"),
    SKIP: ("is left out", "done without; before the answer, that is marked as degraded"),
    IGNORE: ("is ignored", "done without"),
}
USUAL = Profile("usual", live=True, citation_style="numbered", prompt="answer_numbered")
"""What a failure means in most APIs, where they differ."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#424a53}.h{font-weight:600;font-size:13px;fill:#1f2328}.s{font-size:11px;fill:#57606a}"
    ".n{fill:#7c2d12;font-weight:600;font-family:ui-monospace,monospace}.f{fill:#9a3412;font-size:11px}"
    "rect{fill:#ffedd5;stroke:#fdba74}.o{stroke-dasharray:4 3}path{stroke:#a8b3bd;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#adbac7}.h{fill:#e6edf3}.s{fill:#9198a1}rect{fill:#431407;stroke:#9a3412}"
    ".n{fill:#fed7aa}.f{fill:#fdba74}}"
)


def draw() -> str:
    """The SVG: stages from top to bottom, the steps of each in lines of two, numbered in their order."""
    switch = next(row for row in ANSWER if isinstance(row, Switch))
    search = [row for row in DOCUMENTS if row in (*REMOTE, *SEARCH)]
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
        steps = [row for row in rows if isinstance(row, Step)]
        parts += [f'<path d="M24 {y}H{WIDTH - 24}"/>', _text(24, y + 27, title, "h")]
        for place, step in enumerate(steps):
            parts += _step(number + place, step, LEFT + place % 2 * COLUMN, y + 10 + place // 2 * LINE)
        if rows is search:
            parts.append(_text(24, y + 45, "the same for agents", "s"))
        number, y = number + len(steps), y + 10 + (len(steps) + 1) // 2 * LINE + 10
    parts += [f'<path d="M24 {y}H{WIDTH - 24}"/>', _text(24, y + 24, "cited answer", "h")]
    y += 44
    parts += [f'<path d="M24 {y}H{WIDTH - 24}"/>', _text(24, y + 27, "Who else answers", "h")]
    for mode, table in switch.tables.items():
        if table is not DOCUMENTS:
            parts.append(_text(LEFT, y + 27, f"{MODES[mode]}:  {'  →  '.join(_names(table))}"))
            y += 20
    parts.append(_text(LEFT, y + 27, "in place of the three stages in the middle", "s"))
    y += 44
    parts += [f'<path d="M24 {y}H{WIDTH - 24}"/>', _text(24, y + 27, "A step that fails", "h")]
    for place, (word, meaning) in enumerate(POLICIES.values()):
        x = LEFT + place % 2 * COLUMN
        parts += [_text(x, y + 27 + place // 2 * 20, word, "f"), _text(x + 80, y + 27 + place // 2 * 20, meaning, "s")]
    parts.append(_text(LEFT + COLUMN, y + 67, "dashed: only where it is needed", "s"))
    y += 84
    label = "The steps of a turn, from the question to the cited answer"
    size = f'width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>\n"])


def _step(number: int, step: Step, x: int, y: int) -> Iterator[str]:
    shape = ' class="o"' if step.when is not None else ""
    yield _text(x, y + 17, str(number), "s")
    yield f'<rect x="{x + 22}" y="{y}" width="{CHIP}" height="24" rx="5"{shape}/>'
    yield f'<text x="{x + 22 + CHIP // 2}" y="{y + 16}" text-anchor="middle" class="n">{escape(step.name)}</text>'
    yield _text(x + 32 + CHIP, y + 17, _labels()[step.stage])
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
    """What the page says while steps of a stage run."""
    return dict(re.findall(r"^  stage_(\w+): '(.*)',$", LABELS.read_text("utf-8"), re.MULTILINE))


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    return f'<text x="{x}" y="{y}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""} xml:space="preserve">{escape(text)}</text>'


if __name__ == "__main__":
    DRAWING.write_text(draw(), "utf-8")
