"""Makes `layers/common/footnote/adapters/minilm/minilm.onnx`: `python -m tests.minilm_graph`.

BERT with six layers, mean pooling and unit length, as sentence-transformers runs all-MiniLM-L6-v2. The weights
stay in the package's safetensors file: each initializer says at which byte of it the tensor begins.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from footnote.adapters.minilm.embedder import DIMENSION, GRAPH, WEIGHTS, find_model

HEADS, LAYERS = 12, 6
OPSET, IR_VERSION = 20, 9


class _Graph:
    """Nodes and initializers in the order in which they are asked for; values are referred to by name."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            self._tensors: dict[str, dict[str, Any]] = json.loads(file.read(length))
        self._data_at = 8 + length
        self.nodes: list[NodeProto] = []
        self.initializers: dict[str, TensorProto] = {}

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: object) -> str:
        name = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, name: str, *values: int) -> str:
        self.initializers[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def scalar(self, name: str, value: float) -> str:
        self.initializers[name] = numpy_helper.from_array(np.float32(value), name)
        return name

    def weight(self, name: str) -> str:
        begin, end = self._tensors[name]["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=self._tensors[name]["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", self._data_at + begin), ("length", end - begin)):
            tensor.external_data.add(key=key, value=str(value))
        self.initializers[name] = tensor
        return name

    def linear(self, x: str, name: str) -> str:
        return self.node("Gemm", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def norm(self, x: str, name: str) -> str:
        return self.node("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), axis=-1, epsilon=1e-12)


def make(weights: Path) -> bytes:
    g = _Graph(weights)
    zero, one, two = g.constant("zero", 0), g.constant("one", 1), g.constant("two", 2)
    shape = g.node("Shape", "input_ids")
    length = g.node("Slice", shape, one, two)
    wide = g.node("Concat", shape, g.constant("width", DIMENSION), axis=0)
    split = g.node("Concat", shape, g.constant("heads", HEADS, DIMENSION // HEADS), axis=0)
    flat = g.constant("flat", -1, DIMENSION)  # Gemm takes matrices: batch and length are one dimension but for attention
    scale, most, unit = g.scalar("scale", (DIMENSION // HEADS) ** -0.5), g.scalar("most", 1e9), g.scalar("unit", 1)
    mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = g.node("Mul", g.node("Sub", g.node("Unsqueeze", mask, g.constant("middle", 1, 2)), unit), most)

    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    positions = g.node("Slice", g.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    segment = g.node("Slice", g.weight("embeddings.token_type_embeddings.weight"), zero, one, zero)  # every text is one segment
    x = g.node("Reshape", g.node("Add", g.node("Add", words, positions), segment), flat)
    x = g.norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        q, k, v = (g.node("Reshape", g.linear(x, f"{at}.attention.self.{part}"), split) for part in ("query", "key", "value"))
        q, k, v = (
            g.node("Transpose", q, perm=[0, 2, 1, 3]),
            g.node("Transpose", k, perm=[0, 2, 3, 1]),
            g.node("Transpose", v, perm=[0, 2, 1, 3]),
        )
        scores = g.node("Softmax", g.node("Add", g.node("Mul", g.node("MatMul", q, k), scale), bias), axis=-1)
        mixed = g.node("Reshape", g.node("Transpose", g.node("MatMul", scores, v), perm=[0, 2, 1, 3]), flat)
        x = g.norm(g.node("Add", g.linear(mixed, f"{at}.attention.output.dense"), x), f"{at}.attention.output.LayerNorm")
        inner = g.node("Gelu", g.linear(x, f"{at}.intermediate.dense"))
        x = g.norm(g.node("Add", g.linear(inner, f"{at}.output.dense"), x), f"{at}.output.LayerNorm")

    real = g.node("Unsqueeze", mask, two)
    total = g.node("ReduceSum", g.node("Mul", g.node("Reshape", x, wide), real), one, keepdims=0)
    mean = g.node("Div", total, g.node("ReduceSum", real, one, keepdims=0))
    g.node("LpNormalization", mean, output="vectors", axis=1, p=2)
    graph = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", DIMENSION])],
        list(g.initializers.values()),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    folder = find_model()
    assert folder is not None, "Run `make setup` first."
    GRAPH.write_bytes(make(folder / WEIGHTS))
    print(f"{GRAPH}: {GRAPH.stat().st_size} bytes")
