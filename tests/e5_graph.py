"""Makes `layers/common/footnote/adapters/e5/e5.onnx`: `python -m tests.e5_graph`.

The operations of multilingual-e5-small on the embeddings of one text. The product of queries, keys and values is one matrix, attention
and the norms are operations of ONNX Runtime's own. Tensors are given when the graph is loaded.
"""

from __future__ import annotations

from typing import Any

from onnx import NodeProto, TensorProto, helper

from footnote.adapters.e5.network import GRAPH, LAST, TOKENS, TOKENS_LAYER
from footnote.adapters.e5.weights import HEADS, HIDDEN, INNER, LAYERS

OPSET, IR_VERSION = 20, 9
CONTRIB = "com.microsoft"
"""The operations that ONNX Runtime adds."""
EPSILON = 1e-12


class _Graph:
    """Nodes and tensors in the order in which they are asked for; values are referred to by name."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def tensor(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        made = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        made.external_data.add(key="location", value="given when the graph is loaded")
        self.tensors.append(made)
        return name

    def linear(self, x: str, name: str, outputs: int, inputs: int) -> str:
        matrix = self.tensor(f"{name}.w", inputs, outputs, kind=TensorProto.INT8)
        scales, bias = self.tensor(f"{name}.s", outputs), self.tensor(f"{name}.b", outputs)
        return self.node("DynamicQuantizeMatMul", x, matrix, scales, "", bias, domain=CONTRIB)[0]

    def add_and_norm(self, x: str, skipped: str, name: str) -> str:
        weight, bias = self.tensor(f"{name}.w", HIDDEN), self.tensor(f"{name}.b", HIDDEN)
        return self.node("SkipLayerNormalization", x, skipped, weight, bias, domain=CONTRIB, epsilon=EPSILON)[0]


def make() -> bytes:
    g = _Graph()
    weight, bias = g.tensor("emb.ln.w", HIDDEN), g.tensor("emb.ln.b", HIDDEN)
    (x,) = g.node("LayerNormalization", "embeddings", weight, bias, axis=-1, epsilon=EPSILON)
    for layer in range(LAYERS):
        at = f"l{layer}"
        mixed_in = g.node("Split", g.linear(x, f"{at}.qkv", 3 * HIDDEN, HIDDEN), outputs=3, axis=-1, num_outputs=3)
        (mixed,) = g.node("MultiHeadAttention", *mixed_in, domain=CONTRIB, num_heads=HEADS)
        x = g.add_and_norm(g.linear(mixed, f"{at}.ao", HIDDEN, HIDDEN), x, f"{at}.aln")
        (inner,) = g.node("Gelu", g.linear(x, f"{at}.fi", INNER, HIDDEN))
        x = g.add_and_norm(g.linear(inner, f"{at}.fo", HIDDEN, INNER), x, f"{at}.oln")
        if layer + 1 == TOKENS_LAYER:
            g.nodes.append(helper.make_node("Identity", [x], [TOKENS]))
    g.nodes.append(helper.make_node("Identity", [x], [LAST]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "pieces", HIDDEN]) for name in ("embeddings", LAST, TOKENS)]
    graph = helper.make_graph(g.nodes, "multilingual-e5-small", ends[:1], ends[1:], g.tensors)
    imported = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return bytes(helper.make_model(graph, opset_imports=imported, ir_version=IR_VERSION).SerializeToString(deterministic=True))


if __name__ == "__main__":
    GRAPH.write_bytes(make())
    print(f"{GRAPH}: {GRAPH.stat().st_size} bytes")
