"""What the agent's tool for voices searches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date

from footnote.answer.voice_tool import FoundVoices, VoiceArguments
from footnote.text.untrusted import untrusted
from footnote.types import Hit, Turn
from footnote.types.copies import replace
from footnote.types.voices import VOICE
from footnote.voices.counts import mean_rating
from footnote.voices.service import Voices
from footnote.voices.themes import Theme
from footnote.voices.voice import VoiceFilter

FOUND, THEMES, RANKED = 8, 8, 50
"""Voices that fit best, themes that are named, and voices that the search ranks."""
FILTERED = "Only voices that meet the filter of this conversation were searched. They were not counted or grouped into themes."
SEARCHED = 0.0
"""The score of an example of a theme, which no search ranked."""


class VoiceFinder:
    """`answer.voice_tool.VoiceTool`."""

    def __init__(self, voices: Voices) -> None:
        self._voices = voices

    async def collection(self, turn: Turn) -> str | None:
        known = await self._voices.collections(turn.caller)
        return turn.request.collection if turn.request.collection in known else next(iter(known), None)

    async def find(self, turn: Turn, collection: str, asked: VoiceArguments, search: Callable[[Turn], Awaitable[Turn]]) -> FoundVoices:
        wanted = _filter(asked)
        request = replace(turn.request, collection=collection, conditions=wanted.conditions())
        found = await search(replace(turn, request=request, plan=replace(turn.plan, limit=RANKED)))
        if found.outcome in ("forbidden", "blocked"):
            return FoundVoices("", found)
        if turn.request.filters:  # counts and themes are made of voices whatever the conversation is filtered by
            hits = [hit for hit in found.evidence.hits if VOICE in hit.chunk.metadata][:FOUND]
            return FoundVoices(FILTERED, replace(found, evidence=replace(found.evidence, hits=tuple(hits))))
        themes, read = await self._voices.themes(turn.caller, "collection", collection, wanted)
        known = {voice.voice_id: voice for voice in read.voices}
        hits = [hit for hit in found.evidence.hits if VOICE in hit.chunk.metadata]
        about = _of_hits(themes.themes, {hit.chunk.chunk_id for hit in hits})
        examples = [known[each] for theme in themes.themes[:THEMES] for each in theme.examples[:1] if each in known]
        shown = [voice.chunk for voice in await self._voices.read_again(turn.caller, examples) if voice.chunk]
        first = hits[:FOUND]
        there = {hit.chunk.chunk_id for hit in first}
        first += [Hit(chunk, SEARCHED, {}) for chunk in shown if chunk.chunk_id not in there]
        chosen = [voice for voice in read.voices if wanted.is_met_by(voice)]
        lines = [f"Voices that were chosen: {themes.voices}{' or more' if read.cut else ''}{_rated(mean_rating(chosen))}."]
        lines += [_line(theme, about.get(theme.theme_id, 0)) for theme in themes.themes[:THEMES]]
        return FoundVoices("\n".join(map(untrusted, lines)), replace(found, evidence=replace(found.evidence, hits=tuple(first))))


def _filter(asked: VoiceArguments) -> VoiceFilter:
    return VoiceFilter(
        (asked.channel,) if asked.channel else (),
        (asked.product,) if asked.product else (),
        asked.rating_from if asked.rating_from > 0 else None,
        asked.rating_to if asked.rating_to < 5 else None,
        date.fromisoformat(asked.since) if asked.since else None,
        date.fromisoformat(asked.until) if asked.until else None,
    )


def _of_hits(themes: tuple[Theme, ...], found: set[str]) -> dict[str, int]:
    """Theme → how many of the voices that fit best are in it."""
    return {theme.theme_id: len(found & set(theme.members)) for theme in themes}


def _line(theme: Theme, fitting: int) -> str:
    trend = "" if theme.before is None else f", {theme.now} in the latest period and {theme.before} in the one before"
    about = f", {fitting} of the voices that fit the query best" if fitting else ""
    return f"Theme “{theme.label}”: {theme.size} voices{_rated(theme.rating)}{trend}{about}."


def _rated(rating: float | None) -> str:
    return "" if rating is None else f", mean rating {rating:g} of 5"
