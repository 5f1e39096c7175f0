"""Tokens of an identity provider: JWTs, verified with its published keys (JWKS, RFC 7517).

Only the configured algorithm is accepted: the algorithm, keys and key URLs in a token's header are ignored. PyJWT's
PyJWKClient is not used because it blocks, fetches for every unknown key id, and cannot use old keys while the issuer is down.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from footnote.errors import Unauthorized, Unavailable

if TYPE_CHECKING:
    from jwt import PyJWK

FRESH_S = 600.0
"""Keys are fetched again after this time."""
STALE_S = 24 * 3600.0
"""How long known keys stay valid while the issuer cannot be reached."""
UNKNOWN_S = 60.0
"""Least time between fetches for tokens that name an unknown key."""
AWAY_S = 5.0
"""The same while no key is known: one fetch that fails at startup must not lock everyone out for a minute."""
FETCH_S = 3.0
MAX_BYTES = 256 * 1024
LEEWAY_S = 10.0
MIN_RSA_BITS = 2048
KEY_TYPES = {"RS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
REQUIRED = ["exp", "iss", "aud", "sub"]
REFUSED = "This token was not accepted. Sign in again."

Fetch = Callable[[str], bytes]


class JwtTokens:
    """`ports.Tokens` for JWTs."""

    def __init__(
        self,
        issuer: str,
        audience: str,
        jwks_url: str,
        algorithm: str,
        *,
        fetch: Fetch | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        self._audience = audience
        self._url = jwks_url
        self._algorithm = algorithm
        self._fetch = fetch or _fetch
        self._timer = timer
        self._keys: dict[str | None, PyJWK] = {}
        self._fetched = self._tried = float("-inf")
        self._fetching = asyncio.Lock()

    async def claims(self, token: str) -> Mapping[str, Any]:
        import jwt

        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError) as exc:
            raise Unauthorized(REFUSED) from exc
        # A critical extension must be understood (RFC 7515, 4.1.11); none is supported.
        if header.get("alg") != self._algorithm or "crit" in header:
            raise Unauthorized(REFUSED)
        key = await self._key(header.get("kid"))
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token, key, [self._algorithm], audience=self._audience, issuer=self._issuer, leeway=LEEWAY_S, options={"require": REQUIRED}
            )
        except (jwt.PyJWTError, TypeError, ValueError) as exc:  # claims of an unexpected type break some checks
            raise Unauthorized(REFUSED) from exc
        return claims

    async def count_keys(self) -> int:
        async with self._fetching:
            await self._renew(None)
        self._check_age()
        return len({id(key) for key in self._keys.values()})  # a single key is stored under two ids

    async def _key(self, kid: str | None) -> PyJWK:
        now = self._timer()
        if kid not in self._keys or now - self._fetched > FRESH_S:
            async with self._fetching:
                await self._renew(kid)
        self._check_age()
        if kid not in self._keys:
            raise Unauthorized(REFUSED)
        return self._keys[kid]

    def _check_age(self) -> None:
        if self._timer() - self._fetched > STALE_S:
            raise Unavailable("The keys of the identity provider cannot be fetched. Check AUTH__JWKS_URL.")

    async def _renew(self, kid: str | None) -> None:
        """Fetches the keys if they are old or `kid` is unknown, unless that was tried recently. Keeps the known keys if it fails."""
        now = self._timer()
        if (kid in self._keys and now - self._fetched <= FRESH_S) or now - self._tried < (UNKNOWN_S if self._keys else AWAY_S):
            return
        self._tried = now
        try:
            found = json.loads(await asyncio.to_thread(self._fetch, self._url))["keys"]
            keys = dict(read for jwk in found if (read := _read_key(jwk, self._algorithm)) is not None)
        except (OSError, HTTPException, ValueError, LookupError, TypeError):
            return
        if len(keys) == 1:  # tokens need not name a single key
            keys[None] = next(iter(keys.values()))
        self._keys, self._fetched = keys, now


def _read_key(jwk: Any, algorithm: str) -> tuple[str | None, PyJWK] | None:
    """(key id, key); None for a key that doesn't fit the algorithm or is too weak."""
    import jwt
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    if (
        not isinstance(jwk, dict)
        or jwk.get("kty") != KEY_TYPES[algorithm]
        or jwk.get("use", "sig") != "sig"
        or jwk.get("alg", algorithm) != algorithm
    ):
        return None
    try:
        key = jwt.PyJWK(dict(jwk), algorithm)
    except (jwt.PyJWTError, ValueError):
        return None
    weak = isinstance(key.key, RSAPublicKey) and key.key.key_size < MIN_RSA_BITS
    return None if weak else (jwk.get("kid"), key)


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=FETCH_S) as reply:  # noqa: S310  a setting of the operator
        data: bytes = reply.read(MAX_BYTES)
    return data
