"""A prompt that is tried before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footnote.errors import BadRequest
from footnote.prompts import LANGUAGES, Prompts
from footnote.prompts.rules import compile_template


class TriedPrompts(Prompts):
    """The current prompts, with another text for one of them. `rendered`: what that one became, each time that it was used."""

    def __init__(self, current: Prompts, name: str, lang: str, template: str) -> None:
        """`template`: a valid one. BadRequest for a syntax error."""
        super().__init__()
        self.saved = current.saved
        self.rendered: list[str] = []
        self._current, self._key, self._template = current, f"{name}.{lang}", compile_template(template)

    def render(self, name: str, lang: str, values: Mapping[str, Any], versions: Mapping[str, int] | None = None) -> str:
        """As in `Prompts`. BadRequest if the tried text fails with these values: a saved one would be replaced by the packaged one."""
        if f"{name}.{lang if lang in LANGUAGES else 'en'}" != self._key:
            return self._current.render(name, lang, values, versions)
        try:
            text = self._template.render(values)
        except Exception as exc:
            raise BadRequest(f"The template fails with the values of this question ({type(exc).__name__}).") from exc
        self.rendered.append(text)
        return text
