"""How an excerpt is shown."""

from __future__ import annotations

import pytest

from footnote.answer.choose import Quote
from footnote.answer.excerpts import ITEMS, blocks_of
from footnote.answer.show_excerpt import rows, shown, source_name
from footnote.types import Excerpt, Hit
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
    best = scored(hit, {})[0]._replace(heading=heading)
    assert source_name(Quote(hit, excerpt(hit, "ferry"), split(hit), (best,))) == name


def test_the_fields_of_a_mail_are_set_apart() -> None:
    hit = passage(("metadata", "From: Ann\nDate: Fri, 16 Dec 2022"), ("paragraph", PROSE))
    assert show(quote(hit, "Ann")) == "From: Ann · Date: Fri, 16 Dec 2022"


# --- paragraphs, lists, code and tables ----------------------------------------------------------


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


BLOCK = "class A:\n    x = 1\n\n" + "\n\n".join(f"    def f{number}(self):\n        return '{'x' * 300}'" for number in range(3))
LINES = "\n\n".join(f"    line{number} = '{'x' * 400}'" for number in range(5))
FENCED = "```sh\nfootnote serve --port 8080\n```"


@pytest.mark.parametrize(
    ("hit", "best", "text"),
    [
        pytest.param(
            make_hit("The ferry\ntakes  twelve cars. In winter | it\ntakes eight."),
            "ferry",
            "The ferry takes twelve cars. In winter | it takes eight.",
            id="sentences are one line",
        ),
        pytest.param(
            passage(("paragraph", "When does it leave?"), ("paragraph", "It leaves at nine.")),
            "nine",
            "When does it leave? It leaves at nine.",
            id="a question stands before its answer",
        ),
        pytest.param(
            passage(("paragraph", "Paint the bridge  like this:"), ("list", "1. Wash it.  Wash it well.\n2. Paint the bridge blue.")),
            "Wash",
            "Paint the bridge like this:\n\n1. Wash it. Wash it well.\n2. Paint the bridge blue.",
            id="a list stands below what introduces it",
        ),
        pytest.param(
            passage(("list", "• Wash the railing well.\n  • Rinse it twice after that.\n• Paint the railing blue.")),
            "Paint",
            "- Wash the railing well.\n  - Rinse it twice after that.\n- Paint the railing blue.",
            id="items have one mark and keep their indentation",
        ),
        pytest.param(
            passage(("list", "- May\n- June\n- July, but only\n  on Sundays")),
            "May",
            "- May\n- June\n- July, but only on Sundays",
            id="items of one sentence stand on their own lines",
        ),
        pytest.param(
            passage(("list", "1. Open a terminal there."), ("code", "    make setup"), ("list", "2. Start the server.")),
            "terminal",
            "1. Open a terminal there.\n\n```\n    make setup\n```\n\n2. Start the server.",
            id="code between steps is code",
        ),
        pytest.param(
            passage(("paragraph", "Write it so:"), ("code", BLOCK)),
            "f1",
            f"Write it so:\n\n```\n{BLOCK}\n```",
            id="a block of code keeps its white space",
        ),
        pytest.param(passage(("code", LINES)), "line2", f"```\n    line2 = '{'x' * 400}'\n```\n…", id="code that is left out has a sign"),
        pytest.param(passage(("code", FENCED)), "serve", f"````\n{FENCED}\n````", id="code that holds a fence gets a longer one"),
        pytest.param(
            passage(("caption", "Fees of the halls in 2024."), ("table", TABLE)),
            "new hall",
            "Fees of the halls in 2024.\n\n- Hall: The new hall, Fee: 30 euros\n- … 2 more",
            id="rows stand below their caption with their column names",
        ),
    ],
)
def test_an_excerpt_is_shown_in_the_form_of_its_passage(hit: Hit, best: str, text: str) -> None:
    assert show(quote(hit, best)) == text


@pytest.mark.parametrize(("lang", "more"), [("en", "- … 14 more"), ("de", "- … 14 weitere"), ("ko", "- … 14개 더")])
def test_items_that_are_left_out_are_counted(lang: str, more: str) -> None:
    assert show(quote(passage(("list", MANY)), "number 5."), lang=lang) == f"- Take the item with number 5.\n{more}"


# --- rows ------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("label", "shown"), [("Load", "Load: 12 t"), ("Load:", "Load: 12 t"), ("", "12 t")])
def test_a_row_of_a_label_and_a_value_is_shown_as_such(label: str, shown: str) -> None:
    line = f"| {label} | 12 t |"
    text = f"|  |  |\n| --- | --- |\n{line}"
    start = text.index(line)
    assert row(text, start, start + len(line)) == [shown]


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
