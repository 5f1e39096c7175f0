"""How an excerpt is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answer.choose import Quote
from footnote.answer.excerpts import ITEMS, blocks_of
from footnote.answer.show_excerpt import rows, shown, source_name
from footnote.types import Excerpt
from tests.fakes import make_hit
from tests.footnote.answer.passages import excerpt, passage, quote, scored, split

PROSE = "The ferry takes twelve cars. In winter it takes eight. It leaves at nine. It returns at ten. Dogs travel free."
TABLE = "| Hall | Fee |\n| --- | --- |\n| The old hall | 20 euros |\n| The new hall | 30 euros |\n| The cellar | 10 euros |"
MANY = "\n".join(f"- Take the item with number {number}." for number in range(ITEMS + 3))


def show(quote: Quote, asked: str = "", lang: str = "en") -> str:
    return shown(quote, frozenset(asked.split()), lang)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heading", "name"), [("Opening  hours", "Plan › Opening hours"), ("Plan", "Plan"), ("", "Plan")])
def test_the_name_of_a_source_is_its_title_and_section_each_once(heading: str, name: str) -> None:
    hit = make_hit(PROSE)
    best = replace(scored(hit, {})[0], heading=heading)
    assert source_name(Quote(hit, excerpt(hit, "ferry"), split(hit), (best,))) == name


# --- paragraphs ----------------------------------------------------------------------------------


def test_sentences_are_one_line() -> None:
    assert show(quote(make_hit("The ferry\ntakes  twelve cars. In winter | it\ntakes eight."), "ferry")) == (
        "The ferry takes twelve cars. In winter | it takes eight."
    )


@pytest.mark.parametrize(
    ("best", "text"),
    [
        ("twelve", "The ferry takes twelve cars. In winter it takes eight. It leaves at nine. …"),
        ("nine", "… In winter it takes eight. It leaves at nine. It returns at ten. …"),
        ("Dogs", "… It leaves at nine. It returns at ten. Dogs travel free."),
    ],
)
def test_omissions_in_a_paragraph_are_marked(best: str, text: str) -> None:
    assert show(quote(make_hit(PROSE), best)) == text


def test_a_question_stands_before_its_answer() -> None:
    hit = passage(("paragraph", "When does it leave?"), ("paragraph", "It leaves at nine."))
    assert show(quote(hit, "nine")) == "When does it leave? It leaves at nine."


# --- lists and code ------------------------------------------------------------------------------


def test_a_list_stands_below_what_introduces_it() -> None:
    hit = passage(("paragraph", "Paint the bridge  like this:"), ("list", "1. Wash it.  Wash it well.\n2. Paint the bridge blue."))
    assert show(quote(hit, "Wash")) == "Paint the bridge like this:\n\n1. Wash it. Wash it well.\n2. Paint the bridge blue."


def test_items_have_one_mark_and_keep_their_indentation() -> None:
    hit = passage(("list", "• Wash the railing well.\n  • Rinse it twice after that.\n• Paint the railing blue."))
    assert show(quote(hit, "Paint")) == "- Wash the railing well.\n  - Rinse it twice after that.\n- Paint the railing blue."


def test_items_that_are_one_sentence_stand_on_their_own_lines() -> None:
    assert (
        show(quote(passage(("list", "- May\n- June\n- July, but only\n  on Sundays")), "May"))
        == "- May\n- June\n- July, but only on Sundays"
    )


@pytest.mark.parametrize(("lang", "more"), [("en", "- … 14 more"), ("de", "- … 14 weitere"), ("ko", "- … 14개 더")])
def test_items_that_are_left_out_are_counted(lang: str, more: str) -> None:
    assert show(quote(passage(("list", MANY)), "number 5."), lang=lang) == f"- Take the item with number 5.\n{more}"


def test_code_between_steps_is_code() -> None:
    hit = passage(("list", "1. Open a terminal there."), ("code", "    make setup"), ("list", "2. Start the server."))
    assert show(quote(hit, "terminal")) == "1. Open a terminal there.\n\n```\n    make setup\n```\n\n2. Start the server."


def test_a_block_of_code_keeps_its_white_space() -> None:
    code = "class A:\n    x = 1\n\n" + "\n\n".join(f"    def f{number}(self):\n        return '{'x' * 300}'" for number in range(3))
    assert show(quote(passage(("paragraph", "Write it so:"), ("code", code)), "f1")) == f"Write it so:\n\n```\n{code}\n```"


def test_code_that_is_left_out_has_a_sign() -> None:
    code = "\n\n".join(f"    line{number} = '{'x' * 400}'" for number in range(5))
    assert show(quote(passage(("code", code)), "line2")) == f"```\n    line2 = '{'x' * 400}'\n```\n…"


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    code = "```sh\nfootnote serve --port 8080\n```"
    assert show(quote(passage(("code", code)), "serve")) == f"````\n{code}\n````"


# --- tables --------------------------------------------------------------------------------------


def test_rows_stand_below_their_caption_with_their_column_names() -> None:
    hit = passage(("caption", "Fees of the halls in 2024."), ("table", TABLE))
    assert show(quote(hit, "new hall")) == "Fees of the halls in 2024.\n\n- Hall: The new hall, Fee: 30 euros\n- … 2 more"


CITIES = "| City | Population | |\n| --- | --- | --- |\n| Bonn | 335,000 | x |\n| Köln | | |\n| too | few |\n| Bonn | 335,000 and more | |"


def row(text: str, start: int, end: int, asked: str = "") -> list[str]:
    """The rows in a part of a table."""
    hit = passage(("table", text))
    blocks = blocks_of(hit.chunk, [(start, end)])
    whole = Excerpt(hit.chunk.chunk_id, 0, "table", None, (0,), start, end)
    return rows(Quote(hit, whole, blocks, ()), 0, frozenset(asked.split()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| Bonn | 335,000 | x |", ["City: Bonn, Population: 335,000, x"]),
        ("| Bonn | 335,000 | x |\n| Köln | | |", ["City: Bonn, Population: 335,000, x", "City: Köln"]),
        (CITIES[: CITIES.index("\n| Köln")], ["City: Bonn, Population: 335,000, x"]),
        ("| City | Population | |\n| --- | --- | --- |", ["City · Population"]),
        ("| too | few |", ["too · few"]),
        ("| Bonn | 335,000 and mo", ["City: Bonn, Population: 335,000 and mo"]),
    ],
)
def test_a_row_is_shown_with_its_column_names(text: str, shown: list[str]) -> None:
    start = CITIES.index(text)
    assert row(CITIES, start, start + len(text)) == shown


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("senior", ["Senior level"]),
        ("senior skill level", ["Senior level"]),
        ("junior cost", ["Junior level", "Cost"]),
        ("junior level cost", ["Junior level", "Cost"]),
        ("scope", ["Junior level", "Senior level", "Cost"]),
    ],
)
def test_of_a_long_row_the_columns_that_the_question_names_are_shown(asked: str, named: list[str]) -> None:
    text = f"| Skill | Junior level | Senior level | Cost |\n| --- | --- | --- | --- |\n| Scope | {'s ' * 99}| {'l ' * 99}| {'c ' * 99}|"
    (found,) = row(text, text.index("| Scope"), len(text), asked)
    assert [name for name in ("Junior level", "Senior level", "Cost") if f"{name}: " in found] == named
    assert found.endswith("…") == (len(named) < 3)


def test_the_middle_of_a_long_row_is_shown_with_its_first_cell_and_its_columns() -> None:
    text = "| Name | A | B | C |\n| --- | --- | --- | --- |\n| Bonn | 1; 2 | 3 and more | 4 |\n| Ulm | 5 | 6 | 7 |"
    start, end = text.index("| 3 and"), text.index("| 4")
    assert row(text, start, end) == ["Name: Bonn, B: 3 and more"]
    assert row(text, end, text.index("\n| Ulm")) == ["Name: Bonn, C: 4"]


def test_a_part_of_a_long_row_without_the_column_that_is_asked_for_is_shown_whole() -> None:
    text = f"| Name | Price | Length |\n| --- | --- | --- |\n| Bonn | 5 euros | {'long ' * 80} |"
    (found,) = row(text, text.index("| long"), len(text), "price")
    assert found.startswith("Name: Bonn, Length: long long")
