"""Size and context window of a model, read from its name."""

from __future__ import annotations

import pytest

from footnote.types import size_of, tier_of_model, window_of


@pytest.mark.parametrize(
    ("name", "size", "tier"),
    [
        ("llama3.2:3b", 3, "tiny"),
        ("llama3.2:1b-instruct-q4_K_M", 1, "tiny"),
        ("smollm2:135m", 0.135, "tiny"),
        ("llama3.2", 3, "tiny"),
        ("llama3.2:latest", 3, "tiny"),
        ("Qwen/Qwen2.5-7B-Instruct", 7, "small"),
        ("gemma2:9b", 9, "small"),
        ("mistral:latest", 7, "small"),
        ("qwen2.5:14b", 14, "medium"),
        ("yi:34b", 34, "medium"),
        ("qwen3:30b-a3b", 30, "medium"),
        ("mixtral-8x7b-instruct", 56, "large"),
        ("llama3.1:70b", 70, "large"),
        ("mistral-large-latest", None, "large"),
        ("gpt-4o-mini", None, "large"),
        ("gpt-3.5-turbo-16k", None, "large"),
        ("claude-3b2-opus", None, "large"),
        ("", None, "large"),
    ],
)
def test_the_size_is_read_from_the_name_and_unknown_models_are_large(name: str, size: float | None, tier: str) -> None:
    assert (size_of(name), tier_of_model(name).name) == (size, tier)


@pytest.mark.parametrize(("name", "window"), [("llama3.2:3b", 8_000), ("anthropic/Claude-3-Opus", 200_000), ("qwen3:8b", None), ("", None)])
def test_the_window_is_known_of_some_models(name: str, window: int | None) -> None:
    assert window_of(name) == window
