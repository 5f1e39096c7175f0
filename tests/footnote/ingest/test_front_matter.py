"""The YAML or TOML at the top of a Markdown file."""

from __future__ import annotations

import time

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.front_matter import read
from footnote.types import Block


def lines(written: str) -> tuple[str, ...]:
    found = read(written)
    return found.lines if found else ("none",)


def test_its_values_stand_below_the_title_that_it_gives() -> None:
    parsed = parse(b'---\ntitle: "House rules"\nkeeper: Ann Lee\n---\n\n# Rules\n\nBe kind.\n', "rules.md")
    assert parsed.title == "House rules"
    assert parsed.blocks == (Block("heading", "Rules", 1), Block("metadata", "keeper: Ann Lee"), Block("paragraph", "Be kind."))


def test_questions_of_the_text_keep_their_answers() -> None:
    text = "---\nkeeper: Ann\n---\n\n<details><summary>Is it open?</summary>\n\nOn Sundays.\n\n</details>"
    parsed = parse(text.encode(), "faq.md")
    (pair,) = parsed.pairs
    assert [block.text for block in parsed.blocks[pair.first : pair.end]] == ["Is it open?", "On Sundays."]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("---\nlast_check: 2025-10-01\nversion: 1.10\ndraft: no\n---\n", ("last check: 2025-10-01", "version: 1.10", "draft: no")),
        ('+++\nkeeper = "Ann"\ndate = 2025-10-01\ndraft = true\n[mill]\nfloors = 3\n+++\n',
         ("keeper: Ann", "date: 2025-10-01", "draft: true", "mill floors: 3")),
        ("---\ntags: [wool, flax]\nno:\nteam:\n  - name: Ann\n    role: keeper\n---",
         ("tags: wool, flax", "team name: Ann", "team role: keeper")),
        ("---\nabout: Mills: a guide\nkeeper: 'Ann'\nlist:\n  - wool\n# a comment\n---\n",
         ("about: Mills: a guide", "keeper: Ann", "list: - wool")),
        ("---\nkeeper: Ann\n...\nText.", ("keeper: Ann",)),
        ("---\n---\nText.", ()),
    ],
)  # fmt: skip
def test_each_value_is_a_line_as_it_is_written(written: str, read_as: tuple[str, ...]) -> None:
    assert lines(written) == read_as


@pytest.mark.parametrize(
    "written",
    [
        "---\n\nKeeper: the lamp is lit at nine.\n\n---\n\nMore.",
        "---\nThe lamp is lit at nine.\n---\n\nMore.",
        "---\n- the lamp\n- the gate\n---\n\nMore.",
        "The lamp is lit.\n\n---\nkeeper: Ann\n---\n",
        "---\nkeeper: Ann\n",
        "+++\nThe lamp is lit at nine.\n+++\n",
    ],
)
def test_what_is_no_mapping_between_two_lines_is_text(written: str) -> None:
    assert lines(written) == ("none",)
    assert "lamp" in str(parse(written.encode(), "notes.md").blocks) or "Ann" in str(parse(written.encode(), "notes.md").blocks)


@pytest.mark.parametrize(
    "inside",
    [
        "\n".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9) if i else 1}]" for i in range(30)),
        "\n".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9) if i else ''}]" for i in range(30)),
        "a: " + "[" * 30_000 + "]" * 30_000,
        "- " * 30_000,
        "? " * 30_000,
        "---x\n" * 12_000,
        "a: b\n" * 12_000,
        "a:\n" * 100_000,
    ],
)
def test_absurd_front_matter_takes_no_long_time(inside: str) -> None:
    began = time.process_time()
    for fence in ("---", "+++"):
        read(f"{fence}\n{inside}\n{fence}\n\nText.")
    assert time.process_time() - began < 10
