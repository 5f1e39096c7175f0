"""Size and context window of a model, read from its name."""

from __future__ import annotations

import pytest

from footnote.types import has_thinking_mode, size_of, tier_of_model, window_of


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


@pytest.mark.parametrize(
    ("name", "thinks"),
    [
        ("qwen3:8b", True), ("Qwen/Qwen3-32B", True), ("deepseek-r1:14b", True), ("deepseek-v3.1", True),
        ("qwen3-30b-a3b-instruct-2507", False), ("qwen3-coder:30b", False), ("qwen2.5:7b", False), ("gpt-oss:20b", False), ("", False),
    ],
)  # fmt: skip
def test_models_whose_thinking_can_be_switched_off_are_known(name: str, thinks: bool) -> None:
    assert has_thinking_mode(name) is thinks


@pytest.mark.parametrize(("name", "window"), [("llama3.2:3b", 8_000), ("anthropic/Claude-3-Opus", 200_000), ("qwen3:8b", None), ("", None)])
def test_the_window_is_known_of_some_models(name: str, window: int | None) -> None:
    assert window_of(name) == window
