"""The metadata of a voice: one ticket, review or mail of a customer, a passage of a collection whose chunker is `voices`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

VoiceField = Literal["date", "channel", "product", "rating", "customer", "ticket"]
VOICE_FIELDS: tuple[VoiceField, ...] = get_args(VoiceField)
"""Metadata of a voice besides its text. `date`: ISO 8601; `rating`: a number from 1 to 5."""
Role = Literal["date", "channel", "product", "rating", "customer", "ticket", "title", "text"]
"""The possible contents of a column in a file of voices."""
ROLES: tuple[Role, ...] = get_args(Role)
VOICE = "voice"
"""Metadata of every passage of a voice: the number of the row, record or mail in its file, from 1."""
PART = "part"
"""Metadata of a passage of a voice that is longer than a passage: 2 for its second one and so on."""

SAID = "said"
"""Metadata of a voice: the characters at its beginning that are its title and text, if columns with other names follow."""


def is_voice(metadata: Mapping[str, Any]) -> bool:
    """Whether a passage with this metadata is a voice, or the beginning of one."""
    return VOICE in metadata and PART not in metadata
