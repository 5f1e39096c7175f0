"""Names in questions and passages."""

from __future__ import annotations

import pytest

from footnote.text import names
from footnote.text.names import find_names, find_spans


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("In 1871 Clara Schumann moved to Berlin.\nThe mayor of London welcomed her.", "en", ["Clara Schumann", "Berlin", "London"]),
        (
            "Im Jahr 1871 zog Clara Schumann nach Berlin.\nDer Bürgermeister von London war da.",
            "de",
            ["Clara Schumann", "Berlin", "London"],
        ),
        ("이순신은 서울에서 태어났다.\n그는 부산에서 싸웠다.", "ko", ["이순신", "서울", "부산"]),
    ],
)
def test_names_of_a_passage_are_found_in_their_order(text: str, lang: str, expected: list[str]) -> None:
    assert list(find_names(text, lang)) == expected


def test_a_name_may_be_broken_by_a_line_but_not_by_an_empty_one() -> None:
    assert list(find_names("They met John\nSmith in Paris.", "en")) == ["John\nSmith", "Paris"]
    assert list(find_names("They went to Paris\n\nLondon is larger.", "en")) == ["Paris", "London"]


def test_spans_are_the_places_of_the_names() -> None:
    text = "Angela Merkel besuchte Paris und dann Angela Merkels Haus."
    assert [text[start:end] for start, end in find_spans(text, "de")] == list(find_names(text, "de"))
    assert next(find_spans(text, "de")) == (0, len("Angela Merkel"))


def test_encoded_data_is_no_name_and_other_languages_have_none() -> None:
    assert not list(find_names("key: " + "QmFzZTY0" * 20, "en"))
    assert not list(find_names("Clara Schumann est née à Leipzig.", "fr"))


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_a_word_weighs_what_its_features_weigh_together(lang: str) -> None:
    words = ["Frau", "Schumanns", "Haus", "in", "서울에서", "Bob's", "\ud800", "GmbH"]
    weights = names._weights()[1]
    previous: names.Part | None = None
    for place, (word, tagged) in enumerate(zip(words, names.tag(words, lang), strict=True)):
        scores = {
            part: sum(weights[slot] for slot in names.features(words, place, part, previous, lang)) for part in names.candidates(word, lang)
        }
        best = max(scores, key=lambda part: scores[part], default=None)
        assert tagged == (best if best and scores[best] > 0 else None)
        previous = tagged
