"""The vectors of the handbook's texts and questions, recorded, so that the gate searches and answers with them and embeds nothing.

`python -m tests.quality.vectors` records them again. `make nightly` embeds the texts and compares.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.adapters.e5.embedder import E5
from footnote.adapters.e5.weights import FILE_BYTES, HIDDEN
from footnote.bootstrap import backends
from footnote.ingest.vectors import RECIPE
from footnote.learn.golden import GoldenSet, load_golden
from footnote.ports import EmbeddedPassage
from footnote.settings import LLM, Settings
from footnote.text.everyday_questions import EVERYDAY
from footnote_local.evaluate import FORMAT, build_index, evaluate

HERE = Path(__file__).parent
FILE = HERE / "vectors.npz"
LANGUAGES = ("en", "de", "ko")
AGAIN = "Run `python -m tests.quality.vectors`."

Vectors = npt.NDArray[np.float32]


def golden_of(lang: str) -> GoldenSet:
    return load_golden(HERE / f"handbook_{lang}")


def recipe() -> str:
    """A checksum of what the recorded texts and vectors are made from."""
    parts = [E5.name, FILE_BYTES, RECIPE, FORMAT, Settings().ingest.chunk_tokens, EVERYDAY]
    parts += [golden_of(lang).digest for lang in LANGUAGES]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def key_of(text: str, *told: object) -> int:
    return int.from_bytes(hashlib.blake2b(f"{told}{text}".encode(), digest_size=8).digest(), "big")


def keys_of(passage: EmbeddedPassage) -> list[int]:
    """Those of the passage and of its sentences."""
    return [key_of(passage.text, bounds) for bounds in (None, *passage.bounds)]


class Embedding(E5):
    """The built-in embedder, which keeps what it made."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[int, Vectors] = {}

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        vectors = super().encode(texts, query=query)
        self.made |= zip([key_of(text, query) for text in texts], vectors, strict=True)
        return vectors

    def encode_passages(self, passages: Sequence[EmbeddedPassage]) -> list[Vectors]:
        made = super().encode_passages(passages)
        for passage, rows in zip(passages, made, strict=True):
            self.made |= zip(keys_of(passage), rows, strict=True)
        return made


class Recorded:
    """`ports.Embedder` that gives recorded vectors. `missing`: texts that have none."""

    name, dimension, languages = E5.name, HIDDEN, E5.languages

    def __init__(self) -> None:
        with np.load(FILE) as stored:
            self.recipe = str(stored["recipe"])
            rows = stored["rows"].astype(np.float32)
            self.made: dict[int, Vectors] = dict(zip(stored["keys"].tolist(), rows / np.linalg.norm(rows, axis=1)[:, None], strict=True))
        self.missing: list[str] = []

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.array([self._row(key_of(text, query), text) for text in texts], np.float32).reshape(len(texts), HIDDEN)

    async def embed_passages(self, passages: Sequence[EmbeddedPassage]) -> list[Vectors]:
        return [np.array([self._row(key, passage.text) for key in keys_of(passage)], np.float32) for passage in passages]

    def _row(self, key: int, text: str) -> Vectors:
        if key not in self.made:
            self.missing.append(text)
        return self.made.get(key, np.zeros(HIDDEN, np.float32))


def say_nothing(_: str, __: int, ___: int) -> None:
    pass


async def measure(lang: str, embedder: Any, folder: Path) -> dict[str, object]:
    """The figures of the language's set, with this embedder."""
    golden = golden_of(lang)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "default_embedder", lambda _: embedder)
        core, _ = await build_index(golden, Settings(llm=LLM(discover=False)), folder, say_nothing)
        report = await evaluate(core, golden, retriever="cc", answers=True, foreign=None, progress=say_nothing)
        await core.close()
    return report


def main() -> None:
    """Embeds all and writes FILE: a key, and a vector in eight bits for each number, for each text."""
    embedder = Embedding()
    with tempfile.TemporaryDirectory() as folder:
        for lang in LANGUAGES:
            asyncio.run(measure(lang, embedder, Path(folder)))
    keys = sorted(embedder.made)
    rows = np.array([embedder.made[key] for key in keys])
    small = np.rint(127 * rows / np.abs(rows).max(axis=1)[:, None]).astype(np.int8)
    np.savez_compressed(FILE, recipe=np.array(recipe()), keys=np.array(keys, np.uint64), rows=small)


if __name__ == "__main__":
    main()
