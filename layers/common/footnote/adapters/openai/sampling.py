"""How single models want to be asked, where nobody says otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sampling:
    """`window`: tokens that the model sees at once, what it writes among them."""

    temperature: float
    top_p: float
    window: int


SAMPLING = {
    "llama3.2": Sampling(0.3, 0.7, 8_000),
    "llama3.1": Sampling(0.5, 0.8, 8_000),
    "mistral": Sampling(0.5, 0.8, 8_000),
    "qwen2.5": Sampling(0.7, 0.95, 32_000),
    "gpt-4": Sampling(0.7, 0.9, 128_000),
    "claude-3-opus": Sampling(0.7, 0.9, 200_000),
}
"""By what a model's name begins with."""


def sampling_of(model: str) -> Sampling | None:
    """Of `llama3.2:latest` or `anthropic/claude-3-opus`; None = nothing is known of it."""
    name = model.lower().rpartition("/")[2]
    return next((sampling for prefix, sampling in SAMPLING.items() if name.startswith(prefix)), None)
