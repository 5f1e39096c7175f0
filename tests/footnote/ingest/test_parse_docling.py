"""docling's results become blocks. Plain objects stand in for its documents, because CI has no docling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest.parse import with_docling
from footnote.ingest.parse.with_docling import to_parsed
from footnote.settings import Settings
from footnote.types import Block
from tests.footnote.ingest.packages import relations, xml, zip_of

SMALL = zip_of(
    {
        "_rels/.rels": relations(officeDocument="word/document.xml"),
        "word/document.xml": xml("w:document", "<w:body><w:p><w:r><w:t>Two euros.</w:t></w:r></w:p></w:body>"),
    }
)


@dataclass
class Item:
    """The fields of docling's items that are read."""

    label: str
    text: str = ""
    depth: int = 1
    level: int = 1
    enumerated: bool = False
    marker: str = "-"
    prov: list[Any] = field(default_factory=list)
    data: Any = None
    meta: Any = None
    formatting: Any = None


@dataclass
class FakeDocument:
    items: list[Item]
    pages: dict[int, Any] = field(default_factory=dict)

    def iterate_items(self, **_: Any) -> Iterator[tuple[Item, int]]:
        return ((item, item.depth) for item in self.items)


def on_page(number: int) -> list[Any]:
    return [SimpleNamespace(page_no=number)]


def grid(*rows: str) -> Any:
    """`a b b`: a cell that is named twice in a row is one over two columns."""
    cells = [[SimpleNamespace(text=text, start_col_offset_idx=row.split().index(text)) for text in row.split()] for row in rows]
    return SimpleNamespace(grid=cells)


def blocks(*items: Item) -> tuple[Block, ...]:
    return to_parsed(FakeDocument(list(items))).blocks


def test_sections_are_below_the_title() -> None:
    parsed = to_parsed(FakeDocument([Item("title", "Fees"), Item("section_header", "Adults"), Item("section_header", "Groups", level=2)]))
    assert parsed.blocks == (Block("heading", "Fees", 1), Block("heading", "Adults", 2), Block("heading", "Groups", 3))


def test_without_a_title_the_sections_are_the_top() -> None:
    assert blocks(Item("section_header", "Adults")) == (Block("heading", "Adults", 1),)


def test_successive_items_are_one_list_with_depths_and_numbers() -> None:
    found = blocks(
        Item("list_item", "One", 2, enumerated=True, marker="1."),
        Item("list_item", "inner", 4),
        Item("list_item", "Two", 2, enumerated=True, marker="2."),
        Item("text", "After."),
    )
    assert found == (Block("list", "1. One\n  - inner\n2. Two"), Block("paragraph", "After."))


def test_a_list_with_a_list_inside_is_one_list() -> None:
    group: Any = SimpleNamespace(label="list", name="list", depth=2)
    items: list[Any] = [Item("list_item", "One", 2), group, Item("list_item", "inner", 4), Item("list_item", "Two", 2)]
    assert blocks(*items) == (Block("list", "- One\n  - inner\n- Two"),)


def test_a_list_ends_with_its_slide() -> None:
    found = blocks(Item("list_item", "One", prov=on_page(1)), Item("list_item", "Two", prov=on_page(2)))
    assert found == (Block("list", "- One", page=1), Block("list", "- Two", page=2))


def test_a_table_is_markdown_and_a_wide_cell_is_followed_by_empty_ones() -> None:
    assert blocks(Item("table", data=grid("Fee Year Year", "2 2024 2025"))) == (
        Block("table", "| Fee | Year |  |\n| --- | --- | --- |\n| 2 | 2024 | 2025 |"),
    )


def test_a_picture_is_its_description_and_an_undescribed_one_is_left_out() -> None:
    described = SimpleNamespace(description=SimpleNamespace(text="A blue bridge."))
    assert blocks(Item("picture", meta=described), Item("picture")) == (Block("image", "A blue bridge."),)


def test_captions_code_and_formulas_keep_their_kinds_and_empty_items_are_left_out() -> None:
    found = blocks(
        Item("caption", "Figure 1"), Item("code", "if x:\n    y()\n"), Item("formula", "a = b"), Item("text", " "), Item("section_header")
    )
    assert found == (Block("caption", "Figure 1"), Block("code", "if x:\n    y()"), Block("paragraph", "a = b"))


def test_the_parts_of_a_line_are_one_paragraph_without_struck_text() -> None:
    struck = SimpleNamespace(strikethrough=True)
    parts = [Item("text", "A kayak", 2), Item("text", "costs four", 2, formatting=struck), Item("text", "costs five", 2)]
    assert blocks(Item("inline"), *parts, Item("text", "After.")) == (
        Block("paragraph", "A kayak costs five"),
        Block("paragraph", "After."),
    )
    assert blocks(Item("list_item"), Item("inline", depth=2), *(replace(part, depth=3) for part in parts)) == (
        Block("list", "- A kayak costs five"),
    )


def test_check_boxes_keep_their_state_and_comments_their_authors() -> None:
    comments = [
        Item("comment_section"),
        Item("text", "[author: Ada Berg (AB), time: 2025-01-04T05:48:07]: Is this right?", 2),
        Item("text", "[time: 2025-01-05T05:48:07]: Yes.", 2),
    ]
    assert blocks(Item("checkbox_selected", "Paid"), Item("checkbox_unselected", "Sent"), *comments) == (
        Block("paragraph", "☑ Paid"),
        Block("paragraph", "☐ Sent"),
        Block("list", "Comment (Ada Berg (AB)): Is this right?\nReply: Yes."),
    )


def test_the_contents_of_cells_are_read_once_and_captions_stay() -> None:
    found = blocks(
        Item("table", data=grid("Fee Year", "2 2024")), Item("unspecified", depth=2), Item("text", "2", 3), Item("caption", "Fees")
    )
    assert [block.kind for block in found] == ["table", "caption"]


def test_a_chart_is_its_numbers() -> None:
    meta = SimpleNamespace(tabular_chart=SimpleNamespace(chart_data=grid("Boat Trips", "Kayak 9")))
    assert blocks(Item("picture", meta=meta)) == (Block("table", "| Boat | Trips |\n| --- | --- |\n| Kayak | 9 |"),)


def test_a_file_that_docling_fails_on_is_read_without_it() -> None:
    """Either it is not installed here, or it fails on this minimal file."""
    parsed = with_docling.parse(SMALL, "fees.docx")
    assert (parsed.blocks, parsed.title, parsed.format) == ((Block("paragraph", "Two euros."),), "fees", "docx")


def test_a_text_is_read_without_docling() -> None:
    assert with_docling.parse(b"# Fees\n\nTwo euros.", "fees.md").blocks == (Block("heading", "Fees", 1), Block("paragraph", "Two euros."))


FAKE_DOCLING = """
from types import SimpleNamespace as Bag

class DocumentConverter:
    def convert(self, stream, raises_on_error):
        text = Bag(label="text", text=TEXT, prov=[])
        return Bag(document=Bag(pages={}, iterate_items=lambda **_: [(text, 1)]))
"""
FAKE_MODELS = """
from types import SimpleNamespace as DocumentStream
"""


@pytest.fixture(autouse=True)
def parsers_in_this_process() -> None:
    """The child looks for Docling."""


def install(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package `docling` that reads this text in every file."""
    (folder / "docling" / "datamodel").mkdir(parents=True)
    (folder / "docling" / "document_converter.py").write_text(f"TEXT = {text!r}\n{FAKE_DOCLING}")
    (folder / "docling" / "datamodel" / "base_models.py").write_text(FAKE_MODELS)
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.parametrize(
    ("enabled", "read", "text"),
    [
        (True, "Two euros. Box: 3", "Two euros. Box: 3"),
        (None, "Two euros. Box: 3", "Two euros. Box: 3"),
        (False, "Two euros. Box: 3", "Two euros."),
        (True, "Three euros", "Two euros."),
    ],
    ids=["turned on", "not set", "turned off", "it reads less"],
)
async def test_docling_is_used_where_it_is_installed_unless_turned_off_or_it_reads_less(
    enabled: bool | None, read: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, read, monkeypatch)
    core = Core(Settings(footnote_data=tmp_path, docling_enabled=enabled))
    try:
        assert (await core.parser.parse(SMALL, "fees.docx")).blocks == (Block("paragraph", text),)
    finally:
        await core.close()
