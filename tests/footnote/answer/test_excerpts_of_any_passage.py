"""What every excerpt keeps, of generated passages and of the project's own pages: nothing of its block is left out without a sign."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.answer.choose import Quote
from footnote.answer.excerpts import Blocks, cut
from footnote.answer.show_excerpt import shown
from footnote.ingest.chunk import chunk_document
from footnote.ingest.parse import parse
from footnote.types import BlockKind, Hit
from tests.fakes import make_document, make_hit
from tests.footnote.answer.passages import passage, split
from tests.nightly import DEEP

ROOT = Path(__file__).parents[3]
SENTENCES = [
    "The hall opens at nine.",
    "Dogs stay outside, even small ones.",
    "What does it cost?",
    "회관은 아홉 시에 엽니다.",
    "Take these along:",
    "Ask!",
]
SAID = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8).map(" ".join)
BLOCKS: dict[BlockKind, st.SearchStrategy[str]] = {
    "heading": st.sampled_from(["Fees", "Opening hours of the hall"]),
    "paragraph": SAID,
    "caption": st.just("The hall from above"),
    "list": st.lists(SAID, min_size=1, max_size=16).map(lambda said: "\n".join(f"- {each}" for each in said)),
    "table": st.lists(st.sampled_from(["20 euros", "free", "x" * 700]), min_size=1, max_size=16).map(
        lambda cells: "\n".join(["| Hall | Fee |", "| --- | --- |", *(f"| Hall {number} | {cell} |" for number, cell in enumerate(cells))])
    ),
    "code": st.sampled_from(["make run", "\n\n".join(f"    step{number} = '{'x' * 250}'" for number in range(9))]),
}
PASSAGES = st.lists(st.sampled_from([*BLOCKS]).flatmap(lambda kind: st.tuples(st.just(kind), BLOCKS[kind])), min_size=1, max_size=6)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def check(hit: Hit, blocks: Blocks, best: int, answering: set[int], *, whole: bool) -> None:
    """The excerpt around a sentence keeps its promises, and so does its text."""
    excerpt = cut(blocks, best, answering | {best}, whole=whole)
    assert (excerpt is None) == (best not in blocks.of)
    if excerpt is None:
        return
    block = blocks.blocks[excerpt.block]
    assert list(excerpt.numbers) == sorted(set(excerpt.numbers))
    assert set(excerpt.numbers) <= set(block.numbers)
    for number in excerpt.every:
        start, end = blocks.bounds[number]
        assert excerpt.start <= start < end <= excerpt.end
    items = blocks.items(block)
    there = [item for item in items if not set(excerpt.numbers).isdisjoint(item)]
    assert all(set(item) <= set(excerpt.numbers) for item in there)
    assert blocks.count(there) + excerpt.more == blocks.count(items)
    text = shown(Quote(hit, excerpt, blocks, ()), frozenset(), "en")
    assert ("…" in text) >= (excerpt.more > 0)
    if excerpt.kind != "table":
        assert all(letters(blocks.text(number)) in letters(text) for number in excerpt.every)


@settings(max_examples=200 if DEEP else 50, deadline=None, derandomize=True)
@given(blocks=PASSAGES, has_parts=st.booleans(), data=st.data())
def test_omissions_in_a_generated_passage_are_marked(blocks: list[tuple[BlockKind, str]], has_parts: bool, data: st.DataObject) -> None:
    hit = passage(*blocks) if has_parts else make_hit("\n\n".join(text for _, text in blocks))
    found = split(hit)
    sentences = st.integers(0, len(found.bounds) - 1)
    check(hit, found, data.draw(sentences), data.draw(st.sets(sentences, max_size=5)), whole=data.draw(st.booleans()))


PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("file", PAGES if DEEP else PAGES[::4], ids=lambda file: file.stem)
def test_omissions_in_a_page_are_marked(file: Path) -> None:
    parsed = parse(file.read_bytes(), file.name)
    for chunk in chunk_document(make_document(file.stem), parsed, max_tokens=400, lang="en"):
        hit = make_hit(chunk.text, parts=chunk.parts)
        blocks = split(hit)
        for best in range(len(blocks.bounds)):
            for whole in (False, True):
                check(hit, blocks, best, set(), whole=whole)
