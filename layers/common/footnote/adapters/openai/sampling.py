"""Default sampling parameters by model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters."""

    temperature: float
    top_p: float


SAMPLING = {
    "llama3.2": Sampling(0.3, 0.7),
    "llama3.1": Sampling(0.5, 0.8),
    "mistral": Sampling(0.5, 0.8),
    "qwen2.5": Sampling(0.7, 0.95),
    "gpt-4": Sampling(0.7, 0.9),
    "claude-3-opus": Sampling(0.7, 0.9),
}
"""Prefix of a model's name → its defaults."""


def sampling_of(model: str) -> Sampling | None:
    """Defaults of e.g. `llama3.2:latest` or `anthropic/claude-3-opus`; None if the model is not in the table."""
    name = model.lower().rpartition("/")[2]
    return next((sampling for prefix, sampling in SAMPLING.items() if name.startswith(prefix)), None)
