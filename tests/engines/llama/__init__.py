"""llama.cpp's HTTP server with a small language model, SmolLM2-135M-Instruct."""
