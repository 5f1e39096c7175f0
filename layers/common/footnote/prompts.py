"""Prompts: packaged templates `prompts/<name>.<language>.j2`, rendered in a sandbox.

Documents and users' text are values, never templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from footnote.errors import FootnoteError

if TYPE_CHECKING:
    from jinja2 import Template

LANGUAGES = ("en", "de", "ko")


class Prompts:
    """Renders a prompt in a question's language, English where there is none in it."""

    def __init__(self) -> None:
        self._templates: dict[tuple[str, str], Template] = {}

    def render(self, name: str, lang: str, values: Mapping[str, Any]) -> str:
        key = name, lang if lang in LANGUAGES else "en"
        if key not in self._templates:
            self._templates[key] = _load(*key)
        return self._templates[key].render(**values)


def _load(name: str, lang: str) -> Template:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    try:
        source = (resources.files("footnote") / "prompts" / f"{name}.{lang}.j2").read_text("utf-8")
    except FileNotFoundError as exc:
        raise FootnoteError(f"There is no prompt “{name}”.") from exc
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(source)
