"""The built-in embedder, multilingual-e5-small on ONNX Runtime."""
