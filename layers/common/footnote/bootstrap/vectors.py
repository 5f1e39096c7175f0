"""For `/ready`, `/admin/health` and `footnote doctor`: which embedder there is, for which languages, and how many vectors it has made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.bootstrap.embedders import count_languages, why_no_embedder
from footnote.errors import Unavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import total_progress
from footnote.ports import embedded_languages
from footnote.types import UNKNOWN_LANGUAGE
from footnote.types.copies import replace

if TYPE_CHECKING:
    from footnote.bootstrap import Core

WORDS_ONLY = "Documents are found by their words only."
NOT_TOLD_APART = frozenset({UNKNOWN_LANGUAGE, "mis"})
"""Codes of languages that Footnote does not recognise."""


@dataclass(frozen=True, slots=True)
class VectorState:
    """What `/ready` says; `problem`: why there is no embedder, and what to do."""

    embedder: str | None
    languages: int | None
    problem: str
    done: int | None = None
    pending: int | None = None


async def vector_state(core: Core) -> VectorState:
    """The default embedder, and all vectors. These are counted only where nobody signs in: how they come along might tell what others
    have added."""
    state = VectorState(None, None, why_words_only(core))
    if core.embedder is not None:
        state = replace(state, embedder=core.embedder.name, languages=count_languages(core.embedder))
    if core.settings.auth.mode != "none":
        return state
    try:
        progress = await vector_progress(core)
    except Unavailable:
        return state
    return state if progress is None else replace(state, done=progress[0], pending=progress[1] - progress[0])


def why_words_only(core: Core) -> str:
    """Why there is no embedder, and what to do; "" = there is one."""
    return "" if core.embedder is not None else " ".join(why_no_embedder(core.settings.embedding) or ())


async def say_vectors(core: Core) -> str:
    """Sentences about the embedder, the languages of the documents, and the vectors that are there. Unavailable if the index is down."""
    return " ".join([*await _say_languages(core), *await _say_progress(core)])


async def _say_languages(core: Core) -> list[str]:
    embedder = core.embedder
    if embedder is None:
        return [WORDS_ONLY]
    known, count, here = embedded_languages(embedder), count_languages(embedder), await _languages(core)
    if count is None:
        return [f"{embedder.name} is used for every language."]
    said = [f"{embedder.name} knows {count} languages."]
    if known is not None:
        said = [f"{embedder.name} knows these languages: {_list(known - NOT_TOLD_APART)}."]
    told_apart = here - NOT_TOLD_APART
    if told_apart and (known is None or told_apart <= known):
        said.append(f"The languages of the documents are among them: {_list(told_apart)}.")
    if known is not None and here - known:
        said.append(f"Found by their words only, as it does not know them: {_list(here - known)}.")
    elif here & NOT_TOLD_APART:
        said.append("The language of some passages is not recognised; they have vectors, too.")
    return said


async def _say_progress(core: Core) -> list[str]:
    progress = await vector_progress(core)
    if progress is None:
        return []
    done, total = progress
    waiting = [f"Waiting for vectors, and found by their words until then: {total - done:,}."] if done < total else []
    return [f"Passages with vectors: {done:,} of {total:,}.", *waiting]


async def vector_progress(core: Core) -> tuple[int, int] | None:
    """(passages with vectors, passages that should have them); None where no collection has an embedder."""
    if not core.embedders.used(await core.collections.directory()):
        return None
    return await total_progress(core.vectors, core.embedders)


async def _languages(core: Core) -> frozenset[str]:
    """The languages of all passages."""
    views = [await core.index.view(LOCAL, name) for name in await core.ledger.collections(LOCAL)]
    return frozenset(lang for view in views for lang in view.languages)


def _list(languages: frozenset[str]) -> str:
    return ", ".join(sorted(languages))
