"""LaTeX: headings, paragraphs, lists and tables are read without commands; what is left as written is said."""

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
        ("Oil \\emph{the \\textbf{drum}}~\\cite{a} daily~--- or\\footnote{Or not.} rarely.", "Oil the drum daily — or (Or not.) rarely."),
        ("Oil the drum~\\cite{a}.", "Oil the drum."),
        ("It costs 5\\,\\% of \\$40\\_000.", "It costs 5% of $40_000."),
        ("``Stop'' at 3--4~m \\ref{x}", "“Stop” at 3–4 m"),
        ("\\begin{center}Stop.\\end{center}", "Stop."),
        ("Gr\\\"o\\ss e, Stra\\ss{}e, \\'etude, \\v{c}, \\c c, \\O resund", "Größe, Straße, étude, č, ç, Øresund"),
        ("It bears \\SI{12}{\\kilo\\newton}.", "It bears 12 kN."),
        ("\\newcommand{\\most}{42}At most \\most~kN, \\mostly.", "At most 42 kN, ."),
    ],
)
def test_commands_are_not_text(source: str, text: str) -> None:
    assert texts(source) == [text]


def test_lists_and_code_are_read() -> None:
    source = "\\begin{itemize}\n\\item Drum\n\\item The\nhook\n\\end{itemize}\n\\begin{verbatim}\ncrane --up {x}\n\\end{verbatim}\n"
    assert [(block.kind, block.text) for block in read(source).blocks] == [("list", "- Drum\n- The hook"), ("code", "crane --up {x}")]


@pytest.mark.parametrize("source", ["The load is $m_1 \\cdot g$.", "Text. \\input{other}"])
def test_what_is_left_as_it_is_written_or_not_read_is_said(source: str) -> None:
    parsed = read(source)
    assert (parsed.reason or "").startswith("Formulas of this LaTeX file are read as they are written")
    assert parsed.remedy
    assert "$" not in source or parsed.blocks[0].text == source


def test_a_part_without_a_document_around_it_is_read() -> None:
    assert [block.text for block in parse(b"\\section{Brakes}\nOil them.", "part.tex").blocks] == ["Brakes", "Oil them."]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("\\newcommand{\\boot}{\\textsc{Möwe}}The \\boot{} sails.", "The Möwe sails."),
        ("\\newcommand{\\cost}[1]{\\textbf{#1~Euro}}It is \\cost{48} a day.", "It is 48 Euro a day."),
        ("\\newcommand{\\cost}[2][Euro]{#2~#1}\\cost{48} or \\cost[Kronen]{500}", "48 Euro or 500 Kronen"),
        ("\\def\\pair#1#2{#2 and #1}\\pair{salt}{\\emph{oil}}", "oil and salt"),
        ("\\newcommand\\a{one \\b}\\newcommand\\b{two\\xspace}\\a three", "one two three"),
        ("\\NewDocumentCommand{\\x}{m m}{#1/#2}\\x{a}{b}", "a/b"),
        ("\\newcommand{\\a}{\\a}Safe \\a now", "Safe now"),
        ("\\newenvironment{box}[1]{\\begin{quote}#1}{\\end{quote}}Calm.", "Calm."),
    ],
)
def test_commands_that_a_file_defines_are_written_out(source: str, text: str) -> None:
    assert texts(source) == [text]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Old. \\iffalse It cost 30. \\ifx a\\fi Gone. \\fi New.", "Old. New."),
        ("\\iffalse It cost 30.\\else It costs 48.\\fi{} Now.", "It costs 48. Now."),
        ("\\iffalse Never ends.", "Never ends."),
    ],
)
def test_what_is_switched_off_is_no_text(source: str, text: str) -> None:
    assert texts(source) == [text]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("\\SI{350}{\\kilo\\gram}", "350 kg"),
        ("\\qty[per-mode=symbol]{9.8}{\\metre\\per\\square\\second}", "9.8 m/s²"),
        ("\\SIrange{1}{2}{\\degreeCelsius}", "1–2 °C"),
        ("\\SI{39}{\\EUR}, \\si{kg/m}, \\num{12.5}, \\ang{30}, \\SI{5}{\\percent}", "39 EUR, kg/m, 12.5, 30°, 5 %"),
        ("\\si{\\kilo\\watt\\hour}", "kW·h"),
        ("\\href{https://b.example}{Booking}, \\href{https://b.example/}{b.example}", "Booking (https://b.example), b.example"),
        ("Open.\\todo[inline]{Check it}", "Open. (Comment: Check it)"),
        ("\\setcounter{enumi}{4}\\textcolor{red}{Stop} at\\ 9", "Stop at 9"),
    ],
)
def test_units_links_and_notes_are_written_out(source: str, text: str) -> None:
    assert texts(source) == [text]


def test_a_reference_to_a_section_names_it() -> None:
    assert texts("\\section{Fares}\\label{sec:f}\nSee Section~\\ref{sec:f}, \\cref{fig:x}.")[1] == "See Section “Fares”,."


def test_a_table_is_read_with_its_caption_and_merged_cells() -> None:
    source = (
        "\\begin{table}\\caption{Deposits}\\begin{tabular}{@{}lS@{}}\\toprule Boat & {Deposit} \\\\ \\midrule\n"
        "\\multirow{2}{*}{Möwe} & 200 \\\\[2pt] & 350 \\\\ \\cmidrule(lr){1-2}\n"
        "Hai \\& Co & \\begin{tabular}{c}900\\\\Euro\\end{tabular} \\\\ \\bottomrule\\end{tabular}\\end{table}\nText."
    )
    assert [(block.kind, block.text) for block in read(source).blocks] == [
        ("paragraph", "Deposits"),
        ("table", "| Boat | Deposit |\n| --- | --- |\n| Möwe | 200 |\n|  | 350 |\n| Hai & Co | 900 Euro |"),
        ("paragraph", "Text."),
    ]


def test_a_long_table_has_its_header_once() -> None:
    source = (
        "\\begin{longtable}{ll}Boat & Fare \\\\ \\endfirsthead Boat & Fare \\\\ \\endhead Over & \\\\ \\endfoot \\endlastfoot\n"
        "Hai & 9 \\\\ Aal & 7 \\end{longtable}"
    )
    assert [block.text for block in read(source).blocks] == ["| Boat | Fare |\n| --- | --- |\n| Hai | 9 |\n| Aal | 7 |"]


def test_items_with_labels_say_what_they_describe() -> None:
    source = "\\begin{description}\\item[Return] by 18\\item[Key:] in box 3\\end{description}Ask."
    assert texts(source) == ["- Return: by 18\n- Key: in box 3", "Ask."]


def test_commands_in_code_stay_as_they_are_written() -> None:
    source = "\\newcommand{\\boot}{Möwe}\\begin{verbatim}\n\\boot % 5\n\\end{verbatim}\\boot"
    assert texts(source) == ["\\boot % 5", "Möwe"]
