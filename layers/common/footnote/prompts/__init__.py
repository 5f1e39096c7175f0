"""Prompts: cache → store → packaged file `prompts/<name>.<language>.j2`, rendered in a sandbox from what is in memory.

Documents and users' text are values, never templates.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from footnote.errors import FootnoteError
from footnote.ports import Cache, Records
from footnote.prompts.store import Saved, read_saved

if TYPE_CHECKING:
    from jinja2 import Template

log = logging.getLogger(__name__)

LANGUAGES = ("en", "de", "ko")


class Prompts:
    """Renders a prompt in a question's language, English where there is none in it."""

    def __init__(self) -> None:
        self.saved: Mapping[str, Saved] = {}
        """`<name>.<language>` → what an admin saved in its place."""
        self._templates: dict[str, Template] = {}

    def render(self, name: str, lang: str, values: Mapping[str, Any]) -> str:
        lang = lang if lang in LANGUAGES else "en"
        saved = self._templates.get(f"{name}.{lang}")
        if saved is not None:
            try:
                return saved.render(values)
            except Exception as exc:  # whatever its values were unlike the examples that it was checked with
                log.error(
                    "a saved prompt failed, the packaged one is used", extra={"prompt": f"{name}.{lang}", "error": type(exc).__name__}
                )
        return _packaged(name, lang).render(values)

    async def load(self, records: Records, cache: Cache) -> None:
        """What was saved, for the renderings that follow. Those under way are not waited for, nor do they wait."""
        saved = await read_saved(records, cache)
        if saved != self.saved:
            self._templates = await asyncio.to_thread(_compile, saved)
            self.saved = saved


def _compile(saved: Mapping[str, Saved]) -> dict[str, Template]:
    from footnote.prompts.rules import compile_template

    made = {}
    for key, prompt in saved.items():
        try:
            made[key] = compile_template(prompt.template)
        except FootnoteError:  # it was saved by a version that had other rules
            log.error("a saved prompt cannot be read, the packaged one is used", extra={"prompt": key})
    return made


@cache
def prompt_names() -> tuple[str, ...]:
    files = (resources.files("footnote") / "prompts").iterdir()
    return tuple(sorted({file.name.split(".")[0] for file in files if file.name.endswith(".j2")}))


def read_packaged(name: str, lang: str) -> str:
    try:
        return (resources.files("footnote") / "prompts" / f"{name}.{lang}.j2").read_text("utf-8")
    except FileNotFoundError as exc:
        raise FootnoteError(f"There is no prompt “{name}”.") from exc


@cache
def _packaged(name: str, lang: str) -> Template:
    from footnote.prompts.rules import compile_template

    return compile_template(read_packaged(name, lang))
