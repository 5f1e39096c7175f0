"""The shape of an event, the same on every bus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from footnote.errors import TooLarge

SOURCE = "footnote"
"""The `source` of every event."""
MAX_BYTES = 256 * 1024
"""EventBridge's limit for an entry."""


def encode_detail(detail_type: str, detail: Mapping[str, Any]) -> str:
    """The event's detail as JSON; TooLarge where EventBridge would refuse it."""
    text = json.dumps(dict(detail))
    if len(SOURCE) + len(detail_type.encode()) + len(text) > MAX_BYTES:
        raise TooLarge("An event is larger than 256 KB. Send ids instead of texts.")
    return text
