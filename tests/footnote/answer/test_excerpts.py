"""The blocks of a passage, and what of them is an excerpt."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.answer.excerpts import AROUND, ITEMS, LONGEST, WORDS, cut
from footnote.types import BlockKind, Hit, Part
from tests.fakes import make_hit
from tests.footnote.answer.passages import excerpt, passage, split, texts

PROSE = "The ferry takes twelve cars. In winter it takes eight. It leaves at nine. It returns at ten. Dogs travel free."
ITEM = "- Take the item with number {}."
TABLE = "| Hall | Fee |\n| --- | --- |\n| The old hall | 20 euros |\n| The new hall | 30 euros |\n| The cellar | 10 euros |"


def items(count: int) -> str:
    return "\n".join(ITEM.format(number) for number in range(count))


def rows(count: int, cell: str = "euros") -> str:
    return "\n".join(
        ["| Hall | Fee |", "| --- | --- |", *(f"| The hall with number {number}. | {number} {cell} |" for number in range(count))]
    )


# --- blocks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([("paragraph", PROSE)], [("paragraph", 5)]),
        ([("list", items(2))], [("list", 2)]),
        ([("table", TABLE)], [("table", 3)]),
        ([("code", "make run")], [("code", 1)]),
        ([("code", "| make | run |\n| --- | --- |")], [("code", 1)]),
        ([("caption", "The harbour from above.")], [("caption", 1)]),
        ([("image", "The harbour from above.")], [("caption", 1)]),
        ([("paragraph", PROSE), ("paragraph", PROSE)], [("paragraph", 5), ("paragraph", 5)]),
        ([("list", items(2)), ("heading", "Others"), ("list", items(2))], [("list", 2), ("list", 2)]),
    ],
)
def test_parts_are_blocks_of_their_kind(parts: Any, found: list[tuple[str, int]]) -> None:
    assert [(block.kind, len(block.numbers)) for block in split(passage(*parts)).blocks] == found


def test_headings_and_the_head_of_a_table_are_in_no_block() -> None:
    blocks = split(passage(("heading", "Fees of the halls"), ("table", TABLE)))
    assert [blocks.text(number) for number in range(len(blocks.bounds)) if number not in blocks.of] == [
        "Fees of the halls",
        "| Hall | Fee |\n| --- | --- |",
    ]


def test_a_heading_has_no_excerpt() -> None:
    blocks = split(passage(("heading", "Fees of the halls"), ("paragraph", PROSE)))
    assert cut(blocks, 0, {0}, whole=False) is None


def test_steps_with_code_between_them_are_one_list() -> None:
    hit = passage(("list", "1. Open a terminal there."), ("code", "make setup"), ("list", "2. Start the server."), ("code", "make run"))
    (block,) = split(hit).blocks
    assert (block.kind, block.numbers) == ("list", (0, 1, 2, 3))
    assert split(hit).items(block) == [[0, 1], [2, 3]]


def test_an_item_of_two_sentences_is_one_item() -> None:
    hit = passage(("list", "- Wash the railing well. Rinse it twice after that.\n- Paint the railing blue."))
    blocks = split(hit)
    assert blocks.items(blocks.blocks[0]) == [[0, 1], [2]]


# --- leads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "kind", "text"),
    [
        ("Take these along:", "list", items(2)),
        ("여러분은 다음을 꼭 가져오세요:", "list", items(2)),
        ("To start it, run:", "code", "make run"),
        ("What do the halls cost?", "table", TABLE),
        ("When does it leave?", "paragraph", PROSE),
    ],
)
def test_a_block_has_the_sentence_that_introduces_it(lead: str, kind: BlockKind, text: str) -> None:
    hit = passage(("paragraph", f"The club has a ferry and two halls. {lead}"), (kind, text))
    block = split(hit).blocks[-1]
    assert texts(hit, block.lead) == [lead]
    assert hit.chunk.text[block.start : block.end].startswith(lead)


def test_a_table_has_its_caption_before_its_head() -> None:
    hit = passage(("caption", "Fees of the halls in 2024."), ("table", TABLE))
    block = split(hit).blocks[-1]
    assert texts(hit, block.every) == ["Fees of the halls in 2024.", *TABLE.splitlines()[2:]]


@pytest.mark.parametrize(
    ("before", "block", "lead"),
    [
        (("paragraph", "The club has halls."), ("table", TABLE), ()),
        (("heading", "What?"), ("table", TABLE), ()),
        (("list", "- What does it cost?"), ("table", TABLE), ()),
        (("caption", "A map of the harbour"), ("paragraph", PROSE), ()),
        (("paragraph", "You need the following documents."), ("list", items(2)), (0,)),
    ],
)
def test_only_some_sentences_introduce_a_block(before: Any, block: Any, lead: tuple[int, ...]) -> None:
    assert split(passage(before, block)).blocks[-1].lead == lead


def test_an_introduction_is_shown_with_its_block() -> None:
    hit = passage(("paragraph", "Take these along:"), ("list", items(3)))
    assert texts(hit, excerpt(hit, "Take these").every) == ["Take these along:", *items(3).splitlines()]


def test_a_paragraph_that_introduces_code_is_shown_with_it() -> None:
    hit = passage(("paragraph", "To make a backup, run these commands. The server may keep running:"), ("code", "footnote backup"))
    assert "footnote backup" in texts(hit, excerpt(hit, "To make a backup").every)


# --- paragraphs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("best", "numbers", "more"),
    [
        ("twelve", (0, 1, 2), (0, 2)),
        ("eight", (0, 1, 2), (0, 2)),
        ("nine", (1, 2, 3), (1, 1)),
        ("ten", (2, 3, 4), (2, 0)),
        ("Dogs", (2, 3, 4), (2, 0)),
    ],
)
def test_of_a_paragraph_the_sentences_around_the_best_are_shown(best: str, numbers: tuple[int, ...], more: tuple[int, int]) -> None:
    found = excerpt(passage(("paragraph", PROSE)), best)
    assert (found.numbers, (found.more_before, found.more_after)) == (numbers, more)
    assert len(found.numbers) == AROUND


def test_the_lead_of_a_paragraph_is_shown_with_its_beginning_only() -> None:
    hit = passage(("paragraph", "When does it leave?"), ("paragraph", PROSE))
    assert (excerpt(hit, "eight").lead, excerpt(hit, "Dogs").lead) == ((0,), ())


# --- lists and tables ----------------------------------------------------------------------------


LONG = f"The ferry leaves at nine. It takes {'very ' * WORDS}long. Dogs travel free."


@pytest.mark.parametrize(
    ("block", "best", "whole", "numbers", "more"),
    [
        pytest.param(("paragraph", LONG), ["very"], False, (1,), (1, 1), id="a long sentence alone"),
        pytest.param(("list", items(ITEMS)), ["number 3."], False, tuple(range(ITEMS)), (0, 0), id="a list whole up to its limit"),
        pytest.param(("list", items(ITEMS + 3)), ["number 5.", "number 8."], False, (5, 8), (5, ITEMS - 4), id="items of a longer list"),
        pytest.param(("list", items(ITEMS + 3)), ["number 1."], True, tuple(range(ITEMS)), (0, 3), id="the first items for several things"),
        pytest.param(("table", TABLE), ["new hall"], False, (2,), (1, 1), id="rows of a table"),
        pytest.param(("table", TABLE), ["new hall"], True, (1, 2, 3), (0, 0), id="a short table for several things"),
    ],
)
def test_what_answers_is_shown_and_the_rest_counted(
    block: Any, best: list[str], whole: bool, numbers: tuple[int, ...], more: tuple[int, int]
) -> None:
    found = excerpt(passage(block), *best, whole=whole)
    assert (found.numbers, (found.more_before, found.more_after)) == (numbers, more)


def test_of_a_longer_list_its_lead_is_shown_without_the_items_between() -> None:
    hit = passage(("paragraph", "Take these along:"), ("list", items(ITEMS + 3)))
    assert texts(hit, excerpt(hit, "number 5.").every) == ["Take these along:", ITEM.format(5)]


def test_a_list_of_long_items_is_not_shown_whole() -> None:
    long = "\n".join(f"- The item {number} is {'very ' * 60}long." for number in range(8))
    found = excerpt(passage(("list", long)), "item 1", whole=True)
    assert found.more > 0
    assert found.end - found.start <= LONGEST


@pytest.mark.parametrize(
    ("block", "best", "whole"),
    [
        (("list", items(30)), ["number 20."], True),
        (("table", rows(30)), ["number 20."], True),
        (("list", items(30)), ["number 20.", "item"], False),
    ],
    ids=["list", "table", "many answer"],
)
def test_the_best_item_is_always_shown(block: Any, best: list[str], whole: bool) -> None:
    hit = passage(block)
    assert any("number 20." in text for text in texts(hit, excerpt(hit, *best, whole=whole).numbers))


def test_short_items_are_counted_each() -> None:
    hit = passage(("list", "\n".join(f"- day {number}" for number in range(ITEMS + 3))))
    blocks = split(hit)
    assert blocks.count(blocks.items(blocks.blocks[0])) == ITEMS + 3


# --- passages without parts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hit", "kinds"),
    [
        pytest.param(
            make_hit(f"The halls\n\nThe club has two halls.\n\n{items(2)}\n\n{TABLE}\n\n{PROSE}"),
            ["paragraph", "list", "table", "paragraph"],
            id="without parts",
        ),
        pytest.param(make_hit(f"{items(2)}\n\n{PROSE}", parts=(Part(0, None, -1, 0),)), ["list", "paragraph"], id="parts without a kind"),
        pytest.param(
            make_hit("1. Wash the railing well. Rinse it twice after that.\n2. Paint the railing blue."),
            ["list"],
            id="an item of two sentences does not end its list",
        ),
    ],
)
def test_a_passage_without_kinds_is_split_by_its_lines(hit: Hit, kinds: list[str]) -> None:
    assert [block.kind for block in split(hit).blocks] == kinds
