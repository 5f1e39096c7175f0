"""The built-in embedder, on ONNX Runtime."""
