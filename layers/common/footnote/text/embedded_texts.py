"""The texts that are embedded for a chunk: its own and those of its sentences, each with the words that make it understood alone."""

from __future__ import annotations

from collections.abc import Sequence

BETWEEN = 4
"""Most characters between two headings at the beginning of a chunk: a separator or an empty line."""


def embedded_texts(title: str, headings: Sequence[str], text: str, bounds: Sequence[tuple[int, int]]) -> list[str]:
    """The text of the chunk, then that of each sentence. `bounds`: of the sentences in `text`."""
    above = next((heading for heading in reversed(headings) if heading != title), title)
    return [_passage_text(title, headings, text), *(_sentence_text(above, text[start:end]) for start, end in bounds)]


def _passage_text(title: str, headings: Sequence[str], text: str) -> str:
    """Title, headings, text. Without headings that the title repeats or the text begins with."""
    opening = text[: sum(len(heading) + BETWEEN for heading in headings)]
    return " ".join((title, *(heading for heading in headings if heading != title and heading not in opening), text)).strip()


def _sentence_text(heading: str, sentence: str) -> str:
    """“It costs 5 euros a day.” alone does not say what costs that much."""
    return f"{heading}: {sentence}" if heading and sentence != heading else sentence
