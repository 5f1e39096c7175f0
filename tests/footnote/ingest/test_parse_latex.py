"""LaTeX: headings, paragraphs and lists are read without commands; what is left as written is said."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def read(body: str, head: str = "") -> Parsed:
    return parse(f"\\documentclass{{article}}\n{head}\\begin{{document}}\n{body}\n\\end{{document}}\n".encode(), "crane.tex")


def texts(body: str) -> list[str]:
    return [block.text for block in read(body).blocks]


def test_the_title_headings_and_paragraphs_are_read() -> None:
    head = "\\usepackage{x}\n\\title{The \\textbf{crane}}\n\\author{Ida Berg \\and Ole Sund}\n"
    parsed = read("\\maketitle\n\\section{Brakes}\\label{b}\nOil them\ndaily. % twice\n\nTurn.\n\\subsection*{Drum \\& hook}\nNever.", head)
    assert parsed.blocks == (
        Block("heading", "The crane", 1),
        Block("paragraph", "Ida Berg Ole Sund"),
        Block("heading", "Brakes", 2),
        Block("paragraph", "Oil them daily."),
        Block("paragraph", "Turn."),
        Block("heading", "Drum & hook", 3),
        Block("paragraph", "Never."),
    )
    assert (parsed.title, parsed.format, parsed.reason) == ("The crane", "latex", None)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Oil \\emph{the \\textbf{drum}}~\\cite{a} daily~--- or\\footnote{Or not.} rarely.", "Oil the drum daily — or Or not. rarely."),
        ("Oil the drum~\\cite{a}.", "Oil the drum."),
        ("It costs 5\\,\\% of \\$40\\_000.", "It costs 5% of $40_000."),
        ("``Stop'' at 3--4~m \\ref{x}", "“Stop” at 3–4 m"),
        ("\\begin{center}Stop.\\end{center}", "Stop."),
        ("Gr\\\"o\\ss e, Stra\\ss{}e, \\'etude, \\v{c}, \\c c, \\O resund", "Größe, Straße, étude, č, ç, Øresund"),
        ("It bears \\SI{12}{\\kilo\\newton}.", "It bears 12 kilo newton."),
        ("\\newcommand{\\most}{42}At most \\most~kN, \\mostly.", "At most 42 kN, ."),
    ],
)
def test_commands_are_not_text(source: str, text: str) -> None:
    assert texts(source) == [text]


def test_lists_and_code_are_read() -> None:
    source = "\\begin{itemize}\n\\item Drum\n\\item The\nhook\n\\end{itemize}\n\\begin{verbatim}\ncrane --up {x}\n\\end{verbatim}\n"
    assert [(block.kind, block.text) for block in read(source).blocks] == [("list", "- Drum\n- The hook"), ("code", "crane --up {x}")]


@pytest.mark.parametrize("source", ["The load is $m_1 \\cdot g$.", "\\begin{tabular}{l}a & b\\end{tabular} Text.", "Text. \\input{other}"])
def test_what_is_left_as_it_is_written_or_not_read_is_said(source: str) -> None:
    parsed = read(source)
    assert (parsed.reason or "").startswith("Formulas and tables of this LaTeX file are read as they are written")
    assert parsed.remedy
    assert "$" not in source or parsed.blocks[0].text == source


def test_a_part_without_a_document_around_it_is_read() -> None:
    assert [block.text for block in parse(b"\\section{Brakes}\nOil them.", "part.tex").blocks] == ["Brakes", "Oil them."]
