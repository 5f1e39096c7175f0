"""The fits of names and their kinds; their figures are not tested here."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench import name_kinds_fit, names_fit
from bench.name_corpora import UNKNOWN, in_words, kind_of_tag, of_characters, of_columns
from footnote.text.name_kinds import FITTED
from footnote.text.names import Part


def test_words_in_columns_become_a_text_with_marks(tmp_path: Path) -> None:
    rows = [("#", "source"), ("In", "O"), ("New", "B-LOC"), ("York", "I-LOC"), (",", "O"), ("Ann", "B-PER"), ("Bo", "B-PER"), ("'s", "O")]
    (tmp_path / "a.tsv").write_text("\n".join("\t".join(row) for row in rows) + "\n\nBonn\tLOC\n", "utf-8")
    first, second = of_columns(tmp_path / "a.tsv", 0, 1)
    assert first == ("In New York, Ann Bo's", [(3, 11, "LOC"), (13, 16, "PER"), (17, 19, "PER")])
    assert second == ("Bonn", [(0, 4, "LOC")])


def test_marked_characters_become_a_text_with_marks(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("## comment\n서\tB-LC\n울\tI-LC\n에\tO\n", "utf-8")
    assert list(of_characters(tmp_path / "a.tsv")) == [("서울에", [(0, 2, "LC")])]


def test_a_word_is_split_where_the_name_in_it_ends() -> None:
    words, parts = in_words(
        ("서울에서 Bob's pre-Obama Dutch 3", [(0, 2, "LC"), (5, 8, "PER"), (15, 20, "PER"), (21, 26, "MISC"), (27, 28, "QT")])
    )
    assert words == ["서울에서", "Bob's", "pre-Obama", "Dutch", "3"]
    assert parts == [Part("서울", "에서"), Part("Bob", "'s"), UNKNOWN, UNKNOWN, None]


def test_tags_have_kinds_by_how_they_begin() -> None:
    assert [kind_of_tag(tag) for tag in ("PER", "OGG_MEDIA", "LCP_CITY", "TMI_SW", "creative-work", "QT_AGE", "O")] == [
        "person",
        "organisation",
        "place",
        "product",
        "other",
        None,
        None,
    ]


def test_names_are_compared_but_for_endings_and_unsure_ones_are_forgiven() -> None:
    text = "Clara Schumann met the Dutch in Berlin."
    assert names_fit.compare_names([(text, [(0, 14, "PER"), (32, 38, "LOC")])], "en") == (2, 0, 0)
    assert names_fit.compare_names([(text, [(0, 5, "PER"), (32, 38, "MISC")])], "en") == (0, 1, 1)


def test_the_fit_of_kinds_learns_what_its_examples_show() -> None:
    sentences = [(f"Mr {name} went to {place} today.", [(3, 3 + len(name), "PER"), (12 + len(name), 12 + len(name) + len(place), "LOC")])
                 for name in ("Ames", "Bond", "Carr") for place in ("Rome", "Oslo", "Bern")]  # fmt: skip
    rows = list(name_kinds_fit.examples(sentences, "en"))
    weights = name_kinds_fit.in_steps(name_kinds_fit.fit(rows, marks := name_kinds_fit.marks_of(rows)))
    unseen = name_kinds_fit.examples([("Mr Rood went to Lund today.", [(3, 7, "PER"), (16, 20, "LOC")])], "en")
    told = [FITTED[int(weights[name_kinds_fit.known(features, marks)].sum(0, dtype=np.int32).argmax())] for features, _ in unseen]
    assert told == ["person", "place"]


def test_nouns_of_technical_books_are_no_names_but_where_it_is_not_known(tmp_path: Path) -> None:
    pages = {
        "en": "Rust has a compiler.",
        "de": "Rust hat einen Übersetzer: `Vec`.\n\n```rust\nString::new()\n```\n[Siehe](https://a.b/C)",
        "ko": "React는 라이브러리입니다.",
    }
    for lang, text in pages.items():
        (tmp_path / lang).mkdir()
        (tmp_path / lang / "ch1.md").write_text(text, "utf-8")
    korean, german, other = names_fit.of_books(tmp_path)
    assert korean == ("ko", (["React는", "라이브러리입니다", "."], [UNKNOWN, None, UNKNOWN]))
    assert dict(zip(*german[1], strict=True)) == {"Rust": UNKNOWN, "hat": None, "einen": None, "Übersetzer": None, ":": None, ".": UNKNOWN}
    assert other == ("de", (["[", "Siehe"], [None, None]))
