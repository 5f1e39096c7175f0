"""The input of a system: passages and questions with their vectors. Also runs in the environment of the other systems, so it must
not import Footnote."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

PROMPT = "Answer the question from the context. Cite sources.\n\nContext:\n{context}\n\nQuestion: {question}"
CHAT_PASSAGES = 5
TOP = 10

Search = Callable[[str], Awaitable[Sequence[str]]]
"""A question → the ids of at most TOP passages, best first."""
Chat = Callable[[str], AsyncIterator[str]]
"""A question → the pieces of the model's answer."""


@dataclass(frozen=True)
class Job:
    """`folder`: ids, texts and questions as JSON; `passages.npy`, `questions.npy`: their unit vectors, row by row."""

    folder: Path
    lang: str
    model_url: str = ""
    """Base URL of the stub model."""

    @cached_property
    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "job.json").read_text("utf-8"))
        return content

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def ids(self) -> list[str]:
        ids: list[str] = self._content["ids"]
        return ids

    @property
    def texts(self) -> list[str]:
        """Title and text of each passage, as embedded."""
        texts: list[str] = self._content["texts"]
        return texts

    @property
    def questions(self) -> list[str]:
        questions: list[str] = self._content["questions"]
        return questions

    @cached_property
    def passage_vectors(self) -> npt.NDArray[np.float32]:
        vectors: npt.NDArray[np.float32] = np.load(self.folder / "passages.npy")
        return vectors

    @cached_property
    def vector_of_passage(self) -> dict[str, npt.NDArray[np.float32]]:
        return dict(zip(self.texts, self.passage_vectors, strict=True))

    @cached_property
    def vector_of_question(self) -> dict[str, npt.NDArray[np.float32]]:
        return dict(zip(self.questions, np.load(self.folder / "questions.npy"), strict=True))
