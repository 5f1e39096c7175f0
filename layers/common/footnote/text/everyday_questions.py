"""Short everyday questions that documents of a team hardly answer. They measure the scores of unrelated texts with an embedder.

`everyday_questions.txt` contains 60 in each of the three languages of the prompts, and the same 20 in each of 23 others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def _read() -> Mapping[str, Sequence[str]]:
    questions: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        lang, question = line.split("\t")
        questions.setdefault(lang, []).append(question)
    return questions


EVERYDAY = _read()
"""Language → questions."""
YARDSTICKS = 8


def yardsticks(lang: str) -> Sequence[str]:
    """Everyday questions of the language, or of English, to measure the scores of unrelated texts with an embedder."""
    return EVERYDAY.get(lang, EVERYDAY["en"])[:YARDSTICKS]
