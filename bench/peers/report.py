"""Figures → a Markdown table and an SVG picture for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

NAMES = {
    "footnote": "Footnote",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
    "txtai": "txtai",
    "openai_sdk": "openai SDK alone",
    "footnote_embedding": "Footnote, embedding too",
    "footnote_http": "the same over HTTP",
}
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ROW, LABEL, WIDTH, BAR = 16, 160, 670, 420


@dataclass(frozen=True, slots=True)
class Searched:
    system: str
    data_set: str
    ndcg: float
    interval: tuple[float, float]
    p50_ms: float
    index_s: float
    import_s: float
    memory_mb: float
    """What searching took beyond the imports."""
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Chatted:
    system: str
    first_ms: float
    first_p95_ms: float
    together_first_ms: float
    answers_per_s: float


@dataclass(slots=True)
class Report:
    searched: list[Searched] = field(default_factory=list)
    chatted: list[Chatted] = field(default_factory=list)

    @property
    def sets(self) -> list[str]:
        return list(dict.fromkeys(row.data_set for row in self.searched))

    @property
    def searchers(self) -> list[str]:
        return list(dict.fromkeys(row.system for row in self.searched))

    def of(self, system: str, data_set: str) -> Searched:
        return next(row for row in self.searched if (row.system, row.data_set) == (system, data_set))


def as_markdown(report: Report) -> str:
    parts = ["### Quality: nDCG@10", _table(["", *report.sets], _quality_rows(report))]
    for title, unit, figure in (
        ("Query time, p50", "ms", "p50_ms"),
        ("Index time, vectors given", "s", "index_s"),
        ("Memory, imports included", "MB", "peak_mb"),
    ):
        rows = [
            [NAMES[s], *(f"{getattr(report.of(s, name), figure):.{1 if unit != 'MB' else 0}f}" for name in report.sets)]
            for s in report.searchers
        ]
        parts += [f"### {title} ({unit})", _table(["", *report.sets], rows)]
    imports = [[NAMES[s], f"{min(row.import_s for row in report.searched if row.system == s):.1f}"] for s in report.searchers]
    parts += ["### Import (s)", _table(["", "s"], imports)]
    if report.chatted:
        heads = ["", "first token, p50 ms", "p95 ms", "with 16 clients, p50 ms", "answers a second with 16 clients"]
        chats = [
            [
                NAMES[row.system],
                f"{row.first_ms:.1f}",
                f"{row.first_p95_ms:.1f}",
                f"{row.together_first_ms:.0f}",
                f"{row.answers_per_s:.0f}",
            ]
            for row in report.chatted
        ]
        parts += ["### Answers from a model that answers at once", _table(heads, chats)]
    return "\n\n".join(parts)


def _quality_rows(report: Report) -> list[list[str]]:
    best = {name: max(report.of(system, name).ndcg for system in report.searchers) for name in report.sets}
    rows = []
    for system in report.searchers:
        cells = []
        for name in report.sets:
            row = report.of(system, name)
            text = f"{row.ndcg:.3f}"
            cells.append(f"**{text}** ({row.interval[0]:.3f}–{row.interval[1]:.3f})" if row.ndcg == best[name] else text)
        rows.append([NAMES[system], *cells])
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_section(page: Path, text: str) -> None:
    """Replaces the text between the page's two markers."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", "utf-8")


def as_picture(report: Report) -> str:
    """One group of bars for each set (nDCG@10), then the answers per second."""
    groups = [
        (name, [(s, report.of(s, name).ndcg, f"{report.of(s, name).ndcg:.3f}") for s in report.searchers], 1.0) for name in report.sets
    ]
    if report.chatted:
        most = max(row.answers_per_s for row in report.chatted)
        groups.append(
            ("answers a second, 16 clients", [(r.system, r.answers_per_s, f"{r.answers_per_s:.0f}") for r in report.chatted], most)
        )
    shapes: list[str] = []
    y = 10
    for title, bars, most in groups:
        y += 2 * ROW
        shapes.append(f'<text x="0" y="{y - 6}" class="title">{escape(title)}</text>')
        for system, value, text in bars:
            kind = "ours" if system == "footnote" else "theirs"
            width = max(1, round(BAR * value / most))
            shapes.append(f'<text x="{LABEL - 8}" y="{y + 11}" text-anchor="end">{escape(NAMES[system])}</text>')
            shapes.append(f'<rect x="{LABEL}" y="{y + 2}" width="{width}" height="{ROW - 5}" class="{kind}"/>')
            shapes.append(f'<text x="{LABEL + width + 6}" y="{y + 11}">{text}</text>')
            y += ROW
    style = (
        "text{font:11px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;font-size:12px}.ours{fill:#b45309}.theirs{fill:#a8b3bd}"
        "@media(prefers-color-scheme:dark){text{fill:#adbac7}.theirs{fill:#57606a}.ours{fill:#f59e0b}}"
    )
    size = f'width="{WIDTH}" height="{y + 12}" viewBox="0 0 {WIDTH} {y + 12}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><style>{style}</style>{"".join(shapes)}</svg>\n'
