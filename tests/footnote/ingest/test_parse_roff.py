"""The source of man pages."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.roff_signs import plain
from footnote.types import Block

HEAD = '.\\" A licence.\n.TH FERRY 5 2026-03-22 "Harbour 2.1" "Harbour Manual"\n'


def blocks(body: str) -> tuple[Block, ...]:
    return parse(f"{HEAD}{body}".encode(), "ferry.5").blocks[1:]


def test_a_page_has_a_title_sections_and_paragraphs() -> None:
    parsed = parse(f"{HEAD}.SH NAME\nferry \\- crosses\n.I the\nbay\n.SS Fares\n.PP\nSee\n.BR ls (1),\nor ask.\n".encode(), "ferry.5")
    assert parsed.blocks == (
        Block("metadata", "2026-03-22, Harbour 2.1, Harbour Manual"),
        Block("heading", "NAME", 1),
        Block("paragraph", "ferry - crosses the bay"),
        Block("heading", "Fares", 2),
        Block("paragraph", "See ls(1), or ask."),
    )
    assert (parsed.title, parsed.reason) == ("FERRY(5)", None)


def test_options_are_items_with_their_labels_and_further_ones_below_them() -> None:
    below = ".RS\n.IP \\(bu 2\nAt most 15.\n.IP 1. 4\nOnce.\n.RE\n"
    body = f".TP\n.B ndots:\\fIn\\fP\nSets a\nthreshold.\n{below}.TP\n.B \\-v\n.TQ\n.B \\-\\-loud\nSays more.\n"
    assert blocks(body) == (Block("list", "- ndots:n: Sets a threshold.\n  - At most 15.\n  1. Once.\n- -v, --loud: Says more."),)


def test_a_heading_or_a_label_may_stand_in_the_next_line() -> None:
    assert blocks(".SH\nSEE ALSO\n.BR a (1)\n") == (Block("heading", "SEE ALSO", 1), Block("paragraph", "a(1)"))


@pytest.mark.parametrize(("begin", "end"), [(".nf", ".fi"), (".EX", ".EE")])
def test_text_that_is_not_filled_is_code(begin: str, end: str) -> None:
    assert blocks(f"As in:\n{begin}\nport 7\n\n  \\fBend\\fP\n{end}\nand so on.\n") == (
        Block("paragraph", "As in:"),
        Block("code", "port 7\n\n  end"),
        Block("paragraph", "and so on."),
    )


def test_a_table_is_read_with_cells_of_several_lines() -> None:
    body = ".TS\ntab(:) allbox;\nlb l\nl l.\nPort:Fare\n_\nOslo:T{\nfrom 12\nto 20\nT}\n.TE\n"
    assert blocks(body) == (Block("table", "| Port | Fare |\n| --- | --- |\n| Oslo | from 12 to 20 |"),)


def test_macros_and_strings_of_the_page_are_written_out() -> None:
    body = (
        ".de Say \\\" Says it\n.B \\\\$1\nand \\\\$2\n..\n.ds Na Möwe\n.ie n .ds Aq '\n.el .ds Aq x\n"
        '.if t \\{\\\nNot shown.\n.\\}\n.Say "the boat" Ida\n\\*(Na \\*(Aq\n'
    )
    assert blocks(body) == (Block("paragraph", "the boat and Ida Möwe '"),)


def test_a_macro_that_uses_itself_comes_to_an_end() -> None:
    assert blocks(".de Say\nOn.\n.Say\n..\nFirst.\n") == (Block("paragraph", "First."),)
    assert blocks(".de Say\n.Say\n..\n.Say\nLast.\n") == (Block("paragraph", "Last."),)


def test_a_link_keeps_its_target_and_what_stands_behind_it() -> None:
    assert blocks("See\n.UR https://x.example\nthe page\n.UE .\nYes.\n") == (Block("paragraph", "See the page <https://x.example>. Yes."),)


def test_a_page_that_includes_another_says_so() -> None:
    parsed = parse(f"{HEAD}.so man3/pier.3\nText.\n".encode(), "ferry.5")
    assert (parsed.reason, parsed.remedy) == ("Pages that are included by this one were not read: man3/pier.3.", "Add them too.")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"\fBone\fP\|\f[I]two\f(CW", "onetwo"),
        (r"a\-b\e \(em\[->]\(bu", "a-b\\ —→•"),
        (r"f\(:ur \[u00FC]ber\s-2 \(co", "für über ©"),
        (r"\*(Na \*[long]\*q \h'2n'end \" comment", "Möwe x end "),
        (r"un\%known\& \z.", "unknown ."),
    ],
)
def test_escape_sequences_become_the_signs_that_they_name(written: str, shown: str) -> None:
    assert plain(written, {"Na": "Möwe", "long": "x"}) == shown


def test_a_text_that_only_names_the_request_stays_a_text() -> None:
    assert parse(b"A page begins so:\n.TH FERRY 5\n", "a.txt").title != "FERRY(5)"
