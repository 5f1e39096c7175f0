"""What every chunker keeps: all text, valid places in the source, its limit, and the same result every time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.errors import ModelUnavailable
from footnote.ingest.aids import FAILED, NOT_THE_LANGUAGE, TOO_LONG, Helpers, find_aids
from footnote.ingest.chunk import CUTTERS, Aids, chunk_document, find_breaks, read_sections
from footnote.ingest.chunk.semantic import MOST_SENTENCES
from footnote.ingest.chunk.structure import ROWS
from footnote.ingest.fixed_size import DEFAULT
from footnote.ingest.sources import locate
from footnote.text.tokens import count_tokens
from footnote.types import NO_EMBEDDER, Block, Chunk, Chunker, CollectionSettings, Parsed
from tests.fakes import FakeEmbedder, make_document
from tests.nightly import DEEP, sampled

LIMIT = 80
SENTENCES = {
    "en": ["The hall opens at nine.", "Dogs must stay outside, even small ones.", "Who pays twice gets one fee back.", "Ask at the desk."],
    "de": ["Die Halle öffnet um neun.", "Hunde müssen draußen bleiben, auch kleine.", "Wer doppelt zahlt, erhält eine Gebühr zurück."],
    "ko": ["회관은 아홉 시에 엽니다.", "작은 개도 밖에 있어야 합니다.", "두 번 낸 사람은 한 번의 요금을 돌려받습니다."],
}
ROWS_OF_A_TABLE = st.lists(st.tuples(st.sampled_from(["Hall", "Saal", "회관"]), st.integers(1, 9999)), min_size=1, max_size=40)


def paragraph(lang: str) -> st.SearchStrategy[Block]:
    return st.lists(st.sampled_from(SENTENCES[lang]), min_size=1, max_size=25).map(lambda said: Block("paragraph", " ".join(said)))


def table(rows: Sequence[tuple[str, int]]) -> Block:
    return Block(
        "table", "\n".join(["| Room | Fee |", "| --- | --- |", *(f"| {room} {n} | {fee} |" for n, (room, fee) in enumerate(rows))])
    )


def wide(columns: int, rows: int) -> Block:
    lines = [" | ".join(f"{kind} {n}" for n in range(columns)) for kind in ["column", *(f"cell {row}" for row in range(rows))]]
    return Block("table", "\n".join([f"| {lines[0]} |", "|" + " --- |" * columns, *(f"| {line} |" for line in lines[1:])]))


WIDE = st.builds(wide, st.integers(10, 60), st.integers(1, 9))


def documents(lang: str) -> st.SearchStrategy[Parsed]:
    heading = st.builds(Block, st.just("heading"), st.sampled_from(SENTENCES[lang]), st.integers(1, 3))
    items = st.lists(st.sampled_from(SENTENCES[lang]), min_size=1, max_size=12).map(lambda said: "\n".join(f"- {each}" for each in said))
    block = st.one_of(heading, paragraph(lang), items.map(lambda text: Block("list", text)), ROWS_OF_A_TABLE.map(table), WIDE)
    return st.lists(block, min_size=1, max_size=12).map(lambda blocks: Parsed(tuple(blocks), "Rules"))


def chunks(parsed: Parsed, aids: Aids, lang: str) -> list[Chunk]:
    return chunk_document(make_document("d"), parsed, max_tokens=LIMIT, lang=lang, aids=aids)


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.sample
@pytest.mark.parametrize("lang", ["en", sampled("de", False), "ko"])
@pytest.mark.parametrize("chunker", get_args(Chunker))
@settings(max_examples=20 if DEEP else 10, deadline=None, derandomize=True)
@given(data=st.data())
def test_nothing_is_lost_and_every_place_is_right(chunker: Chunker, lang: str, data: st.DataObject) -> None:
    parsed = data.draw(documents(lang))
    breaks = asyncio.run(find_breaks(list(read_sections(parsed.blocks)), FakeEmbedder(), lang)) if chunker == "semantic" else frozenset()
    assert breaks is not None
    aids = Aids(chunker, breaks)
    passages = [chunk for chunk in chunks(parsed, aids, lang) if chunk.level == 2]
    marked: list[set[int]] = [set() for _ in parsed.blocks]
    for chunk in passages:
        place = locate(chunk, parsed.blocks)
        said = "".join(parsed.blocks[mark.block].text[mark.start : mark.end] for mark in place.marks)
        assert squeezed(said) == squeezed(chunk.text)
        for mark in place.marks:
            marked[mark.block].update(range(mark.start, mark.end))
        if chunker == "fixed_size":
            assert len(chunk.text) <= DEFAULT.size
        else:
            assert count_tokens(chunk.text) <= LIMIT
    for block, seen in zip(parsed.blocks, marked, strict=True):
        assert all(sign.isspace() for at, sign in enumerate(block.text) if at not in seen)
    assert passages == [chunk for chunk in chunks(parsed, aids, lang) if chunk.level == 2]


def test_every_chunker_that_a_collection_may_choose_has_a_row() -> None:
    assert set(CUTTERS) == set(get_args(Chunker))


# --- table ---------------------------------------------------------------------------------------


def test_rows_are_grouped_evenly_and_every_group_has_the_header() -> None:
    big = Block("table", "\n".join(["| Room | Fee |", "| --- | --- |", *(f"| {n} | {n} |" for n in range(ROWS + 2))]))
    parsed = Parsed((Block("paragraph", "Before."), Block("caption", "Fees of 2024"), big, Block("paragraph", "After.")))
    passages = [chunk for chunk in chunks(parsed, Aids("table"), "en") if chunk.level == 2]
    assert [chunk.text.partition("\n")[0] for chunk in passages] == ["Before.", "Fees of 2024", "| Room | Fee |", "After."]
    assert [len(re.findall(r"^\| \d", chunk.text, re.MULTILINE)) for chunk in passages[1:3]] == [6, 6]
    assert all("| Room | Fee |\n| --- | --- |\n" in chunk.text for chunk in passages[1:3])


def test_a_row_of_a_wide_table_that_has_a_label_only_is_kept() -> None:
    block = wide(40, 3)
    lines = block.text.split("\n")
    note = "| Figures are provisional until March |" + " |" * (len(lines[0].split("|")) - 3)
    parsed = Parsed((Block("table", "\n".join([*lines[:3], note, *lines[3:]])),))
    assert any("provisional until March" in chunk.text for chunk in chunks(parsed, Aids("structure"), "en"))


@pytest.mark.parametrize("chunker", ["structure", "semantic", "table", "hierarchical"])
@pytest.mark.parametrize(("columns", "rows"), [(12, 3), (30, 1), (40, 12)])
def test_columns_of_a_wide_table_keep_their_header_and_the_first_column(chunker: Chunker, columns: int, rows: int) -> None:
    parsed = Parsed((Block("caption", "All figures"), wide(columns, rows), Block("paragraph", "After.")))
    passages = [chunk for chunk in chunks(parsed, Aids(chunker), "en") if chunk.level == 2]
    assert passages[0].text.startswith("All figures\n\n| column 0 | column 1 |")
    seen = set()
    for chunk in passages:
        lines = [line.strip("| ").split(" | ") for line in chunk.text.split("\n") if line.startswith("| c")]
        for row in lines[1:]:
            assert (lines[0][0], row[0].rpartition(" ")[2]) == ("column 0", "0")
            seen |= {(name, cell) for name, cell in zip(lines[0], row, strict=True) if name.split()[1] == cell.split()[2]}
    assert len(seen) == columns * rows


# --- semantic ------------------------------------------------------------------------------------

TWO_SUBJECTS = " ".join(f"The engine needs oil and the engine needs fuel {n}." for n in range(6))
TWO_SUBJECTS += " " + " ".join(f"Roses and tulips bloom in the garden in May {n}." for n in range(6))


async def test_a_passage_ends_where_the_subject_changes() -> None:
    parsed = Parsed((Block("paragraph", TWO_SUBJECTS),))
    aids, noted = await find_aids(make_document("d"), parsed, CollectionSettings("semantic"), LIMIT, Helpers(FakeEmbedder()))
    assert TWO_SUBJECTS.index("Roses") in {start for _, start in aids.breaks}
    made = [chunk.text for chunk in chunk_document(make_document("d"), parsed, max_tokens=320, lang="en", aids=aids) if chunk.level == 2]
    assert [text.startswith("Roses") for text in made].count(True) == 1
    assert not any("engine" in text and "Roses" in text for text in made)
    assert noted == parsed


class DownEmbedder(FakeEmbedder):
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> object:  # type: ignore[override]
        raise ModelUnavailable("down")


@pytest.mark.parametrize(
    ("embedder", "settings", "text", "why"),
    [
        (None, CollectionSettings("semantic"), TWO_SUBJECTS, NOT_THE_LANGUAGE),
        (FakeEmbedder(), CollectionSettings("semantic", embedder=NO_EMBEDDER), TWO_SUBJECTS, NOT_THE_LANGUAGE),
        (FakeEmbedder(), CollectionSettings("semantic"), " ".join(SENTENCES["ko"] * 5), NOT_THE_LANGUAGE),
        (FakeEmbedder(), CollectionSettings("semantic"), " ".join(SENTENCES["de"] * 5), NOT_THE_LANGUAGE),
        (DownEmbedder(), CollectionSettings("semantic"), TWO_SUBJECTS, FAILED),
        (FakeEmbedder(), CollectionSettings("semantic"), "Ask at the desk. " * (MOST_SENTENCES + 1), TOO_LONG),
    ],
    ids=["none", "words only", "Korean", "German", "down", "too long"],
)
async def test_without_an_embedder_the_structure_decides_and_the_document_says_so(
    embedder: FakeEmbedder | None, settings: CollectionSettings, text: str, why: str
) -> None:
    aids, noted = await find_aids(make_document("d"), Parsed((Block("paragraph", text),)), settings, LIMIT, Helpers(embedder))
    assert (aids.chunker, str(noted.reason).endswith(why), bool(noted.remedy)) == ("structure", True, True)


@pytest.mark.parametrize("chunker", ["structure", "fixed_size", "table"])
async def test_other_chunkers_embed_nothing(chunker: Chunker) -> None:
    embedder = FakeEmbedder()
    aids, noted = await find_aids(
        make_document("d"), Parsed((Block("paragraph", TWO_SUBJECTS),)), CollectionSettings(chunker), LIMIT, Helpers(embedder)
    )
    assert (aids, noted.reason, embedder.embedded) == (Aids(chunker), None, [])
