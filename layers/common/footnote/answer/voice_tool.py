"""The agent's tool `search_voices`: what customers say, with counts and themes, and voices to cite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Protocol

from pydantic import BaseModel, Field, field_validator

from footnote.model_calls import object_schema
from footnote.ports import Tool
from footnote.text.untrusted import untrusted_title
from footnote.types import Chunk, Turn
from footnote.types.voices import VOICE

VOICES = "search_voices"
SHOWN = ("date", "rating", "channel", "product")
"""The fields of a voice shown to the model besides its text."""


class VoiceArguments(BaseModel, defer_build=True):
    """Arguments of `search_voices`; an empty or missing one, or the end of its range, does not restrict."""

    query: str = Field(description="What the customers speak about, in the user's words.")
    since: str = Field("", description="First day, YYYY-MM-DD.")
    until: str = Field("", description="Last day, YYYY-MM-DD.")
    rating_from: float = Field(0, ge=0, le=5, description="Lowest rating, 1 to 5.")
    rating_to: float = Field(5, ge=0, le=5, description="Highest rating, 1 to 5; 2 for complaints, if voices have ratings.")
    channel: str = Field("", max_length=200, description="A channel as it is written in an earlier result.")
    product: str = Field("", max_length=200, description="A product as it is written in an earlier result.")

    @field_validator("since", "until")
    @classmethod
    def is_day(cls, day: str) -> str:
        """ValueError unless it is a day of the years 2000 to 2999."""
        if day and not 2000 <= date.fromisoformat(day).year <= 2999:
            raise ValueError("The year is not between 2000 and 2999.")
        return day


@cache
def voice_tool() -> Tool:
    """Definition of `search_voices`. Built on first use, because building the schema would slow down the import."""
    says = (
        "Searches what customers say in tickets, reviews and mails. Use it, and not the document search, for questions about customers' "
        "opinions, complaints, wishes or ratings. Gives counts, themes with their size and trend, and numbered voices to cite."
    )
    return Tool(VOICES, says, object_schema(VoiceArguments))


@dataclass(frozen=True, slots=True)
class FoundVoices:
    """`summary`: counts and themes in plain lines; `found`: the turn of the search, with the voices as hits."""

    summary: str
    found: Turn


class VoiceTool(Protocol):
    """The dependencies of the tool."""

    async def collection(self, turn: Turn) -> str | None:
        """The collection of voices to search for this turn; None = its caller may read none."""

    async def find(self, turn: Turn, collection: str, arguments: VoiceArguments, search: Callable[[Turn], Awaitable[Turn]]) -> FoundVoices:
        """What customers say about it. `search`: runs the usual search steps, checks included, on a turn."""


def attributes_of(chunk: Chunk) -> str:
    """The metadata of a voice, as attributes of its tag; "" for another passage."""
    metadata: Mapping[str, Any] = chunk.metadata
    if VOICE not in metadata:
        return ""
    return "".join(f' {name}="{untrusted_title(str(metadata[name]))}"' for name in SHOWN if metadata.get(name) not in (None, ""))
