"""fastText's model for languages, as this package reads it."""

from __future__ import annotations

import pytest

from footnote.text.language_model import language_scores


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("opening hours", {"en": 0.7155, "de": 0.0187}),
        ("Où est la gare ?", {"fr": 0.976, "la": 0.0184}),
        ("Ποια είναι η πρωτεύουσα;", {"el": 0.9991, "en": 0.0003}),
        ("東京 Tower 2024", {"ja": 0.8696, "zh": 0.1291}),
        ("Passwort reset", {"de": 0.212, "fr": 0.1661}),
    ],
)
def test_probabilities_are_those_of_fasttext_s_own_library(text: str, best: dict[str, float]) -> None:
    found = language_scores(text)
    assert {lang: found[lang] for lang in best} == pytest.approx(best, abs=2e-4)
    assert list(best) == sorted(found, key=lambda lang: -found[lang])[:2]


@pytest.mark.parametrize("text", ["", "  \n", "42", "SAP", "🙂", "\ud800"])
def test_a_text_without_a_known_part_has_no_language(text: str) -> None:
    assert language_scores(text) == {}
