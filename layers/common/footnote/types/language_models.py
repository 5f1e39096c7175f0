"""Properties of a language model known from its name: its size and its context window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class ModelTier:
    """Settings for models of a size. `largest`: in billions of parameters. `turns`: earlier exchanges of a conversation that they see; None
    = as many as the API reads. `history_share`: the share of the context window that these may take. `rewrites`: they word follow-ups well.
    `quotes_first`: they keep closer to the documents if they quote before they answer."""

    name: str
    largest: float
    turns: int | None
    history_share: float
    rewrites: bool
    quotes_first: bool = False


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """Limits of a model according to its server, in tokens; None = unknown. `window`: prompt and reply together. `reply`: the longest."""

    window: int | None = None
    reply: int | None = None


TIERS = (
    ModelTier("tiny", 3, 3, 0.10, rewrites=False, quotes_first=True),
    ModelTier("small", 9, 6, 0.15, rewrites=False),
    ModelTier("medium", 34, 10, 0.15, rewrites=True),
    ModelTier("large", inf, None, 0.15, rewrites=True),
)
"""By size, the smallest first. Models of unknown size are large."""
SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
"""`3b`, `1.5b`, `135m` or `8x7b` in a name."""
USUAL_SIZES: Mapping[str, float] = {"llama3.2": 3, "llama3.1": 8, "llama3": 8, "mistral": 7, "qwen2.5": 7}
"""Billions of parameters where an Ollama name has no size, such as `llama3.2` or `llama3.2:latest`."""
WINDOWS: Mapping[str, int] = {
    "llama3.2": 8_000,
    "llama3.1": 8_000,
    "mistral": 8_000,
    "qwen2.5": 32_000,
    "gpt-4": 128_000,
    "claude-3-opus": 200_000,
}
"""Beginning of a model's name → its context window in tokens, the answer included."""

THINKING = re.compile(r"(?:qwen3|deepseek-(?:r1|v3\.1))(?!.*(?:instruct|coder|embed))")
"""Beginning of the name of a model whose thinking can be switched off."""


def size_of(model: str) -> float | None:
    """Billions of parameters, read from e.g. `llama3.2:3b` or `Qwen/Qwen2.5-7B-Instruct`; None = unknown."""
    name = _bare(model)
    if match := SIZE.search(name):
        experts, size, unit = match.groups()
        return int(experts or 1) * float(size) / (1000 if unit == "m" else 1)
    return USUAL_SIZES.get(name.partition(":")[0])


def tier_of_model(model: str) -> ModelTier:
    """The tier of a model's size."""
    size = size_of(model)
    return next(tier for tier in TIERS if (inf if size is None else size) <= tier.largest)


def window_of(model: str) -> int | None:
    """The context window in tokens, the answer included; None = unknown."""
    name = _bare(model)
    return next((window for prefix, window in WINDOWS.items() if name.startswith(prefix)), None)


def has_thinking_mode(model: str) -> bool:
    """Whether the model thinks before it replies unless thinking is switched off. Such models repeat themselves at temperature 0."""
    return THINKING.match(_bare(model)) is not None


def _bare(model: str) -> str:
    """`anthropic/claude-3-opus` without its publisher, in lower case."""
    return model.lower().rpartition("/")[2]
