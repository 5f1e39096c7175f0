"""Hashes of passwords by Argon2id (RFC 9106), in threads of their own."""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor

MEMORY_KIB, PASSES, LANES = 19 * 1024, 2, 1
"""As OWASP recommends for password storage: about 0.05 s of one core. With more lanes, OpenSSL's threads wait for each other for ever when
two passwords are hashed at once."""
AT_ONCE = 2
"""Passwords that are hashed at the same time, so that sign-ins take at most 38 MiB."""


class Argon2Passwords:
    """Makes and checks hashes that name their own cost, so that old ones stay valid when it changes."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, "passwords")
        self._decoy: str | None = None

    async def hash(self, password: str) -> str:
        """The hash of a password, with a salt of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _hash, _bytes(password))

    async def verify(self, password: str, known: str | None) -> bool:
        """Whether the password has this hash. Without one it is checked against that of a password that nobody has: it takes as long."""
        self._decoy = self._decoy or await self.hash(secrets.token_hex())
        right = await asyncio.get_running_loop().run_in_executor(self._threads, _verify, _bytes(password), known or self._decoy)
        return right and known is not None


def _bytes(password: str) -> bytes:
    """The same bytes however a keyboard composes its characters (NIST SP 800-63B, 3.1.1.2)."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")


def _hash(password: bytes) -> str:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    salt = secrets.token_bytes(16)
    return Argon2id(salt=salt, length=32, iterations=PASSES, lanes=LANES, memory_cost=MEMORY_KIB).derive_phc_encoded(password)


def _verify(password: bytes, known: str) -> bool:
    from cryptography.exceptions import InvalidKey
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    try:
        Argon2id.verify_phc_encoded(password, known)
    except InvalidKey:
        return False
    return True
