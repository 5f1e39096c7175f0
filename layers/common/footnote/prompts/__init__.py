"""What is a model asked?

Prompts are saved by an admin, or packaged as `prompts/<name>.<language>.j2`, and rendered in a sandbox.
`load` reads saved prompts from the cache or the store, `render` only uses what is in memory. Documents and users' text
are values, never templates.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from footnote.errors import FootnoteError, NotFound
from footnote.ports import Cache, Records
from footnote.prompts.store import Saved, read_saved, read_version
from footnote.types import WORDED_LANGUAGES

if TYPE_CHECKING:
    from jinja2 import Template

log = logging.getLogger(__name__)

LANGUAGES = WORDED_LANGUAGES


class Prompts:
    """Renders prompts in the language of the question, or in English if that is not one of LANGUAGES."""

    def __init__(self) -> None:
        self.saved: Mapping[str, Saved] = {}
        """`<name>.<language>` → the prompt that an admin saved."""
        self._templates: dict[str, Template] = {}
        self._pinned: dict[tuple[str, int], Template] = {}
        self._kept: dict[tuple[str, int], Template] = {}

    def render(self, name: str, lang: str, values: Mapping[str, Any], versions: Mapping[str, int] | None = None) -> str:
        """The prompt's text. A saved prompt that fails is replaced by the packaged one. `versions`: `<name>.<language>` → the version to
        use instead of the current one, if it was pinned; 0 = the packaged one."""
        lang = lang if lang in LANGUAGES else "en"
        key = f"{name}.{lang}"
        pinned = self._pinned | self._kept if versions else {}
        if versions and key in versions and (versions[key] == 0 or (key, versions[key]) in pinned):
            saved = pinned.get((key, versions[key]))
        else:
            saved = self._templates.get(key)
        if saved is not None:
            try:
                return saved.render(values)
            except Exception as exc:  # real values may differ from the examples that it was checked with
                log.error("a saved prompt failed; the packaged one is used", extra={"prompt": key, "error": type(exc).__name__})
        return _packaged(name, lang).render(values)

    async def pin(self, versions: Iterable[tuple[str, int]], records: Records) -> None:
        """Keeps these versions in memory, in place of those pinned before: (`<name>.<language>`, version). Missing ones are logged."""
        self._pinned = await self._compiled(versions, self._pinned, records)

    async def keep(self, versions: Iterable[tuple[str, int]], records: Records) -> None:
        """Keeps these versions in memory as well, regardless of later pins. A version never changes."""
        self._kept |= await self._compiled(versions, self._kept, records)

    async def _compiled(
        self, versions: Iterable[tuple[str, int]], compiled_before: Mapping[tuple[str, int], Template], records: Records
    ) -> dict[tuple[str, int], Template]:
        pinned = {}
        for key, version in versions:
            if (key, version) in compiled_before:
                pinned[key, version] = compiled_before[key, version]
            elif version:
                try:
                    saved = Saved(await read_version(key, version, records), version, 0.0, "")
                except NotFound:
                    log.error("a version of a prompt is missing; the current one is used", extra={"prompt": key})
                else:
                    compiled = await asyncio.to_thread(_compile, {key: saved})
                    if key in compiled:
                        pinned[key, version] = compiled[key]
        return pinned

    async def load(self, records: Records, cache: Cache) -> None:
        """Loads the saved prompts for later calls of `render`. Does not block renderings in progress."""
        saved = await read_saved(records, cache)
        if saved != self.saved:
            self._templates = await asyncio.to_thread(_compile, saved)
            self.saved = saved


def _compile(saved: Mapping[str, Saved]) -> dict[str, Template]:
    from footnote.prompts.rules import compile_template

    templates = {}
    for key, prompt in saved.items():
        try:
            templates[key] = compile_template(prompt.template)
        except FootnoteError:  # saved by a version with other rules
            log.error("a saved prompt is invalid; the packaged one is used", extra={"prompt": key})
    return templates


@cache
def prompt_names() -> tuple[str, ...]:
    """The names of all packaged prompts, sorted."""
    files = (resources.files("footnote") / "prompts").iterdir()
    return tuple(sorted({file.name.split(".")[0] for file in files if file.name.endswith(".j2")}))


def read_packaged(name: str, lang: str) -> str:
    """The packaged template's source. FootnoteError if there is no such prompt."""
    try:
        return (resources.files("footnote") / "prompts" / f"{name}.{lang}.j2").read_text("utf-8")
    except FileNotFoundError as exc:
        raise FootnoteError(f"There is no prompt “{name}”.") from exc


@cache
def _packaged(name: str, lang: str) -> Template:
    from footnote.prompts.rules import compile_template

    return compile_template(read_packaged(name, lang))
