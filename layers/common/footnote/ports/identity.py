"""Who asks, where others know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Tokens(Protocol):
    """Signed tokens of an identity provider."""

    async def claims(self, token: str) -> Mapping[str, Any]:
        """What a good token says. Unauthorized for one that is not signed by the issuer's keys in the one way that is
        accepted, is not for us, or is not valid now; Unavailable while the issuer's keys cannot be had."""
        ...

    async def count_keys(self) -> int:
        """How many of the issuer's keys tokens can be checked by; Unavailable while they cannot be had."""
        ...
