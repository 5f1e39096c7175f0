"""The description of a document: what it is made of, and what stands if it was given."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ingest.describe import describe
from footnote.types import Block, Parsed

ENGLISH = (
    Block("heading", "Ferries", 1),
    Block(
        "paragraph",
        "Good morning to all of you. The ferries cross the river every hour, and each ferry carries forty cars. Is it late now?",
    ),
    Block("list", "- Ferries are blue, and the river is wide; ferries and rivers and cars belong together."),
)
GERMAN = (Block("paragraph", "Guten Morgen allerseits. Die Fähre fährt jede Stunde über den Fluss, und jede Fähre trägt vierzig Autos."),)
KOREAN = (
    Block(
        "paragraph", "모두 안녕하세요. 여객선은 매시간 강을 건너며 자동차 마흔 대를 싣고 넓은 한강을 건너서 돌아온다. 여객선은 파란색이다."
    ),
)


def made(blocks: tuple[Block, ...], lang: str, given: dict[str, Any] | None = None, format: str = "pdf") -> dict[str, Any]:
    return describe(Parsed(blocks, "A plan", format=format), lang, given or {})


def test_a_description_is_one_flat_line() -> None:
    found = made(ENGLISH, "en")
    assert found["additional_field"] == (
        "summary=The ferries cross the river every hour, and each ferry carries forty cars."
        " | topics=Ferries,plan,river,cars | lang=en | pii=false | type=pdf"
    )
    assert (found["topics"], found["lang"], found["pii"], found["type"]) == (["Ferries", "plan", "river", "cars"], "en", False, "pdf")


@pytest.mark.parametrize(
    ("blocks", "lang", "summary", "topics"),
    [
        (
            GERMAN,
            "de",
            "Die Fähre fährt jede Stunde über den Fluss, und jede Fähre trägt vierzig Autos.",
            {"Fähre"},
        ),
        (KOREAN, "ko", "여객선은 매시간 강을 건너며 자동차 마흔 대를 싣고 넓은 한강을 건너서 돌아온다.", {"여객선"}),
    ],
)
def test_summary_and_topics_in_other_languages(blocks: tuple[Block, ...], lang: str, summary: str, topics: set[str]) -> None:
    found = made(blocks, lang)
    assert found["additional_field"].startswith(f"summary={summary} | topics=")
    assert topics <= set(found["topics"])
    assert f" | lang={lang} | " in found["additional_field"]


def test_given_values_stand() -> None:
    given = {"summary": "My own | words,\nand more", "topics": ["x", "y, z"], "type": "note", "class": "HR"}
    found = made(ENGLISH, "en", given)
    assert found["additional_field"] == "summary=My own words, and more | topics=x,y z | lang=en | pii=false | type=note"
    assert {name: found[name] for name in given} == given


def test_a_given_additional_field_stands() -> None:
    assert made(ENGLISH, "en", {"additional_field": "some value"})["additional_field"] == "some value"


def test_personal_data_is_flagged_wherever_it_is() -> None:
    far = Block("paragraph", "word " * 20_000)
    assert made((*ENGLISH, far, Block("table", "| a@b.example.org |")), "en")["pii"] is True


def test_without_a_sentence_the_title_is_the_summary() -> None:
    assert made((Block("table", "| a | b |\n|---|---|\n| 1 | 2 |"),), "en")["additional_field"].startswith("summary=A plan | ")
