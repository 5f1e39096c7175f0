"""Chunking. Sizes are literal: a plain word of up to five letters counts one token."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.ingest import pieces
from footnote.ingest.chunk import chunk_document
from footnote.ingest.convert import TARGETS
from footnote.ingest.parse import parse
from footnote.ingest.pieces import Piece
from footnote.text.tokens import count_tokens
from footnote.types import Block, Chunk, Document, Parsed, Part, Place
from footnote.types.documents import UNITS
from tests.fakes import make_chunk, make_document
from tests.footnote.ingest.packages import workbook

DOCUMENT = Document(
    doc_id="d7",
    title="House rules",
    collection="town",
    file_name="rules.md",
    state="PROCESSING",
    content_hash="h",
    size=1,
    permission_groups=frozenset({"staff"}),
    generation=3,
    metadata={"year": 2024},
    created_at=5.0,
)


def words(count: int, word: str = "word") -> str:
    """One sentence of `count` words."""
    return " ".join([word] * (count - 1) + [f"{word}."])


def text(content: str, page: int | None = None) -> Block:
    return Block("paragraph", content, 0, page)


def heading(content: str, level: int = 1, page: int | None = None) -> Block:
    return Block("heading", content, level, page)


def chunks(*blocks: Block, max_tokens: int = 100, lang: str = "en") -> list[Chunk]:
    return chunk_document(DOCUMENT, Parsed(blocks), max_tokens=max_tokens, lang=lang)


def passages(*blocks: Block, max_tokens: int = 100, lang: str = "en") -> list[str]:
    return [chunk.text for chunk in chunks(*blocks, max_tokens=max_tokens, lang=lang) if chunk.level == 2]


def test_a_small_document_is_one_passage_and_nothing_else() -> None:
    (chunk,) = chunks(heading("Fees", page=2), text("There are none.", page=2))
    assert chunk == Chunk(
        chunk_id="d7|3|0",
        doc_id="d7",
        generation=3,
        ordinal=0,
        level=2,
        title="House rules",
        text="Fees\n\nThere are none.",
        lang="en",
        collection="town",
        headings=("Fees",),
        page=2,
        parts=(Part(0, 2, 0, 0, "heading"), Part(6, 2, 1, 0, "paragraph")),
        kind="paragraph",
        permission_groups=frozenset({"staff"}),
        metadata={"year": 2024},
        created_at=5.0,
    )


def test_a_passage_knows_the_page_of_each_of_its_parts() -> None:
    (chunk,) = chunks(heading("Fees", page=2), text("There are none.", page=2), text("They were abolished.", page=3))
    assert chunk.text == "Fees\n\nThere are none.\n\nThey were abolished."
    assert chunk.parts == (Part(0, 2, 0, 0, "heading"), Part(6, 2, 1, 0, "paragraph"), Part(23, 3, 2, 0, "paragraph"))
    assert [chunk.page_at(offset) for offset in (0, 6, 22, 23, 40)] == [2, 2, 2, 3, 3]


def test_a_document_without_text_has_no_chunks() -> None:
    assert chunks() == []
    assert chunks(text("  ")) == []


A, C = words(60, "a"), words(60, "c")
SENTENCES = [words(30, word) for word in ("One", "Two", "Three", "Four")]
LIST = "\n".join(f"- {words(10)}" for _ in range(5))


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        pytest.param(
            [text(words(40, "a")), text(words(40, "b")), text(C)],
            [f"{words(40, 'a')}\n\n{words(40, 'b')}", C],
            id="paragraphs fill a passage and are not cut",
        ),
        pytest.param(
            [text(" ".join(SENTENCES))],
            [" ".join(SENTENCES[:2]), " ".join(SENTENCES[2:])],  # three would fit, but that would leave a small rest
            id="a long paragraph is cut between sentences",
        ),
        pytest.param(
            [heading("A"), text(A), heading("B"), text(words(20, "b"))],
            [f"A\n\n{A}", f"B\n\n{words(20, 'b')}"],
            id="a full section is not mixed with the next",
        ),
        pytest.param(
            [text(words(90)), heading("Fees"), text(words(80, "b"))],
            [words(90), f"Fees\n\n{words(80, 'b')}"],
            id="a heading stays with the text that follows it",
        ),
        pytest.param(
            [text(words(50, "a")), text("We need these things:"), Block("list", LIST)],
            [words(50, "a"), f"We need these things:\n\n{LIST}"],
            id="a list stays with the line that introduces it",
        ),
        pytest.param(
            [text(A), text(words(30, "b")), text(words(20, "c"))],
            [A, f"{words(30, 'b')}\n\n{words(20, 'c')}"],
            id="a tiny rest is joined with the previous passage",
        ),
    ],
)
def test_passages_end_where_the_text_does(blocks: list[Block], expected: list[str]) -> None:
    assert passages(*blocks) == expected


@pytest.mark.parametrize("content", [" ".join(["word"] * 500), "가" * 500, "x" * 4000, "a. " * 300])
def test_no_passage_exceeds_the_limit_and_no_text_is_lost(content: str) -> None:
    found = passages(text(content), max_tokens=50)
    assert max(map(count_tokens, found)) <= 50
    assert "".join("".join(found).split()) == "".join(content.split())


def test_tiny_sections_under_one_heading_share_a_passage() -> None:
    found = chunks(heading("Rules"), heading("Cats", 2), text("Allowed."), heading("Dogs", 2), text("On a lead."))
    assert [(c.text, c.headings) for c in found if c.level == 2] == [("Rules\n\nCats\n\nAllowed.\n\nDogs\n\nOn a lead.", ("Rules",))]


def test_tiny_sections_of_different_chapters_stay_apart() -> None:
    blocks = [
        heading("A"),
        heading("A1", 2),
        text(words(50)),
        heading("A2", 2),
        text("Short."),
        heading("B"),
        heading("B1", 2),
        text("New."),
    ]
    found = passages(*blocks)
    assert [passage.startswith("B\n\nB1") for passage in found] == [False] * (len(found) - 1) + [True]


def test_the_path_of_headings_follows_their_depth() -> None:
    full = text(words(60))
    blocks = [heading("A"), full, heading("B", 2), full, heading("C", 3), full, heading("D", 2), full]
    assert [c.headings for c in chunks(*blocks) if c.level == 2] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [f"- {words(20, word)}" for word in "abcdefgh"]
    found = passages(Block("list", "\n".join(items)))
    assert "\n".join(found).split("\n") == items
    assert {chunk.kind for chunk in chunks(Block("list", "\n".join(items))) if chunk.level == 2} == {"list"}


def test_a_long_table_repeats_its_header_in_every_passage() -> None:
    header = "| name | fee |\n| --- | --- |"
    rows = [f"| row{i} | {i} |" for i in range(60)]
    found = chunks(Block("table", "\n".join([header, *rows])), max_tokens=60)
    tables = [c for c in found if c.level == 2]
    assert len(tables) > 3
    assert all(c.text.startswith(header + "\n| row") and c.kind == "table" for c in tables)
    assert [line for c in tables for line in c.text.split("\n")[2:]] == rows
    assert max(count_tokens(c.text) for c in tables) <= 60


def test_cells_of_a_row_that_does_not_fit_are_named_by_row_and_column() -> None:
    row = f"| Scope | {words(30)} | {words(40)} |"
    block = Block("table", f"| Skill | Junior | Senior |\n| --- | --- | --- |\n{row}")
    found = [c for c in chunks(block, max_tokens=60) if c.level == 2]
    assert any(c.text.startswith("Skill:\nScope") for c in found)
    for name, text in (("Junior", words(30)), ("Senior", words(40))):
        (chunk,) = [c for c in found if f"Scope · {name}:\n{text}" in c.text]
        part = next(part for part in chunk.parts if chunk.text[part.offset :].startswith(text))
        assert block.text[part.start :].startswith(text)
        label = next(part for part in chunk.parts if chunk.text[part.offset :].startswith(f"Scope · {name}"))
        assert block.text[label.start :].startswith("Scope")
        assert part.kind == "paragraph"


def test_a_table_with_a_very_long_header_is_still_cut_to_size() -> None:
    table = "\n".join(["| " + " | ".join(["name"] * 60) + " |", "|" + " --- |" * 60, "| " + " | ".join(["1"] * 60) + " |"])
    assert max(map(count_tokens, passages(Block("table", table), max_tokens=50))) <= 50


def test_code_keeps_its_lines() -> None:
    code = "def go():\n    if ready:\n        run()"
    (chunk,) = chunks(Block("code", code))
    assert (chunk.text, chunk.kind) == (code, "code")


def test_a_passage_begins_on_the_page_of_its_first_block() -> None:
    blocks = [text(words(60, "a"), 1), text(words(60, "b"), 2), heading("C", page=3), text(words(60, "c"), 4)]
    assert [c.page for c in chunks(*blocks) if c.level == 2] == [1, 2, 3]


def test_sections_and_outline_follow_the_passages() -> None:
    first, second = words(60, "a"), words(60, "b")
    found = chunks(heading("A"), text(first), heading("B", 2), text(second))
    assert [(c.ordinal, c.level) for c in found] == [(0, 2), (1, 2), (2, 1), (3, 1), (4, 0)]
    assert [c.text for c in found[2:4]] == [f"A\n\n{first}", f"A › B\n\n{second}"]
    assert found[4].text.startswith("House rules\n\n- A\n  - B\n\na a a")
    assert [c.headings for c in found[2:]] == [("A",), ("A", "B"), ()]
    assert [c.chunk_id for c in found] == [f"d7|3|{i}" for i in range(5)]


def test_a_document_of_one_section_has_an_outline_but_no_section_chunks() -> None:
    assert [c.level for c in chunks(text(words(80)), text(words(80)))] == [2, 2, 0]


def test_section_openings_and_outlines_keep_to_the_limit() -> None:
    blocks: list[Block] = []
    for i in range(40):
        blocks += [heading(f"Chapter {i}"), heading(f"Section {i}", 2), text(words(150))]
    found: Sequence[Chunk] = chunks(*blocks)
    assert {c.level for c in found} == {0, 1, 2}
    assert max(count_tokens(c.text) for c in found) <= 100


def test_german_abbreviations_do_not_end_a_sentence_where_a_paragraph_is_cut() -> None:
    sentence = "Die Gebühr beträgt z. B. fünf Euro und wird vom Amt am Ende des Jahres erhoben."
    for passage in passages(text(" ".join([sentence] * 8)), max_tokens=60, lang="de"):
        assert (passage[:3], passage[-8:]) == ("Die", "erhoben.")


# --- the source positions of a chunk ---


def test_the_parts_of_a_divided_block_are_contiguous() -> None:
    sentences = " ".join(words(30, word) for word in ("one", "two", "three", "four", "five"))
    found = [chunk for chunk in chunks(text(sentences), max_tokens=70) if chunk.level == 2]
    assert len(found) > 2
    for chunk in found:
        (part,) = chunk.parts
        assert (part.offset, part.block) == (0, 0)
        assert sentences[part.start : part.start + len(chunk.text)] == chunk.text


def test_the_repeated_header_of_a_cut_table_is_a_separate_part() -> None:
    rows = [f"| row{i} | {words(12)} |" for i in range(10)]
    table = "\n".join(["| name | text |", "| --- | --- |", *rows])
    found = [chunk for chunk in chunks(Block("table", table), max_tokens=70) if chunk.level == 2]
    assert len(found) > 1
    header, body = found[1].parts
    assert header == Part(0, None, 0, 0, "table")
    assert found[1].text[body.offset :] == table[body.start : body.start + len(found[1].text) - body.offset]
    assert found[1].text[body.offset :].startswith("| row")


def test_the_lines_of_a_cut_list_keep_their_places() -> None:
    items = "\n".join(f"- {words(15, f'item{i}')}" for i in range(8))
    for chunk in chunks(Block("list", items), max_tokens=60):
        if chunk.level == 2:
            (part,) = chunk.parts
            assert items[part.start : part.start + len(chunk.text)] == chunk.text


def test_a_paragraph_across_a_page_break_has_both_pages() -> None:
    places = (Place(0, 4, 72, 700, 500, 712), Place(14, 5, 72, 72, 500, 84))
    (chunk,) = chunks(Block("paragraph", "It began here, and went on there.", 0, 4, places))
    assert chunk.parts == (Part(0, 4, 0, 0, "paragraph"), Part(14, 5, 0, 14, "paragraph"))
    assert [chunk.page_at(at) for at in (0, 13, 14, 30)] == [4, 4, 5, 5]


def test_generated_text_belongs_to_no_block() -> None:
    outline = chunks(heading("A"), text(words(60)), heading("B"), text(words(60)))[-1]
    assert outline.level == 0
    assert {part.block for part in outline.parts} == {-1}


# --- the location of a passage ------------------------------------------------------------------------


def passages_of(data: bytes, file_name: str) -> list[Chunk]:
    document = make_document("d", title="Plan", metadata={"file_name": file_name})
    return [chunk for chunk in chunk_document(document, parse(data, file_name), max_tokens=320, lang="en") if chunk.level == 2]


def test_a_passage_of_a_spreadsheet_has_the_sheet_of_each_sentence() -> None:
    [chunk] = passages_of(workbook(Fees=[["Boat", "Fee"], ["Kayak", "5"]], Crew=[["Name", "Role"], ["Quint", "Keeper"]]), "harbour.xlsx")
    assert (chunk.unit, chunk.headings) == ("sheet", ())  # both sheets are in one small passage
    assert chunk.section_at(chunk.text.index("Kayak")) == "Fees"
    assert chunk.section_at(chunk.text.index("Quint")) == "Crew"
    [alone] = passages_of(workbook(Fees=[["Boat", "Fee"], ["Kayak", "5"]]), "harbour.xlsx")
    assert alone.section_at(alone.text.index("Kayak")) == "Fees"


def test_other_passages_have_the_last_heading_above_them() -> None:
    text = "# Plan\n\n" + "\n\n".join(f"## {name}\n\n{f'The {name} part is long. ' * 30}" for name in ("North", "South"))
    north, *_, south = passages_of(text.encode(), "plan.md")
    assert (north.unit, north.section_at(40), south.section_at(40)) == ("page", "North", "South")
    [only] = passages_of(b"# Plan\n\nIt is short.", "plan.md")
    assert only.section_at(8) is None  # its only heading is the title


@pytest.mark.parametrize(
    ("name", "unit"), [("a.pptx", "slide"), ("b/c.ODP", "slide"), ("a.XLSX", "sheet"), ("a.ods", "sheet"), ("a.pdf", "page"), ("", "page")]
)
def test_the_kind_of_page_follows_from_the_file_name(name: str, unit: str) -> None:
    assert make_chunk(make_document(metadata={"file_name": name}), "text").unit == unit


@pytest.mark.parametrize(("format", "target"), sorted(TARGETS.items()))
def test_a_converted_file_has_pages_of_the_kind_of_its_new_format(format: str, target: str) -> None:
    """Word and Excel 2003 have no extension of their own."""
    name = {"excelml": "a.xml", "wordml": "a.xml", "hwp97": "a.hwp"}.get(format, f"a.{format}")
    chunk = make_chunk(make_document(metadata={"file_name": name, "type": format}), "text")
    assert chunk.unit == UNITS.get(target, "page")


def test_a_wide_header_above_short_rows_costs_what_its_cells_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its columns times its rows: a row is not looked at for columns that it does not have."""
    seen: list[int] = []
    some_columns = pieces._some_columns

    def counted(line: Piece, bars: Sequence[int], first: int, last: int) -> list[Piece]:
        seen.append(first)
        return some_columns(line, bars, first, last)

    monkeypatch.setattr(pieces, "_some_columns", counted)
    table = "\n".join(["|" + "name |" * 2_000, "|" + " --- |" * 2_000, *["| a |"] * 1_000, "|" + " b |" * 2_000])
    groups = pieces.column_groups(Piece(0, "table", table), 320)
    assert len(groups) > 50
    assert len(seen) < 1_001 + 3 * len(groups)


def test_the_tokens_of_a_text_that_is_far_too_long_are_not_counted() -> None:
    assert Piece(0, "paragraph", "a " * 20_000).tokens == 20_001
    assert Piece(0, "paragraph", "a " * 20_001).tokens == 2_000
