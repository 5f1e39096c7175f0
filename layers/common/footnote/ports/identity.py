"""Identity of users, as an identity provider states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Tokens(Protocol):
    """Signed tokens of an identity provider."""

    async def claims(self, token: str) -> Mapping[str, Any]:
        """The claims of a valid token. Unauthorized for a token that is not signed by the issuer's keys with the configured
        algorithm, has another audience, or is not valid now; Unavailable while the issuer's keys cannot be fetched."""

    async def count_keys(self) -> int:
        """Number of the issuer's keys that can verify tokens; Unavailable while they cannot be fetched."""


class Passwords(Protocol):
    """Hashes of passwords."""

    async def hash(self, password: str) -> str:
        """The hash of a password, with a salt of its own."""

    async def verify(self, password: str, known: str | None) -> bool:
        """Whether the password has this hash; False without one, after the same work."""
