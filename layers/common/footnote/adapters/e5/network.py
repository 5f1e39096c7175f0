"""multilingual-e5-small on ONNX Runtime: a BERT of twelve layers whose matrices have eight bits a weight, one scale for each output.

The graph beside this file holds the operations; `tests/e5_graph.py` generates it. The tensors are made from the package's file when it is
loaded, but the embeddings of pieces, which take 90 of its 118 million weights: the few rows that a text needs are read from the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.adapters.e5.weights import HIDDEN, INNER, LAYERS, Weights, dequantise

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GRAPH = Path(__file__).with_name("e5.onnx")
LAST, TOKENS = "states", "token_states"
"""Outputs of the graph: the states of the last layer, and those of an earlier one."""
TOKENS_LAYER = 10
"""The layer of TOKENS, from 1. Its states tell pieces apart better than those of the last layer, which all tend to the text's mean."""


class Network:
    """Ids of pieces → the states of a layer."""

    def __init__(self, weights: Weights) -> None:
        import numpy as np

        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read once, when it is loaded: from 1.29 on it reports to Microsoft by default
        from onnxruntime import InferenceSession, OrtValue, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        values = {name: OrtValue.ortvalue_from_numpy(np.ascontiguousarray(each)) for name, each in tensors(weights)}
        options.add_external_initializers(list(values), list(values.values()))
        self._session = InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])
        self._words = weights.blocks("emb.word", HIDDEN)
        self._places = weights.floats("emb.pos").reshape(-1, HIDDEN) + weights.floats("emb.type")[:HIDDEN]

    def states(self, ids: Sequence[int], layer: str = LAST) -> npt.NDArray[np.float32]:
        """(len(ids), HIDDEN), for one text: how a tensor is rounded depends on all that is in it, so a text is never beside another."""
        embedded = dequantise(self._words[list(ids)]) + self._places[: len(ids)]
        (found,) = self._session.run([layer], {"embeddings": embedded[None]})
        states: npt.NDArray[np.float32] = found[0]
        return states


def tensors(weights: Weights) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """(name in the graph, tensor). Matrices are transposed: (inputs, outputs) in int8, with a scale for each output."""
    import numpy as np

    def norm(name: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        yield f"{name}.w", weights.floats(f"{name}.w")
        yield f"{name}.b", weights.floats(f"{name}.b")

    yield from norm("emb.ln")
    for layer in range(LAYERS):
        at = f"l{layer}"
        for name, parts, inputs in (("qkv", "qkv", HIDDEN), ("ao", ("ao",), HIDDEN), ("fi", ("fi",), HIDDEN), ("fo", ("fo",), INNER)):
            matrix = np.concatenate([dequantise(weights.blocks(f"{at}.{part}.w", inputs)) for part in parts])
            scales = np.abs(matrix).max(axis=1) / 127
            yield f"{at}.{name}.w", np.rint(matrix / scales[:, None]).astype(np.int8).T
            yield f"{at}.{name}.s", scales
            yield f"{at}.{name}.b", np.concatenate([weights.floats(f"{at}.{part}.b") for part in parts])
        yield from norm(f"{at}.aln")
        yield from norm(f"{at}.oln")
